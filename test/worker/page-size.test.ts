import { expect, it } from 'vitest';
import type { BacklogStore } from '../../src/store/store.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices } from './harness.js';

/**
 * Runs so many records, and returns the sizes of the pages that the run journals, the first one first, without those of
 * the page before that are under attempt still.
 */
async function pagesOf(records: number, process: (harness: Harness) => Process, choices: RunChoices = {}) {
  const harness = new Harness();
  for (let i = 0; i < records; i++) harness.put(`r${i}`);
  const sizes: number[] = [];
  const begun = new Set<string>();
  const hold: BacklogStore['leases']['hold'] = (key, held) => {
    // A heartbeat names those that are under attempt still.
    if (held.rev !== revs.at(-1)) sizes.push(held.ids.filter((id) => !begun.has(id)).length);
    revs.push(held.rev);
    return harness.store.leases.hold(key, held);
  };
  const revs: string[] = [];
  const store = replacing({ leases: { hold } }, harness.store);
  const attempt = process(harness);
  const noting: Process = (record, context) => {
    begun.add(record.id);
    return attempt(record, context);
  };
  const summary = await harness.run(noting, { attemptTimeout: 30, ...choices, store });
  return { sizes, summary };
}

const lasting =
  (seconds: number) =>
  (harness: Harness): Process =>
  () =>
    harness.sleep(seconds);

it.each([
  ['that end at once', 0, [20, 100, 100, 30]],
  ['of one second, ten at once', 1, [20, 50, 50, 50, 50, 30]],
  ['of five seconds, as many as fit in the worst case', 5, [20, 20, 20, 20]],
])('attempts %s: the size of a page goes by the pace of the one before', async (_, seconds, sizes) => {
  const records = sizes.reduce((sum, size) => sum + size, 0);
  const { sizes: seen, summary } = await pagesOf(records, lasting(seconds));
  expect(seen).toEqual(sizes);
  expect(summary).toMatchObject({ attempted: records, succeeded: records, ended: 'drained' });
});

it('a limit of attempts is a limit of the pages, however quick they are', async () => {
  const { sizes, summary } = await pagesOf(200, lasting(0), { maxRecords: 70 });
  expect(sizes).toEqual([20, 50]);
  expect(summary).toMatchObject({ attempted: 70, ended: 'maxRecords' });
});

it('attempts that are slow all at once are left for a further page where they do not fit, and made once', async () => {
  const seen: string[] = [];
  const slowLater =
    (harness: Harness): Process =>
    ({ id }) => {
      seen.push(id);
      return harness.sleep(seen.length <= 20 ? 0 : 29);
    };
  const { sizes, summary } = await pagesOf(120, slowLater, { deadlineSeconds: 890 });
  expect(sizes[1]).toBe(100);
  expect(sizes.slice(2)).toEqual([...sizes.slice(2)].sort((one, other) => other - one));
  expect(summary).toMatchObject({ attempted: 120, succeeded: 120, ended: 'drained' });
  expect(new Set(seen).size).toBe(120);
});
