import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BacklogOperator, type OperationResult } from '../../src/operate/index.js';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
const clock = { now: Date.now, wall: Date.now, sleep: async () => {} };
let tables: TestTables;
let operator: BacklogOperator;
let store: DynamoDbStore;

beforeAll(async () => {
  tables = await createTables(client);
  store = new DynamoDbStore({ client, tables, clock });
  operator = new BacklogOperator({ table: tables.records, controlTable: tables.control, client });
});
afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

const iso = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const waiting = (queue: string) => ({ status: 'NEW', lane: queue, dueAt: iso(3600), attempts: 1 });
const failed = (queue: string) => {
  const born = iso(-7200);
  return { status: 'ERROR', lane: queue, insertedAt: born, dueAt: born, attempts: 1, failures: 1 };
};
const dead = (queue: string) => ({
  ...{ status: 'DEAD', lane: `${queue}/dead`, dueAt: iso(-60), attempts: 3, failures: 3 },
  deadReason: 'maxAttempts',
});

type Case = [
  what: string,
  of: (queue: string) => object,
  act: (id: string) => Promise<OperationResult & { writeUnits: number }>,
  writeUnits: number,
];

const CASES: Case[] = [
  ['redrive', dead, (id) => operator.redrive(id), 3],
  ['discard of a waiting record', waiting, (id) => operator.discard(id), 3],
  ['discard of a dead one', dead, (id) => operator.discard(id), 1],
  ['removal', dead, (id) => operator.discard(id, { delete: true }), 2],
  ['snooze', waiting, (id) => operator.snooze(id, { delay: '2h' }), 3],
  ['retry now', waiting, (id) => operator.runNow(id), 3],
  ['another payload', waiting, (id) => operator.editPayload(id, { payload: 2 }), 1],
  [
    'another payload, and a redrive',
    dead,
    (id) => operator.editPayload(id, { payload: 2, redrive: true }),
    3,
  ],
  ['another policy', waiting, (id) => operator.changePolicy(id, { retry: { type: 'none' } }), 1],
  ['move of a record that is due', failed, (id) => operator.move(id, { queue: 'elsewhere' }), 6],
  ['move of one that is due later', waiting, (id) => operator.move(id, { queue: 'elsewhere' }), 4],
  ['move of a dead one', dead, (id) => operator.move(id, { queue: 'elsewhere' }), 3],
];

describe('an operator’s action on a record of up to 1 KB', () => {
  it.each(CASES)('%s', async (what, of, act, writeUnits) => {
    const queue = what.replace(/\W/g, '-');
    const id = `record of ${queue}`;
    await store.records.insert({
      id,
      payload: 'x'.repeat(500),
      queue,
      insertedAt: iso(-60),
      rev: 'r',
      ...of(queue),
    });
    expect(await act(id)).toMatchObject({ changed: 1, writeUnits });
  });

  it('snooze of one that has failed on a progressive queue', async () => {
    await store.queues.setRetryMode('bulk', { mode: 'progressive', since: 0 }, undefined);
    await store.records.insert({ id: 'by-age', payload: 'x', queue: 'bulk', rev: 'r', ...failed('bulk') });
    expect(await operator.snooze('by-age', { delay: '2h' })).toMatchObject({ changed: 1, writeUnits: 1 });
  });

  it('a dry run writes nothing', async () => {
    await store.records.insert({ id: 'dry', payload: 'x', queue: 'dry', rev: 'r', ...dead('dry') });
    expect(await operator.redrive('dry', { dryRun: true })).toMatchObject({ changed: 1, writeUnits: 0 });
  });
});

it('figures of a queue with 10,000 waiting records cost what the index holds of them', async () => {
  const queue = 'figures';
  for (let i = 0; i < 10_000; i += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        store.records.insert({
          id: crypto.randomUUID(),
          payload: 'x'.repeat(900),
          queue,
          rev: 'r',
          status: 'NEW',
          lane: queue,
          dueAt: iso(i + n),
        }),
      ),
    );
  }
  const { queues, readUnits } = await operator.stats({ queues: [queue] });
  expect(queues[0]).toMatchObject({ pending: 10_000 });
  // Some 70 bytes each; half a unit for 4 KB.
  expect(readUnits).toBeGreaterThan(60);
  expect(readUnits).toBeLessThan(150);
});
