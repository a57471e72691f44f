import { createReadStream } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMissingTables } from '../../src/store/dynamodb/create-tables.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { announce } from '../../tools/src/local/discovery.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { backlog } from './in-process.js';

const TABLE = {
  name: 'Records',
  keys: [{ name: 'id', type: 'HASH' as const }],
  attributes: ['id', 'lane', 'dueAt'].map((name) => ({ name, type: 'S' as const })),
  indexes: [
    {
      name: 'due',
      keys: [
        { name: 'lane', type: 'HASH' as const },
        { name: 'dueAt', type: 'RANGE' as const },
      ],
      projection: 'KEYS_ONLY' as const,
    },
  ],
};

let dynamodb: EmbeddedDynamoDb;
let folder: string;
let table = 0;
let name: string;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(async () => {
  await dynamodb.stop();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-cli-'));
  vi.stubEnv('BACKLOG_RUNTIME_DIR', join(folder, 'runtimes'));
  name = `Records${table++}`;
  const client = createDynamoDbClient({ endpoint: dynamodb.endpoint });
  await createMissingTables(client, [{ ...TABLE, name }]);
  client.destroy();
});

/** A runtime that other commands can find. */
function announceRuntime() {
  return announce({
    pid: process.pid,
    cwd: process.cwd(),
    startedAt: new Date().toISOString(),
    endpoint: dynamodb.endpoint,
    statusPage: 'http://127.0.0.1:1/',
    tables: [
      { name, records: true },
      { name: 'Control', records: false },
    ],
    queues: ['default', 'bulk'],
    clock: { wallStart: Date.now(), start: Date.parse('2030-01-01T00:00:00Z'), speed: 1 },
  });
}

async function file(text: string): Promise<string> {
  const path = join(folder, 'records.ndjson');
  await writeFile(path, text);
  return path;
}

describe('backlog import', () => {
  it('puts the good lines into the running runtime, and reports the bad ones with their numbers', async () => {
    await announceRuntime();
    const path = await file(
      [
        '{"id":"a","payload":{"x":1},"event":"push"}',
        'nonsense',
        '',
        '{"payload":1,"queue":"not valid"}',
        '{"id":"a","payload":2}',
        '[1,2]',
      ].join('\n'),
    );
    const { code, err } = await backlog('import', path);
    expect(code).toBe(3);
    expect(err).toMatch(/line 2: no valid JSON[\s\S]*line 4: .*queue[\s\S]*line 5: a is there already/);
    expect(err).toContain('inserted 2, duplicates 1, bad lines 2');
    const shown = JSON.parse((await backlog('show', 'a', '--json')).out);
    expect(shown).toMatchObject({
      id: 'a',
      payload: { x: 1 },
      attributes: { event: 'push' },
      status: 'NEW',
      queue: 'default',
    });
    expect(shown.insertedAt).toMatch(/^2030-01-01/);
  });

  it('may be repeated: duplicates are no problem', async () => {
    await announceRuntime();
    const path = await file('{"id":"a","payload":1}\n{"id":"b","payload":2}\n');
    expect((await backlog('import', path)).code).toBe(0);
    const again = await backlog('import', path);
    expect(again.code).toBe(0);
    expect(again.err).toContain('inserted 0, duplicates 2, bad lines 0');
  });

  it('warns of a queue that the running app does not have', async () => {
    await announceRuntime();
    const { err } = await backlog('import', await file('1\n'), '--queue', 'other');
    expect(err).toContain('the running app has no queue "other": nothing will attempt its records');
  });

  it('reads more lines than fit into one batch', async () => {
    await announceRuntime();
    const lines = Array.from({ length: 63 }, (_, i) =>
      i % 40 === 7 ? 'bad' : `{"id":"r${i}","payload":${i}}`,
    );
    const { code, err } = await backlog('import', await file(lines.join('\n')));
    expect(code, err).toBe(3);
    expect(err).toMatch(/line 8: [\s\S]*line 48: /);
    expect(err).toContain('inserted 61, duplicates 0, bad lines 2');
  });

  it('keeps every digit of a large number', async () => {
    await announceRuntime();
    await backlog('import', await file('{"id":"big","payload":{"n":12345678901234567890}}'));
    expect((await backlog('show', 'big', '--json')).out).toContain('"payload":{"n":12345678901234567890}');
  });

  it('says so when there is no such file', async () => {
    const { err } = await backlog('import', join(folder, 'nothing.ndjson'));
    expect(err).toMatch(/there is no file .*nothing\.ndjson/);
  });

  it('reads from stdin', async () => {
    await announceRuntime();
    const stdin = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(createReadStream(await file('{"id":"s","payload":1}')) as never);
    expect((await backlog('import', '-')).code).toBe(0);
    stdin.mockRestore();
    expect((await backlog('show', 's')).code).toBe(0);
  });
});

describe('backlog list and show', () => {
  beforeEach(async () => {
    await announceRuntime();
    await backlog(
      'import',
      await file('{"id":"one","payload":{"n":1}}\n{"id":"two","payload":2,"queue":"bulk"}\n'),
    );
  });

  it('list records as a table for people', async () => {
    const { code, out, err } = await backlog('list');
    expect(code).toBe(0);
    expect(out).toMatch(/^ID +QUEUE +STATUS +ATTEMPTS +INSERTED +DUE$/m);
    expect(out).toMatch(/^one +default +NEW +0 +2030-01-01 00:00:0\d +\d s ago +next run$/m);
    expect(err).toMatch(/2 records in table Records\d+ of the local runtime/);
  });

  it('list records as a JSON array for programs, and nothing else on stdout', async () => {
    const records = JSON.parse((await backlog('list', '--json')).out);
    expect(records.map(({ id }: { id: string }) => id).sort()).toEqual(['one', 'two']);
    expect(JSON.parse((await backlog('list', '--json', '--status', 'DEAD')).out)).toEqual([]);
    expect(JSON.parse((await backlog('list', '--json', '--queue', 'bulk')).out)).toMatchObject([
      { id: 'two' },
    ]);
  });

  it('say when there are more than shown', async () => {
    const { out, err } = await backlog('list', '--limit', '1');
    expect(out.split('\n')).toHaveLength(2);
    expect(err).toMatch(/there are more: --limit/);
  });

  it('show one record in full', async () => {
    const { code, out } = await backlog('show', 'one');
    expect(code).toBe(0);
    expect(out).toMatch(/^id +one$/m);
    expect(out).toMatch(/^status +NEW$/m);
    expect(out).toMatch(/^payload\n\{\n {2}"n": 1\n\}$/m);
  });

  it('fail for an id that is not there', async () => {
    const { code, err } = await backlog('show', 'nobody');
    expect(code).toBe(1);
    expect(err).toMatch(/no record nobody in table/);
  });
});

describe('which table a command works on', () => {
  it('without a runtime and without flags is an error that says how to start one', async () => {
    const { err } = await backlog('list');
    expect(err).toMatch(/no local runtime is running: start one with "npx backlog start"/);
  });

  it('is what --endpoint and --table say', async () => {
    const { code, err } = await backlog('list', '--endpoint', dynamodb.endpoint, '--table', name);
    expect(code).toBe(0);
    expect(err).toContain(`table ${name} at ${dynamodb.endpoint}`);
  });

  it('is not read as a whole, where that is billed, without saying so', async () => {
    const elsewhere = ['--endpoint', dynamodb.endpoint, '--table', name];
    const warned = /reading the whole table, which is billed/;
    expect((await backlog('list', ...elsewhere, '--status', 'DEAD')).err).toMatch(warned);
    expect((await backlog('list', ...elsewhere, '--queue', 'default')).err).toMatch(warned);
    const byIndex = ['--status', 'DEAD', '--queue', 'default'];
    expect((await backlog('list', ...elsewhere, ...byIndex)).err).not.toMatch(warned);
    await announceRuntime();
    expect((await backlog('list', '--status', 'DEAD')).err).not.toMatch(warned);
  });

  it('is not guessed from an endpoint that no runtime is at', async () => {
    expect((await backlog('list', '--endpoint', dynamodb.endpoint)).err).toMatch(/name a table with --table/);
  });

  it('that does not exist is a readable error', async () => {
    const { err } = await backlog('list', '--endpoint', dynamodb.endpoint, '--table', 'Nothing');
    expect(err).toMatch(/^error: .*Nothing/m);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe('wrong usage', () => {
  it.each([
    [['start', '--for', '5'], /Expected a duration with a unit/],
    [['start', '--speed', '0'], /Expected a number from 1 to 100000/],
    [['start', '--speed', '1e3'], /Expected a number from 1 to 100000/],
    [['start', '--port', '70000'], /Expected a port/],
    [['start', '--deliver-to', 'http://example.com/'], /expected an https URL/],
    [['start', '--deliver-to', 'nonsense'], /expected a URL such as/],
    [['start', '--deliver-to', 'https://me:secret@example.com/'], /expected a URL without a user name/],
    [['list', '--status', 'OPEN'], /Expected one of NEW, ERROR, SUCCESS, DEAD/],
    [['list', '--limit', '-1'], /Expected a whole number/],
    [['import'], /missing required argument/],
    [['bogus'], /unknown command/],
    [['list', '--bogus'], /unknown option/],
  ])('%j is refused with what was expected', async (args, message) => {
    const { error, err } = await backlog(...args);
    expect(error).toMatchObject({ name: 'CommanderError' });
    expect(err).toMatch(message);
  });

  it.each(['start', 'import', 'list', 'show'])('%s --help has an example', async (command) => {
    const { out } = await backlog(command, '--help');
    expect(out).toMatch(new RegExp(`Examples:[\\s\\S]*backlog ${command}`));
    expect(out).toMatch(/Exit codes/);
  });
});
