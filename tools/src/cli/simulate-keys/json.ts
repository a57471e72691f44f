import type { Delays } from '../../lab/keys/report.js';
import type { KeysScenario } from './input.js';
import type { PlayedQueue } from './played-queue.js';

/**
 * The figures: seconds are not rounded, attempts per second have one decimal, writes three. Seconds are `null` where something
 * has not come, or no record was counted.
 */
export function keysJson(
  played: readonly PlayedQueue[],
  { name, scale, attemptMs, failingAttempts, seed }: KeysScenario,
): string {
  return JSON.stringify({
    ...{ keys: name, scale, attemptMs, failingAttempts, seed },
    queues: played.map(({ queue, report }) => ({
      options: queue,
      quietInNoise: delays(report.quietInNoise),
      quiet: delays(report.quiet),
      noisy: { ...delays(report.noisy), lastSuccessSeconds: report.noisySucceeded },
      maxAttemptsOfKey: report.mostOfKey,
      firstAttemptsPerSecond: report.perSecond,
      writesPerRecord: report.writesPerRecord,
    })),
  });
}

function delays({ records, p50, p99, max }: Delays) {
  return { records, firstAttemptSeconds: { p50, p99, max } };
}
