import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { QueueProps } from '../../cdk/index.js';

const execute = promisify(execFile);

export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run npm run test:e2e`);
  return value;
}

export async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { stdout } = await execute(program, args, { env: { ...process.env, ...env }, maxBuffer: 50_000_000 });
  return stdout;
}

/** The CDK's own command line. */
function cdk(args: readonly string[], queues: Readonly<Record<string, QueueProps>> = {}) {
  const bin = new URL('../../node_modules/aws-cdk/bin/cdk', import.meta.url).pathname;
  return run(process.execPath, [bin, '--app', 'npx tsx test/e2e/app.ts', ...args], {
    E2E_QUEUES: JSON.stringify(queues),
  });
}

/** The command line reads the app for that, too. */
export async function bootstrap(queues: Readonly<Record<string, QueueProps>>): Promise<void> {
  await cdk(['bootstrap', `aws://${variable('E2E_ACCOUNT')}/us-east-1`], queues);
}

/** Returns the stack's outputs. */
export async function deploy(queues: Readonly<Record<string, QueueProps>>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-e2e-'));
  const outputs = join(folder, 'outputs.json');
  const flags = [
    '--require-approval',
    'never',
    '--outputs-file',
    outputs,
    '--output',
    join(folder, 'cdk.out'),
  ];
  try {
    await cdk(['deploy', ...flags], queues);
    const all = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, Record<string, string>>;
    return all.EndToEnd ?? {};
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function destroy(queues: Readonly<Record<string, QueueProps>>): Promise<void> {
  await cdk(['destroy', '--force'], queues);
}

/** An ERP that answers as the payload asks: its `answers`, one for each attempt, the last again and again. */
export async function startErp() {
  const attempts = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['idempotency-key']);
      const attempt = attempts.get(id) ?? 0;
      attempts.set(id, attempt + 1);
      const { answers = [200] } = JSON.parse(Buffer.concat(chunks).toString()) as { answers?: number[] };
      response.writeHead(answers[Math.min(attempt, answers.length - 1)] ?? 200).end('answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/orders`,
    attemptsOf: (id: string) => attempts.get(id) ?? 0,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
