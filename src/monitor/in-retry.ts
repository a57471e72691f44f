import type { QueueCounts } from '../operate/queue-stats.js';
import type { BacklogRecord } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';

/** Records that are read of each part: half of them from either end. */
const SAMPLES = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FOR_EVER = Date.UTC(9999, 11, 31);

/** Records that are due between two times, exclusive and inclusive, epoch milliseconds. */
interface Part {
  readonly from?: number | undefined;
  readonly until: number;
  readonly count: number;
}

/**
 * How many of the records that wait have failed. The index does not tell new ones from those in retry. So up to ten of
 * each part (by due time, or by age) are read as they were a moment ago, and stand for it. Exact up to ten of each part.
 */
export async function inRetry(
  lanes: readonly string[],
  counts: QueueCounts,
  { store, now }: { readonly store: Pick<OperatorStore, 'queryDue' | 'readItems'>; readonly now: number },
): Promise<number> {
  const parts = partsOf(counts, now).filter(({ count }) => count > 0);
  const ids = await Promise.all(parts.map((part) => idsOf(lanes, part, store)));
  const found = await store.readItems(ids.flat(), 'eventual');
  const records = new Map(found.map(({ record }) => [record.id, record]));
  return parts.reduce((sum, { count }, i) => {
    const read = (ids[i] ?? []).flatMap((id) => records.get(id) ?? []);
    return sum + Math.round((count * read.filter(isInRetry).length) / Math.max(1, read.length));
  }, 0);
}

function isInRetry({ status }: BacklogRecord): boolean {
  return status === 'ERROR';
}

function partsOf({ due, ages = [], delayed = 0, pending }: QueueCounts, now: number): Part[] {
  if (!due) {
    const byAge = ages.map(({ fromAgeSeconds, untilAgeSeconds, count }) => ({
      from: untilAgeSeconds === undefined ? undefined : now - untilAgeSeconds * 1000,
      until: now - fromAgeSeconds * 1000,
      count,
    }));
    return [...byAge, { from: now, until: FOR_EVER, count: delayed }];
  }
  return [
    { until: now, count: due.now },
    { from: now, until: now + MINUTE_MS, count: due.minute },
    { from: now + MINUTE_MS, until: now + HOUR_MS, count: due.hour - due.minute },
    { from: now + HOUR_MS, until: now + DAY_MS, count: due.day - due.hour },
    { from: now + DAY_MS, until: FOR_EVER, count: pending - due.now - due.day },
  ];
}

async function idsOf(
  lanes: readonly string[],
  { from, until }: Part,
  store: Pick<OperatorStore, 'queryDue'>,
): Promise<string[]> {
  const limit = Math.ceil(SAMPLES / 2 / lanes.length);
  const pages = await Promise.all(
    lanes.flatMap((lane) =>
      (['oldestFirst', 'newestFirst'] as const).map((order) =>
        store.queryDue({ lane, from: from === undefined ? undefined : from + 1, until, order, limit }),
      ),
    ),
  );
  return [...new Set(pages.flatMap(({ keys }) => keys.map(({ id }) => id)))];
}
