import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../tools/src/cli/program.js';
import { oldTable } from '../cli/old-table.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { hiddenField } from './console-under-test.js';

let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
let records: Awaited<ReturnType<typeof oldTable>>;
let control: Awaited<ReturnType<typeof oldTable>>;
const said: string[] = [];

beforeEach(async () => {
  said.splice(0);
  dynamodb = await startDynamoDb();
  records = await oldTable(dynamodb.endpoint, 'CommandRecords');
  control = await oldTable(dynamodb.endpoint, 'CommandControl', { key: 'key', index: false });
  const at = new Date().toISOString();
  await records.put({
    id: 'd',
    status: 'DEAD',
    queue: 'orders',
    payload: 1,
    insertedAt: at,
    lane: 'orders/dead',
    dueAt: at,
    rev: 'r',
  });
});
afterEach(async () => {
  records.close();
  control.close();
  await dynamodb.stop();
});

/** Runs the command until the test is over, as Ctrl-C ends it. Gives the address and the exit code. */
async function whileServed(
  flags: readonly string[],
  test: (address: string) => Promise<void>,
  endpoint: readonly string[] = ['--endpoint', dynamodb.endpoint],
): Promise<unknown> {
  const codes: unknown[] = [];
  const out: string[] = [];
  const program = createProgram(
    { data: (line) => void out.push(line), message: (line) => void said.push(line) },
    (code) => codes.push(code),
  );
  const at = [...endpoint, '--table', 'CommandRecords', '--control-table', 'CommandControl'];
  const running = program.parseAsync(['node', 'backlog', 'console', '--port', '0', ...at, ...flags]);
  await vi.waitFor(() => expect(out[0]).toMatch(/^http/), { timeout: 20_000 });
  try {
    await test(out[0] ?? '');
  } finally {
    process.emit('SIGINT');
    await running;
  }
  return codes[0];
}

/** Opens the console as a browser does: the cookie of the key, and pages with it. */
async function browse(address: string) {
  const opened = await fetch(address, { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  return (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, address), { ...init, redirect: 'manual', headers: { cookie } });
}

describe('backlog console', () => {
  it('serves at an address with a key, read-only, until Ctrl-C', async () => {
    const code = await whileServed([], async (address) => {
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{24}$/);
      expect((await fetch(new URL('/', address))).status).toBe(401);
      const page = await browse(address);
      const text = await (await page('/record?id=d')).text();
      expect(text).toContain('The console was started without --write.');
      const body = new URLSearchParams({ csrf: hiddenField(text, 'csrf') });
      expect((await page('/record/act?id=d&do=redrive', { method: 'POST', body })).status).toBe(403);
    });
    expect(code).toBe(0);
    expect(await records.get('d')).toMatchObject({ status: 'DEAD' });
  });

  it('with --write acts under the name that was given, and says so on stderr', async () => {
    await whileServed(['--write', '--as', 'ops'], async (address) => {
      const page = await browse(address);
      const path = '/record/act?id=d&do=redrive';
      const text = await (await page(path)).text();
      const body = new URLSearchParams({ csrf: hiddenField(text, 'csrf'), seen: hiddenField(text, 'seen') });
      expect((await page(path, { method: 'POST', body })).status).toBe(303);
    });
    expect(await records.get('d')).toMatchObject({ status: 'NEW' });
    expect(said.join('\n')).toMatch(/ops: redrive: d: 1 record redriven: d/);
  });

  it('with --redact shows of a payload what the module answers', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-redact-')), 'redact.mjs');
    await writeFile(file, 'export default (payload, { id, queue }) => [id, queue];');
    await whileServed(['--redact', file], async (address) => {
      const page = await browse(address);
      expect(await (await page('/record/payload?id=d')).text()).toBe('["d","orders"]');
    });
  });

  it('mutes alarms where they are in CloudWatch, and has no page for that elsewhere', async () => {
    const muting = async (endpoint?: readonly string[]) => {
      let answer = { status: 0, text: '' };
      await whileServed(
        [],
        async (address) => {
          const page = await (await browse(address))('/queue-alarms?name=orders');
          answer = { status: page.status, text: await page.text() };
        },
        endpoint,
      );
      return answer;
    };
    expect((await muting()).status).toBe(404);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
    // A port of no service: that is said on the page.
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', 'http://127.0.0.1:1/');
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    const inAws = await muting([]);
    vi.unstubAllEnvs();
    expect(inAws.text).toMatch(/Mute.*It is not known what is muted\. CloudWatch: /s);
  });

  it('says at its start that a table cannot be read', async () => {
    await whileServed(['--control-table', 'NoSuchTable'], async () => {
      await vi.waitFor(() => expect(said.join('\n')).toMatch(/cannot be read: .*NoSuchTable/));
    });
    said.splice(0);
    await whileServed([], async () => {});
    expect(said.join('\n')).not.toContain('cannot be read');
  });

  it('has its stylesheet and its script', async () => {
    await whileServed([], async (address) => {
      const page = await browse(address);
      const text = await (await page('/')).text();
      for (const [, file = ''] of text.matchAll(/(?:href|src)="(\/console\.[^"]+)"/g)) {
        const answer = await page(file);
        expect(answer.status).toBe(200);
        expect((await answer.text()).length).toBeGreaterThan(1_000);
      }
    });
  });
});
