import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-event-'));
  vi.stubEnv('BACKLOG_RUNTIME_DIR', folder);
  dynamodb = await startEmbeddedDynamoDb();
  table = await oldTable(dynamodb.endpoint, 'Records');
  const dead = {
    status: 'DEAD',
    queue: 'orders',
    rev: 'x',
    attempts: 3,
    payload: 'secret',
    lane: 'orders/dead',
  };
  await table.put(
    { ...dead, id: 'dead', dueAt: '2026-11-20T09:30:00.000Z', deadReason: 'HTTP 422: secret' },
    { id: 'waits', status: 'NEW', queue: 'orders', payload: 1 },
  );
});
afterAll(async () => {
  vi.unstubAllEnvs();
  table.close();
  await dynamodb.stop();
  await rm(folder, { recursive: true });
});

const show = (id: string) =>
  backlog('show', id, '--event', '--endpoint', dynamodb.endpoint, '--table', table.name);

it('show --event prints the event of an end as a rule of EventBridge sees it, without what may be secret', async () => {
  const { out, err, code } = await show('dead');
  expect([err, code]).toEqual(['', 0]);
  expect(JSON.parse(out)).toEqual({
    source: 'dynamo-backlog',
    'detail-type': 'Backlog record dead',
    detail: {
      ...{ version: 1, id: 'dead', table: 'Records', queue: 'orders', rev: 'x', attempts: 3 },
      ...{ end: 'dead', endedAt: '2026-11-20T09:30:00.000Z', reason: 'refused' },
      insertedAt: expect.any(String),
    },
  });
  expect(out).not.toContain('secret');
});

it('a record that has not ended has no event', async () => {
  const { out, err, code } = await show('waits');
  expect([out, code]).toEqual(['', 1]);
  expect(err).toContain('record waits has not ended: it is NEW, and has no event');
});
