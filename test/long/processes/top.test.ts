import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/support/clock.js';
import { openSource } from '../../../tools/src/cli/top/source.js';
import { consoleApp } from '../../../tools/src/console/app.js';
import { announce } from '../../../tools/src/local/discovery.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { backlog } from '../../cli/in-process.js';
import { oldTable } from '../../cli/old-table.js';
import { CommandLine } from '../../cli/process.js';
import { runtimeUnderTest } from '../../console/console-under-test.js';

let dynamodb: EmbeddedDynamoDb;
let records: Awaited<ReturnType<typeof oldTable>>;
let control: Awaited<ReturnType<typeof oldTable>>;

const iso = (ms = 0) => new Date(Date.now() + ms).toISOString();
const MINUTE = 60_000;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
  records = await oldTable(dynamodb.endpoint, 'Records');
  control = await oldTable(dynamodb.endpoint, 'Control', { key: 'key', index: false });
  await control.put(
    { key: 'queue#orders', retryMode: 'perRecord', retryModeSince: 0 },
    { key: 'queue#ev\u001b[2Jil\u202e', retryMode: 'perRecord', retryModeSince: 0 },
  );
  await records.put({
    id: 'a',
    status: 'NEW',
    payload: {},
    queue: 'orders',
    insertedAt: iso(-20 * MINUTE),
    lane: 'orders',
    dueAt: iso(-16 * MINUTE),
    rev: 'r',
  });
});
afterAll(async () => {
  records.close();
  control.close();
  await dynamodb.stop();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-top-')));
});

const tables = () => ['--endpoint', dynamodb.endpoint, '--table', 'Records', '--control-table', 'Control'];
const SENTENCE = /^▲ orders is 16 min( \d+ s)? late: 1 record due, no run is at work\.$/;

describe('backlog top without a terminal', () => {
  it('prints the sentence and the queues once', async () => {
    const { code, out, err } = await backlog('top', ...tables());
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toMatch(SENTENCE);
    expect(out).toMatch(/^QUEUE +STATE +WAITING +DUE +DEAD +OLDEST DUE +LAG +LEASE$/m);
    expect(out).toMatch(/^orders +▲ Late +1 +1 +0 +16 min( \d+ s)? +16 min( \d+ s)? +–$/m);
    expect(err).toMatch(/table Records at .*; read 0 s ago, [\d.]+ read units?/);
  });

  it('escapes names that would break a terminal', async () => {
    const { out } = await backlog('top', '--once', ...tables());
    expect(out).toContain('ev [2Jil');
    for (const line of out.split('\n')) expect(line).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  it('opens with the sentence of the console', async () => {
    const { out } = await backlog('top', '--json', ...tables());
    const { sentence, queues, readUnits } = JSON.parse(out);
    const app = consoleApp({
      backlog: { table: 'Records', controlTable: 'Control', client: records.client, clock: systemClock },
      name: 'Records',
      where: 'here',
      access: { write: false, reason: 'a test' },
      onAction: () => {},
    });
    const page = await (await app.request('/')).text();
    const said = (text: string) => text.replace(/\d+ min( \d+ s)? late/, 'N late');
    expect(said(page)).toContain(said(sentence.title));
    expect(queues).toMatchObject([
      { queue: 'orders', condition: 'late', waiting: 1, due: 1, dead: 0, paused: false, leases: [] },
      { queue: 'ev\u001b[2Jil\u202e', condition: 'quiet', waiting: 0 },
    ]);
    expect(readUnits).toBeGreaterThan(0);
  });

  it('takes from the local runtime what only that knows', async () => {
    const at = Math.floor(Date.now() / MINUTE) * MINUTE;
    const { status } = runtimeUnderTest({
      queues: [
        { name: 'orders', table: 'Records', retryMode: 'perRecord', NEW: 0, ERROR: 1, SUCCESS: 0, DEAD: 0 },
      ],
    });
    const answers: Record<string, unknown> = {
      '/status.json': status(),
      '/activity.json': { minutes: { orders: [{ at, succeeded: 1, failed: 9 }] }, lastRuns: {} },
    };
    const server = createServer((request, response) =>
      response.end(JSON.stringify(answers[request.url ?? ''])),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const forget = await announce({
      pid: process.pid,
      cwd: process.cwd(),
      startedAt: iso(),
      endpoint: dynamodb.endpoint,
      statusPage: `http://127.0.0.1:${port}/`,
      tables: [
        { name: 'Records', records: true },
        { name: 'Control', records: false },
      ],
      queues: ['orders'],
      clock: { wallStart: Date.now(), start: Date.now(), speed: 1 },
    });
    try {
      const { out } = await backlog('top');
      expect(out.split('\n')[0]).toMatch(
        /^▲ orders has failed since .* UTC: 90 % of 10 attempts in 3 min; 1 record waits\.$/,
      );
      expect(out).toMatch(/^orders +⊗ Failing +1 +1 +1 +0 .* 90 %/m);
      server.close();
      server.closeAllConnections();
      // The tables can still be read: what only the runtime knows is not known.
      expect((await backlog('top')).out).toContain('orders is 16 min');
    } finally {
      await forget();
      server.close();
    }
  });

  it('ends with 2 for wrong usage, and with 1 where the tables cannot be read', async () => {
    for (const [flag, text] of [
      ['--interval', '0s'],
      ['--interval', '5'],
      ['--interval', '2h'],
      ['--sort', 'name'],
    ] as const) {
      expect((await backlog('top', ...tables(), flag, text)).error).toMatchObject({
        name: 'CommanderError',
      });
    }
    const missing = ['--endpoint', dynamodb.endpoint, '--table', 'Nothing', '--control-table', 'Control'];
    const { error, err, out } = await backlog('top', ...missing);
    expect(error).toBeInstanceOf(Error);
    expect(err).toContain('Nothing');
    expect(out).toBe('');
  });
});

describe('a local runtime that is stopped', () => {
  const runtimeAt = (endpoint: string) => ({
    pid: process.pid,
    cwd: process.cwd(),
    startedAt: iso(),
    endpoint,
    statusPage: endpoint,
    tables: [
      { name: 'Records', records: true },
      { name: 'Control', records: false },
    ],
    queues: ['orders'],
    clock: { wallStart: Date.now(), start: Date.now(), speed: 1 },
  });

  it('is said to give no answer, and is asked again at each reading', async () => {
    // It takes connections, as the kernel does for a process that is stopped, and says nothing.
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const forget = await announce(runtimeAt(`http://127.0.0.1:${port}/`));
    try {
      const reported = /no answer within \d+ s: table Records of the local runtime at http/;
      await expect(openSource({}, { patient: true, answerWithinMs: 500 })).rejects.toThrow(reported);
      const source = await openSource({}, { patient: false, answerWithinMs: 500 });
      for (let i = 0; i < 2; i++) {
        const { sentence, readAt, snapshot } = await source.read();
        expect(sentence.title).toMatch(reported);
        expect({ readAt, queues: snapshot.queues }).toEqual({ readAt: undefined, queues: undefined });
      }
      await announce(runtimeAt(`${dynamodb.endpoint}/`.replace(/\/\/$/, '/')));
      await vi.waitFor(
        async () => expect((await source.read()).sentence.title).toContain('orders is 16 min'),
        {
          timeout: 60_000,
        },
      );
      expect(source.where).toContain(dynamodb.endpoint);
      source.close();
    } finally {
      await forget();
      silent.closeAllConnections();
      silent.close();
    }
  });
});

describe('the built command', () => {
  it('prints once where it has no terminal, with its exit code', async () => {
    const cli = await CommandLine.create();
    try {
      const { code, out, err } = await cli.run('top', ...tables());
      expect({ code, line: out.split('\n')[0] }).toEqual({
        code: 0,
        line: expect.stringContaining('orders is'),
      });
      expect(err).toContain('1 read unit');
      expect((await cli.run('top', ...tables(), '--interval', 'often')).code).toBe(2);
      const missing = await cli.run('top', ...tables(), '--table', 'Nothing');
      expect({ code: missing.code, out: missing.out }).toEqual({ code: 1, out: '' });
    } finally {
      cli.close();
    }
  });
});
