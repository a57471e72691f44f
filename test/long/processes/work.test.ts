import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, DynamoDbStore } from '../../../src/store/index.js';
import type { HealthReport } from '../../../tools/src/work/health.js';
import { startGatedDynamoDb } from '../../cli/gated-dynamodb.js';
import { CommandLine, MAIN, until } from '../../cli/process.js';
import { createTables, type TestTables } from '../../store/tables.js';

const LAMBDA = fileURLToPath(new URL('../../../dist/functions/index.js', import.meta.url));
const WAIT_MS = 60_000;

let dynamodb: Awaited<ReturnType<typeof startGatedDynamoDb>>;
let tables: TestTables;
let client: ReturnType<typeof createDynamoDbClient>;
let store: DynamoDbStore;
let cli: CommandLine;
let folder: string;
/** Messages of the worker's handlers to this process. */
const reported: string[] = [];
/** Answers that are held back, so that an attempt ends when the test says so. Undefined: none is. */
let held: ServerResponse[] | undefined;
const ear = createServer((request, response) => {
  const what = decodeURIComponent(request.url ?? '');
  reported.push(what);
  if (held && what.startsWith('/waits')) held.push(response);
  else response.end();
});
let earUrl: string;

beforeAll(async () => {
  dynamodb = await startGatedDynamoDb();
  client = createDynamoDbClient({ endpoint: dynamodb.direct });
  tables = await createTables(client);
  store = new DynamoDbStore({
    client,
    tables,
    clock: { now: Date.now, wall: Date.now, sleep: async () => {} },
  });
  cli = await CommandLine.create();
  folder = await mkdtemp(join(tmpdir(), 'backlog-work-'));
  await new Promise<void>((resolve) => ear.listen(0, '127.0.0.1', resolve));
  earUrl = `http://127.0.0.1:${(ear.address() as AddressInfo).port}`;
});
afterEach(() => dynamodb.open());
afterAll(async () => {
  cli.close();
  client.destroy();
  ear.closeAllConnections();
  ear.close();
  await dynamodb.stop();
});

const put = (id: string, queue: string) => {
  const at = new Date().toISOString();
  return store.records.insert({
    id,
    queue,
    payload: { id },
    status: 'NEW',
    insertedAt: at,
    lane: queue,
    dueAt: at,
    rev: 'r',
  });
};
const module = async (name: string, text: string) => {
  const file = join(folder, name);
  await writeFile(file, `import { backlogHandler } from ${JSON.stringify(LAMBDA)};\n${text}`);
  return file;
};
const handlerOf = (queue: string, body: string) =>
  module(
    `${queue}.mjs`,
    `const tell = (what) => fetch(${JSON.stringify(`${earUrl}/`)} + encodeURIComponent(what));
     export const handler = backlogHandler({ queue: '${queue}', process: async ({ id }, { signal }) => { ${body} } });`,
  );
const args = (file: string, ...more: string[]) => [
  ...['work', '--handler', file, '--endpoint', dynamodb.gated, '--every', '1s'],
  ...['--table', tables.records, '--control-table', tables.control, ...more],
];
const linesOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const working = (worker: ReturnType<CommandLine['start']>) =>
  until(() => worker.out().includes('"working"'), WAIT_MS);
const healthUrl = (worker: ReturnType<CommandLine['start']>) =>
  String(linesOf(worker.out()).find(({ message }) => message === 'working')?.health);
const health = async (url: string, path = '/health') => {
  const answer = await fetch(url + path);
  return { code: answer.status, body: (await answer.json()) as HealthReport };
};

describe('at its start', () => {
  it('says in one line its id and what it watches, and signs its other lines with the same id', async () => {
    const file = await module(
      'several.mjs',
      "export const handler = backlogHandler({ queues: 'urgent,1 later,1', process: async () => {} });",
    );
    const worker = cli.start(...args(file, '-q', 'urgent,8', '-q', 'later,1'));
    await working(worker);
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    const lines = linesOf(worker.out()).filter(({ workerId }) => workerId !== undefined);
    const first = lines.find(({ message }) => message === 'working');
    expect(first).toMatchObject({
      level: 'INFO',
      workerId: expect.stringMatching(/^worker-[\w-]{8}$/),
      watching: 'urgent (weight 8), later (weight 1)',
    });
    expect(lines.at(-1)).toMatchObject({ message: 'stopped', workerId: first?.workerId });
  });
});

describe('SIGTERM', () => {
  it('lets attempts end within the grace, begins none, gives the lease back and ends with 0', async () => {
    const file = await handlerOf(
      'slow',
      "await tell('begun ' + id); await tell('waits ' + id); await tell('ended ' + id);",
    );
    const waiting: ServerResponse[] = [];
    held = waiting;
    for (const id of ['s1', 's2', 's3']) await put(id, 'slow');
    const worker = cli.start(...args(file, '--concurrency', '1'));
    await until(() => waiting.length > 0, WAIT_MS);
    worker.kill('SIGTERM');
    await until(() => worker.out().includes('stopping'), WAIT_MS);
    held = undefined;
    for (const response of waiting) response.end();
    expect(await worker.ended).toBe(0);
    const begun = reported.filter((what) => what.startsWith('/begun s'));
    expect(begun).toHaveLength(1);
    expect(reported.filter((what) => what.startsWith('/ended s'))).toHaveLength(1);
    const records = await store.records.getMany(['s1', 's2', 's3']);
    expect(records.map(({ status }) => status).sort()).toEqual(['NEW', 'NEW', 'SUCCESS']);
    expect(linesOf(worker.out()).at(-1)).toMatchObject({ message: 'stopped' });
    // The lease is free: the next worker need not wait for a minute.
    const next = cli.start(...args(file));
    await until(
      async () =>
        (await store.records.getMany(['s1', 's2', 's3'])).every(({ status }) => status === 'SUCCESS'),
      30_000,
    );
    next.kill('SIGTERM');
    expect(await next.ended).toBe(0);
  });

  it('aborts after the grace what goes on, which is no failure', async () => {
    const file = await handlerOf(
      'endless',
      "await tell('begun ' + id); await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));",
    );
    await put('e1', 'endless');
    const worker = cli.start(...args(file, '--grace', '1s'));
    await until(() => reported.includes('/begun e1'), WAIT_MS);
    worker.kill('SIGINT');
    expect(await worker.ended).toBe(0);
    expect(await store.records.get('e1')).toMatchObject({ status: 'NEW', attempts: 1, failures: 0 });
  });

  it('a second one ends the process at once', async () => {
    const file = await handlerOf(
      'deaf',
      "await tell('begun ' + id); await new Promise((r) => setTimeout(r, 60_000));",
    );
    await put('d1', 'deaf');
    const worker = cli.start(...args(file));
    await until(() => reported.includes('/begun d1'), WAIT_MS);
    worker.kill('SIGTERM');
    await until(() => worker.out().includes('stopping'), WAIT_MS);
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(null);
  });

  const canBeFirst = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
  it.runIf(canBeFirst)(
    'ends the first process of a container at the second one (needs root, for a namespace of processes)',
    async () => {
      const file = await handlerOf('first', "await tell('waits first'); return new Promise(() => {});");
      await put('first-1', 'first');
      held = [];
      const outer = spawn('unshare', [
        ...['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath, MAIN],
        ...args(file, '--queue', 'first', '--grace', '60s'),
      ]);
      const ended = once(outer, 'close');
      await until(() => reported.some((what) => what.includes('waits first')), WAIT_MS);
      const inner = Number(await readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8'));
      process.kill(inner, 'SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const before = Date.now();
      process.kill(inner, 'SIGTERM');
      expect(await ended).toEqual([1, null]);
      expect(Date.now() - before).toBeLessThan(10_000);
      held = undefined;
    },
  );
});

describe('a DynamoDB that does not answer', () => {
  it('is in the health with its reason; the worker goes on when it answers again', async () => {
    const file = await handlerOf('down', "await tell('begun ' + id);");
    const worker = cli.start(...args(file, '--health-port', '0'));
    await working(worker);
    const url = healthUrl(worker);
    await until(async () => (await health(url)).body.status === 'ok', WAIT_MS);
    dynamodb.refuse();
    // That it is red after half a minute is tried on virtual time: test/cli/work.
    const failing = async () => (await health(url)).body.queues?.down?.failing;
    await until(async () => (await failing()) !== undefined, WAIT_MS, 500);
    expect(await failing()).toMatchObject({ reason: expect.stringContaining('no answer from DynamoDB') });
    expect(await health(url, '/live')).toEqual({ code: 200, body: { status: 'ok' } });
    dynamodb.open();
    await put('n1', 'down');
    await until(() => reported.includes('/begun n1'), WAIT_MS + 60_000);
    await until(async () => (await failing()) === undefined, WAIT_MS);
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });
});

describe('what cannot work', () => {
  it('ends with 1 also where the module keeps the process alive', async () => {
    const file = await module('alive.mjs', 'setInterval(() => {}, 1_000);');
    const { code, err } = await cli.run(...args(file));
    expect(err).toMatch(/its exports are: none/);
    expect(code).toBe(1);
  });

  it('waits for a DynamoDB that does not answer at the start, and ends in order meanwhile', async () => {
    const file = await handlerOf('waiting', '');
    dynamodb.refuse();
    const worker = cli.start(...args(file));
    await until(() => worker.out().includes('does not answer yet'), WAIT_MS);
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });

  it('an error that no code catches ends the process with 1, and its line says where', async () => {
    const file = await handlerOf(
      'bad',
      "setTimeout(() => { throw new Error('no code catches this'); }, 10); await tell('bad');",
    );
    await put('b1', 'bad');
    const worker = cli.start(...args(file));
    expect(await worker.ended).toBe(1);
    const line = linesOf(worker.out()).find(({ error }) => String(error).includes('no code catches this'));
    expect(line).toMatchObject({ level: 'ERROR', stack: expect.stringContaining('bad.mjs') });
  });

  it.each<[string, () => Promise<string[]>, RegExp]>([
    [
      'a file that is not there',
      async () => ['work', '--handler', './none.js'],
      /--table: expected .*BACKLOG_TABLE/,
    ],
    ['no file', async () => args(join(folder, 'none.js')), /--handler: there is no file/],
    [
      'a module that throws',
      async () => args(await module('throws.mjs', "throw new Error('no such secret');")),
      /throws\.mjs cannot be loaded: Error: no such secret/,
    ],
    [
      'no handler in it',
      async () => args(await module('empty.mjs', 'export const send = backlogHandler.name;')),
      /expected .*empty\.mjs to export a handler .* its exports are: send/,
    ],
    [
      'two handlers of a queue',
      async () =>
        args(
          await module(
            'two.mjs',
            "const of = () => backlogHandler({ queue: 'two', process: () => {} }); export const a = of(); export const b = of();",
          ),
        ),
      /expected one handler for the queue "two", got 2 \(a, b\)/,
    ],
    [
      'a queue that no handler serves',
      async () => args(await handlerOf('orders', ''), '--queue', 'bulk'),
      /--queue: no handler of the module serves "bulk" \(handler serves orders\)/,
    ],
    [
      'a table that does not exist',
      async () => [...args(await handlerOf('orders', '')), '--control-table', 'Nowhere'],
      /table Nowhere\): the table or its index does not exist: check its name, the region/,
    ],
  ])('%s is an error at the start, with exit code 1', async (_, words, expected) => {
    const { code, err } = await cli.run(...(await words()));
    expect(err).toMatch(expected);
    expect(code).toBe(1);
  });
});
