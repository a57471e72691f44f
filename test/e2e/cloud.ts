import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Duration } from 'aws-cdk-lib';
import type { QueueProps } from '../../cdk/index.js';

/** The queues of the app: of a Backlog with rules, of one with schedules, and of two that share the first one's table. */
export interface DeployedQueues {
  readonly queues: Readonly<Record<string, QueueProps>>;
  readonly scheduled: Readonly<Record<string, QueueProps>>;
  /** Those of two other stacks on the table of the first Backlog. */
  readonly team: Readonly<Record<string, QueueProps>>;
}

const execute = promisify(execFile);

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run npm run test:e2e`);
  return value;
}

async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { stdout } = await execute(program, args, { env: { ...process.env, ...env }, maxBuffer: 50_000_000 });
  return stdout;
}

/** A program of the emulator's Python environment. */
export function tool(name: 'python' | 'aws', args: readonly string[]): Promise<string> {
  return run(join(variable('E2E_BIN'), name), args);
}

/** The CDK's own command line. */
/** What `app.ts` reads. */
const inSeconds = (_: string, value: unknown) => (value instanceof Duration ? value.toSeconds() : value);

async function cdk(
  queues: DeployedQueues,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  const bin = new URL('../../node_modules/aws-cdk/bin/cdk', import.meta.url).pathname;
  const folder = await mkdtemp(join(tmpdir(), 'backlog-e2e-'));
  const common = ['--app', 'npx tsx test/e2e/app.ts', '--output', join(folder, 'cdk.out')];
  try {
    await run(process.execPath, [bin, ...common, ...args], {
      ...env,
      E2E_QUEUES: JSON.stringify(queues, inSeconds),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command line reads the app for that, too. */
export function bootstrap(queues: DeployedQueues): Promise<void> {
  return cdk(queues, ['bootstrap', `aws://${variable('E2E_ACCOUNT')}/us-east-1`]);
}

/** Redelivery the stack's outputs. */
export async function deploy(queues: DeployedQueues): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-e2e-'));
  const outputs = join(folder, 'outputs.json');
  try {
    await cdk(queues, ['deploy', '--all', '--require-approval', 'never', '--outputs-file', outputs]);
    const all = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, Record<string, string>>;
    return all.EndToEnd ?? {};
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function destroy(queues: DeployedQueues): Promise<void> {
  return cdk(queues, ['destroy', '--all', '--force']);
}

/** Deploys the stack of guarded tables under another id of their construct. */
export function deployRenamed(queues: DeployedQueues): Promise<void> {
  return cdk(queues, ['deploy', 'Guarded', '--require-approval', 'never'], { E2E_GUARDED_ID: 'Renamed' });
}
