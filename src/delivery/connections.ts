import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A connection that the other side closed while it was idle, which shows when it is used again. */
const STALE = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** Connections to one URL, which are used again. Addresses come from `lookup`; redirects are not followed. */
export class Connections {
  private readonly transport: typeof http | typeof https;
  private readonly agent: http.Agent;

  constructor(
    private readonly url: string,
    private readonly lookup: LookupFunction,
  ) {
    this.transport = url.startsWith('https:') ? https : http;
    this.agent = new this.transport.Agent({ keepAlive: true });
  }

  /** @returns the answer, when its headers are there; its body has to be read, or destroyed */
  async send(request: OutgoingRequest): Promise<http.IncomingMessage> {
    try {
      return await this.attempt(request, this.agent);
    } catch (error) {
      const wasStale = error instanceof StaleConnectionError && !request.signal.aborted;
      if (!wasStale) throw error;
      // Nobody can tell whether the request was read. It bears its idempotency key, like any other repetition.
      return this.attempt(request, false);
    }
  }

  private attempt(
    { method, headers, body, signal }: OutgoingRequest,
    agent: http.Agent | false,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...headers, ...length }, agent, lookup: this.lookup, signal };
      const request = this.transport.request(this.url, options, resolve);
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && STALE.has(error.code);
        reject(isStale ? new StaleConnectionError('the connection was stale', { cause: error }) : error);
      });
      request.end(body);
    });
  }
}

class StaleConnectionError extends Error {}
