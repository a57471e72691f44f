/** Runs that are under way in this process. */
const running = new Set<Promise<unknown>>();
const LAST_WORDS_MS = 50;
let stop: AbortController | undefined;

/**
 * Does something that ends early, and in order, when the process is told to (SIGTERM): Lambda does so where an
 * extension is registered, containers and the local runtime always do. The process ends when all of them have.
 */
export async function untilStopped<Result>(act: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
  const result = act(signal());
  running.add(result);
  try {
    return await result;
  } finally {
    running.delete(result);
  }
}

function signal(): AbortSignal {
  if (!stop) {
    stop = new AbortController();
    process.on('SIGTERM', terminated);
  }
  return stop.signal;
}

async function terminated(): Promise<void> {
  process.off('SIGTERM', terminated);
  stop?.abort();
  await Promise.allSettled(running);
  stop = undefined;
  // For log lines, and the answer to the caller.
  await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
  // What it would have done without a listener; another listener decides, if there is one.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
}
