import { MemoryStore } from '../../src/store/index.js';
import type { Clock } from '../../src/support/clock.js';
import { changesInMemory } from './changes.js';
import { dynamoDbStoreForTest } from './dynamodb-test-store.js';
import { nextTurn, type StoreForTest } from './test-store-types.js';

export { nextTurn, type StoreForTest, type TestStore } from './test-store-types.js';

/** True in `npm run test:dynamodb-local`: a request takes a thousand times as long as one to the store in memory. */
export const isOnDynamoDbLocal = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT !== undefined;

/** A store in memory; on DynamoDB Local in `npm run test:dynamodb-local`. */
export function storeForTest(clock: Clock): StoreForTest {
  const endpoint = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT;
  if (endpoint) return dynamoDbStoreForTest(clock, endpoint);
  const store = new MemoryStore({ clock });
  return { store, changesOf: (write) => changesInMemory(store, write), quiet: nextTurn };
}
