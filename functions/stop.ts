/** Runs that are under way in this process. */
const running = new Set<Promise<unknown>>();
const LAST_WORDS_MS = 50;
let stop: AbortController | undefined;

/**
 * Does work that ends early, and in order, on SIGTERM. Lambda sends this signal where an extension is registered,
 * containers and the local runtime always do. The process ends when all such work has ended.
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
  // Time for log lines, and for the answer to the caller.
  await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
  // The process does what it would have done without a listener, unless another listener decides.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
}
