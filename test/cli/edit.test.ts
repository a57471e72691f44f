import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let tables = 0;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
  await oldTable(dynamodb.endpoint, 'Control', { key: 'key', index: false });
});
afterAll(async () => {
  await dynamodb.stop();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-edit-')));
  table = await oldTable(dynamodb.endpoint, `Records${++tables}`);
});
afterEach(() => table.close());

const waiting = (id: string, payload: unknown) => ({
  ...{ id, status: 'NEW', payload, queue: 'orders', lane: 'orders', rev: 'r' },
  ...{ insertedAt: '2026-01-01T00:00:00.000Z', dueAt: '2036-01-01T00:00:00.000Z' },
});
const edit = async (...args: string[]) => {
  const at = ['--endpoint', dynamodb.endpoint, '--table', table.name, '--control-table', 'Control'];
  const { code, out, err, error } = await backlog('edit', ...args, ...at);
  return { code: code ?? (error as { exitCode?: number })?.exitCode, out, err };
};
const payloadOf = async (id: string) => (await table.get(id))?.payload;

describe('backlog edit --merge', () => {
  it.each(['[1]', '7', '"text"', 'null', 'true'])('refuses a patch that is no object: %s', async (patch) => {
    await table.put(waiting('a', { zip: '1000' }));
    for (const flag of ['--yes', '--dry-run']) {
      const { code, err } = await edit('a', '--merge', patch, flag);
      expect(err).toContain(`--merge: expected a JSON object with what is new, got ${patch}`);
      expect(code).toBe(1);
    }
    expect(await payloadOf('a')).toEqual({ zip: '1000' });
  });

  it.each<[string, unknown]>([
    ['a list', [1]],
    ['a string', 'text'],
    ['a number', 7],
    ['null', null],
  ])('leaves a payload that is %s as it is, says so, and edits the others', async (kind, payload) => {
    await table.put(waiting('a', payload), waiting('b', { zip: '1000' }));
    const { code, out } = await edit('a', 'b', '--merge', '{"zip":"1010"}', '--yes');
    expect(out).toContain(`a: its payload is ${kind}: a merge patch needs an object`);
    expect(code).toBe(3);
    expect(await payloadOf('a')).toEqual(payload);
    expect(await payloadOf('b')).toEqual({ zip: '1010' });
  });
});

describe('backlog edit --dry-run', () => {
  it('shows the lines that would change, and changes nothing', async () => {
    const payload = { customer: { id: 7, zip: '1000' }, lines: [1, 2, 3] };
    await table.put(waiting('a', payload), waiting('b', { customer: 1 }));
    const { code, out, err } = await edit('a', 'b', '--merge', '{"customer":{"zip":"1010"}}', '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('2 records would be edited: a, b');
    expect(err).toContain(
      [
        'a:',
        '    {',
        '      "customer": {',
        '        "id": 7,',
        '  -     "zip": "1000"',
        '  +     "zip": "1010"',
        '      },',
        '      "lines": [',
        '        1,',
        '  …',
      ].join('\n'),
    );
    expect(err).toMatch(/\nb:\n {4}\{\n {2}- {3}"customer": 1\n {2}\+ {3}"customer": \{\n/);
    expect(await payloadOf('a')).toEqual(payload);
  });

  it('shows no more of a payload than the module of --redact returns, and no trick on the terminal', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-edit-')), 'redact.mjs');
    await writeFile(file, 'export default ({ note }) => ({ note });');
    await table.put(waiting('a', { note: 'x', card: '4111 1111' }));
    const patch = JSON.stringify({ note: 'y\u001b[31m\u202e', card: '4222 2222' });
    const { err } = await edit('a', '--merge', patch, '--dry-run', '--redact', file);
    expect(err).toMatch(/- {3}"note": "x"\n {2}\+ {3}"note": "y/);
    for (const hidden of ['4111 1111', '4222 2222', '\u001b', '\u202e']) expect(err).not.toContain(hidden);
  });

  it('says which payload a replacement would take away', async () => {
    await table.put(waiting('a', { zip: '1000' }));
    const { err } = await edit('a', '--payload', '[1]', '--dry-run');
    expect(err).toMatch(/- \{\n {2}- {3}"zip": "1000"\n {2}- \}\n {2}\+ \[\n {2}\+ {3}1\n {2}\+ \]/);
  });
});
