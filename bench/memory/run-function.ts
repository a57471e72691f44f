import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLING } from '../../scripts/handlers.mjs';
import { BacklogClient } from '../../src/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { createTables, type TestTables } from '../../test/store/tables.js';
import { type Load, recordsOf } from './load.js';
import type { Measured } from './samples.js';

const QUEUE = 'orders';
/** Attempts of 5 s, ten at once: the largest page, of 100 records. */
const SETTINGS = { retryMode: 'perRecord', concurrency: 10, attemptTimeout: 5 };
/** The construct's default. */
const MEMORY_MB = 512;

/** Works records off by one function, in a process that has the flags which Lambda gives to Node.js for its memory. */
export async function runFunction(load: Load, groupWrites: boolean, endpoint: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-memory-'));
  try {
    const file = join(folder, 'function.mjs');
    const entry = fileURLToPath(new URL('./function.ts', import.meta.url));
    await build({ ...BUNDLING, entryPoints: [entry], outfile: file });
    const tables = await filled(load, endpoint);
    return await measured(file, load, environment(tables, groupWrites, endpoint));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(file: string, load: Load, env: NodeJS.ProcessEnv): Promise<Measured> {
  const events = Math.max(1, load.failures);
  const child = fork(file, [QUEUE, events, load.records * events, load.failures > 0].map(String), {
    execArgv: ['--expose-gc', ...lambdaFlags(MEMORY_MB)],
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-1000);
  });
  const answer = once(child, 'message').then(([measured]) => measured as Measured);
  const ended = once(child, 'close');
  const measured = await Promise.race([answer, ended.then(() => undefined)]);
  await ended;
  if (!measured) throw new Error(`the function ended with ${child.signalCode ?? child.exitCode}:\n${stderr}`);
  return measured;
}

/** A tenth for young objects, in two halves. */
function lambdaFlags(memoryMb: number): string[] {
  const young = Math.floor(memoryMb / 10);
  return [`--max-semi-space-size=${Math.floor(young / 2)}`, `--max-old-space-size=${memoryMb - young}`];
}

function environment(tables: TestTables, groupWrites: boolean, endpoint: string): NodeJS.ProcessEnv {
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    BACKLOG_TABLE: tables.records,
    BACKLOG_CONTROL_TABLE: tables.control,
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: '900',
    BACKLOG_GROUP_WRITES: String(groupWrites),
    BACKLOG_QUEUES: JSON.stringify({ [QUEUE]: SETTINGS }),
  };
}

async function filled(load: Load, endpoint: string): Promise<TestTables> {
  const client = createDynamoDbClient({ endpoint });
  const tables = await createTables(client);
  const producer = new BacklogClient({ table: tables.records, client, indexAtOnce: true });
  const records = recordsOf(load).map((record) => ({ ...record, queue: QUEUE }));
  const { inserted } = await producer.insertMany(records);
  client.destroy();
  if (inserted !== load.records) throw new Error(`expected ${load.records} inserted, got ${inserted}`);
  return tables;
}
