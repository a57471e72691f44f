import type { Tables } from '../../operate/tables.js';
import { laneOfBusy } from '../../record/busy-keys.js';
import { deadLane } from '../../record/index.js';
import type { OperatorStore } from '../../store/operator-store.js';
import { LAST_TIME } from '../../support/clock.js';
import { laneTotals } from '../lane-totals.js';
import type { LaneBeginning, OverviewStats } from '../queue-counts.js';
import type { Stratum } from '../weighed.js';
import { type ReadBudget, readWithin } from './read-within.js';
import { shares } from './shares.js';
import { type WalkedLane, walkLanes } from './walk-lanes.js';

/** The records that were read of all queues. */
export interface Sample {
  /** The records of each lane. */
  readonly strata: readonly Stratum[];
  /** The cost of the sample. */
  readonly readUnits: number;
}

/** The facts of a queue that its sample depends on. */
export type SampledQueue = Pick<
  OverviewStats,
  'queue' | 'counted' | 'pending' | 'dead' | 'lanes' | 'busyKeys' | 'beginnings'
>;

/** A lane from which records are to be read. */
interface Quota {
  readonly stratum: Omit<Stratum, 'records'>;
  readonly lane: string;
  readonly walked: WalkedLane;
  /** The number of records to read. */
  readonly quota: number;
}

/** Reads records of each lane: all of them where they are few, otherwise from all parts of its index. */
export async function sampleRecords(
  tables: Pick<Tables, 'open' | 'clock'>,
  queues: readonly SampledQueue[],
  budget: ReadBudget,
): Promise<Sample> {
  const index = tables.open();
  const walked = await walkLanes(index.store, queues, budget.entries);
  const quotas = quotasOf(queues, walked, budget.records);
  const wanted = quotas.reduce((sum, { quota }) => sum + quota, 0);
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
    readUnits: read.reduce((sum, one) => sum + one.readUnits, index.units().readUnits),
  };
}

/** The lanes that hold records, each with the number of records to read. */
function quotasOf(
  queues: readonly SampledQueue[],
  walked: ReadonlyMap<string, WalkedLane>,
  most: number,
): Quota[] {
  const parts = queues.flatMap((stats) => {
    const beginnings = furthest(stats.beginnings ?? new Map(), walked);
    return [false, true].map((dead) => partOf(stats, beginnings, dead));
  });
  return divided(parts, most).flatMap(({ quota, ...part }) => {
    // Each lane of a busy key has few keys, the others have many: these are not to be read less for it.
    const groups = [part.lanes.filter(({ isBusy }) => !isBusy), part.lanes.filter(({ isBusy }) => isBusy)];
    const ofGroups = divided(
      groups.map((lanes) => ({ lanes, total: totalOf(lanes) })),
      quota,
    );
    return ofGroups.flatMap((group) =>
      divided(group.lanes, group.quota).map(({ lane, total, counted, quota: own }): Quota => {
        return {
          lane,
          walked: walked.get(lane) ?? NOT_WALKED,
          quota: own,
          stratum: { queue: part.queue, dead: part.dead, total, counted },
        };
      }),
    );
  });
}

const NOT_WALKED: WalkedLane = { ids: [], more: true };

/** The beginnings of lanes as they were read further: by the look at the queue, or by the walk. */
function furthest(
  looked: ReadonlyMap<string, LaneBeginning>,
  walked: ReadonlyMap<string, WalkedLane>,
): ReadonlyMap<string, LaneBeginning> {
  const all = [...looked].map(([lane, beginning]) => {
    const { ids, more } = walked.get(lane) ?? NOT_WALKED;
    const isFurther = !more || (beginning.more && ids.length > beginning.entries);
    return [lane, isFurther ? { entries: ids.length, more } : beginning] as const;
  });
  return new Map(all);
}

/** The lanes of a queue's records that wait, or of its dead ones. */
function partOf(
  { queue, counted, pending, lanes, busyKeys = [], ...stats }: SampledQueue,
  beginnings: ReadonlyMap<string, LaneBeginning>,
  dead: boolean,
) {
  const named = (lane: string) => (dead ? deadLane(lane) : lane);
  const busy = new Set(busyKeys.map((one) => named(laneOfBusy(one, queue))));
  const total = dead ? stats.dead : pending;
  const totals = laneTotals(lanes.map(named), { total, counted }, beginnings);
  const withBusy = totals.map((one) => ({ ...one, isBusy: busy.has(one.lane) }));
  return { queue, dead, lanes: withBusy, total: totalOf(withBusy) };
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
 * Ids of the records to read: of all parts of a lane that was walked to its end. Otherwise, in turn, of its walked part, from the latest
 * due time back, and, of records that wait, from now back. Those that came last stand there, behind earlier ones and before those
 * with long waits.
 */
async function idsOf(
  store: OperatorStore,
  { lane, walked, quota }: Omit<Quota, 'stratum'>,
  { now, dead }: { readonly now: number; readonly dead: boolean },
): Promise<string[]> {
  const first = spread(walked.ids, quota);
  if (!walked.more) return first;
  const places = dead ? [LAST_TIME] : [LAST_TIME, now];
  const last = await Promise.all(
    places.map((until) => store.pages.query({ lane, until, order: 'newestFirst', limit: quota })),
  );
  const pages = [first, ...last.map(({ keys }) => keys.map(({ id }) => id))];
  // The pages take turns: the budget may end before all are read.
  const inTurn = Array.from({ length: quota }, (_, i) => pages.flatMap((ids) => ids.slice(i, i + 1))).flat();
  return [...new Set(inTurn)].slice(0, quota);
}

/** So many of the ids, evenly spread over all of them. Their order is mixed, as the budget may end before all are read. */
function spread(ids: readonly string[], most: number): string[] {
  const number = Math.min(most, ids.length);
  const chosen = Array.from(
    { length: number },
    (_, i) => ids[Math.floor(((i + 0.5) * ids.length) / number)] ?? '',
  );
  return [0, 2, 1, 3].flatMap((start) => chosen.filter((_, i) => i % 4 === start));
}
