import { afterAll, beforeAll } from 'vitest';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from './dynamodb-under-test.js';
import { startDynamoDb } from './start-dynamodb.js';

interface DynamoDbForFile {
  readonly endpoint: string;
  readonly underTest: DynamoDbUnderTest;
}

/** A DynamoDB with fresh tables, from the beginning of a test file to its end. Filled in before the hooks of its caller. */
export function dynamoDbForFile(): DynamoDbForFile {
  const made = {} as DynamoDbForFile;
  let stop = async () => {};
  beforeAll(async () => {
    const dynamoDb = await startDynamoDb();
    stop = () => dynamoDb.stop();
    const underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
    Object.assign(made, { endpoint: dynamoDb.endpoint, underTest });
  });
  afterAll(async () => {
    await made.underTest?.close();
    await stop();
  });
  return made;
}
