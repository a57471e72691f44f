import { startEmbeddedDynamoDb } from '../../src/local/embedded-dynamodb.js';

/** A process that embeds a DynamoDB until it is killed. */
const dynamoDb = await startEmbeddedDynamoDb({ dataDir: process.argv[2] });
process.stdout.write(`${dynamoDb.endpoint}\n`);
