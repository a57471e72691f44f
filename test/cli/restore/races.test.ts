import { beforeAll, expect, it } from 'vitest';
import { StoredItems } from '../../../src/store/dynamodb/stored-items.js';
import type { OperatorStore } from '../../../src/store/operator-store.js';
import { systemClock } from '../../../src/support/clock.js';
import { systemRandom } from '../../../src/support/random.js';
import { RestoreCounters } from '../../../tools/src/cli/restore/counters.js';
import { DEFAULT_DECISIONS, type Decisions } from '../../../tools/src/cli/restore/decide.js';
import { Restoration } from '../../../tools/src/cli/restore/restoration.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { ended, restoredAndOld, waiting } from './tables.js';

let dynamodb: EmbeddedDynamoDb;
beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
  return () => dynamodb.stop();
});
const tables = restoredAndOld(() => dynamodb.endpoint);

/** Restores by a store of its own. Marks what has succeeded, unless the decisions say otherwise. */
async function restoreWith(
  change: OperatorStore['records']['change'],
  onPage = () => {},
  signal = new AbortController().signal,
  { apply = true, ...decisions }: Partial<Decisions> & { apply?: boolean } = {},
) {
  const counters = new RestoreCounters();
  const common = { client: tables.client(), clock: systemClock };
  const end = await new Restoration({
    restored: new StoredItems({ ...common, table: tables.to().records }),
    old: new StoredItems({ ...common, table: tables.from().records }),
    records: { change },
    decisions: { ...DEFAULT_DECISIONS, succeeded: 'mark', ...decisions },
    succeededIds: new Set(),
    apply,
    holdQueues: async () => {},
    counters,
    clock: systemClock,
    random: systemRandom,
    signal,
    onPage,
    onTrouble: () => {},
  }).run();
  return { end, counters };
}

async function putSucceeded() {
  await tables.put(tables.to().records, [waiting('a')]);
  await tables.put(tables.from().records, [ended(waiting('a'), 'SUCCESS')]);
}

it('a record that a run settles meanwhile is read again, and decided again', async () => {
  await putSucceeded();
  let changes = 0;
  const { counters } = await restoreWith(async (record, change, rev) => {
    // The run is quicker: its failure is written between the comparison and the mark.
    if (changes++ === 0)
      await tables.put(tables.to().records, [waiting('a', { rev: { S: 'run' }, failures: { N: '1' } })]);
    return tables.store().records.change(record, change, rev);
  });
  expect(changes).toBe(2);
  expect(counters.groups.succeeded).toMatchObject({ count: 1, written: 1 });
  expect(await tables.get('a')).toMatchObject({ status: { S: 'SUCCESS' }, failures: { N: '1' } });
});

it('a record that a run completes meanwhile is not held', async () => {
  await putSucceeded();
  const done = ended(waiting('a'), 'SUCCESS');
  const change: OperatorStore['records']['change'] = async (...args) => {
    await tables.put(tables.to().records, [done]);
    return tables.store().records.change(...args);
  };
  await restoreWith(change, undefined, undefined, { succeeded: 'hold' });
  expect(await tables.get('a')).toEqual(done);
});

it('a preview copies no record that is missing, and counts it', async () => {
  await tables.put(tables.from().records, [waiting('missing')]);
  const choices = { missing: 'copy', apply: false } as const;
  const { counters } = await restoreWith(() => expect.unreachable(), undefined, undefined, choices);
  expect(counters.groups.missing).toMatchObject({ count: 1, written: 1 });
  expect(await tables.get('missing')).toBeUndefined();
});

it('a record that changes all the time is left as it is, and counted', async () => {
  await putSucceeded();
  const { counters } = await restoreWith(async () => 'changed');
  expect(counters).toMatchObject({ changedMeanwhile: 1, groups: { succeeded: { count: 1, written: 0 } } });
});

it('an interruption ends the work before the next page', async () => {
  await putSucceeded();
  const abort = new AbortController();
  const change = async () => expect.unreachable();
  const { end, counters } = await restoreWith(change, () => abort.abort(), abort.signal);
  expect(end).toBe('interrupted');
  expect(counters.looked).toBe(0);
});
