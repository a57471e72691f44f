import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { terminalBar } from '../../../tools/src/cli/progress.js';
import { startGatedDynamoDb } from '../../cli/gated-dynamodb.js';
import { oldTable } from '../../cli/old-table.js';
import { CommandLine, MAIN, until } from '../../cli/process.js';

let dynamodb: Awaited<ReturnType<typeof startGatedDynamoDb>>;
let table: Awaited<ReturnType<typeof oldTable>>;
let control: Awaited<ReturnType<typeof oldTable>>;
let cli: CommandLine;
let folder: string;

beforeAll(async () => {
  dynamodb = await startGatedDynamoDb();
  table = await oldTable(dynamodb.direct, 'Records');
  control = await oldTable(dynamodb.direct, 'Control', { key: 'key', index: false });
  cli = await CommandLine.create();
  folder = await mkdtemp(join(tmpdir(), 'backlog-interrupt-'));
  await table.put(...Array.from({ length: 30 }, (_, i) => dead(`dead-${i}`)));
});
afterEach(() => dynamodb.open());
afterAll(async () => {
  cli.close();
  table.close();
  control.close();
  await dynamodb.stop();
});

const dead = (id: string) => ({
  ...{ id, status: 'DEAD', payload: 'x'.repeat(2_000), queue: 'orders', rev: 'r' },
  ...{ insertedAt: '2026-01-01T00:00:00.000Z', lane: 'orders/dead', dueAt: '2026-01-02T00:00:00.000Z' },
});
const at = () => ['--endpoint', dynamodb.gated, '--table', 'Records'];
const withControl = () => [...at(), '--control-table', 'Control'];
const anyHeld = () => until(() => dynamodb.held() > 0, 120_000);
const says = (command: ReturnType<CommandLine['start']>, text: string) =>
  until(() => command.err().includes(text), 120_000);

describe('Ctrl-C at an import', () => {
  const LINES = 750;
  const line = (i: number) =>
    i % 100 === 7 ? 'no JSON' : JSON.stringify({ id: `line-${i}`, payload: { i, text: 'x'.repeat(200) } });
  const fileFrom = async (first: number) => {
    const file = join(folder, `from-${first}.ndjson`);
    const lines = Array.from({ length: LINES - first + 1 }, (_, i) => line(first + i));
    await writeFile(file, `${lines.join('\n')}\n`);
    return file;
  };
  const imported = async () => (await table.all()).filter(({ id }) => String(id).startsWith('line-')).length;
  const countsOf = (err: string) => {
    const [, inserted, duplicates, bad] = /inserted (\d+), duplicates (\d+), bad lines (\d+)/.exec(err) ?? [];
    return { inserted: Number(inserted), duplicates: Number(duplicates), bad: Number(bad) };
  };

  it('finishes what is under way, says exactly what went in, and where to go on', async () => {
    dynamodb.hold((operation, count) => operation === 'PutItem' && count > 510);
    const first = cli.start('import', await fileFrom(1), ...at());
    await anyHeld();
    first.kill('SIGINT');
    await says(first, 'stopping');
    dynamodb.open();
    expect(await first.ended).toBe(1);
    const before = countsOf(first.err());
    const there = await imported();
    expect(there).toBeLessThan(LINES - 50);
    expect(before).toEqual({ inserted: there, duplicates: 0, bad: expect.any(Number) });

    const [, next] = /interrupted; line (\d+) is the first that was not imported/.exec(first.err()) ?? [];
    expect(before.inserted + before.bad).toBe(Number(next) - 1);
    const rest = await cli.run('import', await fileFrom(Number(next)), ...at());
    expect(rest.code).toBe(3);
    expect(countsOf(rest.err)).toEqual({ inserted: 742 - there, duplicates: 0, bad: 8 - before.bad });
    expect(await imported()).toBe(742);
  });

  it('ends the wait for a stdin that gives nothing', async () => {
    const child = spawn(process.execPath, [MAIN, 'import', '-', ...at()], { stdio: 'pipe' });
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.stdin.write('1\n');
    await until(() => err.includes('importing stdin'), 120_000);
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(err).toMatch(/interrupted; line 1 is the first/);
    expect(err).toMatch(/inserted 0, duplicates 0, bad lines 0/);
  });

  it('ends it between lines that are cut off in a long string, however many are to come', async () => {
    const child = spawn(process.execPath, [MAIN, 'import', '-', ...at()], { stdio: 'pipe' });
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.stdin.on('error', () => {});
    const lines = `{"payload":"${'\\"a\\":'.repeat(100_000)}\n`;
    const feed = () => {
      while (child.stdin.writable && child.stdin.write(lines));
      child.stdin.once('drain', feed);
    };
    feed();
    await until(() => err.includes('importing stdin'), 120_000);
    child.kill('SIGINT');
    const killed = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [code] = await once(child, 'close');
    clearTimeout(killed);
    expect(code).toBe(1);
    expect(err).toMatch(/interrupted; line \d+ is the first that was not imported/);
  });

  it('ends at once at the second', async () => {
    dynamodb.hold((operation) => operation === 'PutItem');
    const command = cli.start('import', await fileFrom(1), ...at());
    await anyHeld();
    command.kill('SIGINT');
    await says(command, 'stopping');
    command.kill('SIGINT');
    expect(await command.ended).toBe(null);
  });
});

describe('Ctrl-C', () => {
  it.each<[string, number, () => string[]]>([
    ['export --all', 1, at],
    ['doctor', 1, withControl],
    ['redrive --queue orders --yes', 1, withControl],
    // The pages at hand were all that there are.
    ['adopt --yes', 0, at],
  ])('ends %s in order with exit code %i, and at once at the second', async (words, expected, target) => {
    const resume = words.startsWith('adopt') ? ['--resume', join(folder, 'adopt.json')] : [];
    dynamodb.hold((operation) => operation === 'Scan' || operation === 'Query');
    const args = [...words.split(' '), ...resume, ...target()];
    const command = cli.start(...args);
    await anyHeld();
    command.kill('SIGINT');
    await says(command, 'stopping');
    dynamodb.open();
    expect(await command.ended).toBe(expected);

    dynamodb.hold((operation) => operation === 'Scan' || operation === 'Query');
    const again = cli.start(...args);
    await anyHeld();
    again.kill('SIGINT');
    await says(again, 'stopping');
    again.kill('SIGINT');
    expect(await again.ended).toBe(null);
  });

  it.each<[string, () => string[]]>([
    ['list', at],
    ['stats', withControl],
    ['show dead-1', at],
  ])('ends %s at once: nothing is left half-way', async (words, target) => {
    dynamodb.hold(() => true);
    const command = cli.start(...words.split(' '), ...target());
    await anyHeld();
    command.kill('SIGINT');
    expect(await command.ended).toBe(null);
  });

  it('is not kept from a process by the bar of a terminal', () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { isTTY } = process.stderr;
    const before = process.listenerCount('SIGINT');
    try {
      process.stderr.isTTY = true;
      const bar = terminalBar('{bar}');
      bar?.start(10, 0);
      bar?.update(5);
      expect(written).toHaveBeenCalled();
      expect(process.listenerCount('SIGINT')).toBe(before);
      // Nothing that would stay in the terminal when the process ends here.
      expect(written.mock.calls.join('')).not.toMatch(/\[\?(25|7)l/);
      bar?.stop();
    } finally {
      process.stderr.isTTY = isTTY;
      written.mockRestore();
    }
  });
});

describe('a reader that goes away', () => {
  it.each([
    ['list --json', [0]],
    ['export --all', [0]],
    ['doctor --json', [0, 3]],
  ])('ends %s without an error', async (words, codes) => {
    const target = words.startsWith('doctor') ? withControl() : at();
    const child = spawn(process.execPath, [MAIN, ...words.split(' '), ...target], { stdio: 'pipe' });
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect(codes).toContain(code);
    expect(err).not.toMatch(/EPIPE|at .*\.js:/);
  });
});
