import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { checkHostileItems } from '../fuzz/check.js';

let dynamodb: Awaited<ReturnType<typeof startEmbeddedDynamoDb>>;
beforeAll(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', '/nonexistent');
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(async () => {
  await dynamodb.stop();
  vi.unstubAllEnvs();
});

describe('whatever a producer puts beside good records', () => {
  it('is dealt with, shown and removed, and the good ones are attempted as if it were not there', async () => {
    // All commands, which take most of the time; test/fuzz/in-memory.test.ts plays thousands of items without them.
    await checkHostileItems(dynamodb.endpoint, 100);
  }, 300_000);
});
