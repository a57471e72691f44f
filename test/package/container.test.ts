import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';
import { until } from '../cli/process.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { createTables } from '../store/tables.js';
import { ROOT } from './apps.js';
import { freePort } from './background.js';
import { buildImage, type Image } from './dockerfile.js';
import { environment, mustRun, settingsFor } from './run.js';

const { file: library } = inject('packed');
const { file: tools } = inject('packedTools');
/** The image that its README builds, with the tarballs in place of the registry's versions. */
let image: Image;
let app: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-image-'));
  await letAllReach(folder);
  const context = join(folder, 'context');
  await cp(join(ROOT, 'examples/fargate/worker'), context, { recursive: true });
  const own = [
    `dependencies.dynamo-backlog=file:${library}`,
    `dependencies.dynamo-backlog-tools=file:${tools}`,
  ];
  await mustRun('npm', ['pkg', 'set', ...own], { cwd: context });
  await mustRun('npm', ['install', '--package-lock-only', '--prefer-offline', '--no-audit'], {
    cwd: context,
  });
  image = await buildImage(context, folder);
  app = join(image.root, image.workdir);
});

/** The user of the image has to read it. */
async function letAllReach(folder: string): Promise<void> {
  for (const one of [folder, dirname(folder)]) await chmod(one, (await stat(one)).mode | 0o055);
}

/** A command of the image, by its user if the tests are run by root. */
function start(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program = '', ...args] = command;
  const id = process.getuid?.() === 0 ? Number(image.user?.split(':')[0]) : undefined;
  const child = spawn(program, args, {
    cwd: app,
    env: environment({ ...image.env, ...env, HOME: '/nonexistent' }),
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(id !== undefined && { uid: id, gid: id }),
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data;
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended, out: () => out };
}

const onPort = (command: readonly string[], port: number) =>
  command.map((part) => part.replaceAll('8080', String(port)));

describe('the image of the example', () => {
  it('has what the process needs, and neither sources nor tools to build it', async () => {
    expect((await readdir(app)).sort()).toEqual(['handlers.mjs', 'node_modules', 'package.json']);
    const packages = await readdir(join(app, 'node_modules'));
    expect(packages).toContain('dynamo-backlog');
    for (const name of ['esbuild', 'aws-cdk-lib', 'dynalite']) expect(packages).not.toContain(name);
    expect(image.env).toEqual({ NODE_ENV: 'production' });
    expect(image.user).toBe('1000:1000');
  });

  it('has handlers that load, by its own user', async () => {
    const script = "import('./handlers.mjs').then((all) => console.log(Object.keys(all).join(' ')))";
    const loaded = start([process.execPath, '-e', script]);
    expect(await loaded.ended).toBe(0);
    expect(loaded.out()).toBe('imports thumbnails\n');
  });

  it('is unhealthy while no process answers', async () => {
    expect(await start(onPort(image.healthcheck, await freePort())).ended).toBe(1);
  });

  it('starts, is healthy, attempts records, and ends by SIGTERM', async () => {
    const dynamoDb = await startDynamoDb();
    const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
    const port = await freePort();
    const tables = await createTables(client);
    const store = new DynamoDbStore({ client, tables, clock: systemClock });
    const queue = { retryMode: 'perRecord', retry: { type: 'none' }, external: true };
    const worker = start(onPort(image.cmd, port), {
      ...settingsFor(dynamoDb.endpoint, tables),
      BACKLOG_QUEUES: JSON.stringify({ imports: queue, thumbnails: queue }),
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
      BACKLOG_OWNER: 'Imports',
      SHOP_URL: 'http://127.0.0.1:1',
    });
    try {
      const isAlive = async () => (await start(onPort(image.healthcheck, port)).ended) === 0;
      await until(isAlive, 120_000);
      const isHealthy = async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok;
      await until(isHealthy, 120_000);
      const at = new Date().toISOString();
      const timed = { insertedAt: at, lane: 'thumbnails', dueAt: at, rev: 'r' };
      await store.records.insert({ id: 'cat', queue: 'thumbnails', payload: {}, status: 'NEW', ...timed });
      const record = async () => (await store.records.getMany(['cat']))[0];
      await until(async () => (await record())?.status === 'DEAD', 120_000);
      // No shop answers.
      expect(await record()).toMatchObject({ attempts: 1, lastError: { message: 'fetch failed' } });
      expect([...(await store.registry.read()).queues.keys()].sort()).toEqual(['imports', 'thumbnails']);
      worker.child.kill('SIGTERM');
      expect(await worker.ended).toBe(0);
    } finally {
      worker.child.kill('SIGKILL');
      client.destroy();
      await dynamoDb.stop();
    }
  });
});
