import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { until } from '../cli/process.js';
import { environment } from './run.js';

export interface Background extends AsyncDisposable {
  readonly url: string;
  /** The lines that it printed. */
  lines(): string[];
}

/** Starts the server of an example as one process, on a free port that `PORT` names. */
export async function startServer(
  cwd: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Background> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd,
    env: environment({ ...env, PORT: String(port) }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data;
  });
  const url = `http://127.0.0.1:${port}`;
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await until(async () => (await fetch(url).catch(() => undefined)) !== undefined, 120_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    lines: () => out.split('\n').filter((line) => line !== '' && !line.includes(' undefined ')),
    [Symbol.asyncDispose]: stop,
  };
}

/** Ends a process and its children; it has to be `detached`. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
