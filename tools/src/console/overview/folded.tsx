import {
  COUNT_SIGNS,
  type Condition,
  count,
  counted,
  LOOKS,
  leastExact,
  type QueueView,
  waitText,
} from 'dynamo-backlog/overview';
import type { PageContext } from '../layout.js';
import { Count, Foreign, link, Mark, Unknown, When } from '../parts.js';
import { FailedShare, OldestDue, PausedKeys, PauseLink } from './cells.js';

/** Most queues that are all shown in full. */
const FEW_QUEUES = 6;
/** Least rows that are worth a fold. */
const MIN_FOLDED = 3;
/** Conditions of a queue with which nothing is wrong. A queue changes between them every minute, and stays where it is. */
const WELL: readonly Condition[] = ['working', 'waiting', 'quiet'];

/** The queues that are shown in full, and those with which nothing is wrong, by name, where there are many. */
export function foldQueues(queues: readonly QueueView[]): {
  readonly shown: readonly QueueView[];
  readonly folded: readonly QueueView[];
} {
  const well = queues.filter(({ condition }) => WELL.includes(condition));
  if (queues.length <= FEW_QUEUES || well.length < MIN_FOLDED) return { shown: queues, folded: [] };
  const byName = (one: QueueView, other: QueueView) => (one.stats.queue < other.stats.queue ? -1 : 1);
  return { shown: queues.filter((view) => !well.includes(view)), folded: well.sort(byName) };
}

/** One row that opens: each queue with which nothing is wrong has a line in it. */
export function FoldedQueues(props: {
  context: PageContext;
  queues: readonly QueueView[];
  /** Only a local runtime knows these. */
  hasMinutes: boolean;
  hasRetry: boolean;
  isOpen: boolean;
}) {
  const { context, queues, hasMinutes, hasRetry, isOpen } = props;
  const isAllKnown = queues.every(({ recent }) => recent !== undefined);
  return (
    <details class="fold" data-key="folded" open={isOpen}>
      <summary>
        <Mark tone={isAllKnown ? 'ok' : 'grey'} icon={isAllKnown ? 'ok' : 'new'}>
          <b>
            {counted(queues.length, 'queue')} with nothing {isAllKnown ? '' : 'known to be '}wrong
          </b>
        </Mark>{' '}
        <span class="sub sm">{contents(queues)}</span>
      </summary>
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">State</th>
            <th scope="col" class="r">
              Waiting
            </th>
            {hasRetry ? (
              <th scope="col" class="r more">
                In retry
              </th>
            ) : null}
            <th scope="col" class="r more">
              Oldest due
            </th>
            {hasMinutes ? (
              <th scope="col" class="r more">
                Failed, 15 min
              </th>
            ) : null}
            {hasMinutes ? (
              <th scope="col" class="more">
                Next run
              </th>
            ) : null}
            <th scope="col" class="r">
              <span class="vh">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {queues.map((view) => (
            <Line context={context} view={view} hasMinutes={hasMinutes} hasRetry={hasRetry} />
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Line(props: { context: PageContext; view: QueueView; hasMinutes: boolean; hasRetry: boolean }) {
  const { context, view, hasMinutes, hasRetry } = props;
  const { stats, condition, inRetry, retryCounted, recent, nextRunAt } = view;
  const { queue } = stats;
  const { tone, icon, word } = LOOKS[condition];
  return (
    <tr data-key={queue}>
      <td class="name">
        <a class="bare" href={link('/records', { queue })}>
          <Foreign text={queue} most={60} />
        </a>
      </td>
      <td class="sm nw">
        <Mark tone={tone} icon={icon}>
          {word}
        </Mark>
        <PausedKeys stats={stats} now={context.now} />
      </td>
      <td class="r">
        <Count of={stats.pending} sign={COUNT_SIGNS[stats.counted]} />
      </td>
      {hasRetry ? (
        <td class="r more">
          <a class="bare" href={link('/records', { queue, status: 'ERROR' })}>
            <Count of={inRetry} sign={COUNT_SIGNS[retryCounted]} tone="retry" icon="retry" />
          </a>
        </td>
      ) : null}
      <td class="r nw more">
        <OldestDue view={view} now={context.now} inLine />
      </td>
      {hasMinutes ? (
        <td class="r more">
          <FailedShare recent={recent} inLine />
        </td>
      ) : null}
      {hasMinutes ? (
        <td class="sm nw more">
          {nextRunAt === undefined ? <Unknown why="no rule" /> : <When at={nextRunAt} now={context.now} />}
        </td>
      ) : null}
      <td class="r">
        <PauseLink queue={queue} isPaused={stats.paused} />
      </td>
    </tr>
  );
}

/** `24 records wait, on time; 1 with a run at work; 14 with failed attempts`. */
function contents(queues: readonly QueueView[]): string {
  const pending = queues.reduce((sum, { stats }) => sum + stats.pending, 0);
  const counted = leastExact(queues.map(({ stats }) => stats));
  const working = queues.filter(({ condition }) => condition === 'working').length;
  // In AWS a progressive queue has no due times to tell by.
  const isOnTime = queues.every(
    ({ stats, recent }) => stats.pending === 0 || recent !== undefined || stats.lagSeconds !== undefined,
  );
  const failed = queues.filter(({ recent }) => (recent?.failed ?? 0) > 0).length;
  return [
    pending === 0
      ? 'no indexed record waits'
      : `${waitText({ pending, counted })}${isOnTime ? ', on time' : ''}`,
    ...(working > 0 ? [`${count(working)} with a run at work`] : []),
    ...(failed > 0 ? [`${count(failed)} with failed attempts`] : []),
  ].join('; ');
}
