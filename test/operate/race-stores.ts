import { afterAll, beforeAll } from 'vitest';
import { MemoryStore } from '../../src/store/index.js';
import { dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { quietOf } from '../store/quiet.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { nextTurn } from '../store/test-store.js';
import type { RaceStore } from './race-world.js';

/** Both stores, of which a test file has one each. */
export function raceStores(): readonly (readonly [string, () => RaceStore])[] {
  let inMemory: RaceStore;
  let onDynamoDb: RaceStore & Awaited<ReturnType<typeof dynamoDbUnderTest>>;
  let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;

  beforeAll(async () => {
    const store = new MemoryStore({ clock: { now: Date.now, wall: Date.now, sleep: async () => {} } });
    inMemory = {
      store,
      put: async (item) => store.put(item),
      raw: async (id) => {
        const found = store.items().find((item) => item.id === id);
        return found && Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
      },
      quiet: nextTurn,
    };
    dynamoDb = await startDynamoDb();
    const underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
    onDynamoDb = { ...underTest, quiet: quietOf(underTest.client) };
  });
  afterAll(async () => {
    await onDynamoDb?.close();
    await dynamoDb?.stop();
  });
  return [
    ['the store in memory', () => inMemory],
    ['DynamoDB', () => onDynamoDb],
  ];
}
