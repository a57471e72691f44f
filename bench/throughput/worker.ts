import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BenchRuns } from './runs.js';

/** A process that runs the queue's function. */
export interface Worker {
  /** Returns how many records were attempted. */
  run(bench: BenchRuns): Promise<number>;
  stop(): Promise<void>;
}

/** Starts bench/throughput/process.ts. */
export function startWorker(endpoint: string): Worker {
  const file = fileURLToPath(new URL('./process.ts', import.meta.url));
  const args = ['--no-warnings', '--import', 'tsx', file, endpoint];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const early = ended.then(([code]) => {
    throw new Error(`a process of the bench ended with ${code}`);
  });
  early.catch(() => {});
  const lines = createInterface(child.stdout);
  return {
    async run(bench) {
      const answer = once(lines, 'line');
      child.stdin.write(`${JSON.stringify(bench)}\n`);
      const [line] = await Promise.race([answer, early]);
      return Number(line);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
