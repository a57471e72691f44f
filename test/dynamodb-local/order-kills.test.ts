import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { InsertInterruptedError } from '../../src/client/index.js';
import { RecordLines } from '../../src/lines/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { CommandLine, until } from '../cli/process.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

/** 10,000 of 200 keys with three kills take a quarter of an hour. */
const RECORDS = Number(process.env.ORDER_RECORDS ?? 600);
const KEYS = Number(process.env.ORDER_KEYS ?? 30);
const KILLS = Number(process.env.ORDER_KILLS ?? 1);
const MAX_MS = 120_000 * (KILLS + 1) + RECORDS * 60;
/** Time for which the receiver works on a delivery. */
const WORK_MS = 10;

const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
const OURS = /^OrderKills/;
const closers: (() => void)[] = [];

afterAll(async () => {
  for (const close of closers) close();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames.filter((name) => OURS.test(name)))
    await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
});

/** A destination that refuses some deliveries, and looks whether those of one key come one after another. */
async function receiver() {
  const done = new Map<string, number[]>();
  const open = new Map<string, number>();
  const violations: string[] = [];
  let taken = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { key, n, refusals } = JSON.parse(Buffer.concat(chunks).toString());
    if (open.has(key)) violations.push(`${key}: ${n} while ${open.get(key)} is open`);
    open.set(key, n);
    response.once('close', () => open.delete(key));
    const before = done.get(key) ?? [];
    const tries = before.filter((one) => one === -n).length;
    const isRefused = tries < refusals;
    const last = before.findLast((one) => one > 0) ?? 0;
    // The last one may come again after a kill: attempts are at-least-once.
    if (n !== last + 1 && n !== last) violations.push(`${key}: ${n} after ${last}`);
    setTimeout(() => {
      done.set(key, [...before, isRefused ? -n : n]);
      if (!isRefused && n > last) taken++;
      response.writeHead(isRefused ? 503 : 200).end();
    }, WORK_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, violations, done: () => taken };
}

async function appFor(url: string): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'order-kills-'));
  const app = new App({ outdir, analyticsReporting: false });
  new Backlog(new Stack(app, 'Order'), 'Backlog', {
    queues: {
      orders: {
        ...{ deliverTo: url, order: 'key', skipGapAfter: 'never', concurrency: 25 },
        retry: { type: 'constant', interval: 60, jitter: 'none' },
      },
    },
    ...{ tableName: 'OrderKills', controlTableName: 'OrderKillsControl' },
  });
  app.synth();
  return outdir;
}

it(
  `${RECORDS} records of ${KEYS} keys are delivered in the order of each key, though kill -9 ends the runtime ${KILLS} times`,
  async () => {
    const destination = await receiver();
    const app = await appFor(destination.url);
    const cli = await CommandLine.create();
    closers.push(() => cli.close());
    const start = () =>
      cli.startRuntime('--app', app, '--no-sample', '--speed', '60', '--dynamodb-endpoint', endpoint);
    let runtime = await start();
    const lines = new RecordLines({ table: 'OrderKills', controlTable: 'OrderKillsControl', client });
    const records = Array.from({ length: RECORDS }, (_, i) => {
      const [key, n] = [`key-${i % KEYS}`, Math.floor(i / KEYS) + 1];
      // Each fiftieth is refused at first.
      const payload = { key, n, refusals: i % 50 === 7 ? 1 : 0 };
      return { id: `${key}/${n}`, queue: 'orders', key, payload };
    });
    // A call that is cut off is made again with the same ids.
    const inserted = (async () => {
      for (;;) {
        try {
          return await lines.insert(records);
        } catch (error) {
          if (!(error instanceof InsertInterruptedError)) throw error;
        }
      }
    })();
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(() => destination.done() >= (RECORDS * kill) / (KILLS + 2), MAX_MS);
      runtime.kill('SIGKILL');
      await runtime.ended;
      runtime = await start();
    }
    const { inserted: count, duplicates, failed } = await inserted;
    expect([count + duplicates.length, failed]).toEqual([RECORDS, []]);
    await until(() => destination.done() >= RECORDS, MAX_MS, 200);
    expect(destination.violations).toEqual([]);
    await until(async () => (await countOf(lines)) === 0, 60_000, 500);
    runtime.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
  },
  MAX_MS * 2,
);

/** The lines that are not idle. */
async function countOf(lines: RecordLines): Promise<number> {
  let count = 0;
  for await (const _ of lines.list('orders')) count++;
  return count;
}
