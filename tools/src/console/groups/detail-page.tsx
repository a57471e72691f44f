import type { Group } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import { fullClock, units } from 'dynamo-backlog/overview';
import { ActLink, WhyReadOnly } from '../action-form.js';
import { AWS_REFRESH_SECONDS, LOCAL_REFRESH_SECONDS, type PageContext, page } from '../layout.js';
import { Fact, Foreign, Icon, Mark, recordLink, StateBadge, Unknown, When } from '../parts.js';
import { MembersBar } from './bar.js';
import { GROUP_ACTIONS } from './catalog.js';
import { endedText, GroupBadge, groupActLink, Troubles, troublesOf } from './looks.js';
import { MembersPanel } from './members-panel.js';
import type { ReadGroup } from './read-group.js';
import type { GroupTask } from './work.js';

/** A page that costs more read units than that is read again when it is loaded again. */
const MAX_REFRESHED_UNITS = 25;

/** One group: its members, those that still wait, and the record of its end. */
export function groupPage(context: PageContext, read: ReadGroup, task: GroupTask | undefined) {
  const { group, head, end, members, readUnits } = read;
  const { id } = group;
  const texts = head === undefined ? [] : troublesOf(group, { holdsDead: head.holdsDead, end });
  return page({
    context,
    title: id,
    view: 'Groups',
    refreshSeconds: refreshSecondsOf(context, read, task),
    children: (
      <>
        <section class="panel" data-live="hero">
          <div class="hero">
            <div>
              <p class="sm">
                <a href="/groups">Groups</a>
              </p>
              <h1 class="mono">
                <Foreign text={id} most={128} />
              </h1>
              <p>
                <GroupBadge group={group} />{' '}
                <span class="sub">{endedText(group, head?.holdsDead ?? false)}</span>
              </p>
              <Troubles texts={texts} />
              <TaskLine task={task} now={context.now} />
            </div>
            <TimeoutBox read={read} now={context.now} />
          </div>
          <div class="pad">
            <MembersBar group={group} large />
          </div>
          <Facts read={read} now={context.now} />
          <Actions context={context} group={group} />
        </section>
        <MembersPanel group={group} members={members} />
        {readUnits > 0 ? <p class="sub sm">This page has cost {units(readUnits)}.</p> : null}
      </>
    ),
  });
}

function refreshSecondsOf(
  { deps }: PageContext,
  { head, readUnits }: ReadGroup,
  task: GroupTask | undefined,
) {
  const moves = head !== undefined || (task !== undefined && !task.ended);
  if (!moves) return undefined;
  if (deps.runtime) return LOCAL_REFRESH_SECONDS;
  return readUnits <= MAX_REFRESHED_UNITS ? AWS_REFRESH_SECONDS : undefined;
}

/** A seal or a check that went on when its form was answered. */
function TaskLine({ task, now }: { task: GroupTask | undefined; now: number }) {
  if (task === undefined) return null;
  const { label, since, ended } = task;
  if (ended === undefined) {
    return (
      <p class="sm">
        <Mark tone="run" icon="run">
          {label}, begun <When at={since} now={now} />, goes on, as long as this console runs.
        </Mark>
      </p>
    );
  }
  return (
    <p class="sm">
      <Mark tone={ended.ok ? 'ok' : 'dead'} icon={ended.ok ? 'ok' : 'fail'}>
        {label}, begun <When at={since} now={now} />: <Foreign text={ended.text} most={400} />
      </Mark>
    </p>
  );
}

function TimeoutBox({ read: { head, end }, now }: { read: ReadGroup; now: number }) {
  const { timeoutAt } = end;
  if (head === undefined || timeoutAt === undefined) return null;
  const isOver = timeoutAt <= now;
  return (
    <div class="next">
      <span class="sm mark">
        <Icon name={isOver ? 'warn' : 'new'} />
        <span>{isOver ? 'Timed out' : 'Timeout in'}</span>
      </span>
      {isOver ? (
        <span class="big">{age(now - timeoutAt)} ago</span>
      ) : (
        <time class="big" datetime={new Date(timeoutAt).toISOString()} data-countdown="">
          {age(timeoutAt - now)}
        </time>
      )}
      <time class="sm sub" datetime={new Date(timeoutAt).toISOString()}>
        {fullClock(timeoutAt)} UTC
      </time>
    </div>
  );
}

function Actions({ context, group }: { context: PageContext; group: Group }) {
  const { access } = context.deps;
  const possible = GROUP_ACTIONS.filter(({ isFor }) => isFor(group));
  if (possible.length === 0) return null;
  return (
    <div class="acts">
      {possible.map(({ name, label, icon, danger }) => (
        <ActLink
          access={access}
          href={groupActLink(group.id, name)}
          look={`btn ${danger ? 'danger end' : ''}`}
          label={label}
          icon={icon}
        />
      ))}
      <WhyReadOnly access={access} />
    </div>
  );
}

function Facts({ read, now }: { read: ReadGroup; now: number }) {
  const { group, head, record, firstDeath } = read;
  const { createdAt } = group;
  const ofDead = head?.holdsDead
    ? 'hold it until they are redriven, cancelled or discarded'
    : 'count as ended';
  return (
    <dl class="facts2">
      {createdAt === undefined ? null : (
        <Fact label="Since">
          <When at={createdAt} now={now} />
        </Fact>
      )}
      {head === undefined ? null : <Fact label="Dead members">{ofDead}</Fact>}
      <Fact label="First death">
        <FirstDeath read={read} />
      </Fact>
      {firstDeath === undefined ? null : (
        <Fact label="The record of the first death">
          <RecordLink id={firstDeath.id} />
        </Fact>
      )}
      <Fact label="The record of its end">
        {record === undefined ? (
          <Unknown why="it is gone" />
        ) : (
          <>
            <RecordLink id={record.id} />{' '}
            <span class="sub">
              in <Foreign text={record.queue} most={60} />
            </span>{' '}
            <StateBadge state={record.status} />
          </>
        )}
      </Fact>
    </dl>
  );
}

/** The member that was dead first, as far as a record says so. */
function FirstDeath({ read: { head, firstDeath, group } }: { read: ReadGroup }) {
  if (firstDeath?.member !== undefined) return <RecordLink id={firstDeath.member} />;
  if (firstDeath !== undefined) return <Unknown why="its record does not name the member" />;
  if (head?.firstDeath !== undefined) return 'none yet: a record is inserted then';
  return group.dead === 0 ? 'none' : 'not noted: no onFirstDeath, or its record is gone';
}

function RecordLink({ id }: { id: string }) {
  return (
    <a href={recordLink(id)}>
      <Foreign text={id} most={160} />
    </a>
  );
}
