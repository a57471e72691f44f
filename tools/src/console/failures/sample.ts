import { deadLane, LAST_TIME, laneOfBusy, type OperatorStore, type Tables } from 'dynamo-backlog/engine';
import { laneTotals, type OverviewStats, type Stratum } from 'dynamo-backlog/overview';
import { type ReadBudget, readWithin } from '../read-within.js';
import { countLanes } from './count-lanes.js';

/** The records that were read of all queues. */
export interface Sample {
  readonly strata: readonly Stratum[];
  readonly readUnits: number;
}

/** A lane from which records are to be read. */
interface Quota {
  readonly stratum: Omit<Stratum, 'records'>;
  readonly lane: string;
  /** The number of records to read. */
  readonly quota: number;
}

/** Reads records of each lane: all of them where they are few, otherwise from several places of the index. */
export async function sampleRecords(
  tables: Pick<Tables, 'open' | 'clock'>,
  queues: readonly OverviewStats[],
  budget: ReadBudget,
): Promise<Sample> {
  const counted = await countLanes(tables, queues, budget.countUnits);
  const quotas = quotasOf(counted.queues, budget.records);
  const wanted = quotas.reduce((sum, { quota }) => sum + quota, 0);
  const index = tables.open();
  const now = tables.clock.now();
  const read = await Promise.all(
    quotas.map(async ({ stratum, ...place }) => {
      const ids = await idsOf(index.store, place, { now, dead: stratum.dead });
      const { records, readUnits } = await readWithin(tables, ids, (budget.units * place.quota) / wanted);
      // The index is stale for a moment: what has been read counts.
      return { stratum: { ...stratum, total: Math.max(stratum.total, records.length), records }, readUnits };
    }),
  );
  return {
    strata: read.map(({ stratum }) => stratum),
    readUnits: read.reduce((sum, one) => sum + one.readUnits, counted.readUnits + index.units().readUnits),
  };
}

/** The lanes that hold records, each with the number of records to read. */
function quotasOf(queues: readonly OverviewStats[], most: number): Quota[] {
  const parts = queues.flatMap((stats) => [partOf(stats, false), partOf(stats, true)]);
  return divided(parts, most).flatMap(({ quota, ...part }) => {
    // Each lane of a busy key has few keys, the others have many: these are not to be read less for it.
    const groups = [part.lanes.filter(({ isBusy }) => !isBusy), part.lanes.filter(({ isBusy }) => isBusy)];
    const ofGroups = divided(
      groups.map((lanes) => ({ lanes, total: totalOf(lanes) })),
      quota,
    );
    return ofGroups.flatMap((group) =>
      divided(group.lanes, group.quota).map(({ lane, total, counted, quota: own }): Quota => {
        return { lane, quota: own, stratum: { queue: part.queue, dead: part.dead, total, counted } };
      }),
    );
  });
}

/** The lanes of a queue's records that wait, or of its dead ones. */
function partOf(
  { queue, counted, pending, busyKeys = [], beginnings, ...stats }: OverviewStats,
  dead: boolean,
) {
  if (!beginnings) throw new Error(`${queue} was counted as a whole: its lanes are not known`);
  const named = (lane: string) => (dead ? deadLane(lane) : lane);
  const busy = new Set(busyKeys.map((one) => named(laneOfBusy(one, queue))));
  const total = dead ? stats.dead : pending;
  const lanes = laneTotals(stats.lanes.map(named), { total, counted }, beginnings).map((one) => ({
    ...one,
    isBusy: busy.has(one.lane),
  }));
  return { queue, dead, lanes, total: totalOf(lanes) };
}

function totalOf(lanes: readonly { readonly total: number }[]): number {
  return lanes.reduce((sum, { total }) => sum + total, 0);
}

/** Gives each of these its part of the records to read; those that have none are left out. */
function divided<Part extends { readonly total: number }>(parts: readonly Part[], most: number) {
  const present = parts.filter(({ total }) => total > 0);
  const quotas = shares(
    present.map(({ total }) => total),
    most,
  );
  return present.map((part, i) => ({ ...part, quota: quotas[i] ?? 0 }));
}

/**
 * Ids of the records to read, in turn from the earliest due time on, from the latest one back, and, of records that wait, from now
 * back: those that came last stand there, behind earlier ones and before those with long waits.
 */
async function idsOf(
  store: OperatorStore,
  { lane, quota }: { readonly lane: string; readonly quota: number },
  { now, dead }: { readonly now: number; readonly dead: boolean },
): Promise<string[]> {
  const query = { lane, limit: quota };
  const first = await store.pages.query({ ...query, until: LAST_TIME, order: 'oldestFirst' });
  const ends = first.more
    ? await Promise.all(
        [LAST_TIME, ...(dead ? [] : [now])].map((until) =>
          store.pages.query({ ...query, until, order: 'newestFirst' }),
        ),
      )
    : [];
  const pages = [first, ...ends].map(({ keys }) => keys.map(({ id }) => id));
  // In turn, as the budget may end before all are read.
  const inTurn = Array.from({ length: quota }, (_, i) => pages.flatMap((ids) => ids.slice(i, i + 1))).flat();
  return [...new Set(inTurn)].slice(0, quota);
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
