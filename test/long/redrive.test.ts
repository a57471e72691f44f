import { afterAll, beforeAll, it } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { redriveInterrupted } from '../cli/redrive-interrupted.js';

/** Records of the test. REDRIVE_RECORDS=100000 takes minutes, and shows the same. */
const RECORDS = Number(process.env.REDRIVE_RECORDS ?? 4_000);

let dynamodb: EmbeddedDynamoDb;
beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(() => dynamodb.stop());

it(`${RECORDS} dead records are redriven once each, over a kill and an interruption`, async () => {
  await redriveInterrupted(RECORDS, dynamodb, { perSecond: 1000 });
}, 600_000);
