import {
  type EmbeddedDynamoDbOptions,
  startEmbeddedDynamoDb,
} from '../../tools/src/local/embedded-dynamodb.js';

/** The DynamoDB that `scripts/test-dynamodb-local.mjs` has started; otherwise an embedded one. */
export async function startDynamoDb(
  options: Pick<EmbeddedDynamoDbOptions, 'comparesDocuments'> = {},
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const endpoint = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT;
  return endpoint ? { endpoint, stop: async () => {} } : startEmbeddedDynamoDb(options);
}
