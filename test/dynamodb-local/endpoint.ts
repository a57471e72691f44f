/** The endpoint of the DynamoDB Local that scripts/test-dynamodb-local.mjs has started. */
export function dynamoDbLocalEndpoint(): string {
  const endpoint = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT;
  if (!endpoint) throw new Error('run these tests by: npm run test:dynamodb-local');
  return endpoint;
}
