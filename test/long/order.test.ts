import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { afterEach, expect, it, vi } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { RecordLines } from '../../src/lines/index.js';
import { BacklogOperator } from '../../src/operate/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { start, stopRuntimes } from '../local/runtime-under-test.js';

const servers: (() => void)[] = [];
afterEach(() => {
  for (const close of servers.splice(0)) close();
});
stopRuntimes();

interface Taken {
  readonly key: string;
  readonly n: number;
}

/** A receiver that fails for some payloads, and keeps what it took, in that order. */
async function receiver() {
  const taken: Taken[] = [];
  const state = { fails: (_: Taken) => false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const payload: Taken = JSON.parse(Buffer.concat(chunks).toString());
    const fails = state.fails(payload);
    if (!fails) taken.push(payload);
    response.writeHead(fails ? 503 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(() => server.close());
  const ofKey = (key: string) => taken.filter((one) => one.key === key).map(({ n }) => n);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken, ofKey, state };
}

async function appWith(url: string): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'backlog-order-'));
  const app = new App({ outdir, analyticsReporting: false });
  const retry = { type: 'constant', interval: 60, jitter: 'none', maxAttempts: 3 } as const;
  new Backlog(new Stack(app, 'Order'), 'Backlog', {
    queues: { orders: { deliverTo: url, retry, order: 'key' } },
    ...{ tableName: 'Records', controlTableName: 'Control' },
  });
  app.synth();
  return outdir;
}

it('attempts the records of a key in order on the local runtime, over its end, a dead head and deletions', async () => {
  const { url, taken, ofKey, state } = await receiver();
  const app = await appWith(url);
  const dataDir = join(await mkdtemp(join(tmpdir(), 'backlog-order-')), 'data');
  const options = { app, dataDir, speed: 600 };
  const tables = { table: 'Records', controlTable: 'Control' };
  const open = (endpoint: string) => {
    const client = createDynamoDbClient({ endpoint });
    servers.push(() => client.destroy());
    return {
      client,
      lines: new RecordLines({ ...tables, client }),
      operator: new BacklogOperator({ ...tables, client }),
    };
  };
  const record = (key: string, n: number) => ({
    id: `${key}-${n}`,
    queue: 'orders',
    key,
    payload: { key, n },
  });
  state.fails = ({ key, n }) => key === 'b' && n === 2;
  const first = await start({}, options);
  const before = open(first.status().endpoint);
  const all = [1, 2, 3, 4, 5].flatMap((n) => ['a', 'b', 'c'].map((key) => record(key, n)));
  expect(await before.lines.insert(all)).toEqual({ inserted: 15, duplicates: [], failed: [] });
  expect(await before.lines.insert(all.slice(0, 2))).toMatchObject({
    inserted: 0,
    duplicates: expect.arrayContaining(['a-1', 'b-1']),
  });
  await vi.waitFor(() => expect(taken.length).toBeGreaterThanOrEqual(5), { timeout: 120_000 });
  await first.stop();

  const second = await start({}, options);
  const { client, lines, operator } = open(second.status().endpoint);
  const put = (key: string, n: number, seq: number) =>
    client.send(
      new PutItemCommand({
        TableName: 'Records',
        Item: {
          id: { S: `${key}-${n}` },
          ...{ status: { S: 'NEW' }, queue: { S: 'orders' }, key: { S: key }, seq: { N: String(seq) } },
          payload: { M: { key: { S: key }, n: { N: String(n) } } },
        },
      }),
    );
  // Number 1 comes last.
  await put('d', 3, 3);
  await put('d', 2, 2);
  await put('d', 1, 1);
  await vi.waitFor(
    async () => {
      expect(await lines.get({ queue: 'orders', key: 'b' })).toMatchObject({
        state: 'dead',
        head: { id: 'b-2', seq: 2 },
      });
      expect(['a', 'c', 'd'].map((key) => ofKey(key).length)).toEqual([5, 5, 3]);
    },
    { timeout: 120_000, interval: 200 },
  );
  expect(ofKey('b')).toEqual([1]);
  await client.send(new DeleteItemCommand({ TableName: 'Records', Key: { id: { S: 'b-4' } } }));
  state.fails = () => false;
  expect((await operator.redrive(['b-2'])).changed).toBe(1);
  await vi.waitFor(() => expect(ofKey('b')).toHaveLength(4), { timeout: 120_000, interval: 200 });
  expect(Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, ofKey(key)]))).toEqual({
    ...{ a: [1, 2, 3, 4, 5], b: [1, 2, 3, 5], c: [1, 2, 3, 4, 5], d: [1, 2, 3] },
  });
  // A number that does not come is left out after two minutes, 0.2 seconds here.
  await put('d', 6, 6);
  await vi.waitFor(() => expect(ofKey('d')).toEqual([1, 2, 3, 6]), { timeout: 120_000, interval: 200 });
  await vi.waitFor(
    async () =>
      expect(await lines.get({ queue: 'orders', key: 'd' })).toMatchObject({
        state: 'idle',
        leftOut: { from: 4, to: 5 },
      }),
    { timeout: 120_000 },
  );
});
