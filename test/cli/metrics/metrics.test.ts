import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../../tools/src/cli/output.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { backlog } from '../in-process.js';
import { oldTable } from '../old-table.js';

let dynamodb: EmbeddedDynamoDb;
let records: Awaited<ReturnType<typeof oldTable>>;
let control: Awaited<ReturnType<typeof oldTable>>;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
  records = await oldTable(dynamodb.endpoint, 'Records');
  control = await oldTable(dynamodb.endpoint, 'Control', { key: 'key', index: false });
});
afterAll(async () => {
  records.close();
  control.close();
  await dynamodb.stop();
});
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-metrics-')));
  await records.clear();
  await control.clear();
});
afterEach(() => vi.unstubAllEnvs());

async function run(...args: string[]) {
  const at = ['--endpoint', dynamodb.endpoint, '--table', records.name, '--control-table', control.name];
  const { code, out, err, error } = await backlog('metrics', ...args, ...at);
  // Commands that commander refuses end as in main.ts.
  return { code: error instanceof CommanderError ? EXIT.usage : code, out, err };
}

const MINUTE = 60_000;
const iso = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString();
const waits = (id: string, queue: string, dueMs: number) => ({
  ...{ id, queue, lane: queue, status: 'NEW', payload: 'secret', rev: 'r' },
  ...{ insertedAt: iso(-MINUTE), dueAt: iso(dueMs) },
});
const served = (queue: string, more = {}) => ({
  ...{ key: `queue#${queue}`, retryMode: 'perRecord', retryModeSince: 0, ...more },
});

describe('backlog metrics', () => {
  it('prints the gauges of each queue that is known, and says on stderr what they cost', async () => {
    await control.put(served('orders', { paused: true }), served('bulk'));
    await records.put(waits('a', 'orders', -10 * MINUTE), waits('b', 'orders', 5 * MINUTE));
    const { code, out, err } = await run('--prometheus');
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines).toContain('backlog_records_waiting{table="Records",queue="orders"} 2');
    expect(lines).toContain('backlog_records_waiting{table="Records",queue="bulk"} 0');
    expect(lines).toContain('backlog_queue_paused{table="Records",queue="orders"} 1');
    expect(out).toMatch(/^backlog_oldest_due_age_seconds\{table="Records",queue="orders"\} 60\d(\.\d+)?$/m);
    // No run has noted whether attempts fail.
    expect(out).not.toContain('backlog_failing_duration_seconds');
    expect(err).toMatch(/^table Records at http.*; 2 queues, .*read units?$/);
  });

  it('prints those of the queues that are named', async () => {
    await control.put(served('orders'), served('bulk'));
    const { out } = await run('--prometheus', '--queues', 'bulk');
    expect(out).toContain('queue="bulk"');
    expect(out).not.toContain('queue="orders"');
  });

  it('refuses a queue that is not known, and names the one that was meant', async () => {
    await control.put(served('orders'));
    const { code, out, err } = await run('--prometheus', '--queues', 'oders');
    expect([code, out]).toEqual([EXIT.usage, '']);
    expect(err).toContain('has no queue "oders"');
    expect(err).toContain('"orders"');
  });

  it('fails without a sample if the tables cannot be read', async () => {
    const { error, out } = await backlog(
      ...['metrics', '--prometheus', '--endpoint', dynamodb.endpoint],
      ...['--table', 'Missing', '--control-table', 'Missing'],
    );
    expect(error).toBeInstanceOf(Error);
    expect(out).toBe('');
  });

  it('prints the dashboard without reading a table', async () => {
    const { code, out } = await backlog('metrics', '--grafana', '--endpoint', 'http://127.0.0.1:1');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ uid: 'dynamo-backlog' });
  });

  it('takes one of both formats', async () => {
    for (const formats of [[], ['--prometheus', '--grafana']]) {
      expect((await run(...formats)).code).toBe(EXIT.usage);
    }
  });
});
