import { age } from 'dynamo-backlog/engine';
import { COUNT_SIGNS, type Condition, LOOKS, pauseNote, type QueueView } from 'dynamo-backlog/overview';
import type { PageContext } from '../layout.js';
import { Badge, Count, Foreign, link, Panel, Unknown, When } from '../parts.js';
import { FailedShare, HeldKeys, OldestDue, PausedKeys, PauseLink } from './cells.js';
import { MinutesChart } from './chart.js';
import { FoldedQueues, foldQueues } from './folded.js';

/** Conditions of queues that have a chart where there are many queues; others are seen by their counts. */
const SEEN_BY_CHART: readonly Condition[] = ['breaker', 'failing', 'late'];

/** All queues, the worst first. Of many queues, those with which nothing is wrong are folded. */
export function QueuesPanel({ context, queues }: { context: PageContext; queues: readonly QueueView[] }) {
  const hasMinutes = queues.some(({ minutes }) => minutes !== undefined);
  const hasRetry = queues.some(({ inRetry }) => inRetry !== undefined);
  const { shown, folded } = foldQueues(queues);
  const hasChart =
    hasMinutes && (folded.length === 0 || shown.some(({ condition }) => SEEN_BY_CHART.includes(condition)));
  return (
    <Panel title="Queues" note="the worst first" live="queues" end={hasChart ? <ChartKey /> : null}>
      {shown.length === 0 ? null : (
        <QueuesTable
          context={context}
          queues={shown}
          isDense={folded.length > 0}
          {...{ hasChart, hasMinutes, hasRetry }}
        />
      )}
      {folded.length === 0 ? null : (
        <FoldedQueues
          context={context}
          queues={folded}
          isOpen={shown.length === 0}
          {...{ hasMinutes, hasRetry }}
        />
      )}
    </Panel>
  );
}

interface Columns {
  readonly hasChart: boolean;
  readonly hasMinutes: boolean;
  readonly hasRetry: boolean;
  /** There are many queues: each takes less room. */
  readonly isDense: boolean;
}

function QueuesTable(props: { context: PageContext; queues: readonly QueueView[] } & Columns) {
  const { context, queues, ...columns } = props;
  const { hasChart, hasMinutes, hasRetry, isDense } = columns;
  return (
    <table class={['queues', ...(hasChart ? [] : ['plain']), ...(isDense ? ['dense'] : [])].join(' ')}>
      <thead>
        <tr>
          <th scope="col">Queue</th>
          {hasChart ? <th scope="col">Attempts per minute, last 2 h</th> : null}
          <th scope="col" class="r">
            Waiting
          </th>
          <th scope="col" class="r">
            Due now
          </th>
          {hasRetry ? (
            <th scope="col" class="r">
              In retry
            </th>
          ) : null}
          <th scope="col" class="r">
            Dead
          </th>
          <th scope="col" class="r">
            Oldest due
          </th>
          <th scope="col" class="r">
            Lag
          </th>
          {hasMinutes ? (
            <th scope="col" class="r">
              Failed, 15 min
            </th>
          ) : null}
          <th scope="col">Next run, lease</th>
        </tr>
      </thead>
      <tbody>
        {queues.map((view) => (
          <QueueRow context={context} view={view} {...columns} />
        ))}
      </tbody>
    </table>
  );
}

function ChartKey() {
  return (
    <span class="key">
      <span>
        <i class="k-ok" />
        succeeded, up
      </span>
      <span>
        <i class="k-bad" />
        failed, down
      </span>
      <span>
        <i class="k-shade" />
        no success
      </span>
      <span>square-root scale</span>
    </span>
  );
}

function QueueRow(props: { context: PageContext; view: QueueView } & Columns) {
  const { context, view, hasChart, hasMinutes, hasRetry, isDense } = props;
  const { stats, condition, minutes, inRetry, retryCounted, recent } = view;
  const { queue } = stats;
  const { tone, icon, word } = LOOKS[condition];
  const sign = COUNT_SIGNS[stats.counted];
  return (
    <tr data-key={queue}>
      <td class="lead">
        <a class="name" href={link('/records', { queue })}>
          <Foreign text={queue} most={60} />
        </a>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        {isDense ? null : <span class="sub sm">{retryText(view)}</span>}
        <PauseLink queue={queue} isPaused={stats.paused} />
      </td>
      {hasChart ? (
        <td class="chart">
          {isDense && !SEEN_BY_CHART.includes(condition) ? null : minutes ? (
            <MinutesChart queue={queue} minutes={minutes} now={context.now} />
          ) : (
            <Unknown />
          )}
        </td>
      ) : null}
      <td class="r n" data-label="Waiting">
        <Count of={stats.pending} sign={sign} />
      </td>
      <td class="r n extra" data-label="Due now">
        <Count of={dueNow(view)} sign={sign} />
      </td>
      {hasRetry ? (
        <td class="r n extra" data-label="In retry">
          <a class="bare" href={link('/records', { queue, status: 'ERROR' })}>
            <Count of={inRetry} sign={COUNT_SIGNS[retryCounted]} tone="retry" icon="retry" />
          </a>
        </td>
      ) : null}
      <td class="r n" data-label="Dead">
        <a class="bare" href={link('/records', { queue, status: 'DEAD' })}>
          <Count of={stats.dead} sign={sign} tone="dead" icon="dead" />
        </a>
      </td>
      <td class="r n" data-label="Oldest due">
        <OldestDue view={view} now={context.now} />
      </td>
      <td class="r n extra" data-label="Lag">
        {stats.lagSeconds === undefined ? (
          <Unknown why="a progressive queue has no due times: see Tiers" />
        ) : stats.lagSeconds === 0 ? (
          <span class="q">0 s</span>
        ) : (
          age(stats.lagSeconds * 1000)
        )}
      </td>
      {hasMinutes ? (
        <td class="r n" data-label="Failed, 15 min">
          <FailedShare recent={recent} />
        </td>
      ) : null}
      <td class="sm tail" data-label="Next run, lease">
        <RunAndLease context={context} view={view} isDense={isDense} />
      </td>
    </tr>
  );
}

function retryText({ stats, neverServed }: QueueView): string {
  if (neverServed) return 'no run has served it yet';
  if (stats.retryMode === 'progressive') return 'by age, in tiers';
  return 'a due time per record';
}

/**
 * The number of records that are due. A progressive queue stores no due times: all that wait are due at the turn of
 * their tier.
 */
function dueNow({ stats }: QueueView): number | undefined {
  return stats.due?.now;
}

function PauseNote({ stats, now }: { stats: QueueView['stats']; now: number }) {
  const note = pauseNote(stats, now);
  return note === '' ? null : <Foreign text={note} most={450} />;
}

function RunAndLease(props: { context: PageContext; view: QueueView; isDense: boolean }) {
  const { context, view, isDense } = props;
  const { nextRunAt, leases, stats } = view;
  const wall = context.deps.backlog.clock?.wall() ?? Date.now();
  const [lease, ...others] = leases;
  return (
    <>
      {stats.pausedAt === undefined ? null : (
        <span class="block">
          paused <When at={stats.pausedAt} now={context.now} />
          <PauseNote stats={stats} now={context.now} />
        </span>
      )}
      <HeldKeys view={view} />
      <PausedKeys stats={stats} now={context.now} />
      {nextRunAt === undefined ? null : (
        <span class="block">
          <When at={nextRunAt} now={context.now} expected />
        </span>
      )}
      {lease === undefined ? (
        isDense ? null : (
          <span class="block sub">No lease held</span>
        )
      ) : (
        <span class="block">
          Lease{' '}
          <code>
            <Foreign text={lease.holder} most={12} />
          </code>{' '}
          <span class="sub">
            for {age(Math.max(0, lease.until - wall))}
            {others.length > 0 ? `, ${others.length} more` : ''}
          </span>
        </span>
      )}
    </>
  );
}
