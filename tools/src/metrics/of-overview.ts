import type { GaugeValues, QueueGaugeValues } from 'dynamo-backlog/engine';
import type { QueueView } from 'dynamo-backlog/overview';
import type { OverviewOfTables } from '../cli/top/source.js';

/** The gauges of the queues that an overview knows. Undefined `queues`: of all. */
export function gaugesOfOverview(
  { table, snapshot: { queues: views = [], now } }: Pick<OverviewOfTables, 'table' | 'snapshot'>,
  queues?: readonly string[],
): QueueGaugeValues[] {
  return views
    .filter(({ stats }) => queues?.includes(stats.queue) ?? true)
    .map((view) => ({ table, queue: view.stats.queue, values: valuesOf(view, now) }))
    .sort((one, other) => (one.queue < other.queue ? -1 : 1));
}

function valuesOf({ stats, failingSeconds }: QueueView, now: number): GaugeValues {
  const { counted, countedAt, pending, dead, lagSeconds, inRetry, paused } = stats;
  const others = { oldestDueAge: lagSeconds, failing: failingSeconds, paused: paused ? 1 : 0 } as const;
  // There are more than were read, and no monitor has counted them.
  if (counted === 'atLeast') return others;
  return {
    ...others,
    waiting: pending,
    inRetry: pending === 0 ? 0 : inRetry,
    dead,
    readingAge: countedAt === undefined ? 0 : Math.max(0, now - Date.parse(countedAt)) / 1000,
  };
}
