import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

const SECRET = 'ada@example.org';

let folder: string;
let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
let records: Awaited<ReturnType<typeof oldTable>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-redact-'));
  vi.stubEnv('BACKLOG_RUNTIME_DIR', join(folder, 'runtimes'));
  dynamodb = await startDynamoDb();
  records = await oldTable(dynamodb.endpoint, 'RedactRecords');
  const insertedAt = new Date().toISOString();
  for (const [id, payload] of [
    ['mail', { order: 7, mail: SECRET }],
    ['none', { order: 8 }],
  ] as const) {
    await records.put({ id, status: 'NEW', queue: 'orders', payload, insertedAt, rev: 'r' });
  }
  const result = JSON.stringify({ sent: true, to: SECRET });
  await records.put({ id: 'sent', status: 'SUCCESS', payload: 1, insertedAt, rev: 'r', attempts: 1, result });
});
afterAll(async () => {
  records.close();
  await dynamodb.stop();
  vi.unstubAllEnvs();
});

async function module(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}
const run = (...args: string[]) =>
  backlog(...args, '--endpoint', dynamodb.endpoint, '--table', 'RedactRecords');

describe('--redact of show and list', () => {
  const mask = () =>
    module(
      'mask.mjs',
      'export default ({ mail, ...rest }) => ({ ...rest, mail: mail.replace(/.*@/, "…@") });',
    );

  it('shows the payload as the module answers it', async () => {
    const { code, out } = await run('show', 'mail', '--redact', await mask());
    expect(code).toBe(0);
    expect(out).toMatch(/payload, redacted\n\{\n {2}"order": 7,\n {2}"mail": "…@example\.org"\n\}$/);
    expect(out).not.toContain(SECRET);
    const json = JSON.parse((await run('show', 'mail', '--json', '--redact', await mask())).out);
    expect(json).toMatchObject({ id: 'mail', status: 'NEW', payload: { order: 7, mail: '…@example.org' } });
  });

  it('hides the payload of a record for which the module throws, and says so', async () => {
    const { code, out } = await run('show', 'none', '--redact', await mask());
    expect(code).toBe(0);
    expect(out).toContain('The payload is hidden: its redaction failed (it threw TypeError).');
    const list = JSON.parse((await run('list', '--json', '--redact', await mask())).out) as { id: string }[];
    expect(Object.fromEntries(list.map(({ id, ...rest }) => [id, rest]))).toMatchObject({
      mail: { payload: { mail: '…@example.org' } },
      none: { payloadHidden: 'The payload is hidden: its redaction failed (it threw TypeError).' },
    });
    expect(list.find(({ id }) => id === 'none')).not.toHaveProperty('payload');
  });

  it('hides the result of a record, which the module does not know', async () => {
    const { out } = await run('show', 'sent', '--redact', await mask());
    expect(out).toMatch(/result\nThe result is hidden, as a redaction of payloads is set\.$/);
    const json = (await run('show', 'sent', '--json', '--redact', await mask())).out;
    expect(JSON.parse(json)).not.toHaveProperty('result');
    expect(out + json).not.toContain(SECRET);
  });

  it('shows a result without the flag, as JSON', async () => {
    expect((await run('show', 'sent')).out).toMatch(
      /payload\n1\n\nresult\n\{\n {2}"sent": true,\n {2}"to": "ada@example\.org"\n\}$/,
    );
    expect(JSON.parse((await run('show', 'sent', '--json')).out)).toMatchObject({ result: { sent: true } });
  });

  it('shows all of it without the flag', async () => {
    expect((await run('show', 'mail')).out).toContain(SECRET);
  });
});

describe('a module that cannot be used', () => {
  const FUNCTION = 'a function as its default, (payload, { id, queue }) => what is shown';
  const cases: readonly (readonly [name: string, text: string | undefined, reported: string])[] = [
    ['absent.mjs', undefined, 'there is no file'],
    ['broken.mjs', 'export default (', 'cannot load'],
    ['throws.mjs', 'throw new Error("no key");', 'no key'],
    ['needs.mjs', 'import "./gone.mjs"; export default (payload) => payload;', 'gone.mjs'],
    ['empty.mjs', '', `${FUNCTION}; its exports are: nothing`],
    ['named.mjs', 'export const redact = (payload) => payload;', `${FUNCTION}; its exports are: redact`],
    ['object.mjs', 'export default { redact: 1 };', `${FUNCTION}; it exports object`],
    ['async.mjs', 'export default async (payload) => payload;', `${FUNCTION}; it exports an async function`],
  ];

  it.each(cases)('is an error at the start, with the flag and the file: %s', async (name, text, reported) => {
    const path = text === undefined ? join(folder, name) : await module(name, text);
    // No table, and no AWS, is asked before.
    for (const command of [['show', 'mail'], ['list'], ['console', '--port', '0'], ['start']]) {
      const { error, err, out } = await backlog(...command, '--redact', path);
      expect(error, command[0]).toBeDefined();
      expect(err).toContain('--redact: ');
      expect(err).toContain(path);
      expect(err).toContain(reported);
      expect(out).toBe('');
    }
  });
});
