import { deadLane } from '../../record/index.js';
import type { OperatorStore } from '../../store/operator-store.js';
import { LAST_TIME } from '../../support/clock.js';
import type { OverviewStats } from '../queue-counts.js';
import { shares } from './shares.js';

/** The ids of a lane's records, from the earliest due time on. */
export interface WalkedLane {
  readonly ids: readonly string[];
  /** The lane has more of them. */
  readonly more: boolean;
}

/** Index entries that are asked for in one request. */
const MAX_ENTRIES = 1_000;

/**
 * Reads the index of all lanes that hold records, or may hold some. It says how many records a lane has, where that is its end, and gives ids of all
 * parts of it to choose from: records of one key often stand together.
 *
 * @param most index entries in all, of which each lane gets a share; 80 to 150 of them are a read unit
 */
export async function walkLanes(
  store: Pick<OperatorStore, 'pages'>,
  queues: readonly Pick<OverviewStats, 'queue' | 'lanes' | 'beginnings'>[],
  most: number,
): Promise<ReadonlyMap<string, WalkedLane>> {
  const lanes = queues.flatMap(({ queue, lanes: own, beginnings }) => {
    if (!beginnings) throw new Error(`${queue} was counted as a whole: its lanes are not known`);
    return [...own, ...own.map(deadLane)].flatMap((lane) => {
      const { entries = 0, more = false } = beginnings.get(lane) ?? {};
      return entries > 0 || more ? [{ lane, wanted: more ? most : entries }] : [];
    });
  });
  const limits = shares(
    lanes.map(({ wanted }) => wanted),
    most,
  );
  const walked = await Promise.all(lanes.map(({ lane }, i) => walkLane(store, lane, limits[i] ?? 0)));
  return new Map(lanes.map(({ lane }, i) => [lane, walked[i] ?? { ids: [], more: true }]));
}

async function walkLane(
  { pages }: Pick<OperatorStore, 'pages'>,
  lane: string,
  limit: number,
): Promise<WalkedLane> {
  const ids: string[] = [];
  let after: Parameters<typeof pages.query>[0]['after'];
  while (ids.length < limit) {
    const page = await pages.query({
      ...{ lane, until: LAST_TIME, order: 'oldestFirst', after },
      limit: Math.min(MAX_ENTRIES, limit - ids.length),
    });
    for (const { id } of page.keys) ids.push(id);
    after = page.keys.at(-1) ?? after;
    if (!page.more) return { ids, more: false };
  }
  return { ids, more: true };
}
