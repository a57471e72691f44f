import type { Agent, IncomingMessage, request } from 'node:http';
import type { LookupFunction } from 'node:net';

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Errors of a connection that the server closed while it was idle. They show when the connection is used again. */
const STALE = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);
/**
 * Time in which a stale connection shows, which takes a round trip. One that breaks later was not stale: its server may be at work
 * on the request, and must not get it a second time beside that.
 */
const SHOWS_WITHIN_MS = 2_000;

interface Transport {
  readonly request: typeof request;
  readonly agent: Agent;
}

/** Connections to one URL, which are used again. Addresses come from `lookup`; redirects are not followed. */
export class Connections {
  private transport: Promise<Transport> | undefined;

  constructor(
    private readonly url: string,
    private readonly lookup: LookupFunction,
  ) {}

  /** @returns the answer, when its headers are there; its body has to be read, or destroyed */
  async send(outgoing: OutgoingRequest): Promise<IncomingMessage> {
    this.transport ??= loadTransport(this.url);
    const { request, agent } = await this.transport;
    try {
      return await this.attempt(outgoing, request, agent);
    } catch (error) {
      const wasStale = error instanceof StaleConnectionError && !outgoing.signal.aborted;
      if (!wasStale) throw error;
      // The server may have read the request or not. This repetition has the same idempotency key, like any other.
      return this.attempt(outgoing, request, false);
    }
  }

  private attempt(
    { method, headers, body, signal }: OutgoingRequest,
    request: Transport['request'],
    agent: Agent | false,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...headers, ...length }, agent, lookup: this.lookup, signal };
      const sentAt = performance.now();
      const sent = request(this.url, options, resolve);
      // The request asked for no other protocol. Without a listener the answer would be dropped, and nothing would end.
      sent.on('upgrade', (answer, socket) => {
        socket.destroy();
        answer.destroy();
        resolve(answer);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isSoon = performance.now() - sentAt < SHOWS_WITHIN_MS;
        const isStale = sent.reusedSocket && isSoon && STALE.has(error.code);
        reject(isStale ? new StaleConnectionError('the connection was stale', { cause: error }) : error);
      });
      sent.end(body);
    });
  }
}

/** Loads Node's client at the first request, not at a cold start, as nothing may be due. */
async function loadTransport(url: string): Promise<Transport> {
  const { request, Agent } = url.startsWith('https:')
    ? await import('node:https')
    : await import('node:http');
  return { request, agent: new Agent({ keepAlive: true }) };
}

class StaleConnectionError extends Error {}
