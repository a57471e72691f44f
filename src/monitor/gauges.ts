import type { TierBand } from '../policies/index.js';
import { deadLane, lanesOf } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { IndexKey } from '../store/store.js';
import { lagSeconds } from '../worker/counters.js';

/** A queue as the monitor knows it. */
export interface MonitoredQueue {
  readonly name: string;
  /** Lanes that its records are spread over. */
  readonly shards: number;
  /** The tiers of a progressive queue; empty for one that retries per record. */
  readonly bands: readonly TierBand[];
}

export interface GaugeDeps {
  readonly store: OperatorStore;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
}

/** Records of each end of a tier that are looked at. Some of them may wait for a reason of their own, such as a snooze. */
const SAMPLES = 3;

/**
 * How late the record is that is due for longest, in the backlog's seconds; 0 if none is due.
 *
 * Of a queue that retries per record, the index knows: one query of one entry per lane. Of a progressive queue it holds
 * the insertion only, so the oldest and the youngest records of each tier are looked at: a tier that does not run has
 * attempted neither.
 */
export async function oldestDueAge(queue: MonitoredQueue, deps: GaugeDeps): Promise<number> {
  const lanes = lanesOf(queue.name, 0, queue.shards);
  const ages =
    queue.bands.length === 0
      ? lanes.map((lane) => ageOfFirst(lane, deps))
      : lanes.flatMap((lane) => queue.bands.map((band) => latenessIn(lane, band, deps)));
  return Math.max(0, ...(await Promise.all(ages)));
}

async function ageOfFirst(lane: string, { store, now }: GaugeDeps): Promise<number> {
  const { keys } = await store.queryDue({ lane, until: now, order: 'oldestFirst', limit: 1 });
  const dueAt = Date.parse(keys[0]?.dueAt ?? '');
  // A due time that cannot be read is no age.
  return Number.isNaN(dueAt) ? 0 : (now - dueAt) / 1000;
}

async function latenessIn(lane: string, band: TierBand, { store, now }: GaugeDeps): Promise<number> {
  const range = bandRange(band, now);
  const ends = await Promise.all(
    (['oldestFirst', 'newestFirst'] as const).map((order) =>
      store.queryDue({ lane, ...range, order, limit: SAMPLES }),
    ),
  );
  const ids = new Set(ends.flatMap(({ keys }) => keys.map(({ id }) => id)));
  if (ids.size === 0) return 0;
  const records = await store.readRecords([...ids]);
  const waiting = records.filter((record) => record.lane === lane);
  return Math.max(0, ...waiting.map((record) => lagSeconds(record, band, now)));
}

function bandRange({ fromAge, untilAge, last }: TierBand, now: number) {
  return { until: now - fromAge * 1000, ...(last ? {} : { from: now - untilAge * 1000 }) };
}

/** How many records of a queue there are in the index. */
export interface Counts {
  /** They wait for an attempt, now or later. */
  readonly waiting: number;
  /** Due by now. Not known of a progressive queue. */
  readonly due?: number | undefined;
  /** Given up, and still in the index. */
  readonly dead: number;
  /** The records of each tier of a progressive queue, the youngest first. */
  readonly tiers?: readonly number[] | undefined;
}

/**
 * Counts a queue's records: each index entry once, about 100 of them per read unit.
 *
 * @param hasTime false: there is no time for another page
 * @returns undefined: there was no time to count all
 */
export async function countRecords(
  { name, shards, bands }: MonitoredQueue,
  { store, now }: GaugeDeps,
  hasTime: () => boolean,
): Promise<Counts | undefined> {
  const lanes = lanesOf(name, 0, shards);
  let isComplete = true;
  const count = async (some: readonly string[], from?: number, until?: number): Promise<number> => {
    let total = 0;
    for (const lane of some) {
      let after: IndexKey | undefined;
      do {
        if (!hasTime()) isComplete = false;
        if (!isComplete) return total;
        const page = await store.countDue({ lane, from, until, after });
        total += page.count;
        after = page.next;
      } while (after);
    }
    return total;
  };
  const dead = await count(lanes.map(deadLane));
  if (bands.length === 0) {
    const due = await count(lanes, undefined, now);
    const later = await count(lanes, now + 1);
    return isComplete ? { waiting: due + later, due, dead } : undefined;
  }
  // A tier is counted up to the beginning of the next: the records in between are in its grace period.
  const tiers: number[] = [];
  for (const [i, { fromAge }] of bands.entries()) {
    const next = bands[i + 1];
    const from = next && now - next.fromAge * 1000 + 1;
    tiers.push(await count(lanes, from, now - fromAge * 1000));
  }
  const delayed = await count(lanes, now + 1);
  const waiting = tiers.reduce((sum, one) => sum + one, delayed);
  return isComplete ? { waiting, dead, tiers } : undefined;
}
