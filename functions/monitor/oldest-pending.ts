import type { MonitoredQueue } from '../../src/monitor/index.js';
import { lanesToRead } from '../../src/record/busy-keys.js';
import { isPendingEnd, outsideWaitOf } from '../../src/record/completion.js';
import type { IndexKey, OperatorStore } from '../../src/store/index.js';
import type { OverviewStore } from '../../src/store/operator-store.js';
import { LAST_TIME } from '../../src/support/clock.js';

/** Index entries of one lane that are read, in pages: 80 to 150 of them are a read unit. */
const MAX_ENTRIES = 5_000;
const PAGE_ENTRIES = 1_000;
/** Records of one lane that are read: those whose waits end first. */
const MAX_RECORDS = 25;

/**
 * The longest time for which a record of the queue has waited for its end from outside, in the backlog's seconds; 0: none waits. The index
 * tells by the due time which records wait so. Of more than 25 in a lane, those whose waits end first are looked at.
 *
 * @param queue with its busy keys
 */
export async function oldestPendingAge(
  { name, shards, busyKeys }: MonitoredQueue,
  { store, now }: { readonly store: Pick<OverviewStore, 'pages' | 'records'>; readonly now: number },
): Promise<number> {
  const ages = await Promise.all(
    lanesToRead(name, shards, busyKeys).map(async (lane) => {
      const ids = await pendingIn(lane, store, now);
      const records = ids.length === 0 ? [] : await store.records.getMany(ids);
      const since = records.flatMap((record) => Date.parse(outsideWaitOf(record)?.since ?? '') || []);
      return since.map((at) => (now - at) / 1000);
    }),
  );
  return Math.max(0, ...ages.flat());
}

async function pendingIn(
  lane: string,
  { pages }: Pick<OperatorStore, 'pages'>,
  now: number,
): Promise<string[]> {
  const ids: string[] = [];
  let after: IndexKey | undefined;
  for (let read = 0; read < MAX_ENTRIES && ids.length < MAX_RECORDS; read += PAGE_ENTRIES) {
    const query = { lane, from: now, until: LAST_TIME, order: 'oldestFirst', limit: PAGE_ENTRIES } as const;
    const page = await pages.query({ ...query, after });
    for (const { id, dueAt } of page.keys) if (isPendingEnd(dueAt)) ids.push(id);
    after = page.keys.at(-1);
    if (!page.more) break;
  }
  return ids.slice(0, MAX_RECORDS);
}
