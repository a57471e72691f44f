import type { QueueStats } from '../../../operate/index.js';
import { type BacklogRecord, deadLane, lanesOf } from '../../../record/index.js';
import type { OperatorStore } from '../../../store/operator-store.js';

/** Some records of one queue, of those that wait or of those that are dead. */
export interface Stratum {
  readonly queue: string;
  readonly dead: boolean;
  /** How many the index holds. */
  readonly total: number;
  /** Those that were read. */
  readonly records: readonly BacklogRecord[];
}

/** No more than this is read for one look at the failures, of all queues together. */
const MOST_RECORDS = 300;
const FOR_EVER = Date.UTC(9999, 11, 31);

/** Reads records of each queue: all of them where they are few, otherwise from both ends of the index. */
export async function sampleRecords(
  store: OperatorStore,
  queues: readonly QueueStats[],
  most = MOST_RECORDS,
): Promise<readonly Stratum[]> {
  const all = queues.flatMap(({ queue, pending, dead }) => [
    { queue, dead: false, total: pending },
    { queue, dead: true, total: dead },
  ]);
  const strata = all.filter(({ total }) => total > 0);
  const quotas = shares(
    strata.map(({ total }) => total),
    most,
  );
  return Promise.all(
    strata.map(async (stratum, i) => {
      const lanes = lanesOf(stratum.queue).map((lane) => (stratum.dead ? deadLane(lane) : lane));
      const ids = await idsOf(store, lanes, { quota: quotas[i] ?? 0, total: stratum.total });
      const found = await store.readItems(ids);
      const records = found.map(({ record }) => record);
      // The index is stale for a moment: what has been read counts.
      return { ...stratum, total: Math.max(stratum.total, records.length), records };
    }),
  );
}

/** Half of them from the earliest due time on, half from the latest one back. */
async function idsOf(
  store: OperatorStore,
  [firstLane = '', ...otherLanes]: readonly string[],
  { quota, total }: { quota: number; total: number },
): Promise<string[]> {
  const endsOf = async (lane: string) => {
    const query = { lane, until: FOR_EVER, limit: quota };
    const first = await store.queryDue({ ...query, order: 'oldestFirst' });
    const last = first.more ? await store.queryDue({ ...query, order: 'newestFirst' }) : undefined;
    return { first: first.keys.map(({ id }) => id), last: last?.keys.map(({ id }) => id) ?? [] };
  };
  const ends = await endsOf(firstLane);
  // Few queues have shards: where the first lane has all, the others are not asked.
  const pages = ends.first.length >= total ? [ends] : [ends, ...(await Promise.all(otherLanes.map(endsOf)))];
  const used = pages.filter(({ first }) => first.length > 0);
  const ids = used.flatMap(({ first, last }) => {
    const each = Math.max(1, Math.floor(quota / used.length));
    if (last.length === 0) return first.slice(0, each);
    return [...first.slice(0, Math.ceil(each / 2)), ...last.slice(0, Math.floor(each / 2))];
  });
  return [...new Set(ids)];
}

/** So many of each: those that need less than an equal share leave the rest to the others. */
export function shares(totals: readonly number[], most: number): number[] {
  const given = totals.map(() => 0);
  let left = most;
  const order = totals.map((total, i) => ({ total, i })).sort((one, other) => one.total - other.total);
  for (const [rank, { total, i }] of order.entries()) {
    const share = Math.min(total, Math.max(1, Math.floor(left / (order.length - rank))));
    given[i] = share;
    left -= share;
  }
  return given;
}
