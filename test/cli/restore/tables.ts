import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../../src/store/index.js';
import { systemClock } from '../../../src/support/clock.js';
import { announce } from '../../../tools/src/local/discovery.js';
import { createTables, deleteTables, type TestTables } from '../../store/tables.js';
import { backlog } from '../in-process.js';

export type Attributes = Record<string, AttributeValue>;

export const HOUR = 3_600_000;
export const iso = (ms = 0) => ({ S: new Date(Date.now() + ms).toISOString() });

/** A record that waits in its lane, as a run has left it. */
export const waiting = (id: string, more: Attributes = {}): Attributes => ({
  id: { S: id },
  status: { S: 'NEW' },
  queue: { S: 'orders' },
  payload: { M: { order: { S: id } } },
  lane: { S: 'orders' },
  insertedAt: iso(-HOUR),
  dueAt: iso(-HOUR / 2),
  rev: { S: `rev-${id}` },
  attempts: { N: '1' },
  ...more,
});

/** The same record at its end. */
export function ended(record: Attributes, status: 'SUCCESS' | 'DEAD', more: Attributes = {}): Attributes {
  const { lane: _, dueAt: __, ...rest } = record;
  const dead = status === 'DEAD' ? { lane: { S: `${record.lane?.S}/dead` }, dueAt: iso() } : {};
  return { ...rest, ...dead, status: { S: status }, attempts: { N: '2' }, rev: { S: 'later' }, ...more };
}

/** Two backlogs: the restored table and the old one, as a test fills them. `isRuntime`: the local runtime's. */
export function restoredAndOld(endpoint: () => string, { isRuntime = false } = {}) {
  let client: ReturnType<typeof createDynamoDbClient>;
  let to: TestTables;
  let from: TestTables;
  beforeAll(() => {
    client = createDynamoDbClient({ endpoint: endpoint() });
  });
  afterAll(() => {
    client.destroy();
    vi.unstubAllEnvs();
  });
  beforeEach(async () => {
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-restore-')));
    [to, from] = [await createTables(client), await createTables(client)];
    if (!isRuntime) return;
    await announce({
      pid: process.pid,
      cwd: process.cwd(),
      startedAt: '2026-11-20T12:00:00.000Z',
      endpoint: endpoint(),
      statusPage: 'http://127.0.0.1:1/',
      tables: [to, from].flatMap(({ records, control }) => [
        { name: records, records: true },
        { name: control, records: false },
      ]),
      queues: ['orders'],
      clock: { wallStart: 0, start: 0, speed: 1 },
    });
  });
  afterEach(async () => {
    for (const tables of [to, from]) await deleteTables(client, tables);
  });

  const put = async (table: string, items: readonly Attributes[]) => {
    for (let i = 0; i < items.length; i += 25) {
      const requests = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
    }
  };
  const all = async (TableName: string) => {
    const items = new Map<string, Attributes>();
    for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      for (const item of page.Items ?? []) items.set(item.id?.S ?? '', item);
    }
    return items;
  };
  return {
    client: () => client,
    to: () => to,
    from: () => from,
    put,
    all,
    restored: () => all(to.records),
    async get(id: string): Promise<Attributes | undefined> {
      const request = { TableName: to.records, Key: { id: { S: id } }, ConsistentRead: true };
      return (await client.send(new GetItemCommand(request))).Item;
    },
    /** One item of any size. */
    async putOne(table: string, Item: Attributes) {
      await client.send(new PutItemCommand({ TableName: table, Item }));
    },
    store: () =>
      new DynamoDbOperatorStore({
        client,
        clock: systemClock,
        tables: { records: to.records, control: to.control },
      }),
    /** The command, with the restored table and its control table. */
    async restore(...args: string[]) {
      const tables = ['--to', to.records, '--control-table', to.control];
      const { code, out, err, error } = await backlog(
        'restore',
        '--endpoint',
        endpoint(),
        '--json',
        ...tables,
        ...args,
      );
      const result = JSON.parse(out || '{}') as RestoreResult;
      return { code: code ?? (error as { exitCode?: number })?.exitCode, err, ...result };
    },
  };
}

interface RestoreResult {
  readonly complete: boolean;
  readonly openEnds: boolean;
  readonly differences: Record<string, { count: number; written: number; already: number; ids: string[] }>;
  readonly queues: Record<string, { waiting: number; due: number; notIndexed: number }>;
  readonly heldQueues: string[];
  readonly settings: { name: string; state: string; todo?: string }[];
  readonly failed: number;
  readonly failures: { id: string; reason: string }[];
  readonly changedMeanwhile: number;
}
