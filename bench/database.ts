import { startEmbeddedDynamoDb } from '../tools/src/local/embedded-dynamodb.js';

/** The embedded DynamoDB in a process of its own: its work is not measured with that of its client. */
const { endpoint } = await startEmbeddedDynamoDb();
process.stdout.write(`${endpoint}\n`);
// It ends with the process that started it.
process.stdin.on('end', () => process.exit()).resume();
