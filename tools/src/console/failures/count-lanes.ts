import { deadLane, type Tables } from 'dynamo-backlog/engine';
import type { LaneBeginning, OverviewStats } from 'dynamo-backlog/overview';

/** Queues whose lanes were counted further, and the cost of that. */
export interface CountedLanes {
  readonly queues: readonly OverviewStats[];
  readonly readUnits: number;
}

/**
 * Counts the lanes that the look at their queue has not read to the end. The queue's total says what one such lane holds, but not how
 * it is divided between several: the lane of a busy key may have thousands more than others.
 *
 * @param mostUnits read units after which no further page of the index is counted; a page is up to 128 units
 */
export async function countLanes(
  tables: Pick<Tables, 'open'>,
  queues: readonly OverviewStats[],
  mostUnits: number,
): Promise<CountedLanes> {
  const { store, units } = tables.open();
  const counted: OverviewStats[] = [];
  for (const stats of queues) {
    const beginnings = new Map(stats.beginnings);
    for (const lanes of [stats.lanes, stats.lanes.map(deadLane)]) {
      const open = lanes.filter((lane) => beginnings.get(lane)?.more);
      if (open.length < 2) continue;
      for (const lane of open) {
        const found = await countLane(lane, store, () => units().readUnits < mostUnits);
        if (found.entries > (beginnings.get(lane)?.entries ?? 0)) beginnings.set(lane, found);
      }
    }
    counted.push({ ...stats, beginnings });
  }
  return { queues: counted, readUnits: units().readUnits };
}

async function countLane(
  lane: string,
  store: ReturnType<Tables['open']>['store'],
  goesOn: () => boolean,
): Promise<LaneBeginning> {
  let entries = 0;
  let after: Parameters<typeof store.pages.count>[0]['after'];
  while (goesOn()) {
    const page = await store.pages.count({ lane, after });
    entries += page.count;
    after = page.next;
    if (!after) return { entries, more: false };
  }
  return { entries, more: true };
}
