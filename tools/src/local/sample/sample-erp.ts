import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from 'dynamo-backlog/engine';
import type { Answers } from 'dynamo-backlog/lambda';
import { refusalOf } from '../own-address.js';

export interface SampleErpOptions {
  readonly random: Random;
  /** Real time, epoch milliseconds. */
  readonly now: () => number;
}

export interface ErpState {
  readonly up: boolean;
  /** Real seconds until it changes. Absent: a person has taken it down or up, and it stays so. */
  readonly changesInSeconds?: number | undefined;
  readonly taken: number;
  /** Orders that it makes, and has not taken yet: it answers them with 202. */
  readonly making: number;
  /** Orders that it refused permanently. */
  readonly rejected: number;
  /** Requests that it answered with 503. */
  readonly unavailable: number;
}

const FIRST_UP_MS = 8_000;
const DOWN_MS = 15_000;
const UP_MS = 60_000;
/** Time to make an order, from the first request for it. */
const MADE_WITHIN_MS = 6_000;
const MAX_BODY_BYTES = 100_000;
const MAX_LATENCY_MS = 20;

/** Delivery from the sample's queues to the ERP. */
export interface SampleDelivery {
  readonly url: string;
  readonly answers: Answers;
}

/**
 * The sample's destination: an ERP on a loopback port that takes orders, and is down from time to time. It permanently
 * refuses orders for an article that it does not have, and answers "not yet" while it makes an article to order.
 */
export class SampleErp {
  readonly #options: SampleErpOptions;
  readonly #server: Server;
  #openedAt: number | undefined;
  #set: boolean | undefined;
  /** Times when the orders that it makes will be ready, by their idempotency keys. */
  readonly #making = new Map<string, number>();
  #taken = 0;
  #rejected = 0;
  #unavailable = 0;

  private constructor(options: SampleErpOptions) {
    this.#options = options;
    this.#server = createServer(async (request, response) => {
      const refusal = refusalOf(request.headers, request.socket.localPort, false);
      if (refusal) {
        request.resume();
        response.writeHead(refusal.status, { 'content-type': 'text/plain' }).end(refusal.text);
        return;
      }
      const body = await readBody(request).catch(() => undefined);
      const { status, text } = this.#answer(body, String(request.headers['idempotency-key']));
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(text));
      }, options.random() * MAX_LATENCY_MS);
    });
  }

  static async start(options: SampleErpOptions): Promise<SampleErp> {
    const erp = new SampleErp(options);
    await new Promise<void>((resolve, reject) => {
      erp.#server.once('error', reject);
      erp.#server.listen(0, '127.0.0.1', resolve);
    });
    return erp;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get delivery(): SampleDelivery {
    return { url: this.url, answers: { notReady: [202] } };
  }

  /** Starts its ups and downs. */
  open(): void {
    this.#openedAt = this.#options.now();
  }

  /** Takes it down, or up: its ups and downs are over. */
  set(up: boolean): void {
    this.#set = up;
  }

  get state(): ErpState {
    const { up, changesInMs } = phaseAt(
      this.#openedAt === undefined ? 0 : this.#options.now() - this.#openedAt,
    );
    return {
      ...(this.#set === undefined
        ? { up, changesInSeconds: Math.ceil(changesInMs / 1000) }
        : { up: this.#set }),
      taken: this.#taken,
      making: this.#making.size,
      rejected: this.#rejected,
      unavailable: this.#unavailable,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(body: string | undefined, key: string): { status: number; text: object } {
    if (!this.state.up) {
      this.#unavailable += 1;
      return { status: 503, text: { error: 'the ERP is down for maintenance' } };
    }
    if (body === undefined || body.includes(UNKNOWN_ARTICLE)) {
      this.#rejected += 1;
      return { status: 422, text: { error: `unknown article ${UNKNOWN_ARTICLE}` } };
    }
    if (body.includes(MADE_TO_ORDER) && !this.#isMade(key)) {
      return { status: 202, text: { status: 'not ready', reason: `${MADE_TO_ORDER} is being made` } };
    }
    this.#taken += 1;
    return { status: 200, text: { ok: true } };
  }

  #isMade(key: string): boolean {
    const now = this.#options.now();
    const readyAt = this.#making.get(key) ?? now + MADE_WITHIN_MS;
    if (now < readyAt) this.#making.set(key, readyAt);
    else this.#making.delete(key);
    return now >= readyAt;
  }
}

/** The article that takes the ERP a while. */
export const MADE_TO_ORDER = 'TEAPOT-HANDMADE';

/** The article that the shop sells and the ERP does not know. */
export const UNKNOWN_ARTICLE = 'MUG-DISCONTINUED';

/** State of the ERP after a time: up first, so that there is something to see, then down for a while, again and again. */
export function phaseAt(elapsedMs: number): { up: boolean; changesInMs: number } {
  if (elapsedMs < FIRST_UP_MS) return { up: true, changesInMs: FIRST_UP_MS - elapsedMs };
  const inCycle = (elapsedMs - FIRST_UP_MS) % (DOWN_MS + UP_MS);
  return inCycle < DOWN_MS
    ? { up: false, changesInMs: DOWN_MS - inCycle }
    : { up: true, changesInMs: DOWN_MS + UP_MS - inCycle };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    if (body.length < MAX_BODY_BYTES) body += chunk;
  }
  return body;
}
