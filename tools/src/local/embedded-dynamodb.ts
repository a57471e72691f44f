import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from 'dynamo-backlog';
import { closeIterators } from './dynalite/close-iterators.js';
import { createDynalite, type LevelDatabase } from './dynalite/create.js';
import { compareDocuments } from './dynalite/equal-documents.js';
import { guardDatabase } from './dynalite/guard.js';
import { answerTransaction } from './dynalite/transaction-requests.js';
import { Transactions } from './dynalite/transactions.js';
import { makeWritesWhole } from './dynalite/whole-writes.js';
import { folderTrouble } from './folder-trouble.js';
import { refusalOf } from './own-address.js';
import { RUNTIME_HEADER, runtimeHeader } from './port-holder.js';
import type { Change } from './streams/change.js';

export interface EmbeddedDynamoDbOptions {
  /** 0 for any that is free. */
  readonly port?: number | undefined;
  /** Folder that keeps the data between starts; in memory by default. */
  readonly dataDir?: string | undefined;
  /** Called for every write, once the item can be read as it was written. */
  readonly onChange?: ((change: Change) => void) | undefined;
  /** Called once when the data cannot be used any more. No write is accepted from then on. */
  readonly onFailure?: ((error: ConfigurationError) => void) | undefined;
  /**
   * Compares documents as DynamoDB does and dynalite does not, in all databases that this process starts. Default: true
   */
  readonly comparesDocuments?: boolean | undefined;
}

export interface EmbeddedDynamoDb {
  /** Such as `http://127.0.0.1:8000`. */
  readonly endpoint: string;
  readonly port: number;
  /** Ends open connections, too. */
  stop(): Promise<void>;
}

/** Error if another process works with the data. */
export class DataInUseError extends ConfigurationError {
  constructor(folder: string, cause: unknown, by = 'another process') {
    super(`cannot open the data in ${folder}: it is in use by ${by}: stop that, or choose another folder`, {
      cause,
    });
  }
}

const HOST = '127.0.0.1';
const STOP_TIMEOUT_MS = 2_000;

/**
 * A DynamoDB inside this process, for the local runtime and for tests; this machine only.
 *
 * @throws ConfigurationError if the data are in use by another process, or cannot be used
 */
export async function startEmbeddedDynamoDb({
  port = 0,
  dataDir,
  onChange = () => {},
  onFailure = () => {},
  comparesDocuments = true,
}: EmbeddedDynamoDbOptions = {}): Promise<EmbeddedDynamoDb> {
  if (comparesDocuments) compareDocuments();
  const { server, store } = createDynalite({
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
    ...(dataDir === undefined ? {} : { path: dataDir }),
  });
  closeIterators(store.db);
  guardDatabase(store.db, (error) => onFailure(folderTrouble(dataDir ?? 'memory', error)));
  const transactions = new Transactions(store, makeWritesWhole(store, onChange));
  if (dataDir !== undefined) await openData(store.db, dataDir);
  const requests = new RequestsInFlight(server, transactions);
  try {
    await listen(server, port);
  } catch (error) {
    await new Promise((closed) => store.db.close(closed));
    throw error;
  }
  const address = server.address() as AddressInfo;
  return {
    endpoint: `http://${HOST}:${address.port}`,
    port: address.port,
    stop: () => stop(server, requests),
  };
}

/** Opens the database in its folder, which keeps any other process out until this one ends, however it ends. */
async function openData(database: LevelDatabase, dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    await database.open();
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    throw cause?.code === 'LEVEL_LOCKED' ? new DataInUseError(dataDir, error) : folderTrouble(dataDir, error);
  }
}

/**
 * dynalite ends its process when a client goes away in the middle of a request, and when a request is still at work
 * while its database closes. Both happen to a local runtime, whose workers can die at any moment.
 */
class RequestsInFlight {
  private readonly responses = new Set<ServerResponse>();
  private whenEmpty: (() => void) | undefined;

  constructor(server: Server, transactions: Transactions) {
    const [handle] = server.listeners('request') as RequestListener[];
    const header = runtimeHeader();
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const refusal = refusalOf(request.headers, request.socket.localPort, false);
      if (refusal) {
        request.resume();
        response.writeHead(refusal.status, { 'content-type': 'text/plain' }).end(refusal.text);
        return;
      }
      response.setHeader(RUNTIME_HEADER, header);
      this.add(response);
      if (answerTransaction(request, response, transactions)) return;
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
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
