import { MAX_SHARDS_BESIDE_KEYS } from '../record/busy-keys.js';
import type { RetryMode } from '../record/index.js';
import { ConfigurationError } from '../support/errors.js';
import type { QueueOptions } from './queue-options.js';

/** The settings of a queue that its lanes depend on. */
interface Lanes extends Pick<QueueOptions, 'concurrencyPerKey' | 'attemptsPerSecondPerKey'> {
  readonly retryMode: RetryMode;
  readonly shards?: number | undefined;
  readonly fairness?: boolean | undefined;
}

/**
 * Refuses fairness where records stay in their lanes for days, or where no lanes are left for keys. Refuses a limit for each key without
 * fairness: records of a key at its limit have no lane to wait in.
 *
 * @throws ConfigurationError naming the option
 */
export function checkLanes(settings: Lanes, path: string): void {
  const { fairness, retryMode, shards = 1 } = settings;
  if (fairness) {
    const refuse = (expected: string) => {
      throw new ConfigurationError(`${path}.fairness: expected ${expected}`);
    };
    if (retryMode === 'progressive') refuse('nothing, or false, on a progressive queue, got true');
    if (shards > MAX_SHARDS_BESIDE_KEYS)
      refuse(
        `at most ${MAX_SHARDS_BESIDE_KEYS} shards beside it, as busy keys need lanes of their own, got ${shards}`,
      );
    return;
  }
  for (const option of ['concurrencyPerKey', 'attemptsPerSecondPerKey'] as const) {
    const { [option]: limit } = settings;
    if (limit === undefined) continue;
    throw new ConfigurationError(
      `${path}.${option}: expected "fairness": true beside it, as records of a key that is at its limit wait in a lane of its own, got ${limit}`,
    );
  }
}
