import { startEmbeddedDynamoDb } from '../../src/local/embedded-dynamodb.js';
import { storeConformance } from './conformance.js';
import { dynamoDbUnderTest } from './dynamodb-under-test.js';

storeConformance('the store on the embedded DynamoDB', async () => {
  const dynamoDb = await startEmbeddedDynamoDb();
  const underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
  return {
    ...underTest,
    async close() {
      await underTest.close();
      await dynamoDb.stop();
    },
  };
});
