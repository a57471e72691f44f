import { randomToken } from '../../random.js';
import { StoreError } from '../../store/errors.js';
import { CLOCK_SKEW_MS } from '../lease.js';
import type { RunOptions } from '../options.js';
import type { RunParts } from '../parts.js';

/**
 * Does something with as many attempts at a time as the queue has left for this run, where it has a limit for all of
 * its runs; with as many as the run may make, where it has none. A run that is lost keeps what it has until it would
 * have ended.
 *
 * @param act gets the attempts at a time; 0 if none are left
 */
export async function withSlots<Result>(
  { target, limits, deadline }: RunOptions,
  { store, clock, random, logger }: RunParts,
  act: (concurrency: number) => Promise<Result>,
): Promise<Result> {
  const { maxConcurrency, concurrency } = limits;
  if (maxConcurrency === undefined) return act(concurrency);
  const { queue, arrivals } = target;
  const run = randomToken(random);
  const ask = {
    run,
    wanted: concurrency,
    most: maxConcurrency,
    onArrival: arrivals !== undefined,
    now: clock.wall(),
    until: deadline + CLOCK_SKEW_MS,
  };
  const granted = await store.takeSlots(queue, ask);
  if (granted === 0) return act(0);
  try {
    return await act(granted);
  } finally {
    await store.releaseSlots(queue, run).catch((error) => {
      // Runs out by itself.
      if (!(error instanceof StoreError)) throw error;
      logger.warn('attempts at a time could not be given back', { queue, error: error.message });
    });
  }
}
