import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIN, until } from '../../cli/process.js';
import { VirtualTerminal } from '../../cli/virtual-terminal.js';

const WAIT_MS = 120_000;
const SIZE = { columns: 100, rows: 32 };

let env: NodeJS.ProcessEnv;
let folder: string;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlog-terminal-'));
  env = { ...process.env, TERM: 'xterm', BACKLOG_RUNTIME_DIR: join(folder, 'runtimes') };
});
afterEach(() => {
  // Groups of their own: what a shell has started ends with it.
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  children.clear();
});

function run(command: string, args: readonly string[], cwd = folder) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  children.add(child);
  const texts = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => {
    texts.out += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    texts.err += data;
  });
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  return { child, texts, ended };
}

const backlog = async (cwd: string, ...args: string[]) => {
  const { texts, ended } = run(process.execPath, [MAIN, ...args], cwd);
  return { code: await ended, ...texts };
};

/** `backlog start` on a terminal, with the state of the terminal written before and after it. */
function onTerminal(...flags: string[]) {
  const terminal = new VirtualTerminal(SIZE.columns, SIZE.rows);
  const start = [process.execPath, MAIN, 'start', ...flags].map((word) => `'${word}'`).join(' ');
  const script = `stty cols ${SIZE.columns} rows ${SIZE.rows}; stty -a > before; ${start}; echo $? > code; stty -a > after`;
  const { child, texts, ended } = run('script', ['-qec', script, '/dev/null']);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void terminal.write(text));
  const shows = (pattern: RegExp) =>
    until(() => pattern.test(terminal.text), WAIT_MS).catch((error) => {
      throw new Error(`${(error as Error).message}: ${pattern}\n${terminal.text}`);
    });
  const left = async () => {
    await ended;
    const [code, before, after] = await Promise.all(
      ['code', 'before', 'after'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    return { code: code?.trim(), before, after };
  };
  return { child, terminal, texts, shows, left, press: (key: string) => child.stdin?.write(key) };
}

describe.skipIf(process.platform !== 'linux')('backlog start on a terminal', () => {
  it('ends in order when its terminal is closed', async () => {
    const { child, shows } = onTerminal('--port', '0', '--dynamodb-port', '0', '--no-sample');
    await shows(/QUEUE/);
    const registered = () => readdir(join(folder, 'runtimes')).catch(() => []);
    await until(async () => (await registered()).length > 0, WAIT_MS);
    child.kill('SIGKILL');
    // Its registration goes with the last of what it closes; after a crash it stays.
    await until(async () => (await registered()).length === 0, WAIT_MS);
  });

  it('does what its keys say, and leaves the terminal as it was', async () => {
    // In real time no rule fires by itself meanwhile.
    const { terminal, shows, press, left } = onTerminal(
      '--port',
      '0',
      '--dynamodb-port',
      '0',
      '--speed',
      '1',
    );
    await shows(/^dynamo-backlog +starting/m);
    await shows(/^default +fibonacci/m);
    press('o');
    await shows(/^ERP +DOWN \(503\) until o brings it up/m);
    expect(terminal.text).toContain('› the ERP is down, until o brings it up');
    // An order that comes meanwhile fails.
    await shows(/^default +fibonacci +\d+ +[1-9]/m);
    press('p');
    await shows(/› clock paused/);
    expect(terminal.lines[0]).toMatch(/paused$/);
    press('t');
    await shows(/› next tick, \d\d:\d\d:\d\d: fired .*: (attempted|nothing)/);
    press('o');
    await shows(/^ERP +up; took/m);
    press('r');
    await shows(/› ran \d+ rules: (attempted \d+|nothing was due)/);
    // Neither of these is a key.
    press('pasted q');
    press('\u001b[A');
    press('p');
    // A key that is read together with them belongs to them, so the next one comes when they have been read.
    const goesOn = /› the clock goes on/;
    const pause = async (tries: number): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      press('p');
      const isRead = until(() => goesOn.test(terminal.text), 10_000);
      await (tries > 1 ? isRead.catch(() => pause(tries - 1)) : isRead);
    };
    await pause(5);
    press('q');
    const { code, before, after } = await left();
    expect(code).toBe('0');
    expect(after).toBe(before);
    expect(before).toContain('icanon');
    expect([terminal.hasCursor, terminal.marksPastes]).toEqual([true, false]);
    expect(terminal.text).toMatch(/^\d+ runs.*; attempted \d+/m);
  });

  it('leaves the terminal as it was when it is interrupted during its start', async () => {
    // A synthesis that the key always comes in time for.
    const app = ['--app', 'sleep 600'];
    const { terminal, shows, press, left } = onTerminal('--port', '0', '--dynamodb-port', '0', ...app);
    await shows(/synthesizing the CDK app/);
    press('\u0003');
    const { code, before, after } = await left();
    expect(code).toBe('0');
    expect(after).toBe(before);
    expect([terminal.hasCursor, terminal.marksPastes]).toEqual([true, false]);
    // The picture of a start that did not come to its end is taken away.
    expect(terminal.text).not.toContain('dynamo-backlog');
  });
});

describe('two runtimes', () => {
  it('start at the same moment without flags of ports, and commands find the one of their folder', async () => {
    const folders = await Promise.all(['a', 'b'].map((name) => mkdtemp(join(folder, `${name}-`))));
    const runtimes = folders.map((cwd) => run(process.execPath, [MAIN, 'start', '--no-sample'], cwd));
    const portsOf = ({ texts }: (typeof runtimes)[number]) =>
      [...texts.out.matchAll(/^(?:DynamoDB|Console) +http:\/\/127\.0\.0\.1:(\d+)/gm)].map(([, port]) => port);
    await until(() => runtimes.every((runtime) => portsOf(runtime).length === 2), WAIT_MS);
    expect(new Set(runtimes.flatMap(portsOf)).size).toBe(4);
    const reported = runtimes.map(({ texts }) => texts.out).join('');
    expect(reported).toMatch(/port 8000 is held by another dynamo-backlog \(process \d+, .*\/[ab]-/);
    for (const [i, cwd] of folders.entries()) {
      await writeFile(join(cwd, 'one.ndjson'), `{"id": "record-${i}", "payload": 1}`);
      expect((await backlog(cwd, 'import', 'one.ndjson')).code).toBe(0);
    }
    for (const [i, cwd] of folders.entries()) {
      const { out } = await backlog(cwd, 'list', '--json');
      expect(JSON.parse(out)).toMatchObject([{ id: `record-${i}` }]);
    }
    const elsewhere = await backlog(tmpdir(), 'list');
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.err).toMatch(
      /several local runtimes are running: say which with --endpoint and --table/,
    );
    for (const { child } of runtimes) child.kill('SIGTERM');
    expect(await Promise.all(runtimes.map(({ ended }) => ended))).toEqual([0, 0]);
  });
});
