import type { DynamoDBClient, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import Table from 'cli-table3';
import { systemClock } from '../src/engine.js';
import { BacklogClient } from '../src/index.js';
import { asWritten, type BacklogRecord } from '../src/record/index.js';
import { type Consumed, createDynamoDbClient, DynamoDbStore } from '../src/store/index.js';
import { createTables, type TestTables } from '../test/store/tables.js';
import { median } from './median.js';
import { payloadOf } from './payload.js';
import { startDatabase } from './start-database.js';

/** Payloads as JSON, and settles of each in a round: larger ones take longer. */
const SIZES = [
  { kilobytes: 1, settles: 200 },
  { kilobytes: 30, settles: 100 },
  { kilobytes: 300, settles: 20 },
];
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** The store as it is, and one whose settles leave the payload out of their condition. */
export interface Settling {
  readonly endpoint: string;
  readonly tables: TestTables;
  readonly comparesPayload: boolean;
}

/** The counts of one settle. */
export interface SettleCounts {
  readonly requests: number;
  /** Bytes of the request's body. */
  readonly bytes: number;
  /** Units of the table: the embedded DynamoDB reports none of the index. */
  readonly writeUnits: number;
}

/** The cost of comparing the payload as an outcome is written: bytes of the request, and CPU time of the client. */
export async function settles(): Promise<string> {
  const database = await startDatabase();
  const client = createDynamoDbClient({ endpoint: database.endpoint });
  const table = new Table({
    style: { head: [], border: [] },
    head: ['payload KB', 'request KB', 'without', 'CPU ms', 'without', 'ratio', 'write units', 'without'],
  });
  try {
    const at = { endpoint: database.endpoint, tables: await createTables(client) };
    const full = { ...at, comparesPayload: true };
    const bare = { ...at, comparesPayload: false };
    for (const { kilobytes, settles } of SIZES) {
      const [counts, countsWithout] = [
        await settleCounts(full, kilobytes),
        await settleCounts(bare, kilobytes),
      ];
      await cpuMsPerSettle(full, kilobytes, settles);
      const pairs: [number, number][] = [];
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push([
          await cpuMsPerSettle(full, kilobytes, settles),
          await cpuMsPerSettle(bare, kilobytes, settles),
        ]);
      }
      table.push([
        kilobytes,
        (counts.bytes / 1000).toFixed(1),
        (countsWithout.bytes / 1000).toFixed(1),
        median(pairs.map(([compared]) => compared)).toFixed(2),
        median(pairs.map(([, left]) => left)).toFixed(2),
        median(pairs.map(([compared, left]) => compared / left)).toFixed(2),
        counts.writeUnits,
        countsWithout.writeUnits,
      ]);
    }
  } finally {
    client.destroy();
    await database.stop();
  }
  return `A settle with and without the payload in its condition; ${ROUNDS} rounds by turns; medians\n${table}`;
}

/** Settles one record with success, and counts. */
export async function settleCounts(settling: Settling, kilobytes: number): Promise<SettleCounts> {
  const consumed: Consumed[] = [];
  const { client, record, store } = await recordOf(settling, kilobytes, (one) => consumed.push(one));
  consumed.length = 0;
  let bytes = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      bytes += Buffer.byteLength((args.request as { readonly body: string }).body);
      return next(args);
    },
    { step: 'finalizeRequest', name: 'countBytes' },
  );
  await settleOnce(store, record, 1);
  client.destroy();
  const writeUnits = consumed.reduce((sum, { kind, units }) => sum + (kind === 'write' ? units : 0), 0);
  return { requests: consumed.length, bytes, writeUnits };
}

/** User and system time of this process, for settles one after the other. */
async function cpuMsPerSettle(settling: Settling, kilobytes: number, count: number): Promise<number> {
  const { client, record, store } = await recordOf(settling, kilobytes);
  let settled = record;
  const cpu = process.cpuUsage();
  for (let n = 1; n <= count; n++) settled = await settleOnce(store, settled, n);
  const { user, system } = process.cpuUsage(cpu);
  client.destroy();
  return (user + system) / 1000 / count;
}

/** A record that waits, as a run has read it. */
async function recordOf(
  { endpoint, tables, comparesPayload }: Settling,
  kilobytes: number,
  onConsumed?: (consumed: Consumed) => void,
) {
  const client = createDynamoDbClient({ endpoint });
  const producer = new BacklogClient({ table: tables.records, client, indexAtOnce: true });
  const { id } = await producer.insert({ queue: 'orders', payload: payloadOf(kilobytes) });
  if (!comparesPayload) leavePayloadOut(client);
  const store = new DynamoDbStore({ client, tables, clock: systemClock, onConsumed });
  const record = await store.records.get(id);
  if (!record) throw new Error(`${id}: expected to be read`);
  return { client, store, record };
}

async function settleOnce(store: DynamoDbStore, record: BacklogRecord, n: number): Promise<BacklogRecord> {
  const change = {
    set: { status: 'SUCCESS' as const, attempts: n, lastAttemptAt: new Date().toISOString() },
    remove: ['lane', 'dueAt'] as const,
  };
  const rev = String(n).padStart(8, '0');
  const answer = await store.records.settle(record, change, rev);
  if (answer !== 'settled') throw new Error(`${record.id}: expected to be settled, is ${answer}`);
  return asWritten(record, change, rev);
}

/** Takes the payload, its name and its value out of the condition of every update that the client sends. */
function leavePayloadOut(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as UpdateItemCommandInput;
      const names = input.ExpressionAttributeNames ?? {};
      const [name] = Object.keys(names).filter((placeholder) => names[placeholder] === 'payload');
      if (name === undefined) return next(args);
      const [clause = '', value = ''] =
        new RegExp(` AND ${name} = (:v\\d+)\\b`).exec(input.ConditionExpression ?? '') ?? [];
      const { [name]: _, ...otherNames } = names;
      const { [value]: compared, ...otherValues } = input.ExpressionAttributeValues ?? {};
      if (!compared) throw new Error(`expected a condition on the payload, got ${input.ConditionExpression}`);
      const bare = {
        ...input,
        ConditionExpression: input.ConditionExpression?.replace(clause, ''),
        ExpressionAttributeNames: otherNames,
        ExpressionAttributeValues: otherValues,
      };
      return next({ ...args, input: bare });
    },
    { step: 'initialize', name: 'leavePayloadOut', priority: 'low' },
  );
}
