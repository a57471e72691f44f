import { startDynamoDbLocal } from '../../scripts/dynamodb-local.mjs';
import { createDynamoDbClient } from '../../src/store/index.js';
import { loadLimits } from '../../src/worker/index.js';
import { median } from '../median.js';
import { arrivalRate, type Bench, drainRate, type Load, type Shape } from './measure.js';
import { modelRate } from './model.js';
import { startWorker } from './worker.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ATTEMPTS_MS = [0, 50, 500];
const CONCURRENCIES = [10, 50, 100];
/** Length of a measurement, if nothing but the attempts took time. Virtual time is cheap. */
const REAL = { seconds: 5, maxRecords: 3_000 };
const VIRTUAL = { seconds: 30, maxRecords: 6_000 };
const ARRIVALS = Number(process.env.BENCH_ARRIVALS ?? 10_000);

const SHAPES: readonly Shape[] = [
  { name: 'one lane', shards: 1, processes: 1 },
  { name: 'eight lanes', shards: 8, processes: 1 },
  { name: '16 lanes, two processes', shards: 16, processes: 2 },
];

/** Records a second, and their share of what the attempts alone would allow: as Markdown. */
export async function throughput(): Promise<string> {
  await loadLimits();
  const database = await startDynamoDbLocal();
  process.once('SIGINT', database.kill).once('SIGTERM', database.kill);
  const client = createDynamoDbClient({ endpoint: database.endpoint });
  const bench: Bench = {
    client,
    workers: [startWorker(database.endpoint), startWorker(database.endpoint)],
  };
  try {
    // Compiled, and connected: what comes first would be slower than what comes after it.
    for (const shape of SHAPES)
      await drainRate(bench, shape, { records: 500, attemptMs: 0, concurrency: 10 });
    return [await measured(bench), await arrivals(bench), await modelled()].join('\n\n');
  } finally {
    await Promise.all(bench.workers.map((worker) => worker.stop()));
    client.destroy();
    await database.stop();
  }
}

function measured(bench: Bench): Promise<string> {
  const columns = SHAPES.map((shape) => ({
    name: shape.name,
    rate: async (load: Load) => {
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS; round++) rates.push(await drainRate(bench, shape, load));
      return median(rates);
    },
  }));
  return table(`DynamoDB Local, records a second, medians of ${ROUNDS}`, REAL, columns);
}

function modelled(): Promise<string> {
  const column = (name: string, shards: number, vary: boolean) => ({
    name,
    rate: (load: Load) => modelRate(load, shards, vary),
  });
  return table('Virtual time, requests of 5 ms', VIRTUAL, [
    column('one lane', 1, false),
    column('eight lanes', 8, false),
    column('one lane, attempts of varying length', 1, true),
    column('eight lanes, of varying length', 8, true),
  ]);
}

async function table(
  title: string,
  { seconds, maxRecords }: typeof REAL,
  columns: readonly { readonly name: string; readonly rate: (load: Load) => Promise<number> }[],
): Promise<string> {
  const lines = [
    `| ${[title, 'concurrency', 'bound', ...columns.map(({ name }) => name)].join(' | ')} |`,
    `|${'---|'.repeat(3 + columns.length)}`,
  ];
  for (const attemptMs of ATTEMPTS_MS) {
    for (const concurrency of CONCURRENCIES) {
      const bound = attemptMs === 0 ? Number.POSITIVE_INFINITY : (concurrency * 1000) / attemptMs;
      const load = { records: Math.min(maxRecords, bound * seconds), attemptMs, concurrency };
      const cells: (string | number)[] = [`${attemptMs} ms`, concurrency, attemptMs === 0 ? '' : bound];
      for (const { rate } of columns) cells.push(withShare(await rate(load), bound));
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

async function arrivals(bench: Bench): Promise<string> {
  const lines = [
    `| ${ARRIVALS} arrive in one go | concurrency | records a second | seconds |`,
    '|---|---|---|---|',
  ];
  for (const [attemptMs, concurrency] of [
    [0, 10],
    [50, 10],
    [50, 100],
    [500, 100],
  ] as const) {
    const rate = await arrivalRate(bench, { records: ARRIVALS, attemptMs, concurrency });
    lines.push(
      `| ${attemptMs} ms | ${concurrency} | ${Math.round(rate)} | ${(ARRIVALS / rate).toFixed(0)} |`,
    );
  }
  return lines.join('\n');
}

function withShare(rate: number, bound: number): string {
  const share = Number.isFinite(bound) ? ` (${Math.round((100 * rate) / bound)} %)` : '';
  return `${Math.round(rate)}${share}`;
}
