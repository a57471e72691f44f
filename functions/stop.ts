import type { Logger } from '@aws-lambda-powertools/logger';
import { takePollution } from '../src/support/prototypes.js';
import { show } from '../src/support/validation.js';

/** Runs that are under way in this process. */
const running = new Set<Promise<unknown>>();
const LAST_WORDS_MS = 50;
let stop: AbortController | undefined;

/**
 * Does work that ends early, and in order, on SIGTERM. Lambda sends this signal where an extension is registered,
 * containers and the local runtime always do. The process ends when all such work has ended.
 */
export async function untilStopped<Result>(act: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
  if (!stop) {
    stop = new AbortController();
    process.on('SIGTERM', terminated);
  }
  const result = act(stop.signal);
  running.add(result);
  try {
    return await result;
  } finally {
    running.delete(result);
  }
}

async function terminated(): Promise<void> {
  process.off('SIGTERM', terminated);
  stop?.abort();
  await Promise.allSettled(running);
  stop = undefined;
  // Time for log lines, and for the answer to the caller.
  await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
  // The process does what it would have done without a listener, unless another listener decides.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
}

/**
 * Ends a sandbox whose objects all have had properties that some code has added: that code may have changed more. The next
 * event starts another one. What was settled by then is settled, and the leases are given back.
 */
export function endIfPolluted(logger: Logger): void {
  const names = takePollution();
  if (names.length === 0) return;
  const properties = names.map(show).join(', ');
  logger.error('Object.prototype was changed during this run: the process ends, or is to be restarted', {
    properties,
  });
  // Elsewhere it is the process of a test, or of a worker.
  if (process.env.AWS_LAMBDA_RUNTIME_API !== undefined) process.exit(1);
}
