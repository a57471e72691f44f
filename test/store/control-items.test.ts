import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbOperatorStore, StoreAccessError } from '../../src/store/index.js';
import { clock, type DynamoDbUnderTest, dynamoDbUnderTest } from './dynamodb-under-test.js';
import { NOW, read } from './records.js';
import { startDynamoDb } from './start-dynamodb.js';

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

describe('the control table', () => {
  it('shows all leases, although they are more than DynamoDB hands out at once', async () => {
    const { store } = underTest;
    const lanes = Array.from({ length: 5 }, (_, i) => `lane-${i}`);
    const ids = Array.from({ length: 200 }, (_, i) => `${i}-${'x'.repeat(1_500)}`);
    for (const lane of lanes) await store.holdLease(lane, { holder: 'h', until: NOW + 1, ids, rev: 'r' });
    expect([...(await store.readLeases()).keys()].sort()).toEqual(lanes);
  });

  it('has no more open breakers of a queue than every page can read', async () => {
    const { store } = underTest;
    const open = { until: NOW + 60_000, since: NOW, token: 't' };
    for (let i = 0; i < 50; i++)
      expect(await store.setBreaker('queue', `to-${i}`, open, undefined)).toBe(true);
    expect(await store.setBreaker('queue', 'one more', open, undefined)).toBe(true);
    expect((await store.readQueue('queue')).breakers.size).toBe(50);
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
  const store = new DynamoDbOperatorStore({ client, tables: underTest.tables, clock });
  await underTest.put({ id: 'kept', status: 'DEAD', payload: 1, rev: 'r' });
  await expect(store.remove(await read(store, 'kept'), 'rev-x')).rejects.toThrow(StoreAccessError);
  expect(await underTest.raw('kept')).toMatchObject({ status: 'DEAD' });
});
