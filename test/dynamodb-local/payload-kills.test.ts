import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { BacklogClient, InsertInterruptedError } from '../../src/client/index.js';
import { BacklogOperator } from '../../src/operate/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { CommandLine, startReceiver, until } from '../cli/process.js';
import { webhookPayloads } from '../cli/webhook-payloads.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const KILLS = Number(process.env.PAYLOAD_KILLS ?? 1);
const COPIES = Number(process.env.PAYLOAD_COPIES ?? 1);
/** Lines of JSON with `id` and `payload`: those of your own. Default: payloads that are made up. */
const FILE = process.env.PAYLOAD_FILE;
const MAX_MS = 120_000;

const endpoint = dynamoDbLocalEndpoint();
const client = createDynamoDbClient({ endpoint });
const tables = { table: 'PayloadKills', controlTable: 'PayloadKillsControl' };
const closers: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closers) await close();
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames.filter((name) => name.startsWith('PayloadKills')))
    await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
});

function payloads(): ReadonlyMap<string, unknown> {
  const lines = FILE === undefined ? [] : readFileSync(FILE, 'utf8').trim().split('\n');
  const own = lines.map((line): [string, unknown] => {
    const { id, payload } = JSON.parse(line);
    return [id, payload];
  });
  const once = FILE === undefined ? webhookPayloads(135, 1) : new Map(own);
  const all = Array.from({ length: COPIES }, (_, copy) =>
    [...once].map(([id, one]) => [`${id}#${copy}`, one]),
  );
  return new Map(all.flat() as [string, unknown][]);
}

async function appFor(deliverTo: string): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'payload-kills-'));
  const app = new App({ outdir, analyticsReporting: false });
  new Backlog(new Stack(app, 'Hooks'), 'Backlog', {
    queues: { hooks: { deliverTo, retry: { type: 'constant', interval: 60, jitter: 'none' } } },
    ...{ tableName: tables.table, controlTableName: tables.controlTable },
  });
  app.synth();
  return outdir;
}

it(
  `${COPIES} times the payloads all arrive as they were though kill -9 ends the runtime ${KILLS} times, and none again whose success was written`,
  async () => {
    const all = payloads();
    const ids = [...all.keys()];
    // Every third is refused once before it is taken.
    const destination = await startReceiver((id, n) => (ids.indexOf(id) % 3 === 0 && n === 1 ? 503 : 200));
    const { deliveries } = destination;
    const app = await appFor(destination.url);
    const cli = await CommandLine.create();
    closers.push(
      () => cli.close(),
      () => destination.stop(),
    );
    const start = () =>
      cli.startRuntime('--app', app, '--no-sample', '--speed', '60', '--dynamodb-endpoint', endpoint);
    const taken = () => new Set(deliveries.flatMap(({ id, status }) => (status === 200 ? [id] : [])));
    const operator = new BacklogOperator({ ...tables, client });
    const settled = async () => {
      const found = new Set<string>();
      for await (const { id } of operator.export({ all: true, status: 'SUCCESS' })) found.add(String(id));
      return found;
    };

    let runtime = await start();
    const backlog = new BacklogClient({ table: tables.table, client });
    const records = ids.map((id) => ({ id, queue: 'hooks', payload: all.get(id) }));
    // A call that is cut off is made again with the same ids.
    const inserted = (async () => {
      for (;;) {
        try {
          return await backlog.insertMany(records);
        } catch (error) {
          if (!(error instanceof InsertInterruptedError)) throw error;
        }
      }
    })();
    const kills: { readonly settled: ReadonlySet<string>; readonly deliveries: number }[] = [];
    let mayRepeat = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(() => taken().size >= (ids.length * kill) / (KILLS + 1), MAX_MS);
      runtime.kill('SIGKILL');
      await runtime.ended;
      // Its sandboxes end with it.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const before = await settled();
      kills.push({ settled: before, deliveries: deliveries.length });
      mayRepeat += [...taken()].filter((id) => !before.has(id)).length;
      runtime = await start();
    }
    const { failed } = await inserted;
    expect(failed.map(({ error }) => error.message)).toEqual([]);
    await until(async () => (await settled()).size === ids.length, MAX_MS * 2, 1_000);
    runtime.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);

    expect(taken().size).toBe(ids.length);
    for (const { id, body } of deliveries) expect(JSON.parse(body)).toEqual(all.get(id));
    for (const kill of kills) {
      const again = deliveries.slice(kill.deliveries).filter(({ id }) => kill.settled.has(id));
      expect(again).toEqual([]);
    }
    const repeats = deliveries.filter(({ status }) => status === 200).length - ids.length;
    expect(repeats).toBeLessThanOrEqual(mayRepeat);
    process.stdout.write(`${ids.length} payloads, ${KILLS} kills: ${repeats} came again, 0 were lost\n`);
  },
  MAX_MS * (KILLS + 3),
);
