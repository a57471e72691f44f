import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecordLines } from '../../src/lines/index.js';
import { type LineChange, takeTurns } from '../../src/lines/take-turns.js';
import type { BacklogRecord } from '../../src/record/index.js';
import { DynamoDbNumberedInserts } from '../../src/store/dynamodb/numbered-inserts.js';
import { tablesOf } from '../../src/store/dynamodb/store.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';
import { meteredStore, SILENT } from './metered-store.js';

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let meter: Awaited<ReturnType<typeof meteredStore>>;
const RULES = { onDeadHead: 'hold', skipGapAfter: 120 } as const;

beforeAll(async () => {
  meter = await meteredStore(client);
});
afterAll(() => meter.stop());

/** The lines as the intake has them, and the write units that they have cost. */
function lines(key: string) {
  const { store, groups, tables } = meter;
  const name = { queue: 'orders', key };
  const deps = {
    ...{ lines: groups, records: store.records, clock: systemClock, random: Math.random, logger: SILENT },
    isUnderAttempt: async () => false,
  };
  const before = meter.writes(tables.control);
  return {
    units: () => meter.writes(tables.control) - before,
    async come(first: number, count: number) {
      const changes: LineChange[] = [];
      for (let seq = first; seq < first + count; seq++) {
        // Ids of 36 characters, as UUIDs have.
        const id = `${key}-${seq}`.padStart(36, '0');
        await store.records.insert({ id, status: 'NEW', queue: 'orders', key, seq, payload: seq });
        const record = (await store.records.get(id)) as BacklogRecord;
        changes.push({ id, place: { ...name, seq }, record });
      }
      return (await takeTurns(name, changes, RULES, deps)).start;
    },
    async ends(record: BacklogRecord) {
      await store.records.settle(record, { set: { status: 'SUCCESS', attempts: 1 }, remove: [] }, 'done');
      const after = (await store.records.get(record.id)) as BacklogRecord;
      const change = {
        id: record.id,
        place: { ...name, seq: record.seq ?? 0 },
        record: after,
        isOwnEnd: true,
      };
      return (await takeTurns(name, [change], RULES, deps)).start;
    },
  };
}

it('a record that comes to an idle line costs two units beside its own', async () => {
  const line = lines('idle');
  for (let seq = 1; seq <= 10; seq++) {
    const head = await line.come(seq, 1);
    expect(head?.seq).toBe(seq);
    await line.ends(head as BacklogRecord);
  }
  expect(line.units()).toBe(20);
});

it('a record that waits behind others costs one unit, and a sixteenth for each page, as it is noted and removed', async () => {
  const line = lines('busy');
  let head = await line.come(1, 160);
  for (let seq = 1; seq <= 160; seq++) {
    expect(head?.seq).toBe(seq);
    head = await line.ends(head as BacklogRecord);
  }
  expect(head).toBeUndefined();
  expect(line.units() / 160).toBeLessThan(1.15);
});

it('a record that comes alone to a busy line costs two units', async () => {
  const line = lines('one by one');
  let head = await line.come(1, 1);
  for (let seq = 2; seq <= 33; seq++) await line.come(seq, 1);
  for (let seq = 1; seq <= 33; seq++) head = await line.ends(head as BacklogRecord);
  expect(head).toBeUndefined();
  expect(line.units() / 33).toBeLessThan(2.25);
});

it('numbers that are given by the library have no gap, whatever comes at the same time', async () => {
  const { tables, store, groups } = meter;
  const { records, control } = tablesOf({ client, tables, clock: systemClock });
  const numbered = new DynamoDbNumberedInserts({
    client,
    records,
    control,
    clock: systemClock,
    random: Math.random,
  });
  const given = { ...tables, store: { records: store.records, lines: groups, numbered } };
  const own = new RecordLines({ table: given.records, controlTable: given.control, store: given.store });
  const all = Array.from({ length: 250 }, (_, i) => ({
    id: `n-${i}`,
    queue: 'orders',
    key: 'numbered',
    payload: i,
  }));
  expect(await own.insert(all)).toEqual({ inserted: 250, duplicates: [], failed: [] });
  const numbers = await Promise.all(all.map(async ({ id }) => (await store.records.get(id))?.seq));
  expect(numbers).toEqual(all.map((_, i) => i + 1));
  expect(await own.insert(all.slice(100, 110))).toMatchObject({ inserted: 0, duplicates: { length: 10 } });
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      own.insert([{ id: `m-${i}`, queue: 'orders', key: 'numbered', payload: i }]),
    ),
  );
  const more = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => (await store.records.get(`m-${i}`))?.seq),
  );
  expect(more.sort()).toEqual([251, 252, 253, 254, 255, 256, 257, 258]);
});
