import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import PQueue from 'p-queue';
import { BacklogClient, resolvePolicy, systemClock, systemRandom } from '../src/index.js';
import { run } from '../src/processor/index.js';
import { type Consumed, DynamoDbStore, type OnConsumed } from '../src/store/index.js';

const CONCURRENCY = 10;

/** Fresh tables, and who talks to them. */
export interface Bench {
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  readonly tables: { readonly records: string; readonly control: string };
}

export interface Drain {
  readonly design: string;
  readonly recordsPerSecond: number;
  readonly requestsPerRecord: number;
  readonly readUnitsPerRecord: number;
}

/** The least that any design must do per record: one write of the outcome. Nothing is read, claimed or fenced. */
export async function bareUpdates({ documents, tables, client }: Bench, count: number): Promise<Drain> {
  const ids = await fill(client, tables.records, count, 'bare');
  const queue = new PQueue({ concurrency: CONCURRENCY });
  const seconds = await timed(() =>
    queue.addAll(
      ids.map(
        (id) => () =>
          documents.send(
            new UpdateCommand({
              TableName: tables.records,
              Key: { id },
              UpdateExpression: 'SET #s = :s, attempts = :n, lastAttemptAt = :t, rev = :r REMOVE lane, dueAt',
              ExpressionAttributeNames: { '#s': 'status' },
              ExpressionAttributeValues: {
                ':s': 'SUCCESS',
                ':n': 1,
                ':t': new Date().toISOString(),
                ':r': 'abcdefgh',
              },
            }),
          ),
      ),
    ),
  );
  return {
    design: 'bare UpdateItem',
    recordsPerSecond: count / seconds,
    requestsPerRecord: 1,
    readUnitsPerRecord: 0,
  };
}

/** The whole protocol: query, lease, journal, read, attempt, settle, release. */
export async function protocol(bench: Bench, count: number, attemptTimeoutSeconds: number): Promise<Drain> {
  const seconds = await timed(
    await drainOf(bench, count, `timed-${attemptTimeoutSeconds}`, attemptTimeoutSeconds),
  );
  const consumed: Consumed[] = [];
  // Counted apart: to ask for the capacity costs the embedded database time.
  const note = (one: Consumed) => consumed.push(one);
  await (await drainOf(bench, count, `counted-${attemptTimeoutSeconds}`, attemptTimeoutSeconds, note))();
  const reads = consumed.filter(({ kind }) => kind === 'read').reduce((sum, { units }) => sum + units, 0);
  return {
    design: `a run, attempts of up to ${attemptTimeoutSeconds} s`,
    recordsPerSecond: count / seconds,
    requestsPerRecord: consumed.length / count,
    readUnitsPerRecord: reads / count,
  };
}

/** Fills a lane; returns what drains it. */
async function drainOf(
  { client, tables }: Bench,
  count: number,
  lane: string,
  attemptTimeoutSeconds: number,
  onConsumed?: OnConsumed,
): Promise<() => Promise<unknown>> {
  await fill(client, tables.records, count, lane);
  const store = new DynamoDbStore({ client, tables, clock: systemClock, onConsumed });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return () =>
    run(
      {
        target: { queue: lane, lane },
        process: () => {},
        policy: resolvePolicy({ type: 'fibonacci' }),
        limits: { concurrency: CONCURRENCY, attemptTimeoutSeconds },
        deadline: Date.now() + 900_000,
        functionTimeoutSeconds: 900,
        tickSeconds: 60,
      },
      { store, clock: systemClock, random: systemRandom, logger },
    );
}

async function fill(client: Bench['client'], table: string, count: number, queue: string): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `${queue}-${String(i).padStart(28, '0')}`);
  const records = ids.map((id) => ({ id, queue, payload: { order: id, lines: [1, 2, 3] } }));
  await new BacklogClient({ table, client }).insertMany(records);
  return ids;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
