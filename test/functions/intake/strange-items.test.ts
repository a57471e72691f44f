import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Item } from '../../../src/record/index.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../../store/dynamodb-under-test.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';
import { context, workbench } from '../support.js';

/** On a DynamoDB, which refuses keys and items that the store in memory takes. */
let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let underTest: DynamoDbUnderTest;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
});
afterAll(() => dynamoDb.stop());
beforeEach(async () => {
  underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
  return () => underTest.close();
});

function bench() {
  const made = workbench({ default: { way: 'retry' }, orders: { way: 'retry' } });
  const intake = intakeHandler({ ...made.seams, store: underTest.store, clock: made.clock });
  const take = async (...items: Item[]) => {
    const changes = made.changesOf(() => {
      for (const item of items) made.store.put(item);
    });
    for (const item of items) await underTest.put(item);
    return intake({ Records: changes }, context);
  };
  return { ...made, take };
}

const bare = (id: string, more: Item = {}): Item => ({ id, status: 'NEW', payload: { n: 1 }, ...more });

describe('beside good records, the intake', () => {
  it.each([129, 2_041, 300_000])('takes a queue of %i letters for none, and keeps the payload', async (n) => {
    const { take, measured, log } = bench();
    const items = [bare('a'), bare('long', { queue: 'q'.repeat(n) }), bare('b', { queue: 'orders' })];
    expect(await take(...items)).toEqual({ batchItemFailures: [] });
    expect(await underTest.raw('a')).toMatchObject({ lane: 'default' });
    expect(await underTest.raw('b')).toMatchObject({ lane: 'orders' });
    expect(await underTest.raw('long')).toMatchObject({
      lane: 'default',
      queue: 'default',
      payload: { n: 1 },
    });
    expect(measured).toMatchObject([[{ placed: 3, repaired: 1 }, expect.anything()]]);
    // Nothing of it is of interest but that it was wrong.
    expect(JSON.stringify(log())).not.toContain('qqqq');
  });
});
