import { afterAll, beforeAll, it } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../src/tools/local/embedded-dynamodb.js';
import { redriveInterrupted } from './redrive-interrupted.js';

let dynamodb: EmbeddedDynamoDb;
beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(() => dynamodb.stop());

it('a redrive that is killed, and then interrupted, goes on with what is left, each record once', async () => {
  await redriveInterrupted(600, dynamodb, { perSecond: 100 });
});
