import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { systemClock } from '../../src/engine.js';
import { laneFor, lanesOf } from '../../src/record/index.js';
import { createTables, deleteTables } from '../../test/store/tables.js';
import { putAll } from '../designs/tables.js';
import { payloadOf } from '../payload.js';
import { type BenchRuns, QUEUE } from './runs.js';
import type { Worker } from './worker.js';

/** The number of lanes and of the processes that share them, and the queue's concurrency. */
export interface Shape {
  readonly name: string;
  readonly shards: number;
  readonly processes: number;
}

export interface Load {
  readonly records: number;
  readonly attemptMs: number;
  readonly concurrency: number;
}

export interface Bench {
  readonly client: DynamoDBClient;
  readonly workers: readonly Worker[];
}

const PER_BATCH = 100;

/** Records a second of runs that drain a queue with everything due. */
export function drainRate(bench: Bench, { shards, processes }: Shape, load: Load): Promise<number> {
  const lanes = lanesOf(QUEUE, 0, shards);
  const concurrency = Math.floor(load.concurrency / processes);
  return rate(bench, load, shards, () =>
    Array.from({ length: processes }, (_, part) => ({
      ...{ shards, attemptMs: load.attemptMs, concurrency },
      targets: [{ lanes: lanes.filter((_, shard) => shard % processes === part) }],
    })),
  );
}

/** Records a second where all arrive in one go, in batches of the stream. Two processes stand for the sandboxes of Lambda. */
export function arrivalRate(bench: Bench, load: Load): Promise<number> {
  const { attemptMs, concurrency } = load;
  return rate(bench, load, 0, (ids) => {
    const batches = Array.from({ length: Math.ceil(ids.length / PER_BATCH) }, (_, i) => ({
      arrivals: { batch: `${QUEUE}/${i}`, ids: ids.slice(i * PER_BATCH, (i + 1) * PER_BATCH) },
    }));
    return bench.workers.map((_, process) => ({
      ...{ shards: 1, attemptMs, concurrency },
      targets: batches.filter((_, i) => i % bench.workers.length === process),
    }));
  });
}

/** @param shards 0: the records are not indexed */
async function rate(
  { client, workers }: Bench,
  { records }: Load,
  shards: number,
  runsFor: (ids: readonly string[]) => readonly Omit<BenchRuns, 'tables'>[],
): Promise<number> {
  const tables = await createTables(client);
  const now = new Date().toISOString();
  const payload = payloadOf(0.7);
  const ids = Array.from({ length: records }, (_, i) => `order-${String(i).padStart(8, '0')}`);
  const items = ids.map((id) => ({
    ...{ id, queue: QUEUE, status: 'NEW', payload, insertedAt: now },
    ...(shards > 0 && { lane: laneFor({ id, queue: QUEUE }, shards), dueAt: now, rev: 'inserted' }),
  }));
  const documents = DynamoDBDocumentClient.from(client);
  await putAll({ client, documents, clock: systemClock }, tables.records, items);
  const start = performance.now();
  const attempted = await Promise.all(
    runsFor(ids).map((runs, i) => workers[i]?.run({ ...runs, tables }) ?? 0),
  );
  const seconds = (performance.now() - start) / 1000;
  const sum = attempted.reduce((total, one) => total + one, 0);
  if (sum !== records) throw new Error(`expected ${records} attempts, got ${sum}`);
  await deleteTables(client, tables);
  return records / seconds;
}
