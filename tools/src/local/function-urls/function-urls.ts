import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Invoke } from '../function-host.js';
import { type LocalServer, listenLocally } from '../local-server.js';
import { refusalOf } from '../own-address.js';
import { RUNTIME_HEADER, runtimeHeader } from '../port-holder.js';
import { FUNCTION_URL_PORT, onWantedPort, type WantedPort } from '../ports.js';
import type { LocalFunctionUrl } from '../template/local-app.js';
import { answerOf, MAX_BYTES, type UrlAnswer } from './answer.js';
import { eventOf } from './request-event.js';

/** The functions that answer requests. */
export interface UrlFunctions {
  /** The URLs of the app as it is now. */
  readonly urls: () => readonly LocalFunctionUrl[];
  readonly invoke: Invoke;
  /** A function has failed, or its answer cannot be sent. */
  readonly onError: (functionName: string, message: string, error: object) => void;
}

export interface FunctionUrlsOptions extends Pick<WantedPort, 'given' | 'onTaken'> {
  /** Undefined: the runtime is starting. */
  readonly functions: () => UrlFunctions | undefined;
}

/** Most requests at once. The cloud, too, refuses what is beyond its limit. */
const MAX_AT_ONCE = 50;
/** Most requests that functions work on; the others wait. The remaining sandboxes are for runs. */
const MAX_AT_WORK = 5;

/**
 * The URLs of functions, on a port of their own: a page of a function has another origin than the console, so a script on it cannot use
 * the console. Any program and web page of this machine may send requests, as in the cloud.
 */
export class FunctionUrls {
  readonly #options: FunctionUrlsOptions;
  readonly #header = runtimeHeader();
  #server: Promise<LocalServer> | undefined;
  #atOnce = 0;
  #atWork = 0;
  /** Requests whose turn comes later, the oldest first. */
  readonly #waiting: (() => void)[] = [];

  constructor(options: FunctionUrlsOptions) {
    this.#options = options;
  }

  /**
   * Starts the server, unless it is there. Gives the URL that all URLs of functions begin with.
   *
   * @throws ConfigurationError if the port cannot be had
   */
  async open(): Promise<string> {
    this.#server ??= this.#listen();
    return `${(await this.#server).url}/`;
  }

  async stop(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.stop();
  }

  async #listen(): Promise<LocalServer> {
    const { given, onTaken } = this.#options;
    try {
      return await onWantedPort({ ...FUNCTION_URL_PORT, given, onTaken }, (port) => {
        const server = createServer((...exchange) => void this.#exchange(...exchange));
        return listenLocally(server, port);
      });
    } catch (error) {
      // The next save of the app may find the port free.
      this.#server = undefined;
      throw error;
    }
  }

  async #exchange(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#atOnce += 1;
    try {
      const { status, headers, body } = await this.#answer(incoming);
      response.statusCode = status;
      for (const [name, content] of Object.entries(headers)) response.setHeader(name, content);
      response.end(body);
    } catch {
      // The caller has gone.
      response.destroy();
    } finally {
      this.#atOnce -= 1;
    }
  }

  async #answer(incoming: IncomingMessage): Promise<UrlAnswer> {
    const { headers, socket, url = '' } = incoming;
    // Only the name of the host: a function that all may call itself decides about the pages of others.
    const refusal = refusalOf({ host: headers.host }, socket.localPort, true);
    if (refusal) return this.#own(refusal.status, refusal.text);
    const functions = this.#options.functions();
    if (!functions) return this.#own(503, 'the runtime is starting\n');
    const { name, path, query } = partsOf(url);
    const target = functions.urls().find(({ functionName }) => functionName === name);
    if (!target) return this.#own(404, 'the app has no function of this URL\n');
    if (this.#atOnce > MAX_AT_ONCE)
      return this.#own(429, `expected at most ${MAX_AT_ONCE} requests at once\n`);
    const body = await readBody(incoming);
    if (!body) return this.#own(413, `expected a body of at most ${MAX_BYTES} bytes\n`);
    const request = { incoming, path, query, body, now: Date.now() };
    return this.#inTurn(() => this.#invoke(target.functionName, eventOf(request), functions));
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#atWork >= MAX_AT_WORK) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#atWork += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#atWork -= 1;
    }
  }

  async #invoke(functionName: string, event: object, { invoke, onError }: UrlFunctions): Promise<UrlAnswer> {
    const invocation = await invoke(functionName, event);
    if (invocation.type === 'givenUp') return this.#own(503, `${invocation.message}\n`);
    if (invocation.type === 'result') {
      try {
        return answerOf(invocation.value);
      } catch (error) {
        const { message } = error as Error;
        onError(functionName, 'the answer to a request cannot be sent', { message });
      }
    } else {
      const { message } = invocation;
      const thrown = invocation.type === 'error' ? invocation : undefined;
      onError(functionName, 'a request failed', { name: thrown?.name, message, stack: thrown?.stack });
    }
    return this.#own(502, `Internal Server Error: the log of ${functionName} has the reason\n`);
  }

  /** An answer that is not the function's. */
  #own(status: number, text: string): UrlAnswer {
    const headers = { 'content-type': 'text/plain; charset=utf-8', [RUNTIME_HEADER]: this.#header };
    return { status, headers, body: Buffer.from(text) };
  }
}

/**
 * Reads the body to its end: a caller that is still writing would not see the answer. Undefined: it is too large, and
 * was not kept.
 */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes > MAX_BYTES ? undefined : Buffer.concat(chunks);
}

/** The parts of `/orders-links/a/b?x=1`: the function's name, the path below it, and the query. */
function partsOf(url: string): { readonly name: string | undefined; path: string; query: string } {
  const [before = '', ...query] = url.split('?');
  const [, name, ...below] = before.split('/');
  return { name, path: `/${below.join('/')}`, query: query.join('?') };
}
