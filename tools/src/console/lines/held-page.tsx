import type { HeldKeys, LineName } from 'dynamo-backlog';
import { COUNT_SIGNS, count, counted } from 'dynamo-backlog/overview';
import { isStuck, waitingText } from '../../line-words.js';
import { AWS_REFRESH_SECONDS, LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { NumberedPager } from '../numbered-pages.js';
import { Foreign, Icon, Mark, Panel, Unknown, When } from '../parts.js';
import type { LineLook } from './line-looks.js';
import { HeadLink, heldLink, LineBadge, lineLink, MissingNumber } from './looks.js';

/** Rows of a page: each reads its line, its head, and what waits. */
export const SHOWN_LINES = 10;

/** The keys of a queue whose records wait until an operator acts, a page of them. */
export interface HeldPage {
  readonly queue: string;
  readonly held: HeldKeys;
  /** The number of the page, from 1. */
  readonly number: number;
  readonly rows: readonly { readonly name: LineName; readonly look: LineLook }[];
}

const signOf = ({ hasMore }: HeldKeys): string => (hasMore ? COUNT_SIGNS.atLeast : '');

/** @param shown undefined: no queue is named */
export function heldPage(context: PageContext, shown: HeldPage | undefined) {
  return page({
    context,
    title: shown ? `Held keys of ${shown.queue}` : 'Lines of keys',
    view: 'Records',
    refreshSeconds: shown && (context.deps.runtime ? LOCAL_REFRESH_SECONDS : AWS_REFRESH_SECONDS),
    children: (
      <div class="cols" data-live="lines">
        <Verdict note={shown && 'as the intake has noted them'} details={<Details shown={shown} />}>
          <Sentence shown={shown} />
        </Verdict>
        {shown && shown.rows.length > 0 ? <Rows shown={shown} now={context.now} /> : null}
        <OneKey queue={shown?.queue} />
      </div>
    ),
  });
}

function Sentence({ shown }: { shown: HeldPage | undefined }) {
  if (shown === undefined) return 'With order, the records of a key form a line.';
  const { queue, held } = shown;
  const name = <Foreign text={queue} most={60} />;
  const { keys, hasMore } = held;
  if (keys.length === 0 && !hasMore) return <>No key of {name} is held.</>;
  return (
    <Mark tone="amber" icon="warn">
      {name}: the records of {signOf(held)}
      {counted(keys.length, 'key')} wait until you act.
    </Mark>
  );
}

function Details({ shown }: { shown: HeldPage | undefined }) {
  if (shown === undefined)
    return <>Only the head of a line is attempted. Keys that are held are in the overview, at their queue.</>;
  const { queue, held } = shown;
  if (held.hasMore)
    return (
      <>
        Only {count(held.keys.length)} are noted: <code>backlog lines {queue}</code> lists all.
      </>
    );
  if (held.keys.length === 0) return <>Behind a head that fails, records wait for its retries alone.</>;
  return (
    <>
      Redrive a dead head, and it is attempted again; discard it, and the next one has its turn. A key that
      goes on leaves this list within five minutes.
    </>
  );
}

function Rows({ shown: { queue, held, number, rows }, now }: { shown: HeldPage; now: number }) {
  return (
    <Panel title="Held keys" note="in the order in which they were noted">
      <table class="heldlines cards">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Key</th>
            <th scope="col" class="r">
              Waiting
            </th>
            <th scope="col">Since, UTC</th>
            <th scope="col">Because of</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, look }) => (
            <Row name={name} look={look} now={now} />
          ))}
        </tbody>
      </table>
      <NumberedPager
        number={number}
        size={SHOWN_LINES}
        shown={rows.length}
        all={held.keys.length}
        sign={signOf(held)}
        linkOf={(page) => heldLink(queue, page)}
      />
    </Panel>
  );
}

function Row({ name, look, now }: { name: LineName; look: LineLook; now: number }) {
  return (
    <tr data-key={name.key}>
      <td>
        <State look={look} />
      </td>
      <td class="c-key">
        <a class="mono" href={lineLink(name)}>
          <Foreign text={name.key} most={120} />
        </a>
      </td>
      {look === undefined || 'problem' in look ? (
        <td colspan={3} class="sm sub">
          {look ? <Foreign text={look.problem} most={200} /> : 'Its line is gone.'}
        </td>
      ) : (
        <Facts look={look} now={now} />
      )}
    </tr>
  );
}

function State({ look }: { look: LineLook }) {
  if (look === undefined) return <Unknown />;
  if ('problem' in look)
    return (
      <span class="mark amber">
        <Icon name="warn" /> Not read
      </span>
    );
  return isStuck(look.line) ? <LineBadge line={look.line} /> : <span class="sub sm">goes on again</span>;
}

function Facts({ look: { line }, now }: { look: Extract<LineLook, { line: object }>; now: number }) {
  const { head, missing } = line;
  const since = head?.diedAt ?? missing?.since;
  return (
    <>
      <td class="r n" data-label="Waiting">
        {waitingText(line)}
      </td>
      <td data-label="Since">{since === undefined ? <Unknown /> : <When at={since} now={now} />}</td>
      <td data-label="Because of">
        {head ? <HeadLink head={head} /> : <MissingNumber line={line} now={now} />}
        {head?.error === undefined ? null : (
          <span class="sm sub block">
            <Foreign text={head.error} most={160} />
          </span>
        )}
      </td>
    </>
  );
}

function OneKey({ queue }: { queue: string | undefined }) {
  return (
    <Panel title="The line of one key" note="also one that is not held">
      <form class="filters line" method="get" action="/lines/show">
        <label class="f">
          Queue
          <input name="queue" value={queue} maxlength={128} required />
        </label>
        <label class="f">
          Key
          <input class="mono" name="key" maxlength={256} required />
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
