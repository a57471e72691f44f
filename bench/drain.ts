import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import PQueue from 'p-queue';
import { resolvePolicy, run, systemClock, systemRandom } from '../src/engine.js';
import { BacklogClient } from '../src/index.js';
import { type Consumed, DynamoDbStore, type OnConsumed } from '../src/store/index.js';

const CONCURRENCY = 10;

/** Fresh tables, and the clients that talk to them. */
export interface Bench {
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  readonly tables: { readonly records: string; readonly control: string };
}

export interface Drain {
  readonly recordsPerSecond: number;
  /** User and system time of this process, whose client sends the requests. */
  readonly cpuMsPerRecord: number;
}

/** The counts of one drain; the embedded DynamoDB reports no units of the index. */
export interface Counts {
  readonly records: number;
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** The least that any design must do per record: one write of the outcome. Nothing is read, claimed or fenced. */
export async function bareUpdates({ documents, tables, client }: Bench, count: number): Promise<Drain> {
  const ids = await fill(client, tables.records, count, 'bare');
  const queue = new PQueue({ concurrency: CONCURRENCY });
  return measured(count, () =>
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
}

/** The whole protocol: query, lease, journal, read, attempt, settle, release. */
export async function protocol(bench: Bench, count: number, attemptTimeout: number): Promise<Drain> {
  const drain = await drainOf(bench, count, `timed-${attemptTimeout}`, attemptTimeout);
  return measured(count, drain);
}

/** Its write and read units, counted apart: to ask for the capacity costs time. */
export async function countsOf(bench: Bench, count: number, attemptTimeout: number): Promise<Counts> {
  const consumed: Consumed[] = [];
  const lane = `counted-${attemptTimeout}`;
  const note = (one: Consumed) => consumed.push(one);
  await (await drainOf(bench, count, lane, attemptTimeout, note))();
  const unitsOf = (kind: Consumed['kind']) =>
    consumed.filter((one) => one.kind === kind).reduce((sum, { units }) => sum + units, 0);
  return {
    records: count,
    requests: consumed.length,
    readUnits: unitsOf('read'),
    writeUnits: unitsOf('write'),
  };
}

/** Fills a lane; returns what drains it, and fails unless it has attempted every record with success. */
async function drainOf(
  { client, tables }: Bench,
  count: number,
  lane: string,
  attemptTimeout: number,
  onConsumed?: OnConsumed,
): Promise<() => Promise<void>> {
  await fill(client, tables.records, count, lane);
  const store = new DynamoDbStore({ client, tables, clock: systemClock, onConsumed });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return async () => {
    const { attempted, succeeded, ended } = await run(
      {
        target: { queue: lane, lane },
        process: () => {},
        policy: resolvePolicy({ type: 'fibonacci' }),
        limits: { concurrency: CONCURRENCY, attemptTimeout },
        deadline: Date.now() + 900_000,
        functionTimeoutSeconds: 900,
        tickSeconds: 60,
      },
      { store, clock: systemClock, random: systemRandom, logger },
    );
    if (attempted === count && succeeded === count && ended === 'drained') return;
    throw new Error(`${lane}: expected ${count} drained, got ${succeeded} of ${attempted} (${ended})`);
  };
}

/** Records that are indexed, and are due. */
async function fill(client: Bench['client'], table: string, count: number, queue: string): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `${queue}-${String(i).padStart(28, '0')}`);
  const records = ids.map((id) => ({ id, queue, payload: { order: id, lines: [1, 2, 3] } }));
  const { inserted } = await new BacklogClient({ table, client, indexAtOnce: true }).insertMany(records);
  if (inserted !== count) throw new Error(`${queue}: expected ${count} inserted, got ${inserted}`);
  return ids;
}

async function measured(count: number, work: () => Promise<unknown>): Promise<Drain> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { recordsPerSecond: count / seconds, cpuMsPerRecord: (user + system) / 1000 / count };
}
