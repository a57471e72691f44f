import type { Clock } from '../clock.js';
import type { AttemptLogger } from '../logger.js';
import { StoreError } from '../store/errors.js';

/** What attempts need of whatever makes the records theirs. */
export interface Hold {
  /** What the settles write. */
  readonly rev: string;
  /** Whether an attempt that starts then, by default now, ends inside the hold with its settle. */
  covers(startsAt?: number): boolean;
  /** Real milliseconds until a run that only waits should renew it. */
  renewInMs(): number;
  /** Real milliseconds until it runs out. */
  leftMs(): number;
  /** Renews it for these ids. False: it is not ours any more. */
  hold(ids: readonly string[]): Promise<boolean>;
  /** Renews it for what is left of a page, of which no further attempt starts. False: it is not ours any more. */
  renew(ids: readonly string[]): Promise<boolean>;
}

export interface HeartbeatDeps {
  readonly hold: Hold;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
}

/** Between a renewal that fails and its repetition. */
export const RETRY_MS = 1_000;

/**
 * Waits for the work of a page, and renews the hold as often as it must be. So no other run takes the records that are
 * still under attempt while DynamoDB does not answer one request.
 *
 * @param inFlight the ids that are in flight, at the time of a renewal
 */
export async function withHeartbeat(
  work: Promise<unknown>,
  inFlight: () => readonly string[],
  { hold, clock, logger }: HeartbeatDeps,
): Promise<void> {
  const over = new AbortController();
  const renewing = async () => {
    let atLeastMs = 0;
    for (;;) {
      await clock.sleep(Math.max(atLeastMs, hold.renewInMs()), over.signal);
      if (over.signal.aborted) return;
      try {
        if (!(await hold.renew(inFlight()))) return;
        atLeastMs = 0;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        logger.warn('the lease could not be renewed', { error: error.message });
        atLeastMs = RETRY_MS;
      }
    }
  };
  // Both come to their end: a renewal must not be written behind the release, or behind the next journal.
  const [renewed, worked] = await Promise.allSettled([
    renewing(),
    work.finally(() => over.abort('the page is worked off')),
  ]);
  for (const ended of [worked, renewed]) if (ended.status === 'rejected') throw ended.reason;
}
