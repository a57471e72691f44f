import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimBucketOf } from '../../src/store/buckets.js';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { clock, type DynamoDbUnderTest, dynamoDbUnderTest } from './dynamodb-under-test.js';
import { NOW, read } from './records.js';
import { startDynamoDb } from './start-dynamodb.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let others: DynamoDbUnderTest;

beforeAll(async () => {
  dynamoDb = await startDynamoDb({ comparesDocuments: false });
  others = await dynamoDbUnderTest(dynamoDb.endpoint);
});

afterAll(async () => {
  await others.close();
  await dynamoDb.stop();
});

/**
 * A store with a write of another process just before its n-th update. (A DynamoDB that finds two documents equal, as dynalite
 * does not, needs one update to settle a foreign record: there is no later update, then.)
 */
function storeInterruptedBefore(update: number, otherProcess: () => Promise<unknown>) {
  const client: DynamoDBClient = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  let updates = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'UpdateItemCommand' && ++updates === update) await otherProcess();
      return next(args);
    },
    { step: 'initialize', name: 'interrupt' },
  );
  const store = new DynamoDbStore({ client, tables: others.tables, clock });
  return { store, wasInterrupted: () => updates >= update };
}

const SUCCESS = { set: { status: 'SUCCESS' as const, attempts: 1 }, remove: [] };

describe('another process between two requests of the store', () => {
  it.each([1, 2, 3])(
    'a producer that overwrites its record before update %i of its settle is never overwritten',
    async (update) => {
      const id = `race-${update}`;
      await others.put({ id, status: 'NEW', payload: { version: 1 } });
      const { store, wasInterrupted } = storeInterruptedBefore(update, () =>
        others.put({ id, status: 'NEW', payload: { version: 2 } }),
      );
      const answer = await store.records.settle(await read(store, id), SUCCESS, 'rev-1');
      if (!wasInterrupted()) return expect(answer).toBe('settled');
      expect(answer).toBe('changed');
      expect(await others.raw(id)).toMatchObject({ status: 'NEW', payload: { version: 2 } });
    },
  );

  it.each([1, 2, 3])(
    'a producer that deletes its record before update %i of its settle finds it deleted',
    async (update) => {
      const id = `race-deleted-${update}`;
      await others.put({ id, status: 'NEW', payload: { version: 1 } });
      const { store, wasInterrupted } = storeInterruptedBefore(update, () => others.delete(id));
      const answer = await store.records.settle(await read(store, id), SUCCESS, 'rev-1');
      if (!wasInterrupted()) return expect(answer).toBe('settled');
      expect(answer).toBe('changed');
      expect(await others.raw(id)).toBeUndefined();
    },
  );

  it.each([1, 2, 3])(
    'the tier that a run notes before update %i of the first note of another is kept',
    async (update) => {
      const queue = `race-tiers-${update}`;
      const run = { at: NOW, complete: true };
      const { store } = storeInterruptedBefore(update, () =>
        others.store.queues.recordTierRun(queue, '3', run),
      );
      await store.queues.recordTierRun(queue, '2', run);
      expect((await store.queues.read(queue)).tiers).toEqual(
        new Map([
          ['2', run],
          ['3', run],
        ]),
      );
    },
  );

  it('a run that gives its slots back before they are counted leaves them to the one that asks', async () => {
    const queue = 'race-slots';
    const ask = { most: 8, onArrival: false, now: NOW, until: NOW + 60_000 };
    await others.store.slots.take(queue, { ...ask, run: 'first', wanted: 4 });
    const { store } = storeInterruptedBefore(1, () =>
      others.store.slots.release(queue, 'first', { count: 4, onArrival: false }),
    );
    expect(await store.slots.take(queue, { ...ask, run: 'second', wanted: 8 })).toBe(8);
    await store.slots.release(queue, 'second', { count: 8, onArrival: false });
    expect(await store.slots.take(queue, { ...ask, run: 'third', wanted: 8 })).toBe(8);
  });
});

it('slots that a frozen run renews just before another one takes them for lost stay its own', async () => {
  const queue = 'race-lost-slots';
  const ask = { most: 4, wanted: 4, onArrival: false };
  await others.store.slots.take(queue, { ...ask, run: 'frozen', now: NOW, until: NOW + 60_000 });
  const later = { now: NOW + 61_000, until: NOW + 121_000 };
  // Its first update asks for slots, and its second one removes those that have run out.
  const { store, wasInterrupted } = storeInterruptedBefore(2, () =>
    others.store.slots.renew(queue, 'frozen', NOW + 130_000),
  );
  expect(await store.slots.take(queue, { ...ask, ...later, run: 'next' })).toBe(0);
  expect(wasInterrupted()).toBe(true);
  expect(await store.slots.renew(queue, 'frozen', NOW + 140_000)).toBe(true);
});

it.each([1, undefined])(
  'a claim that a frozen run renews just before another one clears it away stays its own (limit: %s)',
  async (maxRuns) => {
    const queue = `race-lost-claim-${maxRuns}`;
    const frozen = { batch: 'a', holder: 'frozen', ids: ['x'], now: NOW, until: NOW + 60_000 };
    await others.store.claims.take(queue, frozen);
    const later = { now: NOW + 61_000, until: NOW + 121_000 };
    // Its first update asks for the claim, and its second one removes what has run out.
    const { store, wasInterrupted } = storeInterruptedBefore(2, () =>
      others.store.claims.take(queue, { ...frozen, until: NOW + 130_000 }),
    );
    await store.claims.take(queue, { batch: 'b', holder: 'next', ids: ['y'], maxRuns, ...later });
    expect(wasInterrupted()).toBe(true);
    expect(await store.claims.find([queue], ['x'], later.now)).toMatchObject({ ids: ['x'] });
  },
);

it('a claim clears away ten claims of lost runs at most, so that it does not wait for long', async () => {
  const queue = 'race-many-lost';
  const lost = { holder: 'lost.1', now: NOW - 3_000, until: NOW - 2_000 };
  for (let i = 0; i < 13; i++)
    await others.store.claims.take(queue, { ...lost, batch: `b${i}`, ids: [`r${i}`] });
  await others.store.claims.take(queue, { batch: 'c', holder: 'h', ids: ['x'], now: NOW, until: NOW + 1 });
  expect(await others.store.claims.end(queue, { holderPrefix: 'lost.', until: NOW })).toBe(3);
});

describe('a claim in one place and a claim in another one, of a queue that gets shards', () => {
  const ask = (batch: string, holder: string, isSpread: boolean) => ({
    batch,
    holder,
    isSpread,
    ids: ['x'],
    until: NOW + 60_000,
    now: NOW,
  });
  const elsewhere = Array.from({ length: 40 }, (_, i) => `b${i}`).find(
    (batch) => claimBucketOf({ batch, isSpread: true }) !== 0,
  ) as string;

  it.each([1, 2, 3, 4, 5, 6].flatMap((request) => [[request, true] as const, [request, false] as const]))(
    'never both have the record, if the other comes before request %i (its first with shards: %s)',
    async (request, isSpread) => {
      const queue = `claims-${request}-${isSpread}`;
      const client: DynamoDBClient = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
      let requests = 0;
      let other: string | undefined;
      const interrupt = async () => {
        other = await others.store.claims.take(queue, ask('other', 'other', !isSpread));
      };
      client.middlewareStack.add(
        (next) => async (args) => {
          if (++requests === request) await interrupt();
          return next(args);
        },
        { step: 'initialize', name: 'interrupt' },
      );
      const store = new DynamoDbStore({ client, tables: others.tables, clock });
      const mine = await store.claims.take(queue, ask(elsewhere, 'me', isSpread));
      if (other === undefined) await interrupt();
      expect([mine, other].filter((answer) => answer === 'claimed').length).toBeLessThanOrEqual(1);
      expect([mine, other]).toContain('shared');
      client.destroy();
    },
  );
});
