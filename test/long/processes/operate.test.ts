import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backlogTables } from '../../cli/backlog-tables.js';

const MAIN = fileURLToPath(new URL('../../../tools/bin/backlog.js', import.meta.url));

let tables: Awaited<ReturnType<typeof backlogTables>>;
let { table } = {} as typeof tables;

beforeAll(async () => {
  tables = await backlogTables();
  ({ table } = tables);
});
afterAll(() => tables.stop());

/** The built command in a process of its own, with that on its stdin. */
async function backlog(input: string, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, ...tables.at], { stdio: 'pipe' });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, out: out.trim(), err: err.trim() };
}

const dead = (id: string) => ({
  ...{ id, status: 'DEAD', payload: 'x'.repeat(100 * 1024), queue: 'orders', rev: 'r' },
  ...{ insertedAt: '2026-01-01T00:00:00.000Z', lane: 'orders/dead', dueAt: '2026-01-02T00:00:00.000Z' },
});

it('takes ids from stdin, one a line, of large records too', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `order ${i} – ü`);
  for (const id of [...ids, 'other']) await table.put(dead(id));
  const { code, out } = await backlog(`${ids.join('\n')}\n\nnobody\n`, 'redrive', '-', '--json');
  expect(JSON.parse(out)).toMatchObject({ matched: 41, changed: 40, skipped: { notFound: 1 } });
  expect(code).toBe(3);
  expect(await table.get('other')).toMatchObject({ status: 'DEAD' });
  expect(await table.get('order 39 – ü')).toMatchObject({ status: 'NEW', payload: 'x'.repeat(100 * 1024) });
});

it.each([
  [['redrive'], 2, /which records\?/],
  [['redrive', 'a', '--queue', 'orders'], 2, /got both/],
  [['redrive', '--status', 'NEW', '--yes'], 2, /expected DEAD/],
  [['redrive', '--queue', 'orders'], 2, /no terminal to ask at/],
  [['snooze', 'other'], 2, /either --delay or --at/],
  [['move', 'other'], 2, /required option/],
  [['pause', 'a b'], 2, /the name of a queue/],
  [['redrive', 'nobody'], 3, /read units?/],
])('%j ends with %i', async (args, expected, message) => {
  const { code, err } = await backlog('', ...args);
  expect(err).toMatch(message);
  expect(code).toBe(expected);
  expect(await table.get('other')).toMatchObject({ status: 'DEAD', rev: 'r' });
});
