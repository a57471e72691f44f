import { deadLane, LAST_TIME, type OperatorStore, type Tables } from 'dynamo-backlog/engine';
import type { OverviewStats, Stratum } from 'dynamo-backlog/overview';
import { type ReadBudget, readWithin } from '../read-within.js';

/** The records that were read of all queues. */
export interface Sample {
  readonly strata: readonly Stratum[];
  readonly readUnits: number;
}

/** Reads records of each queue: all of them where they are few, otherwise from both ends of the index. */
export async function sampleRecords(
  tables: Pick<Tables, 'open'>,
  queues: readonly OverviewStats[],
  budget: ReadBudget,
): Promise<Sample> {
  const all = queues.flatMap(({ queue, counted, pending, dead, lanes }) => [
    { queue, counted, dead: false, total: pending, lanes },
    { queue, counted, dead: true, total: dead, lanes: lanes.map(deadLane) },
  ]);
  const present = all.filter(({ total }) => total > 0);
  const quotas = shares(
    present.map(({ total }) => total),
    budget.records,
  );
  const wanted = quotas.reduce((sum, quota) => sum + quota, 0);
  const index = tables.open();
  const read = await Promise.all(
    present.map(async ({ lanes, ...stratum }, i) => {
      const quota = quotas[i] ?? 0;
      const ids = await idsOf(index.store, lanes, { quota, total: stratum.total });
      const { records, readUnits } = await readWithin(tables, ids, (budget.units * quota) / wanted);
      // The index is stale for a moment: what has been read counts.
      return { stratum: { ...stratum, total: Math.max(stratum.total, records.length), records }, readUnits };
    }),
  );
  return {
    strata: read.map(({ stratum }) => stratum),
    readUnits: read.reduce((sum, one) => sum + one.readUnits, index.units().readUnits),
  };
}

/** Ids of the records to read: half of them from the earliest due time on, half from the latest one back. */
async function idsOf(
  store: OperatorStore,
  [firstLane = '', ...otherLanes]: readonly string[],
  { quota, total }: { quota: number; total: number },
): Promise<string[]> {
  const endsOf = async (lane: string) => {
    const query = { lane, until: LAST_TIME, limit: quota };
    const first = await store.pages.query({ ...query, order: 'oldestFirst' });
    const last = first.more ? await store.pages.query({ ...query, order: 'newestFirst' }) : undefined;
    return { first: first.keys.map(({ id }) => id), last: last?.keys.map(({ id }) => id) ?? [] };
  };
  const ends = await endsOf(firstLane);
  // Few queues have shards: where the first lane has all, the others are not asked.
  const pages = ends.first.length >= total ? [ends] : [ends, ...(await Promise.all(otherLanes.map(endsOf)))];
  const used = pages.filter(({ first }) => first.length > 0);
  const ids = used.flatMap(({ first, last }) => {
    const each = Math.max(1, Math.floor(quota / used.length));
    if (last.length === 0) return first.slice(0, each);
    // Ids of both ends in turn, as the budget may end before all are read.
    return first.slice(0, Math.ceil(each / 2)).flatMap((id, i) => [id, ...last.slice(i, i + 1)]);
  });
  return [...new Set(ids)].slice(0, quota);
}

/** The number of records to read of each: those that need less than an equal share leave the rest to the others. */
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
