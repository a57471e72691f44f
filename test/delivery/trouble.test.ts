import { getEventListeners, once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { networkError } from '../../src/delivery/errors.js';
import { deliverByHttp } from '../../src/delivery/index.js';
import { attempt, eventually, listen } from './support.js';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('a network that fails', () => {
  it('a refused connection is a failure that says so, and shows no path', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    const ending = await attempt(deliverByHttp({ url: `http://127.0.0.1:${port}/secret?token=secret` }));
    expect(ending).toMatchObject({
      error: {
        name: 'NetworkError',
        code: 'ECONNREFUSED',
        message: `no answer from http://127.0.0.1:${port}: connection refused (ECONNREFUSED)`,
      },
    });
  });

  it('a host that does not exist is a failure', async () => {
    const ending = await attempt(deliverByHttp({ url: 'https://erp.invalid/secret' }));
    expect(ending).toMatchObject({
      error: { name: 'NetworkError', code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) },
    });
    expect(JSON.stringify(ending)).not.toContain('secret');
  });

  it('a certificate that no authority has signed is a failure, and nothing is sent', async () => {
    let requests = 0;
    const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_request, response) => {
      requests++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ending = await attempt(deliverByHttp({ url: `https://127.0.0.1:${port}/` }));
    server.close();
    expect(ending).toMatchObject({
      error: { name: 'NetworkError', message: expect.stringMatching(/: self-signed certificate \(\w+\)$/) },
    });
    expect(requests).toBe(0);
  });

  it('a server without TLS is a failure that says so', async () => {
    await using server = await listen((_request, response) => response.end());
    const ending = await attempt(deliverByHttp({ url: server.origin.replace('http:', 'https:') }));
    expect(ending).toMatchObject({ error: { name: 'NetworkError', code: 'EPROTO' } });
    expect(server.received).toHaveLength(0);
  });

  it('a connection that breaks before the answer is a failure', async () => {
    await using server = await listen((_request, response) => response.socket?.resetAndDestroy());
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({ error: { name: 'NetworkError' } });
    expect(String(ending.ok || ending.error.message)).toMatch(
      /connection (reset|closed before the answer) \(\w+\)$/,
    );
  });

  it('an answer that is no HTTP is a failure, and is not quoted', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('SSH-2.0-secret\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ending = await attempt(deliverByHttp({ url: `http://127.0.0.1:${port}/` }));
    server.close();
    expect(ending).toMatchObject({
      error: { name: 'NetworkError', message: expect.stringContaining(': the answer is no HTTP (HPE_') },
    });
    expect(String(ending.ok || ending.error.message)).not.toContain('secret');
  });
});

describe('an error of the network', () => {
  const refused = Object.assign(new Error('secret'), { code: 'ECONNREFUSED' });
  it.each([
    ['of the addresses of a name', new AggregateError([refused, new Error('secret')], 'secret')],
    ['that is the cause of another one', new Error('secret', { cause: refused })],
    [
      'that is the cause of one with a code',
      Object.assign(new Error('secret', { cause: refused }), { code: 'X' }),
    ],
  ])('%s is named by its code', (_, error) => {
    const { message, code } = networkError(error, 'https://erp.example.com');
    expect(code).toBe('ECONNREFUSED');
    expect(message).toBe('no answer from https://erp.example.com: connection refused (ECONNREFUSED)');
  });
});

describe('time', () => {
  it('the attempt that is aborted closes its connection at once', async () => {
    const controller = new AbortController();
    await using server = await listen(() => controller.abort(new Error('time is up')));
    const ending = await attempt(deliverByHttp({ url: server.url }), {}, { signal: controller.signal });
    expect(ending).toMatchObject({ error: { message: 'time is up' } });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
  });

  it('the attempt that is aborted ends its request, whatever time the request has', async () => {
    const controller = new AbortController();
    await using server = await listen(() => controller.abort(new Error('time is up')));
    const deliver = deliverByHttp({ url: server.url, requestTimeout: 900 });
    const ending = await attempt(deliver, {}, { signal: controller.signal });
    expect(ending).toMatchObject({ error: { message: 'time is up' } });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
  });

  it.each([
    [100_000, 'is left, and its connection closed', 2],
    [300_000, 'is read to its end, and its connection used again', 1],
  ])('a body of 200,000 bytes, where %i may be read, %s', async (maxResponseBytes, _, connections) => {
    const sockets = new Set<unknown>();
    await using server = await listen((_request, response, { socket }) => {
      sockets.add(socket);
      response.end(Buffer.alloc(200_000, 'x'));
    });
    const deliver = deliverByHttp({ url: server.url, maxResponseBytes });
    for (const __ of [1, 2]) expect(await attempt(deliver)).toEqual({ ok: true });
    expect(sockets.size).toBe(connections);
  });

  it('headers that do not come in time are a failure', async () => {
    await using server = await listen(() => {});
    const ending = await attempt(deliverByHttp({ url: server.url, requestTimeout: 0.1 }));
    expect(ending).toMatchObject({
      error: { name: 'NetworkError', message: `no answer from ${server.origin} within 0.1 s` },
    });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
  });

  it('a body that never ends is left, when the attempt is aborted, with what its status said', async () => {
    const controller = new AbortController();
    await using server = await listen((_request, response) => {
      response.writeHead(422).write('first words');
      // Long enough for the first words to arrive on a busy machine; the delivery itself gives up after two seconds.
      setTimeout(() => controller.abort(), 500);
    });
    const ending = await attempt(deliverByHttp({ url: server.url }), {}, { signal: controller.signal });
    expect(ending).toMatchObject({ error: { name: 'Dead', message: 'HTTP 422: first words' } });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
  });

  it.each([200, 500])(
    'a body that drips for ever after %i is left after two seconds',
    async (status) => {
      await using server = await listen((_request, response) => {
        response.writeHead(status);
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(drip));
      });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let ended = false;
      const ending = attempt(deliverByHttp({ url: server.url })).finally(() => {
        ended = true;
      });
      while (vi.getTimerCount() === 0) await turn();
      vi.advanceTimersByTime(1999);
      for (let i = 0; i < 20; i++) await turn();
      expect(ended).toBe(false);
      vi.advanceTimersByTime(1);
      expect((await ending).ok).toBe(status === 200);
      vi.useRealTimers();
      await eventually(() => server.sockets.size === 0, 'the connection is closed');
    },
    20_000,
  );
});

describe('an attempt that has ended', () => {
  it.each([200, 500])('with %i leaves no timer, and no listener at its signal', async (status) => {
    await using server = await listen((_request, response) => response.writeHead(status).end('text'));
    const { signal } = new AbortController();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await attempt(deliverByHttp({ url: server.url }), {}, { signal });
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await eventually(() => getEventListeners(signal, 'abort').length === 0, 'all listeners are removed');
  });
});

describe('size', () => {
  it('an answer without end is cut off, and its connection closed', async () => {
    let sent = 0;
    await using server = await listen((_request, response) => {
      response.writeHead(400);
      const chunk = Buffer.alloc(65_536, 'x');
      const flood = () => {
        if (response.destroyed) return;
        sent += chunk.length;
        response.write(chunk, flood);
      };
      flood();
    });
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({ error: { name: 'Dead', message: `HTTP 400: ${'x'.repeat(200)}` } });
    await eventually(() => server.sockets.size === 0, 'the connection is closed');
    // What the kernel's buffers hold was sent, but never read.
    expect(sent).toBeLessThan(50_000_000);
  });

  it('a body that breaks off after a success is a success still', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('part', () => response.socket?.resetAndDestroy());
    });
    expect(await attempt(deliverByHttp({ url: server.url }))).toEqual({ ok: true });
  });

  it('headers without end are a failure', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end();
    });
    expect(await attempt(deliverByHttp({ url: server.url }))).toMatchObject({
      error: { name: 'NetworkError', code: 'HPE_HEADER_OVERFLOW' },
    });
  });
});
