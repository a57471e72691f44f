import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { BacklogClient, defineTask } from '../../src/index.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

let underTest: DynamoDbUnderTest;
let backlog: BacklogClient;
let requests: string[] = [];

beforeAll(async () => {
  underTest = await dynamoDbUnderTest(dynamoDbLocalEndpoint());
  const { client, tables } = underTest;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push(String(commandName));
        return next(args);
      },
    { step: 'initialize', name: 'countRequests' },
  );
  backlog = new BacklogClient({ table: tables.records, client });
});
afterAll(() => underTest.close());
beforeEach(() => {
  requests = [];
});

const batches = () => requests.filter((name) => name.startsWith('BatchExecuteStatement')).length;

it('a hundred records go in by four requests, and are what single ones are', async () => {
  const payload = {
    text: `it's "quoted", {'id': ?} – 🧾`,
    big: 123456789012345678901234567890n,
    float: 1.1e-7,
    bytes: new Uint8Array([0, 255]),
    set: new Set(['a', 'b']),
    nested: { list: [1, null, true, {}], none: undefined },
  };
  const record = (id: string) => ({
    id,
    payload,
    queue: 'orders',
    attributes: { "it's, 'so'": 1, 'a.b "c"': 2, '?': 3 },
  });
  const ids = Array.from({ length: 100 }, (_, i) => `many-${i}`);
  expect(await backlog.insertMany(ids.map(record))).toEqual({ inserted: 100, duplicates: [], failed: [] });
  expect(batches()).toBe(4);
  expect(requests).toHaveLength(4);
  await backlog.insert(record('single'));
  const { id: _, rev: __, insertedAt: ___, ...single } = (await underTest.raw('single')) ?? {};
  for (const id of ids) expect(await underTest.raw(id)).toMatchObject(single);
});

it('ids that are there already are left alone and named, without a further look', async () => {
  await backlog.insertMany([
    { id: 'there', payload: 'before' },
    { id: 'there-too', payload: 'before' },
  ]);
  requests = [];
  const records = ['there', 'new', 'there-too', 'new-too', 'new'].map((id) => ({ id, payload: 'after' }));
  const result = await backlog.insertMany(records);
  expect(result).toMatchObject({ inserted: 2, duplicates: ['there', 'there-too', 'new'] });
  // The id that came twice could not go into the same request, and was put by itself.
  expect(requests).toEqual(['BatchExecuteStatementCommand', 'PutItemCommand', 'GetItemCommand']);
  expect(await underTest.raw('there')).toMatchObject({ payload: 'before' });
});

it('one that DynamoDB refuses keeps none of the others', async () => {
  const records = [
    { id: 'ok-1', payload: 1 },
    { id: 'no-name', payload: { '': 1 } },
    { id: 'ok-2', payload: 'x'.repeat(390_000) },
    { id: 'ok-3', payload: 3 },
  ];
  const { inserted, failed } = await backlog.insertMany(records);
  expect([inserted, failed.map(({ id }) => id)]).toEqual([3, ['no-name']]);
});

it('records of a task are unique in a period, in bulk as alone', async () => {
  const task = defineTask<{ n: number }>({ name: 'count', perform: () => {} });
  const payloads = Array.from({ length: 60 }, (_, i) => ({ n: i % 30 }));
  const options = { uniqueFor: '365d' } as const;
  expect(await backlog.insert(task, { n: 7 }, options)).toMatchObject({ inserted: true });
  const { inserted, duplicates } = await backlog.insertMany(task, payloads, options);
  expect([inserted, duplicates.length]).toEqual([29, 31]);
});
