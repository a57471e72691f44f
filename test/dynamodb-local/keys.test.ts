import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimitedCounter, readingItem } from '../../src/monitor/index.js';
import { busyKeysText, hashOfKey } from '../../src/record/busy-keys.js';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { consoleApp } from '../../tools/src/console/app.js';
import { backlog } from '../cli/in-process.js';
import { get } from '../console/console-under-test.js';
import { putAll } from '../console/large-backlog.js';
import { meterOf } from '../console/read-meter.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const HOUR = 3_600_000;
const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
const now = Date.now();
let tables: TestTables;

/** Records of one lane. Of the queue's own lane they are of 50 keys. */
function* records(lane: string, count: number, key?: string) {
  const iso = (ms: number) => new Date(now + ms).toISOString();
  for (let i = 0; i < count; i++) {
    yield {
      id: `${lane}-${i}-1f0d6a3c2e11`,
      ...{ status: 'NEW', queue: 'webhooks', lane, key: key ?? `quiet-${i % 50}`, dueAt: iso(-i * 1_000) },
      ...{ insertedAt: iso(-HOUR), attempts: 0, rev: 'r', payload: { note: 'x'.repeat(200) } },
    };
  }
}

beforeAll(async () => {
  tables = await createTables(client);
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  await putAll(documents, tables.records, records('webhooks', 600));
  await putAll(documents, tables.records, records('webhooks#31', 3_000, 'noisy'));
  await putAll(documents, tables.records, records('webhooks#30', 1_400, 'loud'));
  const store = new DynamoDbOperatorStore({ client, tables, clock: systemClock });
  await store.queues.setRetryMode('webhooks', { mode: 'perRecord', since: 0 }, undefined);
  const busyKeys = busyKeysText(
    ['noisy', 'loud'].map((key, i) => ({ shard: 31 - i, hash: hashOfKey(key), until: now + HOUR })),
  );
  await store.queues.noteBusyKeys('webhooks', busyKeys, undefined);
  const counter = new RateLimitedCounter({ now: () => now, wall: () => now, sleep: async () => {} });
  const queue = { name: 'webhooks', shards: 1, bands: [], busyKeys };
  const counted = await counter.count(queue, { store, now }, () => true);
  if (!counted) throw new Error('not counted');
  const reading = { at: counted.at, counts: counted.counts, shards: 1, retryMode: 'perRecord' } as const;
  await store.readings.write('webhooks', readingItem(reading));
}, 120_000);
afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});

describe('the keys of 5,000 records, of which two have lanes of their own', () => {
  it('cost what the command says: counts, the index, and 1,000 records', async () => {
    const { code, out } = await backlog(
      ...['keys', 'webhooks', '--json', '--endpoint', endpoint],
      ...['--table', tables.records, '--control-table', tables.control],
    );
    expect(code).toBe(0);
    const { keys, records: read, readUnits } = JSON.parse(out);
    expect(read).toEqual({ examined: 1_000, total: 5_000, counted: 'about' });
    const waitingOf = (name: string) => keys.find(({ key }: { key: string }) => key === name)?.waiting;
    expect(['noisy', 'loud'].map(waitingOf)).toEqual([3_000, 1_400]);
    expect(keys).toHaveLength(52);
    // Half a unit for each record of less than 4 KB, and the index twice: the look, and all of it.
    expect(readUnits).toBeGreaterThan(500);
    expect(readUnits).toBeLessThan(640);
  });

  it('are on a page that reads 50 records', async () => {
    const meter = meterOf(client);
    const app = consoleApp({
      backlog: { table: tables.records, controlTable: tables.control, client, clock: systemClock },
      name: 'shop',
      where: 'a test',
      access: { write: true, as: 'ops' },
      onAction: () => {},
    });
    const { text } = await get(app, '/failures');
    expect(text).toContain('Most waiting');
    expect(text).toMatch(/≈, from 50 of ≈ 5,000 records/);
    // Less than 50, and up to ten for each long lane of a busy key.
    expect(meter.units()).toBeLessThan(50 + 2 * 10);
  });
});
