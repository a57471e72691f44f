import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClockSetting } from '../../../src/clock.js';
import { FunctionHost } from '../../../src/tools/local/function-host.js';
import { FunctionLogs } from '../../../src/tools/local/sandbox/function-logs.js';
import type { Invocation } from '../../../src/tools/local/sandbox/sandbox.js';
import type { LocalFunction } from '../../../src/tools/local/template/local-app.js';

/** Says its clock at its start, and again once it is another one. */
const HANDLER = `
export const handler = async (event) => {
  const before = JSON.parse(process.env.BACKLOG_CLOCK);
  if (event.say) console.log(event.say);
  if (event.fail) throw new TypeError(event.fail);
  if (event.stay) {
    console.log('at work');
    while (JSON.parse(process.env.BACKLOG_CLOCK).paused !== true) await new Promise((next) => setImmediate(next));
  }
  if (event.loop) { console.log('at work'); for (;;); }
  return { pid: process.pid, before, after: JSON.parse(process.env.BACKLOG_CLOCK) };
};`;

const hosts: FunctionHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close(0)));
});

const running: ClockSetting = { wallStart: 1, start: 2, speed: 60 };
const paused: ClockSetting = { wallStart: 3, start: 4, speed: 60, paused: true };

async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-host-'));
  await writeFile(join(folder, 'index.mjs'), HANDLER);
  const lambda: LocalFunction = {
    name: 'Worker',
    handler: 'index.handler',
    folder,
    timeoutSeconds: 60,
    memoryMb: 64,
    environment: {},
    failureQueue: undefined,
  };
  const logs = new FunctionLogs(join(folder, 'logs'), () => {});
  const write = vi.spyOn(logs, 'write');
  const host = new FunctionHost({
    functions: [lambda],
    endpoint: 'http://127.0.0.1:1',
    services: { url: 'http://127.0.0.1:1', secretsUrl: 'http://127.0.0.1:1' },
    region: 'us-east-1',
    clock: running,
    logs,
  });
  hosts.push(host);
  const isAtWork = () =>
    vi.waitFor(() => expect(write.mock.calls.map(([, line]) => line)).toContain('at work'), {
      timeout: 60_000,
    });
  return { host, isAtWork };
}

describe('what a function writes', () => {
  it('is with the invocation that it wrote it in', async () => {
    const { host } = await world();
    const textsOf = async (event: object) => {
      const { log, ...ended } = (await host.invoke('Worker', event)) as Invocation;
      await vi.waitFor(() => expect(log?.lines.length).toBeGreaterThan(0), { timeout: 60_000 });
      return [log?.lines.map(({ text, stream }) => `${stream}: ${text}`), ended] as const;
    };
    expect((await textsOf({ say: 'first' }))[0]).toEqual(['stdout: first']);
    expect((await textsOf({ say: 'second' }))[0]).toEqual(['stdout: second']);
    const [lines, ended] = await textsOf({ say: 'third', fail: 'no config' });
    expect(lines).toEqual(['stdout: third']);
    expect(ended).toMatchObject({ type: 'error', name: 'TypeError', message: 'no config' });
    expect(ended).toHaveProperty('stack', expect.stringMatching(/at .*index\.mjs:\d+/));
  });
});

describe('a function', () => {
  it('follows a change of the clock during an invocation, and at the next one', async () => {
    const { host, isAtWork } = await world();
    const first = host.invoke('Worker', { stay: true });
    await isAtWork();
    await host.setClock(paused);
    const result = await first;
    expect(result).toMatchObject({ type: 'result', value: { before: running, after: paused } });
    const { pid } = (result as { value: { pid: number } }).value;
    void host.setClock(running);
    expect(await host.invoke('Worker', {})).toMatchObject({ value: { pid, before: running } });
  });

  it('that starts after a change has the clock from its start', async () => {
    const { host } = await world();
    await host.setClock(paused);
    expect(await host.invoke('Worker', {})).toMatchObject({ value: { before: paused } });
  });

  it('in an endless loop is not waited for', async () => {
    const { host, isAtWork } = await world();
    void host.invoke('Worker', { loop: true });
    await isAtWork();
    const startedAt = performance.now();
    await host.setClock(paused);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    host.kill();
  });
});
