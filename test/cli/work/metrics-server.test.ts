import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serverAt } from '../../../tools/src/cli/work/server-at.js';
import { serveMetrics } from '../../../tools/src/work/metrics-server.js';

const LOCAL = { host: '127.0.0.1', port: 0 };
const values = [{ table: 'T', queue: 'orders', values: { waiting: 1 } }];

describe('the metrics endpoint', () => {
  it('answers one path, for reading', async () => {
    const server = await serveMetrics(LOCAL, () => ({ read: async () => values }));
    try {
      const answer = await fetch(`${server.url}/metrics?x=1`);
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('backlog_records_waiting{table="T",queue="orders"} 1\n'),
      ]);
      expect((await fetch(`${server.url}/`)).status).toBe(404);
      expect((await fetch(`${server.url}/metrics`, { method: 'POST' })).status).toBe(405);
    } finally {
      await server.stop();
    }
  });

  it('has no sample while the worker starts, nor while no queue can be read', async () => {
    const readers = [
      undefined,
      {
        read: async () => {
          throw new Error('arn:aws:dynamodb:eu-central-1:111111111111:table/T');
        },
      },
    ];
    for (const reader of readers) {
      const server = await serveMetrics(LOCAL, () => reader);
      try {
        const answer = await fetch(`${server.url}/metrics`);
        const text = await answer.text();
        expect(answer.status).toBe(503);
        expect(text).not.toMatch(/backlog_|arn:/);
      } finally {
        await server.stop();
      }
    }
  });
});

describe('the address of a server', () => {
  const start = (at: typeof LOCAL) => serveMetrics(at, () => undefined);

  it('is off without a port, and this machine alone without a host', async () => {
    expect(await serverAt({ flag: '--metrics', port: undefined, host: '0.0.0.0' }, start)).toBeUndefined();
    const server = await serverAt({ flag: '--metrics', port: 0, host: undefined }, start);
    expect(server?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await server?.stop();
  });

  it('that is taken, or of another machine, is an error that names the flag', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(serverAt({ flag: '--metrics', port, host: undefined }, start)).rejects.toThrow(
      'choose another with --metrics-port',
    );
    other.close();
    await expect(serverAt({ flag: '--metrics', port: 0, host: '192.0.2.1' }, start)).rejects.toThrow(
      '--metrics-host: expected an address of this machine, got 192.0.2.1',
    );
  });
});
