import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { ConfigurationError } from '../errors.js';
import { compareDocuments } from './dynalite/equal-documents.js';
import { parseOnce } from './dynalite/parsed-once.js';
import { type Change, capturingChanges } from './streams/change-capture.js';

export interface EmbeddedDynamoDbOptions {
  /** 0 for any that is free. */
  readonly port?: number | undefined;
  /** Folder that keeps the data between starts; in memory by default. */
  readonly dataDir?: string | undefined;
  /** Told of every write, once the item can be read as it was written. */
  readonly onChange?: ((change: Change) => void) | undefined;
  /** Finds documents equal that are, as DynamoDB does and dynalite does not: in all that this process starts. */
  readonly comparesDocuments?: boolean | undefined;
}

export interface EmbeddedDynamoDb {
  /** Such as `http://127.0.0.1:8000`. */
  readonly endpoint: string;
  readonly port: number;
  /** Ends open connections, too. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const STOP_TIMEOUT_MS = 2_000;

/** The one that dynalite uses: the lock of its folder is told in its terms. */
const require = createRequire(import.meta.resolve('dynalite'));
const { Level } = require('level') as { Level: new (path: string) => LevelDatabase };

interface LevelDatabase {
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A DynamoDB inside this process, for the local runtime and for tests; this machine only.
 *
 * @throws ConfigurationError if the port is taken, or if the data are in use by another process
 */
export async function startEmbeddedDynamoDb({
  port = 0,
  dataDir,
  onChange = () => {},
  comparesDocuments = false,
}: EmbeddedDynamoDbOptions = {}): Promise<EmbeddedDynamoDb> {
  if (dataDir !== undefined) await prepareDataDir(dataDir);
  const options = {
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
    ...(dataDir === undefined ? {} : { path: dataDir }),
  };
  if (comparesDocuments) compareDocuments();
  parseOnce();
  const server = capturingChanges(() => dynalite(options), onChange);
  const requests = new RequestsInFlight(server);
  await listen(server, port);
  const address = server.address() as AddressInfo;
  return {
    endpoint: `http://${HOST}:${address.port}`,
    port: address.port,
    stop: () => stop(server, requests),
  };
}

/** dynalite opens its database late, and ends its process if it cannot: what it will meet is found out before. */
async function prepareDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const database = new Level(dataDir);
  try {
    await database.open();
    await database.close();
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    const reason =
      cause?.code === 'LEVEL_LOCKED' ? 'it is in use by another process' : (cause?.message ?? String(error));
    throw new ConfigurationError(`cannot open the data in ${dataDir}: ${reason}`, { cause: error });
  }
}

/**
 * dynalite ends its process when a client goes away in the middle of a request, and when a request is still at work
 * while its database closes. Both happen to a local runtime, whose workers can die at any moment.
 */
class RequestsInFlight {
  private readonly responses = new Set<ServerResponse>();
  private whenEmpty: (() => void) | undefined;

  constructor(server: Server) {
    const [handle] = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (isFromWebPage(request)) return refuse(request, response);
      this.add(response);
      handle?.(request, response);
      request.removeAllListeners('error');
      request.on('error', () => this.remove(response));
    });
  }

  /** Resolves when all are answered, or the time is up. */
  ended(timeoutMs: number): Promise<void> {
    if (this.responses.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private add(response: ServerResponse): void {
    this.responses.add(response);
    // Not `close`: dynalite goes on working for a client that is gone.
    const end = response.end.bind(response) as ServerResponse['end'];
    response.end = ((...args: Parameters<ServerResponse['end']>) => {
      this.remove(response);
      return end(...args);
    }) as ServerResponse['end'];
  }

  private remove(response: ServerResponse): void {
    this.responses.delete(response);
    if (this.responses.size === 0) this.whenEmpty?.();
  }
}

/**
 * dynalite answers every web page (`Access-Control-Allow-Origin: *`), so any that is open in a browser of this machine
 * could read and write the records. Browsers name their page in each such request; AWS clients have none to name.
 */
function isFromWebPage({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined;
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(403, { 'content-type': 'text/plain' }).end('web pages may not use this database\n');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigurationError(
              `port ${port} is taken: choose another with --dynamodb-port, or stop what uses it`,
              { cause: error },
            )
          : error,
      );
    });
    server.listen(port, HOST, resolve);
  });
}

/** Idle connections are closed at once, those at work as soon as they have their answer. */
async function stop(server: Server, requests: RequestsInFlight): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
  });
  await requests.ended(STOP_TIMEOUT_MS);
  // The last answer is still on its way out of this process.
  setImmediate(() => server.closeAllConnections());
  await closed;
}
