import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/engine.js';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
let tables: TestTables;
let store: DynamoDbOperatorStore;
let requests: string[] = [];

client.middlewareStack.add(
  (next, context) => (args) => {
    requests.push(String(context.commandName));
    return next(args);
  },
  { step: 'initialize', name: 'countRequests' },
);

beforeAll(async () => {
  tables = await createTables(client);
  store = new DynamoDbOperatorStore({ client, tables, clock: systemClock });
});

afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

beforeEach(() => {
  requests = [];
});

type Attributes = Record<string, AttributeValue>;
const SUCCESS = {
  set: { status: 'SUCCESS' as const, attempts: 1 },
  remove: ['lane' as const, 'dueAt' as const],
};
/** A map by JSON.parse, whose objects have an own property of any name. */
const map = (json: string): AttributeValue => ({ M: JSON.parse(json) as Attributes });
const deep = (depth: number): AttributeValue => (depth === 0 ? { S: 'end' } : { L: [deep(depth - 1)] });
const many = (count: number): Attributes =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`own-${i}`, { N: `${i}` }]));

async function put(item: Attributes): Promise<void> {
  await client.send(
    new PutItemCommand({ TableName: tables.records, Item: { status: { S: 'NEW' }, ...item } }),
  );
}

async function stored(id: string): Promise<Attributes | undefined> {
  const request = new GetItemCommand({
    TableName: tables.records,
    Key: { id: { S: id } },
    ConsistentRead: true,
  });
  return (await client.send(request)).Item;
}

const VALUES: readonly (readonly [string, AttributeValue])[] = [
  ['a key __proto__', map('{"__proto__": {"M": {"value": {"N": "1"}}}, "a": {"S": "b"}}')],
  ['a key __proto__ that is null', map('{"__proto__": {"NULL": true}}')],
  ['a key __proto__ far below', { L: [map('{"a": {"M": {"__proto__": {"S": "x"}}}}')] }],
  ['a key constructor', map('{"race": {"M": {"constructor": {"S": "McLaren"}}}}')],
  [
    'keys of all methods',
    map('{"toString": {"S": "x"}, "valueOf": {"S": "y"}, "hasOwnProperty": {"N": "1"}}'),
  ],
  ['zero with an exponent', { N: '0E-37' }],
  ['a number of 38 digits', { N: '12345678901234567890123456789012345678' }],
  ['a fraction of 38 digits', { N: '-0.12345678901234567890123456789012345678' }],
  ['the largest number', { N: '9.9999999999999999999999999999999999999E+125' }],
  ['the least number', { N: '1E-130' }],
  ['numbers in a set', { NS: ['1.0', '2', '1E+40'] }],
  ['texts in a set', { SS: ['b', 'a', '__proto__'] }],
  ['bytes in a set', { BS: [new Uint8Array([2]), new Uint8Array([1, 0])] }],
  ['no bytes', { B: new Uint8Array() }],
  ['an empty text', { S: '' }],
  ['an empty map', { M: {} }],
  ['an empty list', { L: [] }],
  ['null', { NULL: true }],
  ['30 levels', deep(29)],
];

describe('on DynamoDB Local', () => {
  it.each(VALUES)('a record with %s is settled by one write, and untouched by it', async (_, value) => {
    const item = { id: { S: 'hostile' }, payload: value, own: value };
    await put(item);
    const before = await stored('hostile');
    const [record] = await store.records.getMany(['hostile']);
    if (!record) throw new Error('it is not there');
    requests = [];
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
    expect(requests).toEqual(['UpdateItemCommand']);
    const { payload, own } = (await stored('hostile')) ?? {};
    expect(JSON.stringify([payload, own])).toBe(JSON.stringify([before?.payload, before?.own]));
  });

  it.each(VALUES)('a record with %s can be edited, and gets the same value', async (_, value) => {
    await put({ id: { S: 'edited' }, payload: { S: 'before' }, other: value });
    const [found] = await store.records.getItems(['edited']);
    if (!found) throw new Error('it is not there');
    const change = { set: { payload: found.item.other }, remove: [] };
    expect(await store.records.change(found.record, change, 'rev-1')).toBe('settled');
    const { payload, other } = (await stored('edited')) ?? {};
    const [first] = await store.records.getItems(['edited']);
    expect(JSON.stringify(Object.keys(payload ?? {}))).toBe(JSON.stringify(Object.keys(other ?? {})));
    expect(first?.item.payload).toEqual(first?.item.other);
    expect(await store.records.remove(first?.record ?? found.record, 'rev-2')).toBe('removed');
  });

  it.each(VALUES)('a record whose %s is overwritten during its attempt is not settled', async (_, value) => {
    const id = { S: 'overwritten' };
    await put({ id, payload: value });
    const [record] = await store.records.getMany([id.S]);
    if (!record) throw new Error('it is not there');
    await put({ id, payload: { L: [value, value] } });
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
    expect((await stored(id.S))?.status).toEqual({ S: 'NEW' });
  });

  it.each([
    // With id, status, payload and what of the contract it has not: as many as a condition names.
    [89, 1],
    [90, 3],
    [500, 3],
  ])('a record with %i attributes of its own is settled in %i requests', async (count, expected) => {
    await put({ id: { S: 'wide' }, payload: { M: many(50) }, ...many(count) });
    const [record] = await store.records.getMany(['wide']);
    if (!record) throw new Error('it is not there');
    requests = [];
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
    expect(requests).toHaveLength(expected);
  });
});
