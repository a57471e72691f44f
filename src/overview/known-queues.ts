import { parseReading } from '../monitor/index.js';
import type { Item } from '../record/index.js';
import type { ControlState } from '../store/operator-store.js';
import type { KnownQueue, OverviewDeps } from './deps.js';

/** The queues of a backlog, as far as they are known before the index is read. */
export interface KnownQueues {
  /** The settings of each queue by its name, as far as they are known. */
  readonly settings: ReadonlyMap<string, Omit<KnownQueue, 'name'>>;
  /** The queues that have a function by their stack or its monitor, which may not have run yet. */
  readonly deployed: ReadonlySet<string>;
}

/**
 * Finds the queues that a run has served, an operator paused or a function registered, those in which the monitor has counted
 * records, and those of the app or of the deployed stack. So a queue is there whose own function never ran.
 */
export function knownQueues(
  { queues, registry, readings }: Pick<ControlState, 'queues' | 'registry' | 'readings'>,
  {
    app = [],
    deployed = [],
  }: Pick<OverviewDeps, 'deployed'> & { readonly app?: readonly KnownQueue[] | undefined },
): KnownQueues {
  const counted = [...readings].filter(([, item]) => hasRecords(item)).map(([name]) => name);
  const settings = new Map([
    ...[...queues.keys(), ...counted].map((name) => [name, {}] as const),
    ...deployed.map(({ name, ...its }) => [name, its] as const),
    ...[...registry.queues].map(([name, { retry, retryMode }]) => [name, { retry, retryMode }] as const),
    ...app.map(({ name, ...its }) => [name, its] as const),
  ]);
  return { settings, deployed: new Set([...deployed.map(({ name }) => name), ...counted]) };
}

function hasRecords(reading: Item): boolean {
  const counts = parseReading(reading)?.counts;
  return counts !== undefined && counts.pending + counts.dead > 0;
}
