import type { BacklogRecord } from 'dynamo-backlog';
import { COUNT_SIGNS, count, counted, relative, units } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import { LOCAL_REFRESH_SECONDS, type PageContext, page, timesOf, Verdict } from '../layout.js';
import { NumberedPager } from '../numbered-pages.js';
import { Foreign, Icon, link, Mark, Panel, recordLink, Unknown, When } from '../parts.js';
import type { GroupsLook, ListedGroup } from './all-groups.js';
import { MembersBar } from './bar.js';
import { endRecordOf, type GroupEndRecord } from './end-state.js';
import { endedText, GroupBadge, groupLink, Troubles, troublesOf } from './looks.js';

/** Rows of a page: for each the record of its end is read. */
export const SHOWN_GROUPS = 20;

/** A page of the list. */
export interface GroupsPage {
  readonly look: GroupsLook;
  /** The number of the page, from 1. */
  readonly number: number;
  readonly rows: readonly GroupRow[];
  /** The cost of the records of the ends of these groups. */
  readonly readUnits: number;
}

/** A row of it. */
export interface GroupRow {
  readonly group: ListedGroup;
  /** Undefined: the record of its end was not read. */
  readonly end: GroupEndRecord | undefined;
}

/** @param records those of the ends that were read. @param isCut others were not, as they would cost too much */
export function rowsOf(
  groups: readonly ListedGroup[],
  {
    records,
    isCut,
    now,
  }: { readonly records: readonly BacklogRecord[]; readonly isCut: boolean; readonly now: number },
): GroupRow[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  return groups.map((group) => {
    const record = byId.get(group.id);
    return { group, end: record === undefined && isCut ? undefined : endRecordOf(group.id, record, now) };
  });
}

/** The groups that go on, open ones first. @param list undefined: there was no look yet, as each is billed */
export function groupsPage(context: PageContext, list: GroupsPage | undefined) {
  const isLocal = context.deps.runtime !== undefined;
  return page({
    context,
    title: 'Groups',
    view: 'Groups',
    // In AWS each look is billed: the list stays as it is.
    refreshSeconds: isLocal && list ? LOCAL_REFRESH_SECONDS : undefined,
    children: (
      <div class="cols" data-live="groups">
        <Verdict note={list && noteOf(list, context)}>
          <Sentence list={list} />
        </Verdict>
        {list?.look.isWhole === false ? <Cut look={list.look} /> : null}
        {list === undefined ? (
          <NotListed />
        ) : list.look.groups.length === 0 ? (
          <None />
        ) : (
          <Rows list={list} context={context} />
        )}
        <OpenById />
      </div>
    ),
  });
}

function noteOf({ look, readUnits }: GroupsPage, context: PageContext) {
  const { wall } = timesOf(context);
  if (context.deps.runtime) return 'read again every few seconds';
  return (
    <>
      listed {relative(look.at, wall)}, for {units(look.readUnits + readUnits)}.{' '}
      <a href="/groups?list=yes">List again</a>
    </>
  );
}

/** `4 groups go on: 1 is held by dead members.` */
function Sentence({ list }: { list: GroupsPage | undefined }) {
  if (list === undefined) return 'Groups are listed when you ask for it.';
  const { groups, isWhole } = list.look;
  if (groups.length === 0) return isWhole ? 'No group goes on.' : 'No group was found.';
  const of = (isIt: (group: ListedGroup) => boolean) => groups.filter(isIt).length;
  const [held, lost] = [of(({ holdsDead, dead }) => holdsDead && dead > 0), of(({ lost: some }) => some > 0)];
  const timedOut = list.rows.filter(({ end }) => end?.state === 'timedOut').length;
  const troubles = [
    held > 0 ? `${count(held)} ${held === 1 ? 'is' : 'are'} held by dead members` : '',
    lost > 0 ? `${count(lost)} ${lost === 1 ? 'has' : 'have'} lost members` : '',
    timedOut > 0 ? `${count(timedOut)} of this page ${timedOut === 1 ? 'has' : 'have'} timed out` : '',
  ].filter(Boolean);
  const sign = isWhole ? '' : COUNT_SIGNS.atLeast;
  const many = `${sign}${counted(groups.length, 'group')} ${groups.length === 1 ? 'goes' : 'go'} on`;
  if (troubles.length === 0) return `${many}.`;
  return (
    <Mark tone="amber" icon="warn">
      {many}: {troubles.join(', ')}.
    </Mark>
  );
}

function Cut({ look }: { look: GroupsLook }) {
  return (
    <p class="flash dead">
      <Icon name="warn" />
      <span>
        The look has ended after {units(look.readUnits)}: groups are missing, and counts are too low. Open a
        group to read its own. <code>backlog groups</code> reads all.
      </span>
    </p>
  );
}

/** The page without a list: what a group is, and what can be done next. */
function NoList({ children }: { children: Child }) {
  return (
    <section class="panel">
      <div class="blank">
        <p>
          A group is a set of records with an end: when all its members have ended, one more record is
          attempted.
        </p>
        {children}
      </div>
    </section>
  );
}

function NotListed() {
  return (
    <NoList>
      <p class="sub">
        The list reads the whole control table once: a few items for each queue, and for each 1,000 members of
        a group that goes on their ids, about 5 read units with ids of 36 characters. It ends at 20,000 read
        units ($0.0025).
      </p>
      <p class="buttons">
        <a class="btn pri" href="/groups?list=yes">
          List the groups
        </a>
      </p>
    </NoList>
  );
}

function None() {
  return (
    <NoList>
      <p class="sub">
        The prop groups of the CDK app makes the function that counts, and <code>RecordGroups.insert</code>{' '}
        begins a group.
      </p>
    </NoList>
  );
}

/** Groups that have ended are in no list. */
function OpenById() {
  return (
    <Panel title="One group" note="also one that has ended, which is not in the list">
      <form class="filters name" method="get" action="/groups/show">
        <label class="f">
          Id of the group
          <input class="mono" name="id" maxlength={128} required />
        </label>
        <span class="buttons">
          <button class="btn" type="submit">
            Open
          </button>
        </span>
      </form>
    </Panel>
  );
}

function Rows({ list, context }: { list: GroupsPage; context: PageContext }) {
  const { look, rows } = list;
  return (
    <Panel title="Groups" note="open ones first, then the oldest">
      <table class="groups cards">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Group</th>
            <th scope="col">Members</th>
            <th scope="col">Since, UTC</th>
            <th scope="col">Timeout, UTC</th>
            <th scope="col">
              <span class="vh">The record of its end</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row row={row} isWhole={look.isWhole} now={context.now} />
          ))}
        </tbody>
      </table>
      <NumberedPager
        number={list.number}
        size={SHOWN_GROUPS}
        shown={rows.length}
        all={look.groups.length}
        sign={look.isWhole ? '' : COUNT_SIGNS.atLeast}
        linkOf={pageLink}
      />
    </Panel>
  );
}

function Row({ row: { group, end }, isWhole, now }: { row: GroupRow; isWhole: boolean; now: number }) {
  const { id, createdAt, holdsDead } = group;
  const sign = isWhole ? '' : COUNT_SIGNS.atLeast;
  return (
    <tr data-key={id}>
      <td class="c-state">
        <GroupBadge group={group} />
      </td>
      <td class="c-name">
        <a class="id" href={groupLink(id)}>
          <Foreign text={id} most={128} />
        </a>
        <Troubles texts={troublesOf(group, { holdsDead, end })} />
      </td>
      <td class="c-members">
        <MembersBar group={group} sign={sign} />
        <span class="sm sub block">{endedText(group, holdsDead, sign)}</span>
      </td>
      <td class="c-since" data-label="Since">
        {createdAt === undefined ? <Unknown /> : <When at={createdAt} now={now} />}
      </td>
      <td class="c-timeout" data-label="Timeout">
        {end?.timeoutAt === undefined ? (
          <Unknown why={end === undefined ? 'not read' : 'the record of its end does not wait'} />
        ) : (
          <When at={end.timeoutAt} now={now} />
        )}
      </td>
      <td class="r sm nw c-end">
        {end?.state === 'gone' ? (
          <span class="sub">no end record</span>
        ) : (
          <a href={recordLink(id)}>
            End record<span class="vh"> of {id}</span>
          </a>
        )}
      </td>
    </tr>
  );
}

const pageLink = (number: number) => link('/groups', { page: number === 1 ? undefined : String(number) });
