import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import Table from 'cli-table3';
import { MissingProgramError } from '../scripts/dynamodb-local.mjs';
import { createDynamoDbClient } from '../src/store/index.js';
import { createTables } from '../test/store/tables.js';
import { arrivals } from './arrivals.js';
import { bundles } from './bundles.js';
import { codePaths } from './code-path/code-path.js';
import { compare } from './compare/compare.js';
import { type Bench, bareUpdates, type Counts, countsOf, type Drain, protocol } from './drain.js';
import { median } from './median.js';
import { memory } from './memory/memory.js';
import { policyCalls } from './policy-calls.js';
import { settles } from './settles.js';
import { startDatabase } from './start-database.js';
import { throughput } from './throughput/throughput.js';
import { writeInto } from './write-into.js';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 2000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Timeouts of an attempt: a page has fewer records the longer one may take. */
const TIMEOUTS_SECONDS = [5, 30];

interface Row {
  readonly design: string;
  readonly rounds: Drain[];
  readonly counts?: Counts;
}

/**
 * Ratios, measured by turns in one process, on the embedded DynamoDB in another, and counts. Seconds mean little here.
 * Write units with those of the index are asserted on DynamoDB Local (npm run test:dynamodb-local).
 */
async function drains(): Promise<string> {
  const database = await startDatabase();
  const client = createDynamoDbClient({ endpoint: database.endpoint });
  const documents = DynamoDBDocumentClient.from(client);
  const fresh = async (): Promise<Bench> => ({ client, documents, tables: await createTables(client) });
  try {
    // Compiled, and connected: what comes first would be slower than what comes after it.
    const warmUp = await fresh();
    await bareUpdates(warmUp, RECORDS);
    await protocol(warmUp, RECORDS, 5);
    const bare: Row = { design: 'bare UpdateItem', rounds: [] };
    const counted = await fresh();
    const rows: Row[] = [];
    for (const seconds of TIMEOUTS_SECONDS) {
      const counts = await countsOf(counted, RECORDS, seconds);
      rows.push({ design: `a run, attempts of up to ${seconds} s`, rounds: [], counts });
    }
    for (let round = 0; round < ROUNDS; round++) {
      const bench = await fresh();
      bare.rounds.push(await bareUpdates(bench, RECORDS));
      for (const [i, seconds] of TIMEOUTS_SECONDS.entries()) {
        rows[i]?.rounds.push(await protocol(bench, RECORDS, seconds));
      }
    }
    return tableOf(bare, rows);
  } finally {
    client.destroy();
    await database.stop();
  }
}

function tableOf(bare: Row, rows: readonly Row[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: [
      ...['drain', 'records/s', 'CPU ms/record', 'CPU of bare'],
      ...['requests/record', 'read units/record', 'write units/record (table)'],
    ],
  });
  for (const { design, rounds, counts } of [bare, ...rows]) {
    const each = (count: number | undefined) => (counts ? ((count ?? 0) / counts.records).toFixed(3) : '1');
    const ratios = rounds.map(
      ({ cpuMsPerRecord }, i) => cpuMsPerRecord / (bare.rounds[i]?.cpuMsPerRecord ?? 1),
    );
    table.push([
      design,
      Math.round(median(rounds.map(({ recordsPerSecond }) => recordsPerSecond))),
      median(rounds.map(({ cpuMsPerRecord }) => cpuMsPerRecord)).toFixed(2),
      median(ratios).toFixed(2),
      each(counts?.requests),
      counts ? each(counts.readUnits) : '0',
      each(counts?.writeUnits),
    ]);
  }
  return `${RECORDS} records; ${ROUNDS} rounds by turns; medians\n${table}`;
}

/** The comparison. Without Java or Maven it is left out, with a word. */
async function comparison(): Promise<string> {
  try {
    return await compare();
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    return `No comparison of designs: ${error.message}`;
  }
}

/** Measured alone, by a flag of its name. With `--write`, the tables of two of them go into their page. */
const ALONE = { compare, throughput, memory };

const alone = Object.entries(ALONE).filter(([name]) => process.argv.includes(`--${name}`));
for (const [name, measure] of alone) {
  const measured = await measure();
  process.stdout.write(`${measured}\n`);
  if (process.argv.includes('--write')) {
    writeInto(new URL('../docs/benchmarks.md', import.meta.url), name, measured);
  }
}
if (alone.length === 0) {
  for (const measure of [drains, settles, arrivals, policyCalls, bundles, codePaths, comparison]) {
    process.stdout.write(`${await measure()}\n\n`);
  }
}
