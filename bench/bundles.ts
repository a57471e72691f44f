import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { bundleHandler, HANDLERS } from '../test/handler-bundles.js';
import { median } from './median.js';

const ROUNDS = Number(process.env.BENCH_LOADS ?? 15);

/** So that a handler reads its settings and makes its clients, as it does at a cold start. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  BACKLOG_TABLE: 'records',
  BACKLOG_CONTROL_TABLE: 'control',
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
  BACKLOG_QUEUES: JSON.stringify({
    orders: { retryMode: 'perRecord', deliverTo: 'https://erp.example.com/orders' },
  }),
  BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ deliver: ['orders'] }),
  BACKLOG_REDELIVERY_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/returns',
};

const LOAD = `
  const cpu = process.cpuUsage();
  const start = performance.now();
  await import(process.argv[1]);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  process.stdout.write(JSON.stringify({ ms, cpuMs: (user + system) / 1000 }));
`;

interface Load {
  /** Time until the module is loaded. */
  readonly ms: number;
  /** Processor time of all threads: what counts where Lambda gives a fraction of a core, and steadier on a busy machine. */
  readonly cpuMs: number;
}

/** The code that Lambda loads at a cold start, beside a handler that only holds the same clients of the SDK. */
export async function bundles(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-bundles-'));
  const table = new Table({
    style: { head: [], border: [] },
    head: ['handler', 'KB', 'bare KB', 'of bare', 'load ms', 'bare ms', 'of bare', 'CPU of bare'],
  });
  try {
    for (const name of HANDLERS) {
      const { handler, bare } = await bundleHandler(name, folder);
      const pairs = Array.from({ length: ROUNDS }, () => [load(handler.file), load(bare.file)] as const);
      table.push([
        name,
        (handler.bytes / 1000).toFixed(0),
        (bare.bytes / 1000).toFixed(0),
        (handler.bytes / bare.bytes).toFixed(2),
        median(pairs.map(([own]) => own.ms)).toFixed(0),
        median(pairs.map(([, other]) => other.ms)).toFixed(0),
        median(pairs.map(([own, other]) => own.ms / other.ms)).toFixed(2),
        median(pairs.map(([own, other]) => own.cpuMs / other.cpuMs)).toFixed(2),
      ]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return `Bundles of the handlers; ${ROUNDS} loads each in fresh processes of Node ${process.version}, by turns; medians\n${table}`;
}

function load(file: string): Load {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, ...ENVIRONMENT };
  const options = { env: environment, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', LOAD, file],
    options,
  );
  if (status !== 0) throw new Error(`${file} does not load: ${stderr}`);
  return JSON.parse(stdout) as Load;
}
