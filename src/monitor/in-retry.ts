import { type DuePart, duePartsOf, type QueueCounts } from '../operate/queue-stats.js';
import type { BacklogRecord } from '../record/index.js';
import type { OverviewStore } from '../store/operator-store.js';

/** Records that are read of each part: half of them from either end. */
const SAMPLES = 10;
/**
 * Counts the records that wait and have failed. The index does not tell new ones from those in retry. So up to ten of
 * each part (by due time, or by age) are read as they were a moment ago, and stand for it. Exact up to ten of each part.
 */
export async function inRetry(
  lanes: readonly string[],
  counts: QueueCounts,
  { store, now }: { readonly store: Pick<OverviewStore, 'pages' | 'records'>; readonly now: number },
): Promise<number> {
  const parts = duePartsOf(counts, now).filter(({ count }) => count > 0);
  const ids = await Promise.all(parts.map((part) => idsOf(lanes, part, store)));
  const found = await store.records.getItems(ids.flat(), 'eventual');
  const records = new Map(found.map(({ record }) => [record.id, record]));
  return parts.reduce((sum, { count }, i) => {
    const read = (ids[i] ?? []).flatMap((id) => records.get(id) ?? []);
    return sum + Math.round((count * read.filter(isInRetry).length) / Math.max(1, read.length));
  }, 0);
}

function isInRetry({ status }: BacklogRecord): boolean {
  return status === 'ERROR';
}

async function idsOf(
  lanes: readonly string[],
  { from, until }: DuePart,
  store: Pick<OverviewStore, 'pages'>,
): Promise<string[]> {
  const limit = Math.ceil(SAMPLES / 2 / lanes.length);
  const pages = await Promise.all(
    lanes.flatMap((lane) =>
      (['oldestFirst', 'newestFirst'] as const).map((order) =>
        store.pages.query({ lane, from: from === undefined ? undefined : from + 1, until, order, limit }),
      ),
    ),
  );
  return [...new Set(pages.flatMap(({ keys }) => keys.map(({ id }) => id)))];
}
