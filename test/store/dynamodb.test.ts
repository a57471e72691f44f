import { storeConformance } from './conformance.js';
import { dynamoDbUnderTest } from './dynamodb-under-test.js';
import { startDynamoDb } from './start-dynamodb.js';

storeConformance('the store on DynamoDB', async () => {
  const dynamoDb = await startDynamoDb();
  const underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
  return {
    ...underTest,
    async close() {
      await underTest.close();
      await dynamoDb.stop();
    },
  };
});
