import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { checkHostileItems } from '../fuzz/check.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

beforeAll(() => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', '/nonexistent');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

describe('whatever a producer puts beside good records, on DynamoDB Local', () => {
  it('is dealt with, shown and removed, and the good ones are attempted as if it were not there', async () => {
    await checkHostileItems(dynamoDbLocalEndpoint(), 1_000, 1_800_000);
  }, 2_000_000);
});
