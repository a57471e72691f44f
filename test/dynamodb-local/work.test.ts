import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { MAIN, until } from '../cli/process.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const LAMBDA = fileURLToPath(new URL('../../dist/functions/index.js', import.meta.url));
const RECORDS = 10_000;
const ATTEMPT_MS = 20;

const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
const clock = { now: Date.now, wall: Date.now, sleep: async () => {} };
const children = new Set<ChildProcess>();
let tables: TestTables;
let store: DynamoDbStore;
let destination: Destination;
let folder: string;

/** The destination of the handlers. It knows which attempts are under way, and whose they are. */
class Destination {
  /** Attempts by id, and those of them that a process was killed in. */
  readonly attempts = new Map<string, number>();
  readonly cutShort = new Map<string, number>();
  readonly byProcess = new Map<string, number>();
  readonly overlaps: string[] = [];
  /** The process that gets no answer any more. */
  private unanswered = '';
  private readonly underWay = new Map<string, string>();
  private readonly server: Server;
  url = '';

  constructor() {
    this.server = createServer((request, response) => {
      const [, who = '', id = ''] = (request.url ?? '').split('/');
      if (this.underWay.has(id)) this.overlaps.push(id);
      this.underWay.set(id, who);
      this.attempts.set(id, (this.attempts.get(id) ?? 0) + 1);
      this.byProcess.set(who, (this.byProcess.get(who) ?? 0) + 1);
      if (this.unanswered === who) return;
      setTimeout(() => {
        // An answer that is not received does not count: its process may be gone.
        response.end('done', () => {});
        this.answered.set(id, who);
        this.underWay.delete(id);
      }, ATTEMPT_MS);
    });
  }

  /** The last answer to each, which its process may not have written down. */
  private readonly answered = new Map<string, string>();

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Has attempts of a process last until it is killed. Settles when there is one. */
  async hold(who: string): Promise<void> {
    const before = this.byProcess.get(who) ?? 0;
    this.unanswered = who;
    await until(() => (this.byProcess.get(who) ?? 0) > before, 150_000, 20);
  }

  /** Notes the attempts of a process that is killed now, as far as the tables do not have their outcome. */
  async killed(who: string): Promise<void> {
    const its = [...this.underWay, ...this.answered].filter(([, by]) => by === who).map(([id]) => id);
    // A write that was on its way at the kill takes effect all the same. Until its lease has run out, no other process attempts them.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (let i = 0; i < its.length; i += 100) {
      const some = await store.records.getMany(its.slice(i, i + 100));
      for (const { id, status } of some)
        if (status !== 'SUCCESS') this.cutShort.set(id, (this.cutShort.get(id) ?? 0) + 1);
    }
    for (const id of its) this.underWay.delete(id);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

beforeAll(async () => {
  tables = await createTables(client);
  store = new DynamoDbStore({ client, tables, clock });
  destination = new Destination();
  await destination.listen();
  folder = await mkdtemp(join(tmpdir(), 'backlog-work-'));
  const handler = `import { backlogHandler } from ${JSON.stringify(LAMBDA)};
    export const handler = backlogHandler({ queue: 'orders', concurrency: 40, process: async ({ id }, { signal }) => {
      const answer = await fetch('${destination.url}/' + process.env.WHO + '/' + id, { signal });
      if ((await answer.text()) !== 'done') throw new Error('not done');
    } });`;
  await writeFile(join(folder, 'orders.mjs'), handler);
  // What a rule does, every second: the deployed handler, with an event and a context.
  await writeFile(
    join(folder, 'rules.mjs'),
    `import { handler } from './orders.mjs';
    for (;;) {
      const endsAt = Date.now() + 60_000;
      handler({ queue: 'orders', part: { number: 0, of: 2 } }, { getRemainingTimeInMillis: () => endsAt - Date.now() }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }`,
  );
  const insertedAt = new Date().toISOString();
  const itemOf = (i: number) => ({
    id: { S: `order-${i}` },
    queue: { S: 'orders' },
    payload: { N: String(i) },
    status: { S: 'NEW' },
    rev: { S: 'r' },
    lane: { S: i % 2 === 0 ? 'orders' : 'orders#1' },
    insertedAt: { S: insertedAt },
    dueAt: { S: insertedAt },
  });
  for (let from = 0; from < RECORDS; from += 25) {
    const requests = Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: itemOf(from + i) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tables.records]: requests } }));
  }
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  destination?.close();
  await deleteTables(client, tables);
  client.destroy();
});

const environment = (who: string) => ({
  ...process.env,
  WHO: who,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  BACKLOG_TABLE: tables.records,
  BACKLOG_CONTROL_TABLE: tables.control,
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: '60',
  BACKLOG_METRICS: 'off',
  BACKLOG_QUEUES: JSON.stringify({ orders: { retryMode: 'perRecord', shards: 2 } }),
});
function start(who: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, { env: environment(who), stdio: 'ignore', cwd: folder });
  children.add(child);
  return child;
}
const worker = (who: string) =>
  start(who, MAIN, 'work', '--handler', join(folder, 'orders.mjs'), '--every', '1s');
const rules = (who: string) => start(who, join(folder, 'rules.mjs'));

async function kill(who: string, child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  await destination.hold(who);
  child.kill('SIGKILL');
  await ended;
  children.delete(child);
  await destination.killed(who);
}
const reach = (count: number) => until(() => destination.attempts.size >= count, 150_000, 20);
const madeSome = (who: string) => until(() => (destination.byProcess.get(who) ?? 0) > 0, 150_000, 20);

describe('backlog work beside the runs of rules', () => {
  it('attempts each record once, except those under attempt when either is killed', async () => {
    // Each holds one of the two lanes, so that one kill does not keep the other process from its work.
    const rule = rules('rules-1');
    await madeSome('rules-1');
    const first = worker('worker-1');
    await madeSome('worker-1');
    await reach(1_000);
    await kill('worker-1', first);
    const second = worker('worker-2');
    await reach(2_500);
    await kill('rules-1', rule);
    await madeSome('worker-2');
    const third = rules('rules-2');
    await until(() => destination.attempts.size === RECORDS, 150_000);
    await until(async () => (await pending()) === 0, 150_000, 500);
    for (const child of [second, third]) child.kill('SIGTERM');
    const { attempts, cutShort, overlaps } = destination;
    // Each kill met some, and few: no more than the attempts at once of a process.
    expect(cutShort.size).toBeGreaterThan(0);
    expect(cutShort.size).toBeLessThanOrEqual(2 * 40);
    const more = [...attempts].filter(([id, count]) => count !== 1 + (cutShort.get(id) ?? 0));
    expect(more).toEqual([]);
    expect(overlaps).toEqual([]);
    expect(await statuses()).toEqual({ SUCCESS: RECORDS });
  });
});

async function pending(): Promise<number> {
  let count = 0;
  for (const lane of ['orders', 'orders#1']) {
    const page = await store.pages.query({
      lane,
      until: Date.now() + 86_400_000,
      order: 'oldestFirst',
      limit: 100,
    });
    count += page.keys.length;
  }
  return count;
}

async function statuses(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let from = 0; from < RECORDS; from += 100) {
    const ids = Array.from({ length: 100 }, (_, i) => `order-${from + i}`);
    for (const { status } of await store.records.getMany(ids)) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
