import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forEachLine, Sandbox } from '../../../tools/src/local/sandbox/sandbox.js';
import type { LocalFunction } from '../../../tools/src/local/template/local-app.js';

const HANDLER = `
let calls = 0;
export const handler = async (event, context) => {
  calls += 1;
  if (event.exit !== undefined) process.exit(event.exit);
  if (event.crash) setTimeout(() => { throw new Error('from a timer') }, 1);
  if (event.eat) { const pile = []; for (;;) pile.push(new Array(1e5).fill(pile.length)); }
  if (event.fail) throw new RangeError(event.fail);
  if (event.log) console.log(event.log);
  if (event.complain) console.error(event.complain);
  if (event.hang || event.crash) await new Promise(() => { setInterval(() => {}, 1000) });
  return { calls, pid: process.pid, remaining: context.getRemainingTimeInMillis(), name: context.functionName, id: context.awsRequestId, env: process.env, argv: process.execArgv };
};`;

const open: Sandbox[] = [];
const lines: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
  lines.length = 0;
});

async function sandbox(changes: Partial<LocalFunction> = {}, code = HANDLER): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-sandbox-'));
  await writeFile(join(folder, 'index.mjs'), code);
  const made = new Sandbox({
    function: {
      name: 'Worker',
      handler: 'index.handler',
      folder,
      timeoutSeconds: 30,
      memoryMb: 64,
      environment: { OWN: 'yes' },
      failureQueue: undefined,
      ...changes,
    },
    environment: { AWS_REGION: 'us-east-1' },
    onLine: (line, stream) => lines.push(`${stream} ${line}`),
  });
  open.push(made);
  return made;
}

describe('a sandbox', () => {
  it('calls the handler with the event, a context, and the variables of its function', async () => {
    vi.stubEnv('SECRET_OF_THE_SHELL', 'x');
    const result = await (await sandbox()).invoke({});
    vi.unstubAllEnvs();
    expect(result).toMatchObject({ type: 'result', value: { name: 'Worker', calls: 1 } });
    const { env, remaining, id } = (result as { value: Record<string, unknown> }).value;
    expect(env).toMatchObject({ OWN: 'yes', AWS_REGION: 'us-east-1', AWS_LAMBDA_FUNCTION_NAME: 'Worker' });
    expect(env).not.toHaveProperty('SECRET_OF_THE_SHELL');
    expect(remaining).toBeGreaterThan(20_000);
    expect(remaining).toBeLessThanOrEqual(30_000);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is used again', async () => {
    const used = await sandbox();
    await used.invoke({});
    expect(await used.invoke({})).toMatchObject({ value: { calls: 2 } });
  });

  it('reports what the handler throws, and goes on', async () => {
    const used = await sandbox();
    expect(await used.invoke({ fail: 'no' })).toMatchObject({
      type: 'error',
      name: 'RangeError',
      message: 'no',
      stack: expect.stringMatching(/^RangeError: no\n +at /),
    });
    expect(await used.invoke({})).toMatchObject({ type: 'result' });
  });

  it.each([
    [{ exit: 0 }, /^Runtime exited with exit status 0$/],
    [{ exit: 7 }, /^Runtime exited with exit status 7$/],
    [{ crash: true }, /^Runtime exited with exit status 1$/],
  ])('whose handler ends the process by %j ends with that invocation', async (event, message) => {
    const used = await sandbox();
    expect(await used.invoke(event)).toMatchObject({
      type: 'exited',
      message: expect.stringMatching(message),
    });
    expect(used.alive).toBe(false);
  });

  it('that runs out of memory ends, by the memory of its function', async () => {
    const result = await (await sandbox()).invoke({ eat: true });
    expect(result).toMatchObject({ type: 'exited', message: expect.stringMatching(/^Runtime exited with/) });
  });

  it("is killed when its function's timeout is over", async () => {
    const used = await sandbox({ timeoutSeconds: 1 });
    expect(await used.invoke({ hang: true })).toMatchObject({
      type: 'timedOut',
      message: 'Task timed out after 1 seconds',
    });
    expect(used.alive).toBe(false);
  });

  it('hands on what the handler writes, line by line', async () => {
    const used = await sandbox();
    await used.invoke({ log: 'one\ntwo', complain: 'three' });
    await vi.waitFor(() => expect(lines).toHaveLength(3), { timeout: 120_000 });
    expect(lines.sort()).toEqual(['stderr three', 'stdout one', 'stdout two']);
  });

  it.each([
    [{ handler: 'index.nothing' }, HANDLER, /index\.nothing is undefined or not exported/],
    [{ handler: 'missing.handler' }, HANDLER, /Cannot find module 'missing'/],
    [{}, 'throw new Error("at load")', /at load/],
  ])('whose handler cannot be loaded says so: %j', async (changes, code, message) => {
    const result = await (await sandbox(changes, code)).invoke({});
    expect(result).toMatchObject({ type: 'error', message: expect.stringMatching(message) });
  });

  it('keeps no event that it has answered, however long it lives', async () => {
    const used = await sandbox();
    for (let i = 0; i < 5; i++) await used.invoke({ large: 'x' });
    expect(used.remembered).toBe(0);
    const running = [used.invoke({}), used.invoke({})];
    expect(used.remembered).toBeGreaterThan(0);
    await Promise.all(running);
    expect(used.remembered).toBe(0);
    const exits = used.invoke({ exit: 3 });
    expect(await exits).toMatchObject({ type: 'exited', message: 'Runtime exited with exit status 3' });
    expect(await used.invoke({})).toMatchObject({
      type: 'exited',
      message: 'Runtime exited with exit status 3',
    });
    expect(used.remembered).toBe(0);
  });

  it('leaves out what is behind 256 KB of a line, and joins it without reading it again and again', () => {
    const stream = new PassThrough();
    const read: string[] = [];
    forEachLine(stream, (line) => read.push(line));
    for (let i = 0; i < 100; i++) stream.write('x'.repeat(10_000));
    stream.write('\nnext\n\nlast');
    stream.end();
    return vi.waitFor(() => expect(read.map(({ length }) => length)).toEqual([262_144, 4, 0, 4]), {
      timeout: 120_000,
    });
  });

  it('ends by itself when its parent is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-sandbox-'));
    await writeFile(
      join(folder, 'index.mjs'),
      'export const handler = () => { console.log(process.pid); return new Promise(() => { setInterval(() => {}, 1000) }) };',
    );
    const parentFile = join(folder, 'parent.mts');
    await writeFile(
      parentFile,
      `import { Sandbox } from ${JSON.stringify(import.meta.resolve('../../../tools/src/local/sandbox/sandbox.ts'))};
       const sandbox = new Sandbox({
         function: { name: 'W', handler: 'index.handler', folder: ${JSON.stringify(folder)}, timeoutSeconds: 60, memoryMb: 128, environment: {} },
         environment: {},
         onLine: (line) => console.log(line),
       });
       void sandbox.invoke({});`,
    );
    const parent = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), parentFile]);
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (data: Buffer) => resolve(Number(String(data).trim())));
    });
    expect(pid).toBeGreaterThan(0);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 120_000 });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
