import { type AttributeValue, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../src/engine.js';
import { BacklogClient } from '../../src/index.js';
import { resolvePolicy, type TierBand } from '../../src/policies/index.js';
import { createDynamoDbClient, DynamoDbOperatorStore } from '../../src/store/index.js';
import { type Arrivals, type Process, type RunSummary, run } from '../../src/worker/index.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { seededRandom } from '../simulation/random.js';
import { createTables } from '../store/tables.js';

/** An item as DynamoDB's own API has it: `{ "id": { "S": "a" } }`. */
export type RawItem = Record<string, AttributeValue>;

export interface Items {
  readonly records: readonly RawItem[];
  readonly control: readonly RawItem[];
}

export interface RunChoices {
  readonly queue: string;
  readonly band?: TierBand | undefined;
  readonly arrivals?: Arrivals;
  readonly maxRecords?: number;
  readonly attemptsPerSecond?: number;
  readonly globalConcurrency?: number;
  /** False: a run ends where it would wait for another one to end. */
  readonly mayWait?: false;
}

/**
 * Tables on an embedded DynamoDB and what works on them, at times that a test sets, and with the same chance each
 * time.
 */
export async function openBacklog(start: number) {
  const dynamoDb: EmbeddedDynamoDb = await startEmbeddedDynamoDb();
  const dynamo = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  const tables = await createTables(dynamo);
  let now = start;
  const clock: Clock = { now: () => now, wall: () => now, sleep: (ms, signal) => unhurried(ms, signal) };
  const random = seededRandom(1);
  const store = new DynamoDbOperatorStore({ client: dynamo, tables, clock });
  const warnings: [string, unknown][] = [];
  const logger = {
    debug() {},
    info() {},
    warn: (text: string, more: unknown) => void warnings.push([text, more]),
    error: (text: string, more: unknown) => void warnings.push([text, more]),
  };
  const deps = { store, clock, random, logger };

  const allOf = async (TableName: string): Promise<RawItem[]> => {
    const { Items = [] } = await dynamo.send(new ScanCommand({ TableName, ConsistentRead: true }));
    return Items;
  };
  return {
    deps,
    dynamo,
    tables,
    store,
    random,
    warnings,
    client: new BacklogClient({
      table: tables.records,
      client: dynamo,
      clock,
      random,
      indexAtOnce: ['bulk'],
    }),
    put: async (table: keyof typeof tables, Item: RawItem) => {
      await dynamo.send(new PutItemCommand({ TableName: tables[table], Item }));
    },
    async items(): Promise<Items> {
      const [records, control] = [await allOf(tables.records), await allOf(tables.control)];
      return { records: sorted(records, 'id'), control: sorted(control, 'key') };
    },
    clock,
    passUntil(time: number) {
      now = time;
    },
    /** One at a time, so that the same happens each time. */
    run(
      { queue, band, arrivals, maxRecords, attemptsPerSecond, globalConcurrency, mayWait }: RunChoices,
      process: Process,
    ): Promise<RunSummary> {
      return run(
        {
          target: {
            ...{ queue, lane: queue, band, arrivals },
            ...(mayWait === false ? { onePage: { bookmarks: new Map(), mayWait } } : {}),
          },
          process,
          policy: resolvePolicy({ type: band ? 'progressive' : 'fibonacci' }),
          limits: {
            concurrency: 1,
            attemptTimeout: 30,
            maxRecords,
            // One record is told to rest for a month.
            maxRetryAfter: 30 * 86_400,
            attemptsPerSecond,
            globalConcurrency,
          },
          deadline: now + 300_000,
          functionTimeoutSeconds: 300,
          tickSeconds: 60,
          retention: 30 * 86_400,
        },
        deps,
      );
    },
    async close() {
      dynamo.destroy();
      await dynamoDb.stop();
    },
  };
}

export type OpenBacklog = Awaited<ReturnType<typeof openBacklog>>;

/** Sleeps by the wall clock: no attempt here takes so long that its time is up. */
function unhurried(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref();
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Items in the order of their keys, and attributes in that of their names: DynamoDB has none, and people like one. */
function sorted(items: readonly RawItem[], key: string): RawItem[] {
  const keyOf = (item: RawItem) => item[key]?.S ?? '';
  return [...items]
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((item) => Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))));
}
