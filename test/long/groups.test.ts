import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { afterEach, expect, it, vi } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { RecordGroups } from '../../src/groups/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { start, stopRuntimes } from '../local/runtime-under-test.js';

/** Time for each step on a machine that does other work, too: records that fail are attempted again ten times a second. */
const SLOW = { timeout: 150_000, interval: 200 };

const servers: (() => void)[] = [];
afterEach(() => {
  for (const close of servers.splice(0)) close();
});
stopRuntimes();

/** A receiver that fails for some numbers, and keeps what it took. */
async function receiver() {
  const taken: { readonly n?: number; readonly group?: object }[] = [];
  const state = { fails: (_: number) => false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const payload = JSON.parse(Buffer.concat(chunks).toString());
    const fails = payload.n !== undefined && state.fails(payload.n);
    if (!fails) taken.push(payload);
    response.writeHead(fails ? 503 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken, state };
}

async function appWith(url: string, sendsEvents: boolean): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'backlog-groups-'));
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, 'Groups');
  const queue = { retry: { type: 'constant', interval: 60, jitter: 'none' }, deliverTo: url } as const;
  const queues = { rows: { on: ['succeeded', 'dead'] }, default: {} } as const;
  new Backlog(stack, 'Backlog', {
    ...{ queues: { rows: queue, mail: queue }, groups: true },
    ...{ tableName: 'Records', controlTableName: 'Control' },
    ...(sendsEvents && { recordEvents: { to: new EventBus(stack, 'Bus'), queues } }),
  });
  app.synth();
  return outdir;
}

it.each([false, true])(
  'a group whose runtime ends half-way has its end once, with events of records beside: %s',
  async (sendsEvents) => {
    const { url, taken, state } = await receiver();
    const app = await appWith(url, sendsEvents);
    const dataDir = join(await mkdtemp(join(tmpdir(), 'backlog-groups-')), 'data');
    const options = { app, dataDir, speed: 600 };
    const ends = () => taken.filter(({ group }) => group);
    const open = (endpoint: string) => {
      const client = createDynamoDbClient({ endpoint });
      servers.push(() => client.destroy());
      return { client, groups: new RecordGroups({ table: 'Records', controlTable: 'Control', client }) };
    };
    state.fails = (n) => n >= 10;
    const first = await start({}, options);
    const before = open(first.status().endpoint);
    const rows = Array.from({ length: 20 }, (_, n) => ({ id: `row-${n}`, queue: 'rows', payload: { n } }));
    await before.groups.insert('import', rows, { onComplete: { queue: 'mail', payload: { to: 'sales' } } });
    await vi.waitFor(() => expect(taken.length).toBeGreaterThanOrEqual(5), SLOW);
    await first.stop();

    const second = await start({}, options);
    const { client, groups } = open(second.status().endpoint);
    await vi.waitFor(async () => expect(await groups.get('import')).toMatchObject({ succeeded: 10 }), SLOW);
    expect(ends()).toEqual([]);
    await client.send(new DeleteItemCommand({ TableName: 'Records', Key: { id: { S: 'row-19' } } }));
    await vi.waitFor(
      async () => expect(await groups.get('import')).toMatchObject({ removed: 1, waiting: 9 }),
      SLOW,
    );
    state.fails = () => false;
    await vi.waitFor(() => expect(ends()).toHaveLength(1), SLOW);
    const counts = { members: 20, succeeded: 19, dead: 0, cancelled: 0, removed: 1, lost: 0 };
    expect(ends()).toEqual([{ to: 'sales', group: { id: 'import', complete: true, ...counts } }]);
    expect(await groups.get('import')).toMatchObject({ state: 'ended', waiting: 0 });
    await second.stop();

    // The next one reads the ends of all members again.
    const third = await start({}, options);
    const again = open(third.status().endpoint);
    await again.groups.insert('next', [{ id: 'last', queue: 'rows', payload: { n: 1 } }], {
      onComplete: { queue: 'mail' },
    });
    await vi.waitFor(() => expect(ends()).toHaveLength(2), SLOW);
    expect(ends()[1]).toMatchObject({ group: { id: 'next' } });
  },
  600_000,
);
