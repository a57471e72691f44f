import { afterAll, beforeAll, describe } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { hostileItems } from '../../cli/hostile-items.js';

let dynamodb: EmbeddedDynamoDb;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(() => dynamodb.stop());

describe('on the embedded DynamoDB', () => hostileItems(() => dynamodb.endpoint));
