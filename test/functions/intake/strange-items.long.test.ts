import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../functions/intake/arrivals.js';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import type { Item } from '../../../src/record/index.js';
import { itemBytes, MAX_ITEM_BYTES } from '../../../src/record/item-size.js';
import { type BacklogStore, StoreError } from '../../../src/store/index.js';
import { type Methods, replacing } from '../../simulation/replacing.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../../store/dynamodb-under-test.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';
import { context, workbench } from '../support.js';

/** A DynamoDB, which refuses keys and items that the store in memory takes. */
let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let underTest: DynamoDbUnderTest;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
});
afterAll(async () => {
  await underTest.close();
  await dynamoDb.stop();
});

function bench(tampered: (store: BacklogStore) => Methods = () => ({})) {
  const made = workbench({ default: { retryMode: 'perRecord' }, orders: { retryMode: 'perRecord' } });
  const started: (readonly string[])[] = [];
  const invoker: Invoker = {
    invoke: async ({ event }: Invocation) => {
      started.push(event.arrivals.ids);
      return 'accepted';
    },
    async sendToRedelivery() {},
    async sendShortWait() {},
    async giveUp() {},
  };
  const env = {
    ...made.overrides.env,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Fast: ['orders'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
  const { store } = underTest;
  const seen = replacing(tampered(store), store);
  const intake = intakeHandler({ ...made.overrides, env, invoker, store: seen });
  const take = async (...items: Item[]) => {
    const changes = made.changesOf(() => {
      for (const item of items) made.store.put(item);
    });
    for (const item of items) await underTest.put(item);
    return intake({ Records: changes }, context);
  };
  /** Brings a message of the redelivery queue. */
  const hears = (...ids: string[]) => {
    const body = JSON.stringify({ notIndexed: ids });
    return intake({ Records: [{ eventSource: 'aws:sqs', messageId: 'm', body }] }, context);
  };
  return { ...made, take, hears, started };
}

/** The same with a payload that leaves it so many bytes below DynamoDB's limit. */
function withRoom(bytes: number, item: Item): Item {
  const empty = { ...item, payload: '' };
  return { ...empty, payload: 'x'.repeat(MAX_ITEM_BYTES - itemBytes(empty) - bytes) };
}

const bare = (id: string, more: Item = {}): Item => ({ id, status: 'NEW', payload: { n: 1 }, ...more });

describe('beside good records, the intake', () => {
  it.each([129, 2_041, 300_000])('takes a queue of %i letters for none, and keeps the payload', async (n) => {
    const { take, started, measured, log } = bench();
    const items = [bare('a'), bare('long', { queue: 'q'.repeat(n) }), bare('b', { queue: 'orders' })];
    expect(await take(...items)).toEqual({ batchItemFailures: [] });
    expect(await underTest.raw('a')).toMatchObject({ lane: 'default' });
    expect(started).toEqual([['b']]);
    expect(await underTest.raw('long')).toMatchObject({
      lane: 'default',
      queue: 'default',
      payload: { n: 1 },
    });
    expect(measured).toMatchObject([[{ indexed: 2, repaired: 1 }, expect.anything()]]);
    // The log does not quote the queue: it is enough that it was wrong.
    expect(JSON.stringify(log())).not.toContain('qqqq');
  });

  it.each([
    ['a map', { a: 1 }],
    ['a list', [1]],
    ['a number', 7],
    ['empty', ''],
  ])('places an item whose rev is %s', async (_, rev) => {
    const { take, measured } = bench();
    expect(await take(bare('odd', { rev }), bare('good'))).toEqual({ batchItemFailures: [] });
    for (const id of ['odd', 'good']) expect(await underTest.raw(id)).toMatchObject({ lane: 'default' });
    expect(measured).toMatchObject([[{ indexed: 2 }, expect.anything()]]);
  });

  it.each([500, 60])(
    'quarantines an item with %i spare bytes, and does not have it attempted',
    async (spare) => {
      const { take, started, measured, log } = bench();
      const full = withRoom(spare, bare('full', { queue: 'orders' }));
      const good = bare('good', { queue: 'orders' });
      expect(await take(bare('a'), full, good)).toEqual({ batchItemFailures: [] });
      expect(started).toEqual([['good']]);
      expect(await underTest.raw('full')).toMatchObject({ status: 'DEAD', payload: full.payload });
      expect(await underTest.raw('a')).toMatchObject({ lane: 'default' });
      expect(measured).toMatchObject([[{ indexed: 1, quarantined: 1, refused: 0 }, expect.anything()]]);
      const line = log().find(({ message }) => message === 'quarantined');
      expect(line).toMatchObject({
        level: 'ERROR',
        id: 'full',
        reason: expect.stringContaining('too large'),
      });
    },
  );

  it.each([0, 1, 2, 3])(
    'reports an item with %i spare bytes, which cannot even be quarantined',
    async (spare) => {
      const { take, started, measured, log } = bench();
      const full = withRoom(spare, bare('full', { queue: 'orders' }));
      expect(await take(full, bare('good', { queue: 'orders' }))).toEqual({ batchItemFailures: [] });
      expect(started).toEqual([['good']]);
      expect(await underTest.raw('full')).toEqual(full);
      expect(measured).toMatchObject([[{ indexed: 0, quarantined: 0, refused: 1 }, expect.anything()]]);
      const message = 'a record cannot be quarantined either, and will not be attempted';
      expect(log()).toContainEqual(expect.objectContaining({ level: 'ERROR', id: 'full', message }));
    },
  );

  it.each([0, 1, 2, 3])(
    'quarantines an item with %i spare bytes in a wrong lane: its keys leave room',
    async (spare) => {
      const { take, measured } = bench();
      const place = { queue: 'orders', lane: 'nosuch', dueAt: '2026-11-20T08:00:00.000Z' };
      const full = withRoom(spare, bare('full', place));
      expect(await take(full, bare('good'))).toEqual({ batchItemFailures: [] });
      expect(await underTest.raw('full')).not.toHaveProperty('lane');
      expect((await underTest.raw('full'))?.payload).toBe(full.payload);
      expect(await underTest.raw('good')).toMatchObject({ lane: 'default' });
      expect(measured).toMatchObject([[{ indexed: 1, quarantined: 1, refused: 0 }, expect.anything()]]);
    },
  );

  it.each([12, 20, 30, 40, 46])(
    'writes an item with %i spare bytes once: what it has written comes back to it by the stream',
    async (spare) => {
      const { take, hears, measured } = bench();
      await take(withRoom(spare, bare('full', { queue: 'orders' })));
      const quarantined = await underTest.raw('full');
      expect(quarantined).toMatchObject({ status: 'DEAD', rev: expect.any(String) });
      expect(quarantined).not.toHaveProperty('lane');
      for (const _ of [1, 2]) expect(await hears('full')).toEqual({ batchItemFailures: [] });
      expect(await underTest.raw('full')).toEqual(quarantined);
      expect(measured.slice(1)).toMatchObject([
        [{ indexed: 0, quarantined: 0, refused: 1 }, expect.anything()],
        [{ indexed: 0, quarantined: 0, refused: 1 }, expect.anything()],
      ]);
    },
  );

  it('does not write an item without a spare byte again and again by its rev', async () => {
    const { take, measured } = bench();
    const full = withRoom(0, bare('full', { rev: 'producer' }));
    expect(await take(full, bare('good'))).toEqual({ batchItemFailures: [] });
    expect(await underTest.raw('full')).toEqual(full);
    expect(measured).toMatchObject([[{ indexed: 1, quarantined: 0, refused: 1 }, expect.anything()]]);
  });

  it('looks at each item by itself where one of them cannot be read', async () => {
    const { take, measured, log } = bench((store) => ({
      records: {
        getMany: async (ids) => {
          if (ids.includes('odd')) throw new TypeError('Cannot convert object to primitive value');
          return store.records.getMany(ids);
        },
      },
    }));
    const items = ['a', 'b', 'odd', 'c', 'd'].map((id) => bare(id));
    expect(await take(...items)).toEqual({ batchItemFailures: [] });
    for (const id of ['a', 'b', 'c', 'd']) expect(await underTest.raw(id)).toMatchObject({ lane: 'default' });
    expect(measured).toMatchObject([[{ indexed: 4, refused: 1 }, expect.anything()]]);
    const message = 'a record cannot be read, and will not be attempted';
    expect(log()).toContainEqual(expect.objectContaining({ level: 'ERROR', id: 'odd', message }));
  });

  it('quarantines an item whose place cannot be written', async () => {
    const { take, measured } = bench((store) => ({
      records: {
        settle: async (record, change, rev) => {
          if (record.id === 'odd' && change.set.status !== 'DEAD') throw new StoreError('UpdateItem: no');
          return store.records.settle(record, change, rev);
        },
      },
    }));
    expect(await take(bare('a'), bare('odd'), bare('b'))).toEqual({ batchItemFailures: [] });
    expect(await underTest.raw('odd')).toMatchObject({
      status: 'DEAD',
      lane: 'default/dead',
      deadReason: expect.stringMatching(/^quarantined: /),
      payload: { n: 1 },
    });
    for (const id of ['a', 'b']) expect(await underTest.raw(id)).toMatchObject({ lane: 'default' });
    expect(measured).toMatchObject([[{ indexed: 2, quarantined: 1 }, expect.anything()]]);
  });
});
