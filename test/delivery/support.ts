import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type BacklogRecord, parseRecord } from '../../src/record/index.js';
import type { AttemptContext, Process } from '../../src/worker/index.js';

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly received: Received[];
  /** Open connections that carried a request. (After an abort, Node's fetch opens one more for the next.) */
  readonly sockets: ReadonlySet<Socket>;
}

/** A real HTTP server on 127.0.0.1 that keeps what it receives. */
export async function listen(
  answer: (request: Received, response: ServerResponse, raw: IncomingMessage) => void,
): Promise<TestServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    const whole = { method, url, headers, body: Buffer.concat(chunks) };
    received.push(whole);
    answer(whole, response, request);
  };
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    Promise.resolve(listener(request, response)).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/orders/secret-path?token=secret-query`,
    origin,
    received,
    sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function recordOf(item: Record<string, unknown>): BacklogRecord {
  return parseRecord({ id: 'order-1', status: 'NEW', ...item }, Date.UTC(2026, 0, 1));
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function contextOf(context: Partial<AttemptContext> = {}): AttemptContext {
  return { signal: new AbortController().signal, token: '1.token', attempt: 1, logger: silent, ...context };
}

export type Ending = { ok: true } | { ok: false; error: Error };

/** The end of an attempt: success, or the error or outcome that it throws or returns. */
export async function attempt(
  process: Process,
  item: Record<string, unknown> = {},
  context: Partial<AttemptContext> = {},
): Promise<Ending> {
  try {
    const outcome = await process(recordOf(item), contextOf(context));
    return outcome && outcome.name !== 'Done' ? { ok: false, error: outcome } : { ok: true };
  } catch (error) {
    return { ok: false, error: error as Error };
  }
}

/** Waits for something that another process or the kernel does; fails loudly if it never comes true. */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
