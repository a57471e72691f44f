import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { listen } from '../delivery/support.js';
import { context, environment } from '../functions/support.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../store/dynamodb-under-test.js';

const EXAMPLES = ['mail', 'handler', 'producer'];
let dynamoDb: EmbeddedDynamoDb;
let underTest: DynamoDbUnderTest;

beforeAll(async () => {
  dynamoDb = await startEmbeddedDynamoDb();
  underTest = await dynamoDbUnderTest(dynamoDb.endpoint);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await underTest.close();
  await dynamoDb.stop();
});

it.each(EXAMPLES)('%s.ts stands in the documentation as it is', (name) => {
  const docs = readFileSync('docs/tasks.md', 'utf8');
  expect(docs).toContain(readFileSync(`examples/tasks/${name}.ts`, 'utf8'));
});

it('the example’s producer inserts what its handler performs', async () => {
  await using server = await listen((_request, response) => response.end());
  const { records, control } = underTest.tables;
  const settings = { mails: { retryMode: 'perRecord' }, 'mails-urgent': { retryMode: 'perRecord' } } as const;
  const whenAllAreDue = Math.max(Date.now(), Date.parse('2026-12-24T18:00:00+01:00')) + 86_400_000;
  const variables = {
    ...environment(settings),
    MAIL_URL: server.origin,
    BACKLOG_TABLE: records,
    BACKLOG_CONTROL_TABLE: control,
    BACKLOG_ENDPOINT: dynamoDb.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
    BACKLOG_CLOCK: JSON.stringify({ wallStart: Date.now(), start: whenAllAreDue, speed: 1 }),
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { signedUp, welcomeAll, remind } = await import('../../examples/tasks/producer.js');
  const { handler, reminder } = await import('../../examples/tasks/handler.js');

  expect([await signedUp('a@example.com'), await signedUp('a@example.com')]).toEqual([true, false]);
  await expect(signedUp('nobody')).rejects.toThrow('payload.to: Invalid email address');
  const { inserted, failed } = await welcomeAll(['b@example.com', 'nobody', 'c@example.com']);
  expect([inserted, failed.map(({ index }) => index)]).toEqual([2, [1]]);
  const { id } = await remind(reminder, 's-1', true);
  expect(await underTest.raw(id)).toMatchObject({ queue: 'mails-urgent', retry: { maxAttempts: 3 } });
  expect(await handler({ queue: 'mails' }, context)).toMatchObject({ attempted: 3, succeeded: 3 });
  const sent = server.received.map(({ body }) => JSON.parse(String(body)));
  expect(sent.toSorted((a, b) => (a.to < b.to ? -1 : 1))).toEqual([
    { to: 'a@example.com', text: 'Welcome!' },
    { to: 'b@example.com', text: 'Willkommen!' },
    { to: 'c@example.com', text: 'Willkommen!' },
  ]);
});
