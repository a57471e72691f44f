import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliverByHttp } from '../../src/delivery/index.js';
import { attempt, eventually, listen } from './support.js';

afterEach(() => {
  vi.useRealTimers();
});

/** Delivers records, as many at once as a run does. */
async function deliverAll(deliver: ReturnType<typeof deliverByHttp>, count: number, concurrency: number) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const id = `record-${next++}`;
      expect(await attempt(deliver, { id })).toEqual({ ok: true });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

describe('connections', () => {
  it('are as many as attempts at once: 100 deliveries, ten at a time, use ten at most', async () => {
    const ports = new Set<number | undefined>();
    await using server = await listen((_request, response, raw) => {
      ports.add(raw.socket.remotePort);
      setTimeout(() => response.end('x'.repeat(10_000)), 5);
    });
    await deliverAll(deliverByHttp({ url: server.url }), 100, 10);
    expect(server.received).toHaveLength(100);
    expect(ports.size).toBeLessThanOrEqual(10);
    expect(server.sockets.size).toBeLessThanOrEqual(10);
  });

  it('are used again after failures, too: one after the other needs one', async () => {
    const ports = new Set<number | undefined>();
    await using server = await listen((_request, response, raw) => {
      ports.add(raw.socket.remotePort);
      response.writeHead(500).end('x'.repeat(10_000));
    });
    const deliver = deliverByHttp({ url: server.url });
    for (let i = 0; i < 20; i++) await attempt(deliver);
    expect(ports.size).toBe(1);
  });

  it('that the destination closed while they were idle are no failure', async () => {
    await using server = await listen((_request, response) => response.end());
    const deliver = deliverByHttp({ url: server.url });
    await deliverAll(deliver, 10, 10);
    for (const socket of server.sockets) socket.destroy();
    await deliverAll(deliver, 20, 10);
    expect(server.received).toHaveLength(30);
  });

  it('that break as they are used again are opened again, and the request is repeated with its key', async () => {
    const keys: (string | undefined)[] = [];
    const server = await rawServer((request, socket, ofConnection) => {
      keys.push(/idempotency-key: (\S+)/i.exec(request)?.[1]);
      // Every connection serves one request, and breaks at the second: what a frozen sandbox meets when it goes on.
      if (ofConnection === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.resetAndDestroy();
    });
    const deliver = deliverByHttp({ url: server.url });
    for (const id of ['a', 'b', 'c']) expect(await attempt(deliver, { id })).toEqual({ ok: true });
    expect(keys).toEqual(['a', 'b', 'b', 'c']);
    server.close();
  });

  it('that break at once are a failure, after one request', async () => {
    let requests = 0;
    const server = await rawServer((_request, socket) => {
      requests++;
      socket.resetAndDestroy();
    });
    expect(await attempt(deliverByHttp({ url: server.url }))).toMatchObject({
      error: { code: 'ECONNRESET' },
    });
    expect(requests).toBe(1);
    server.close();
  });

  it('that break again as the request is repeated are a failure: two requests at most', async () => {
    let requests = 0;
    const server = await rawServer((_request, socket) => {
      if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.resetAndDestroy();
    });
    const deliver = deliverByHttp({ url: server.url });
    expect(await attempt(deliver)).toEqual({ ok: true });
    expect(await attempt(deliver)).toMatchObject({ error: { name: 'NetworkError', code: 'ECONNRESET' } });
    expect(requests).toBe(3);
    server.close();
  });

  it('that break while the destination works on the request are a failure, and it gets no second one beside it', async () => {
    let requests = 0;
    const server = await rawServer((_request, socket) => {
      if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else {
        vi.advanceTimersByTime(2_000);
        socket.resetAndDestroy();
      }
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    const deliver = deliverByHttp({ url: server.url });
    expect(await attempt(deliver)).toEqual({ ok: true });
    expect(await attempt(deliver)).toMatchObject({ error: { name: 'NetworkError', code: 'ECONNRESET' } });
    expect(requests).toBe(2);
    server.close();
  });

  it('that the destination turns into those of another protocol end with its answer', async () => {
    const server = await rawServer((_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    });
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({ error: { name: 'HttpError', status: 101 } });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
    server.close();
  });

  it('that break when the attempt is aborted are not opened again', async () => {
    const controller = new AbortController();
    let requests = 0;
    const server = await rawServer((_request, socket) => {
      if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else controller.abort(new Error('time is up'));
    });
    const deliver = deliverByHttp({ url: server.url });
    await attempt(deliver);
    const ending = await attempt(deliver, {}, { signal: controller.signal });
    expect(ending).toMatchObject({ error: { message: 'time is up' } });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
    expect(requests).toBe(2);
    server.close();
  });
});

/** Answers bytes by bytes, as an HTTP server would not. */
async function rawServer(answer: (request: string, socket: Socket, ofConnection: number) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let served = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      const request = String(data);
      if (request.startsWith('POST')) answer(request, socket, ++served);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sockets,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
