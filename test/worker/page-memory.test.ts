import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { BacklogStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, succeed } from './harness.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

type Read = BacklogStore['pages']['read'];

const RECORDS = 50;
/** Attempts of 30 s, ten at once: two rounds fit into the time of the first page. */
const FIRST_PAGE = 20;
/** The engine may keep what its code has touched last. */
const LAST_TOUCHED = 2;
/** Looks at the memory: a payload that is there at the last one is kept by the run. */
const LOOKS = 20;
const IDS = Array.from({ length: RECORDS }, (_, i) => `r${String(i).padStart(2, '0')}`);

/** A store that reads so many records at a time, and no more. */
function readingAtMost(most: number, harness: Harness): { store: BacklogStore; reads: number[] } {
  const reads: number[] = [];
  const read: Read = async (ids, queue) => {
    const page = await harness.store.pages.read(ids.slice(0, most), queue);
    reads.push(page.records.length);
    return { ...page, unread: ids.slice(most) };
  };
  return { store: replacing({ pages: { read } }, harness.store), reads };
}

it.each([
  ['succeed', succeed],
  ['fail', fail],
])('payloads of a page whose attempts %s are kept no longer than its last settle', async (_, process) => {
  const harness = new Harness();
  for (const id of IDS) harness.put(id);
  const pages: WeakRef<object>[][] = [];
  const kept: number[] = [];
  const countKept = async () => {
    let count = Number.POSITIVE_INFINITY;
    for (let looks = 0; looks < LOOKS && count > LAST_TOUCHED; looks++) {
      // Threads of the engine, beside the program, may hold what they work on for milliseconds.
      if (looks > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      // The references that were made in one turn are kept until its end.
      await harness.sleep(0.001);
      gc();
      count = pages.flat().filter((payload) => payload.deref()).length;
    }
    kept.push(count);
  };
  const read: Read = async (ids, queue) => {
    await countKept();
    const page = await harness.store.pages.read(ids, queue);
    // Payloads that only the run knows, as those of a table are.
    const records = page.records.map((record) => ({ ...record, payload: { lines: [record.id] } }));
    pages.push(records.map(({ payload }) => new WeakRef(payload)));
    return { ...page, records };
  };
  const store = replacing({ pages: { read } }, harness.store);
  const summary = await harness.run(process, { store, probes: false });
  await harness.time.until(countKept());
  expect(summary).toMatchObject({ attempted: RECORDS, ended: 'drained' });
  expect(pages.map((payloads) => payloads.length)).toEqual([FIRST_PAGE, RECORDS - FIRST_PAGE]);
  expect(kept).toHaveLength(3);
  expect(Math.max(...kept)).toBeLessThanOrEqual(LAST_TOUCHED);
});

it('records that do not fit into the memory of a page are read when those before them are settled', async () => {
  const harness = new Harness();
  for (const id of IDS) harness.put(id);
  const { store, reads } = readingAtMost(8, harness);
  const attempted: string[] = [];
  const summary = await harness.run(({ id }) => void attempted.push(id), { store });
  expect(summary).toMatchObject({ attempted: RECORDS, succeeded: RECORDS, skipped: 0, ended: 'drained' });
  expect(attempted).toEqual(IDS);
  expect(reads).toEqual([8, 8, 4, 8, 8, 8, 6]);
});

it('records that do not fit into the memory of a page are left by a run that has reached its limit', async () => {
  const harness = new Harness();
  for (const id of IDS) harness.put(id);
  const { store } = readingAtMost(8, harness);
  const summary = await harness.run(succeed, { store, maxRecords: 4 });
  expect(summary).toMatchObject({ attempted: 4, ended: 'maxRecords' });
  expect(harness.statuses()).toEqual({ SUCCESS: 4, NEW: RECORDS - 4 });
});

it('records that come together and do not fit into memory are attempted one part after the other', async () => {
  const harness = new Harness();
  for (const id of IDS) harness.put(id, { lane: undefined, dueAt: undefined, rev: undefined });
  const { store, reads } = readingAtMost(8, harness);
  const summary = await harness.run(succeed, { store, arrivals: { batch: 'b', ids: IDS } });
  expect(summary).toMatchObject({ attempted: RECORDS, succeeded: RECORDS, skipped: 0, ended: 'drained' });
  expect(reads).toEqual([8, 8, 8, 8, 8, 8, 2]);
});

it('records that come together are all indexed by a run that may attempt few of them', async () => {
  const harness = new Harness();
  for (const id of IDS) harness.put(id, { lane: undefined, dueAt: undefined, rev: undefined });
  const { store } = readingAtMost(8, harness);
  const options = { store, arrivals: { batch: 'b', ids: IDS }, maxRecords: 4 };
  expect(await harness.run(succeed, options)).toMatchObject({ attempted: 4, ended: 'maxRecords' });
  expect(IDS.map((id) => harness.item(id).lane).filter((lane) => lane === 'q')).toHaveLength(RECORDS - 4);
});
