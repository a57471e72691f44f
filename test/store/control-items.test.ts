import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbOperatorStore, StoreAccessError } from '../../src/store/index.js';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { clock } from './dynamodb-under-test.js';
import { NOW, read } from './records.js';

const dynamoDb = dynamoDbForFile();

describe('the control table', () => {
  const ask = { run: 'a', wanted: 4, most: 10, onArrival: false, now: NOW, until: NOW + 70_000 };

  /** A store that tells which requests it makes. */
  function notedStore() {
    const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
    const requests: string[] = [];
    client.middlewareStack.add(
      (next, context) => (args) => {
        requests.push(String(context.commandName));
        return next(args);
      },
      { step: 'initialize', name: 'note' },
    );
    const store = new DynamoDbOperatorStore({ client, tables: dynamoDb.underTest.tables, clock });
    return { store, requests, client };
  }

  it('takes, renews and gives back attempts at a time by one write each', async () => {
    const { store, requests, client } = notedStore();
    await store.slots.take('slots', { ...ask, run: 'first' });
    requests.length = 0;
    expect(await store.slots.take('slots', ask)).toBe(4);
    expect(await store.slots.renew('slots', 'a', NOW + 90_000)).toBe(true);
    await store.slots.release('slots', 'a', { count: 4, onArrival: false });
    expect(requests).toEqual(Array.from({ length: 3 }, () => 'UpdateItemCommand'));
    client.destroy();
  });

  it.each<[string, Record<string, unknown>]>([
    ['no map of runs', { slots: 'none', slotsTaken: 3, slotsOnArrival: 0 }],
    ['no numbers', { slots: {}, slotsTaken: 'many', slotsOnArrival: { a: 1 } }],
    ['a sum that is wrong', { slots: {}, slotsTaken: 10, slotsOnArrival: 0 }],
    ['a run of nonsense', { slots: { x: 7, y: { count: 'all' } }, slotsTaken: 10, slotsOnArrival: 0 }],
    [
      'a run with less than no attempts',
      {
        slots: { y: { count: -5, onArrival: false, until: NOW + 1_000 } },
        slotsTaken: -5,
        slotsOnArrival: 0,
      },
    ],
    ['a sum below 0', { slots: {}, slotsTaken: -5, slotsOnArrival: -5 }],
    [
      'what an older version wrote',
      { slots: { lost: { count: 10, onArrival: false, until: NOW - 1 } }, slotsRev: 7 },
    ],
  ])('counts slots from zero where its item holds %s', async (what, attributes) => {
    const { store, client } = notedStore();
    const key = `queue#damaged ${what}`;
    const TableName = dynamoDb.underTest.tables.control;
    await DynamoDBDocumentClient.from(client).send(
      new PutCommand({ TableName, Item: { key, ...attributes } }),
    );
    const queue = key.slice('queue#'.length);
    expect(await store.slots.take(queue, ask)).toBe(4);
    expect(await store.slots.take(queue, { ...ask, run: 'b', wanted: 10 })).toBe(6);
    expect(await store.slots.take(queue, { ...ask, run: 'c' })).toBe(0);
    client.destroy();
  });

  it('gives the latest success of a queue, of all its items, and none that is no time', async () => {
    const { client, store } = notedStore();
    const documents = DynamoDBDocumentClient.from(client);
    const TableName = dynamoDb.underTest.tables.control;
    // A table has its items in no order: the latest is in another one for each queue.
    const spread = [0, 1, 2, 3].flatMap((latest) =>
      ['', '#1', '#2', '#3'].map(
        (part, i) => [`arrivals#spread${latest}${part}`, i === latest ? NOW - 5 : NOW - 9] as const,
      ),
    );
    const items = {
      ...Object.fromEntries(spread),
      'lease#text': 'yesterday',
      'lease#below': -1,
      'lease#beyond': 1e15,
      'arrivals#map': { at: NOW },
    };
    for (const [key, succeededAt] of Object.entries(items))
      await documents.send(new PutCommand({ TableName, Item: { key, succeededAt } }));
    const { successes } = await store.control.read();
    for (const latest of [0, 1, 2, 3]) expect(successes.get(`spread${latest}`)).toBe(NOW - 5);
    for (const name of ['text', 'below', 'beyond', 'map']) expect(successes.has(name), name).toBe(false);
    client.destroy();
  });

  it('shows all leases, although they are more than DynamoDB hands out at once', async () => {
    const { store } = dynamoDb.underTest;
    const lanes = Array.from({ length: 5 }, (_, i) => `lane-${i}`);
    const ids = Array.from({ length: 200 }, (_, i) => `${i}-${'x'.repeat(1_500)}`);
    for (const lane of lanes) await store.leases.hold(lane, { holder: 'h', until: NOW + 1, ids, rev: 'r' });
    expect([...(await store.leases.readAll()).keys()].sort()).toEqual(lanes);
  });
});

it('a record that may not be deleted is no record that others have changed', async () => {
  const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName !== 'DeleteItemCommand') return next(args);
      throw Object.assign(new Error('not authorized'), { name: 'AccessDeniedException', $fault: 'client' });
    },
    { step: 'initialize', name: 'deny' },
  );
  const store = new DynamoDbOperatorStore({ client, tables: dynamoDb.underTest.tables, clock });
  await dynamoDb.underTest.put({ id: 'kept', status: 'DEAD', payload: 1, rev: 'r' });
  await expect(store.records.remove(await read(store, 'kept'), 'rev-x')).rejects.toThrow(StoreAccessError);
  expect(await dynamoDb.underTest.raw('kept')).toMatchObject({ status: 'DEAD' });
});
