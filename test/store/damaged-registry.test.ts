import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type DynamoDBClient, DynamoDbOperatorStore, DynamoDbStore } from '../../src/store/index.js';
import { dynamoDbForFile } from './dynamodb-for-file.js';
import { clock } from './dynamodb-under-test.js';
import type { TestTables } from './tables.js';

const dynamoDb = dynamoDbForFile();
let client: DynamoDBClient;
let tables: TestTables;
let store: DynamoDbStore;
let reported: unknown[];

beforeAll(() => {
  ({ client, tables } = dynamoDb.underTest);
});
beforeEach(() => {
  reported = [];
  store = new DynamoDbStore({ client, tables, clock, onDamaged: (...damage) => void reported.push(damage) });
});

const put = (attributes: Record<string, AttributeValue>) =>
  client.send(
    new PutItemCommand({ TableName: tables.control, Item: { ...attributes, key: { S: 'registry' } } }),
  );

const SOUND: Record<string, AttributeValue> = {
  owner: { S: 'shop' },
  retryMode: { S: 'perRecord' },
  at: { S: '2026-11-20T12:00:00.000Z' },
};
const VALUES: Record<string, AttributeValue> = {
  null: { NULL: true },
  'an empty text': { S: '' },
  'a text': { S: 'x' },
  'a fraction': { N: '1.5' },
  'a large number': { N: '1e100' },
  'a list': { L: [{ S: 'x' }] },
  'a map': { M: { owner: { S: 'x' } } },
  'a set': { SS: ['x'] },
};
const OPTIONAL = ['function', 'shards', 'fairness', 'onArrival', 'timeout', 'removedAt'];
const isFine = new Set(['owner a text', 'function a text']);

it.each([...Object.keys(SOUND), ...OPTIONAL])(
  'an entry with an invalid %s is absent, and is reported',
  async (name) => {
    // All values at once, each in the entry of a queue that is called so.
    const kinds = Object.keys(VALUES);
    const called = (kind: string) => `${name}-${kind.replaceAll(' ', '-')}`;
    const damaged = kinds.map((kind) => [
      called(kind),
      { M: { ...SOUND, [name]: VALUES[kind] as AttributeValue } },
    ]);
    await put({ rev: { S: 'r' }, queues: { M: { ...Object.fromEntries(damaged), sound: { M: SOUND } } } });
    const { queues } = await store.registry.read();
    const isRead = (kind: string) => isFine.has(`${name} ${kind}`);
    expect([...queues.keys()].sort()).toEqual([...kinds.filter(isRead).map(called), 'sound'].sort());
    const absent = kinds.filter((kind) => !isRead(kind)).map((kind) => `queues.${called(kind)}`);
    const [[item, names]] = reported as [[string, string[]]];
    expect([reported.length, item, names.toSorted()]).toEqual([1, 'registry', absent.sort()]);
  },
);

it('names that are none of a queue are absent, and a few of them are reported', async () => {
  const names = ['', 'a b', 'x'.repeat(129), ...Array.from({ length: 30 }, (_, i) => `#${i}`)];
  const M = Object.fromEntries([...names, 'sound'].map((name) => [name, { M: SOUND }] as const));
  await put({ rev: { S: 'r' }, queues: { M } });
  expect([...(await store.registry.read()).queues.keys()]).toEqual(['sound']);
  expect(reported).toHaveLength(1);
  expect((reported as [string, string[]][])[0]?.[1]).toHaveLength(20);
});

it.each(Object.keys(VALUES))('an item whose attributes are %s can be written again', async (kind) => {
  const value = VALUES[kind] as AttributeValue;
  for (const damaged of [{ rev: value }, { queues: value }, { rev: value, queues: value }]) {
    await put({ rev: { S: 'r' }, queues: { M: {} }, ...damaged });
    const read = await store.registry.read();
    expect(read.queues.size).toBe(0);
    const next = { rev: 'next', queues: new Map() };
    expect([damaged, await store.registry.write(next, read.rev)]).toEqual([damaged, true]);
    expect(await store.registry.read()).toEqual(next);
  }
});

it('keeps what a newer version says of a queue', async () => {
  const newer = { M: { ...SOUND, newer: { N: '5' } } };
  await put({ rev: { S: 'r' }, queues: { M: { newer } } });
  const { queues } = await store.registry.read();
  await store.registry.write({ rev: 'r2', queues }, 'r');
  expect((await store.registry.read()).queues.get('newer')).toMatchObject({ newer: 5 });
});

it('an active region with an invalid attribute is none, is reported, and can be written again', async () => {
  const sound = {
    region: { S: 'eu-west-1' },
    from: { N: '2' },
    at: { N: '1' },
    before: { S: 'eu-central-1' },
  };
  const next = { region: 'eu-west-2', from: 4, at: 3, before: 'eu-west-1' };
  for (const name of Object.keys(sound) as (keyof typeof sound)[]) {
    for (const kind of Object.keys(VALUES)) {
      if (kind === 'a fraction' && (name === 'from' || name === 'at')) continue;
      reported = [];
      const Item = { ...sound, [name]: VALUES[kind] as AttributeValue, key: { S: 'region' } };
      await client.send(new PutItemCommand({ TableName: tables.control, Item }));
      expect([name, kind, await store.activeRegion.read()]).toEqual([name, kind, undefined]);
      expect(reported).toEqual([['region', [name]]]);
    }
  }
  const operator = new DynamoDbOperatorStore({ client, tables, clock });
  expect(await operator.activeRegion.write(next, undefined)).toBe(true);
  expect(await store.activeRegion.read()).toEqual(next);
});

it('a claim with an invalid end may have a run at work', async () => {
  const runs = {
    M: { sound: { M: { until: { N: '5' } } }, damaged: { M: { until: { S: 'x' } } }, text: { S: 'x' } },
  };
  const Item = { key: { S: 'arrivals#orders' }, runs };
  await client.send(new PutItemCommand({ TableName: tables.control, Item }));
  const operator = new DynamoDbOperatorStore({ client, tables, clock });
  const untils = (await operator.control.readRuns())
    .filter(({ name }) => name === 'orders')
    .map(({ until }) => until);
  expect(untils.map((until) => until > Date.UTC(9000, 0)).sort()).toEqual([false, true, true]);
});

// An operator's command makes the name of a host from it, and signs its requests to that host.
it.each([
  'x.example.com/',
  'evil.example.com/#',
  '..',
  'EU-WEST-1',
  'eu-west-1.example.com',
  'x'.repeat(1000),
])('what is no region is none: %s', async (hostile) => {
  const items = [
    { region: hostile, from: 2, at: 1, before: 'eu-central-1' },
    { region: 'eu-west-1', from: 2, at: 1, before: hostile },
  ];
  const operator = new DynamoDbOperatorStore({ client, tables, clock });
  for (const item of items) {
    await operator.activeRegion.write(item, undefined);
    expect(await store.activeRegion.read()).toBeUndefined();
  }
  await put({ rev: { S: 'r' }, queues: { M: {} }, primaryRegion: { S: hostile } });
  expect(await store.registry.read()).toEqual({ rev: 'r', queues: new Map() });
});
