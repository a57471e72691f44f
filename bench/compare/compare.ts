import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { startDynamoDbLocal } from '../../scripts/dynamodb-local.mjs';
import type { Design } from '../designs/design.js';
import { DESIGNS } from '../designs/index.js';
import { median } from '../median.js';
import { startBullMq } from '../servers/bullmq.js';
import { NotInstalledError, type Served } from '../servers/install.js';
import { startPgBoss } from '../servers/pg-boss.js';
import { type Counted, counted, type Timed, timed, type Workload } from './round.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const RECORDS = Number(process.env.BENCH_RECORDS ?? 200);
const WORKLOADS: readonly Workload[] = [
  { records: RECORDS, kilobytes: 1, fails: false },
  { records: RECORDS, kilobytes: 1, fails: true },
  { records: RECORDS / 2, kilobytes: 30, fails: false },
  { records: RECORDS / 2, kilobytes: 30, fails: true },
];

interface Result {
  readonly design: Design;
  readonly counts: Counted;
  readonly rounds: Timed[];
}

/**
 * The same work by this library and by other designs on DynamoDB Local, as Markdown. All run in this process by turns, so
 * their ratios hold on a busy machine, too.
 */
export async function compare(): Promise<string> {
  const load = loadavg()[0] ?? 0;
  const database = await startDynamoDbLocal();
  process.once('SIGINT', database.kill).once('SIGTERM', database.kill);
  const served: Served[] = [];
  try {
    for (const start of [startPgBoss, startBullMq]) served.push(...(await startIfInstalled(start)));
    const designs = [...DESIGNS, ...served.map(({ design }) => design)];
    const tables: string[] = [];
    for (const workload of WORKLOADS) {
      tables.push(tableOf(workload, await resultsOf(workload, designs, database.endpoint)));
    }
    return [machine(load), ...tables, tableOfDesigns(designs)].join('\n\n');
  } finally {
    for (const { stop } of served) await stop();
    await database.stop();
  }
}

async function startIfInstalled(start: () => Promise<Served>): Promise<Served[]> {
  try {
    return [await start()];
  } catch (error) {
    if (!(error instanceof NotInstalledError)) throw error;
    process.stderr.write(`left out: ${error.message}\n`);
    return [];
  }
}

async function resultsOf(
  workload: Workload,
  designs: readonly Design[],
  endpoint: string,
): Promise<Result[]> {
  const results: Result[] = [];
  // These rounds warm up the others: code is compiled, and the database has grown.
  for (const design of designs) {
    results.push({ design, counts: await counted(design, workload, endpoint), rounds: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { design, rounds } of results) rounds.push(await timed(design, workload, endpoint));
  }
  return results;
}

function tableOf(workload: Workload, results: readonly Result[]): string {
  const { records, kilobytes, fails } = workload;
  const bare = results[0]?.rounds ?? [];
  const each = (total: number) => (total / records).toFixed(2);
  const rows = results.map(({ design, counts: { fill, work, idle }, rounds }) => [
    design.name,
    Math.round(median(rounds.map(({ recordsPerSecond }) => recordsPerSecond))),
    median(rounds.map(({ cpuMsPerRecord }) => cpuMsPerRecord)).toFixed(2),
    median(rounds.map((one, i) => one.cpuMsPerRecord / (bare[i]?.cpuMsPerRecord ?? Number.NaN))).toFixed(2),
    // Other databases have no units, and their requests are not counted.
    ...(work.requests === 0
      ? ['', '', '', '']
      : [work.requests, work.writeUnits, fill.writeUnits, work.readUnits].map(each)),
    idle.requests === 0 ? '' : idle.readUnits,
  ]);
  const title = `${records} records of ${kilobytes} KB, ${fails ? 'a fifth fails three times' : 'all succeed at once'}`;
  return [
    `| ${title} | records/s | CPU ms | CPU ÷ bare | requests | write units | insertion | read units | idle poll |`,
    `|---|${'---|'.repeat(8)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

function machine(load: number): string {
  const [{ model } = { model: 'unknown' }, { length: cores }] = [cpus()[0], cpus()];
  const pom = readFileSync(new URL('../../test/dynamodb-local/pom.xml', import.meta.url), 'utf8');
  const [, version] = /<artifactId>DynamoDBLocal<\/artifactId>\s*<version>([^<]+)/.exec(pom) ?? [];
  const others = load > cores / 2 ? `, busy with other work beside it (load ${load.toFixed(1)})` : '';
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${model}, ${cores} cores, ${Math.round(totalmem() / 2 ** 30)} GB${others}; ` +
    `Node.js ${process.versions.node}, DynamoDB Local ${version}. Medians of ${ROUNDS} rounds by turns.`
  );
}

function tableOfDesigns(designs: readonly Design[]): string {
  return [
    '| design | how it works | does not |',
    '|---|---|---|',
    ...designs.map(({ name, settings, doesNot }) => `| ${name} | ${settings} | ${doesNot} |`),
  ].join('\n');
}
