import { age } from '../../../duration.js';
import { LOOKS } from '../../overview/conditions.js';
import { COUNT_SIGNS } from '../../overview/count-signs.js';
import type { QueueView } from '../../overview/snapshot.js';
import type { PageContext } from '../layout.js';
import { Badge, Count, Foreign, link, Panel, Unknown, When } from '../parts.js';
import { MinutesChart } from './chart.js';

/** All queues, the worst first. */
export function QueuesPanel({ context, queues }: { context: PageContext; queues: readonly QueueView[] }) {
  const hasChart = queues.some(({ minutes }) => minutes !== undefined);
  const hasRetry = queues.some(({ inRetry }) => inRetry !== undefined);
  return (
    <Panel title="Queues" note="the worst first" live="queues" end={hasChart ? <ChartKey /> : null}>
      <table class={hasChart ? 'queues' : 'queues plain'}>
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
            {hasChart ? (
              <th scope="col" class="r">
                Failed, 15 min
              </th>
            ) : null}
            <th scope="col">Next run, lease</th>
          </tr>
        </thead>
        <tbody>
          {queues.map((view) => (
            <QueueRow context={context} view={view} hasChart={hasChart} hasRetry={hasRetry} />
          ))}
        </tbody>
      </table>
    </Panel>
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

function QueueRow(props: { context: PageContext; view: QueueView; hasChart: boolean; hasRetry: boolean }) {
  const { context, view, hasChart, hasRetry } = props;
  const { stats, condition, minutes, inRetry, recent } = view;
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
        <span class="sub sm">{retryText(view)}</span>
        <a class="sub sm" href={link('/queue', { name: queue })}>
          {stats.paused ? 'Resume' : 'Pause'}…<span class="vh"> {queue}</span>
        </a>
      </td>
      {hasChart ? (
        <td class="chart">
          {minutes ? <MinutesChart queue={queue} minutes={minutes} now={context.now} /> : <Unknown />}
        </td>
      ) : null}
      <td class="r n" data-label="Waiting">
        <Count of={stats.pending} sign={sign} />
      </td>
      <td class="r n" data-label="Due now">
        <Count of={dueNow(view)} sign={sign} />
      </td>
      {hasRetry ? (
        <td class="r n" data-label="In retry">
          <a class="bare" href={link('/records', { queue, status: 'ERROR' })}>
            <Count of={inRetry} tone="retry" icon="retry" />
          </a>
        </td>
      ) : null}
      <td class="r n" data-label="Dead">
        <a class="bare" href={link('/records', { queue, status: 'DEAD' })}>
          <Count of={stats.dead} sign={sign} tone="dead" icon="dead" />
        </a>
      </td>
      <td class="r n" data-label="Oldest due">
        {oldest(view, context.now)}
      </td>
      <td class="r n" data-label="Lag">
        {stats.lagSeconds === undefined ? (
          <Unknown why="a progressive queue has no due times: see Tiers" />
        ) : stats.lagSeconds === 0 ? (
          <span class="q">0 s</span>
        ) : (
          age(stats.lagSeconds * 1000)
        )}
      </td>
      {hasChart ? (
        <td class="r n" data-label="Failed, 15 min">
          {share(recent)}
        </td>
      ) : null}
      <td class="sm tail" data-label="Next run, lease">
        <RunAndLease context={context} view={view} />
      </td>
    </tr>
  );
}

function retryText({ stats }: QueueView): string {
  if (stats.retryMode === 'progressive') return 'by age, in tiers';
  return stats.retryMode === 'perRecord' ? 'a due time per record' : 'no run has served it yet';
}

/** A progressive queue stores no due times: all that wait are due at the turn of their tier. */
function dueNow({ stats }: QueueView): number | undefined {
  return stats.due?.now;
}

function oldest({ stats }: QueueView, now: number) {
  const { retryMode } = stats;
  if (stats.oldestDueAt === undefined) return <Unknown why="no record waits" />;
  const ms = now - Date.parse(stats.oldestDueAt);
  if (!Number.isFinite(ms)) return <Unknown why="its due time cannot be read" />;
  if (retryMode === 'progressive' && ms >= 0) {
    return (
      <>
        {age(ms)}
        <span class="sm sub block">since its insertion</span>
      </>
    );
  }
  return ms >= 0 ? age(ms) : <span class="q">in {age(-ms)}</span>;
}

function share(recent: QueueView['recent']) {
  const all = recent ? recent.succeeded + recent.failed : 0;
  if (!recent || all === 0) return <Unknown why="no attempt in 15 min" />;
  if (recent.failed === 0) return <span class="q">0 %</span>;
  return (
    <>
      {Math.max(1, Math.round((100 * recent.failed) / all))} %
      <span class="sm sub block">
        {recent.failed} of {all}
      </span>
    </>
  );
}

function RunAndLease({ context, view }: { context: PageContext; view: QueueView }) {
  const { nextRunAt, leases, stats } = view;
  const wall = context.deps.backlog.clock?.wall() ?? Date.now();
  const [lease, ...others] = leases;
  return (
    <>
      {stats.pausedAt === undefined ? null : (
        <span class="block">
          paused <When at={stats.pausedAt} now={context.now} />
        </span>
      )}
      {nextRunAt === undefined ? null : (
        <span class="block">
          <When at={nextRunAt} now={context.now} />
        </span>
      )}
      {lease === undefined ? (
        <span class="block sub">No lease held</span>
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
