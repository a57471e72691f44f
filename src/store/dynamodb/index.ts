export type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
export { itemOfImage } from './attribute-values.js';
export { createDynamoDbClient } from './client.js';
export { DynamoDbOperatorStore } from './operator-store.js';
export { DUE_INDEX } from './pages.js';
export { DynamoDbStore, type DynamoDbStoreDeps } from './store.js';
export { DynamoDbSweepStore } from './sweep.js';
export type { Consumed, OnConsumed } from './table.js';
