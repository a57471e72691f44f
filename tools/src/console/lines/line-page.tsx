import type { RecordLine } from 'dynamo-backlog';
import { count } from 'dynamo-backlog/overview';
import { adviceOn, waitingText } from '../../line-words.js';
import { ActLink, WhyReadOnly } from '../action-form.js';
import { ACTIONS } from '../actions/catalog.js';
import { AWS_REFRESH_SECONDS, LOCAL_REFRESH_SECONDS, type PageContext, page } from '../layout.js';
import { capitalized, Fact, Foreign, link, Panel, recordLink, When } from '../parts.js';
import type { Followers } from './line-looks.js';
import { HeadLink, heldLink, LeftOut, LineBadge, MissingNumber } from './looks.js';

/** Records behind the head that are shown: their ids take two read units. */
export const SHOWN_FOLLOWERS = 50;

/** Names of the actions on the head of a line, after which it goes on. The first one attempts it again. */
const HEAD_ACTIONS: Readonly<Partial<Record<RecordLine['state'], readonly [string, string]>>> = {
  dead: ['redrive', 'discard'],
  retrying: ['run-now', 'discard'],
};

/** The line of a key: its head, why the next record waits, what to do, and which records wait. */
export function linePage(context: PageContext, line: RecordLine, followers: Followers) {
  const { deps, now } = context;
  const { queue, key } = line;
  return page({
    context,
    title: key,
    view: 'Records',
    refreshSeconds: deps.runtime ? LOCAL_REFRESH_SECONDS : AWS_REFRESH_SECONDS,
    children: (
      <>
        <section class="panel" data-live="hero">
          <div class="hero">
            <div>
              <p class="sm">
                <a href={heldLink(queue)}>Lines</a> /{' '}
                <a href={link('/records', { queue })}>
                  <Foreign text={queue} most={60} />
                </a>
              </p>
              <h1 class="mono">
                <Foreign text={key} most={256} />
              </h1>
              <p>
                <LineBadge line={line} /> <span class="sub">{summaryOf(line)}</span>
              </p>
            </div>
          </div>
          <Facts line={line} now={now} />
          <Actions context={context} line={line} />
        </section>
        <FollowersPanel line={line} followers={followers} />
      </>
    ),
  });
}

/** The number of records that wait, and what to do about it. */
function summaryOf(line: RecordLine): string {
  const waits = line.waiting === 1 && !line.hasMore ? '1 record waits' : `${waitingText(line)} records wait`;
  const advice = adviceOn(line);
  if (line.state === 'idle') return 'The next number that comes is attempted at once.';
  const where = line.head ? ' behind the head' : '';
  return `${waits}${where}.${advice ? ` ${capitalized(advice)}.` : ''}`;
}

function Facts({ line, now }: { line: RecordLine; now: number }) {
  const { head, missing, leftOut, next } = line;
  return (
    <dl class="facts2">
      {head === undefined && missing === undefined ? <Fact label="Next number">{next}</Fact> : null}
      {head === undefined ? null : (
        <Fact label="Head">
          <HeadLink head={head} />
        </Fact>
      )}
      {head?.error === undefined ? null : (
        <Fact label="Its error">
          <Foreign text={head.error} most={300} />
        </Fact>
      )}
      {head?.diedAt === undefined ? null : (
        <Fact label="Dead since">
          <When at={head.diedAt} now={now} />
        </Fact>
      )}
      {head?.dueAt === undefined ? null : (
        <Fact label="Next attempt">
          <When at={head.dueAt} now={now} expected />
        </Fact>
      )}
      {missing === undefined ? null : (
        <Fact label="Missing">
          <MissingNumber line={line} now={now} />
        </Fact>
      )}
      {leftOut === undefined ? null : (
        <Fact label="Left out">
          <LeftOut line={line} now={now} />
        </Fact>
      )}
    </dl>
  );
}

function Actions({ context, line }: { context: PageContext; line: RecordLine }) {
  const { access } = context.deps;
  const { head, state, queue, key } = line;
  const [again, giveUp] = head ? (HEAD_ACTIONS[state] ?? []) : [];
  const button = (wanted: string | undefined) => {
    const action = ACTIONS.find(({ name }) => name === wanted);
    if (head === undefined || action === undefined) return null;
    const { name, ask, icon, danger } = action;
    return (
      <ActLink
        access={access}
        href={link('/record/act', { id: head.id, do: name })}
        look={`btn ${danger ? 'danger end' : 'pri'}`}
        label={`${ask[0]}the head${ask[1]}`}
        icon={icon}
      />
    );
  };
  return (
    <div class="acts">
      {button(again)}
      <a class="btn" href={link('/records', { queue, key })}>
        Records of this key
      </a>
      {button(giveUp)}
      <WhyReadOnly access={access} />
    </div>
  );
}

function FollowersPanel({ line, followers }: { line: RecordLine; followers: Followers }) {
  const { entries, hasMore } = followers;
  return (
    <Panel
      title="Those that wait"
      note="in the order of their numbers; some may have ended meanwhile"
      live="followers"
    >
      {entries.length === 0 ? (
        <p class="pad sub">No record waits in this line.</p>
      ) : (
        <ol class="memberids">
          {entries.map(({ id, seq }) => (
            <li data-key={id}>
              <span class="sub n">{seq}</span>{' '}
              <a class="mono" href={recordLink(id)}>
                <Foreign text={id} most={120} />
              </a>
            </li>
          ))}
        </ol>
      )}
      {hasMore ? (
        <p class="pad sub sm">
          The first {count(entries.length)} of {waitingText(line)}.
        </p>
      ) : null}
    </Panel>
  );
}
