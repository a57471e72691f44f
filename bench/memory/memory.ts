import { startDynamoDbLocal } from '../../scripts/dynamodb-local.mjs';
import { startDatabase } from '../start-database.js';
import type { Load } from './load.js';
import { runFunction } from './run-function.js';
import { type Peaks, runRuntime } from './run-runtime.js';
import type { Measured } from './samples.js';

const LARGE = Number(process.env.BENCH_LARGE_RECORDS ?? 400);
const SMALL = Number(process.env.BENCH_SMALL_RECORDS ?? 20_000);
const FAILURES = 2;

const large: Load = { records: LARGE, kilobytes: 300, failures: 0 };
const small: Load = { records: SMALL, kilobytes: 1, failures: 0 };
/** Loads of large records, and whether outcomes are written in groups. */
const LARGE_LOADS: readonly (readonly [Load, boolean])[] = [
  [large, true],
  [large, false],
  [{ ...large, failures: FAILURES }, true],
  [{ ...large, failures: FAILURES }, false],
];
const SMALL_LOADS: readonly Load[] = [small, { ...small, failures: 1 }];
/** The runtime takes about ten times as long for a record. */
const RUNTIME_LOADS: readonly Load[] = [
  large,
  { ...large, failures: FAILURES },
  { ...small, records: SMALL / 10 },
];

/** The memory of one function and of the local runtime while they work records off, as Markdown. Needs Linux. */
export async function memory(): Promise<string> {
  return [await ofFunction(), ...(await ofRuntime())].join('\n\n');
}

async function ofFunction(): Promise<string> {
  const rows: string[] = [];
  const database = await startDynamoDbLocal();
  process.once('SIGINT', database.kill).once('SIGTERM', database.kill);
  try {
    for (const [load, groupWrites] of LARGE_LOADS) {
      rows.push(rowOf(load, groupWrites, await runFunction(load, groupWrites, database.endpoint)));
    }
  } finally {
    await database.stop();
  }
  // DynamoDB Local takes minutes for a page of tens of thousands of items. The embedded one has no groups of writes.
  const embedded = await startDatabase();
  try {
    for (const load of SMALL_LOADS) {
      rows.push(rowOf(load, false, await runFunction(load, false, embedded.endpoint)));
    }
  } finally {
    await embedded.stop();
  }
  return [
    row([
      'one function: MB resident, heap',
      'before',
      '25 %',
      '50 %',
      '75 %',
      '100 %',
      'heap without garbage',
    ]),
    `|${'---|'.repeat(7)}`,
    ...rows,
  ].join('\n');
}

function rowOf(load: Load, groupWrites: boolean, { before, quarters, kept }: Measured): string {
  return row([
    `${titleOf(load)}, ${groupWrites ? 'in groups' : 'one by one'}`,
    before,
    ...quarters.map(({ rss, heap }) => `${rss.toFixed(0)}, ${heap.toFixed(0)}`),
    kept.map((mb) => mb.toFixed(0)).join(' → '),
  ]);
}

async function ofRuntime(): Promise<string[]> {
  const tables: string[] = [];
  for (const load of RUNTIME_LOADS) {
    const peaks = await runRuntime(load);
    tables.push(
      [
        row([`local runtime: MB resident, ${titleOf(load)}`, 'before', '25 %', '50 %', '75 %', '100 %']),
        `|${'---|'.repeat(6)}`,
        ...rowsOf(peaks),
      ].join('\n'),
    );
  }
  return tables;
}

/** One for each process, at its peak. */
function rowsOf(peaks: readonly Peaks[]): string[] {
  const names = [...(peaks.at(-1)?.keys() ?? [])];
  return names.map((name) => row([name, ...peaks.map((at) => at.get(name) ?? '')]));
}

function titleOf({ records, kilobytes, failures }: Load): string {
  const outcome = failures === 0 ? 'all succeed' : `all fail${failures > 1 ? ` ${failures} times` : ''}`;
  return `${records} records of ${kilobytes} KB, ${outcome}`;
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(0) : cell)).join(' | ')} |`;
}
