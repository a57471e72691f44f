import { afterAll, beforeAll, describe } from 'vitest';
import { operating } from './conformance/operating.js';
import { settling } from './conformance/settling.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from './dynamodb-under-test.js';
import { startDynamoDb } from './start-dynamodb.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let underTest: DynamoDbUnderTest;

beforeAll(async () => {
  dynamoDb = await startDynamoDb({ comparesDocuments: false });
  underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
});

afterAll(async () => {
  await underTest.close();
  await dynamoDb.stop();
});

describe('the store on an emulator that never finds two documents equal', () => {
  describe('settles as on DynamoDB', () => settling(() => underTest));
  describe('does what operators do as on DynamoDB', () => operating(() => underTest));
});
