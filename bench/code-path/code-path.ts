import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Table from 'cli-table3';
import { build } from 'esbuild';
import { createDynamoDbClient } from '../../src/store/index.js';
import { createTables } from '../../test/store/tables.js';
import { startDatabase } from '../start-database.js';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Inside the package, so that the modules find their dependencies. */
const SCRATCH = join(ROOT, 'node_modules', '.cache', 'dynamo-backlog');

/** `attempted`: at its first attempt, on insertion. `retried`: by a rule, after one failure. */
export type Way = 'attempted' | 'retried';

/** A named function of this package that ran. */
export interface RanFunction {
  readonly file: string;
  readonly name: string;
  readonly calls: number;
}

/**
 * The functions of this package that run for one record with default options, from its insertion to `SUCCESS`: producer, intake
 * and function, counted by V8. What runs while the modules are loaded does not count.
 */
export async function codePath(way: Way): Promise<RanFunction[]> {
  await mkdir(SCRATCH, { recursive: true });
  const folder = await mkdtemp(join(SCRATCH, 'code-path-'));
  await compile(folder);
  const database = await startDatabase();
  const client = createDynamoDbClient({ endpoint: database.endpoint });
  try {
    const tables = await createTables(client);
    const file = fileURLToPath(new URL('./process.mjs', import.meta.url));
    const given = JSON.stringify({ way, endpoint: database.endpoint, tables, folder });
    const { stdout } = await promisify(execFile)(process.execPath, [file, given]);
    return JSON.parse(stdout.split('\n').at(-1) ?? '') as RanFunction[];
  } finally {
    client.destroy();
    await database.stop();
    await rm(folder, { recursive: true });
  }
}

/** Counts of the files and named functions that run for one record. */
export async function codePaths(): Promise<string> {
  const table = new Table({
    style: { head: [], border: [] },
    head: ['one record, to SUCCESS', 'files', 'functions'],
  });
  for (const way of ['attempted', 'retried'] as const) {
    const ran = await codePath(way);
    table.push([way, new Set(ran.map(({ file }) => file)).size, ran.length]);
  }
  return `Code that runs for one record with default options\n${table}`;
}

/** Each module by itself, as V8 tells functions apart by the file that they are in. */
async function compile(outdir: string): Promise<void> {
  await build({
    entryPoints: ['src', 'functions'].map((folder) => join(ROOT, folder, '**', '*.ts')),
    outbase: ROOT,
    outdir,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
}
