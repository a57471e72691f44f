import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { announce } from '../../tools/src/local/discovery.js';
import { type LocalServer, localApp, serveLocally } from '../../tools/src/local/local-server.js';
import { portHolder, runtimeHeader } from '../../tools/src/local/port-holder.js';
import { onPort, onWantedPort } from '../../tools/src/local/ports.js';
import type { TakenPort } from '../../tools/src/local/status/status.js';

const closers: (() => unknown)[] = [];
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-ports-')));
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  vi.unstubAllEnvs();
});

const serve = async (port: number): Promise<LocalServer> => {
  const server = await serveLocally(localApp(), port);
  closers.push(() => server.stop());
  return server;
};
const portOf = ({ url }: LocalServer) => Number(new URL(url).port);
const self = `another dynamo-backlog (process ${process.pid}, ${process.cwd()})`;

/** A server that is not of this package. */
async function foreign(headers: Record<string, string> = {}, answers = true): Promise<number> {
  const server = createServer((_, response) => {
    if (answers) response.writeHead(200, headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('a port without a flag', () => {
  it('is the next one that is free, and it is said which process has the first', async () => {
    const first = portOf(await serve(0));
    const taken: TakenPort[] = [];
    const wanted = {
      given: undefined,
      otherwise: first,
      flag: '--port',
      onTaken: (one: TakenPort) => taken.push(one),
    };
    const second = portOf(await onWantedPort(wanted, serve));
    expect(second).toBeGreaterThan(first);
    expect(taken).toEqual([{ port: first, instead: second, by: self }]);
  });

  it('is another one for each of several that start at the same moment', async () => {
    const first = portOf(await serve(0));
    const wanted = { given: undefined, otherwise: first, flag: '--port', onTaken: () => {} };
    const servers = await Promise.all(Array.from({ length: 5 }, () => onWantedPort(wanted, serve)));
    expect(new Set(servers.map(portOf)).size).toBe(5);
  });

  it('is no reason to try others where something else is wrong', async () => {
    const wanted = { given: undefined, otherwise: 8080, flag: '--port', onTaken: () => {} };
    const start = vi.fn(() => Promise.reject(new Error('no disk')));
    await expect(onWantedPort(wanted, start)).rejects.toThrow('no disk');
    expect(start).toHaveBeenCalledTimes(1);
  });
});

describe('a port of a flag', () => {
  it('is not replaced: the error says what has it, and names the flag', async () => {
    const own = portOf(await serve(0));
    const wanted = { given: own, otherwise: 8080, flag: '--port', onTaken: () => {} };
    await expect(onWantedPort(wanted, serve)).rejects.toThrow(
      `port ${own} is taken by ${self}: choose another with --port (0 for any free one)`,
    );
    const other = await foreign();
    await expect(onPort(other, '--port', serve)).rejects.toThrow(
      `port ${other} is taken by another program: choose another with --port`,
    );
  });
});

describe('what has a port', () => {
  it('is a runtime that is registered, also one that is suspended and does not answer', async () => {
    const port = await foreign({}, false);
    closers.push(
      await announce({
        pid: process.pid,
        cwd: '/path/of/the app',
        startedAt: '2026-01-01T00:00:00.000Z',
        endpoint: `http://127.0.0.1:${port}`,
        statusPage: 'http://127.0.0.1:1/',
        tables: [],
        queues: [],
        clock: { wallStart: 0, start: 0, speed: 1 },
      }),
    );
    expect(await portHolder(port)).toBe(`another dynamo-backlog (process ${process.pid}, /path/of/the app)`);
  });

  it('is asked where it is not registered', async () => {
    const port = await foreign({ 'x-dynamo-backlog': runtimeHeader(42, '/Łódź app') });
    expect(await portHolder(port)).toBe('another dynamo-backlog (process 42, /Łódź app)');
  });

  it.each([[{}], [{ 'x-dynamo-backlog': 'x /' }], [{ 'x-dynamo-backlog': '1 %E0%A4%A' }]])(
    'is another program where it answers %j',
    async (headers) => {
      expect(await portHolder(await foreign(headers as Record<string, string>))).toBe('another program');
    },
  );

  it('is another program where it does not answer', async () => {
    expect(await portHolder(await foreign({}, false))).toBe('another program');
  });
});
