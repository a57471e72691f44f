import type { Clock } from '../support/clock.js';
import { StoreThrottledError, StoreUnavailableError } from './errors.js';

const MAX_TRIES = 7;
const FIRST_WAIT_MS = 500;

/**
 * Repeats what failed because DynamoDB throttles or does not answer, beyond the client's own patience: for 30
 * seconds.
 */
export async function patiently<Answer>(
  request: () => Promise<Answer>,
  {
    clock,
    signal,
    onTrouble,
  }: {
    readonly clock: Pick<Clock, 'sleep'>;
    readonly signal: AbortSignal;
    readonly onTrouble: (message: string) => void;
  },
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await request();
    } catch (error) {
      const passes = error instanceof StoreThrottledError || error instanceof StoreUnavailableError;
      if (!passes || tries >= MAX_TRIES || signal.aborted) throw error;
      onTrouble(error.message);
      await clock.sleep(FIRST_WAIT_MS * 2 ** (tries - 1), signal);
    }
  }
}
