import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClockSetting } from '../../../src/support/clock.js';
import type { Debugging } from '../../../tools/src/local/debugging.js';
import { FunctionHost } from '../../../tools/src/local/function-host.js';
import { FunctionLogs } from '../../../tools/src/local/sandbox/function-logs.js';
import type { Invocation } from '../../../tools/src/local/sandbox/sandbox.js';
import type { LocalFunction } from '../../../tools/src/local/template/local-app.js';

/** Says its clock at its start, and again once it is another one. */
const HANDLER = `
import { url } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';
export const handler = async (event) => {
  if (event.sleep) await sleep(event.sleep);
  if (event.debugged) {
    while (event.debugged === 'port' && !url()) await sleep(50);
    const { NODE_OPTIONS, VSCODE_INSPECTOR_OPTIONS } = process.env;
    return { url: url(), attached: globalThis.attached, NODE_OPTIONS, VSCODE_INSPECTOR_OPTIONS };
  }
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

async function world(debugging?: Omit<Debugging, 'follow'>, changes: Partial<LocalFunction> = {}) {
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
    ...changes,
  };
  const logs = new FunctionLogs(join(folder, 'logs'), () => {});
  const write = vi.spyOn(logs, 'write');
  const host = new FunctionHost({
    functions: [lambda],
    endpoint: 'http://127.0.0.1:1',
    services: { url: 'http://127.0.0.1:1', secretsUrl: 'http://127.0.0.1:1' },
    region: 'us-east-1',
    sdkFolder: folder,
    clock: running,
    logs,
    debugging,
  });
  hosts.push(host);
  const says = (text: string) =>
    vi.waitFor(() => expect(write.mock.calls.map(([, line]) => line).join('\n')).toContain(text), {
      timeout: 120_000,
    });
  return { host, says, isAtWork: () => says('at work') };
}

describe('what a function writes', () => {
  it('is with the invocation that it wrote it in', async () => {
    const { host } = await world();
    const textsOf = async (event: object) => {
      const { log, ...ended } = (await host.invoke('Worker', event)) as Invocation;
      await vi.waitFor(() => expect(log?.lines.length).toBeGreaterThan(0), { timeout: 120_000 });
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

describe('a function that is debugged', () => {
  it('has a debugger at its port, also where that is free a moment later only, and no timeout', async () => {
    const previous = createServer().listen(0, '127.0.0.1');
    await once(previous, 'listening');
    const { port } = previous.address() as { port: number };
    const addresses = [{ functionName: 'Worker', port }];
    const debugging = { addresses, environment: {}, isDebugged: () => true };
    const { host, says } = await world(debugging, { timeoutSeconds: 1 });
    const late = host.invoke('Worker', { debugged: 'port', sleep: 1_500 });
    await says('address already in use');
    previous.close();
    const { value } = (await late) as { value: { url: string } };
    expect(value.url).toMatch(new RegExp(`^ws://127\\.0\\.0\\.1:${port}/`));
  });

  it('has what VS Code needs to attach itself beside its own variables', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlog-bootloader-'));
    const bootloader = join(folder, 'bootloader.cjs');
    await writeFile(bootloader, 'globalThis.attached = true;');
    const environment = { NODE_OPTIONS: ` --require ${bootloader} `, VSCODE_INSPECTOR_OPTIONS: ':::{}' };
    const debugging = { addresses: [], environment, isDebugged: () => true };
    const { host } = await world(debugging, { environment: { NODE_OPTIONS: '--no-deprecation' } });
    expect(await host.invoke('Worker', { debugged: true })).toMatchObject({
      value: {
        attached: true,
        NODE_OPTIONS: ` --require ${bootloader}  --no-deprecation`,
        VSCODE_INSPECTOR_OPTIONS: ':::{}',
      },
    });
  });
});
