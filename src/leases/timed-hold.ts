import { StoreError } from '../store/errors.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';

/** Time for the work of one page in the worst case, in seconds. */
export const PAGE_SECONDS = 60;
/** Clocks of two machines may differ by this much. */
export const CLOCK_SKEW_MS = 5_000;
/** Time to settle, between the end of an attempt's time and the end of a hold. */
export const SETTLE_MS = 5_000;
/** Time between a renewal that fails and its repetition. */
export const RETRY_MS = 1_000;

/** The length of a hold: one page or one attempt, with time to settle before and after. */
export function holdMs(attemptTimeout: number): number {
  return Math.max(PAGE_SECONDS, attemptTimeout) * 1000 + 2 * SETTLE_MS;
}

/** Tells whether a hold that lasts until then may be taken over. */
export function isExpired({ until }: { readonly until: number }, clock: Clock): boolean {
  return clock.wall() > until + CLOCK_SKEW_MS;
}

/**
 * Something that a process holds for a limited time, and renews while it needs it. If the process is lost, another one has it
 * about a minute later. Leases of lanes, claims on records, slots and records under a long attempt are of this kind.
 */
export interface TimedHold {
  /** Its kind, in a log line. */
  readonly called: string;
  /** Fields of that line. Default: none. */
  readonly logged?: Readonly<Record<string, string>> | undefined;
  /** Real milliseconds until it should be renewed. */
  renewInMs(): number;
  /**
   * Renews it; `ids` are in flight.
   *
   * @returns false: it is another process's now
   */
  renew(ids: readonly string[]): Promise<boolean>;
}

/** The hold on the records that are under attempt. `renew` lets no further attempt begin, as records were read long ago. */
export interface RecordsHold extends TimedHold {
  /** The `rev` that the settles write. */
  readonly rev: string;
  /** The latest success under it, the backlog's time: the next write of the hold takes it along. */
  succeededAt?: number | undefined;
  /** Tells whether an attempt that starts then, by default now, ends inside the hold with its settle. */
  covers(startsAt?: number): boolean;
  /** Real milliseconds until it runs out. */
  leftMs(): number;
  /** Renews it for ids whose attempts begin now, or have begun. False: it is another process's now. */
  extend(ids: readonly string[]): Promise<boolean>;
}

export interface RenewalDeps {
  readonly clock: Clock;
  readonly logger: AttemptLogger;
}

/**
 * Renews a hold as often as it must be, until it is over. A renewal that DynamoDB does not answer is repeated.
 *
 * @param inFlight the ids that are in flight, at the time of a renewal
 * @returns false: it was lost to another process
 */
export async function keepRenewed(
  hold: TimedHold,
  over: AbortSignal,
  { clock, logger }: RenewalDeps,
  inFlight: () => readonly string[] = () => [],
): Promise<boolean> {
  for (let atLeastMs = 0; ; ) {
    await clock.sleep(Math.max(atLeastMs, hold.renewInMs()), over);
    if (over.aborted) return true;
    try {
      if (!(await hold.renew(inFlight()))) return false;
      atLeastMs = 0;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      notRenewed(hold, error, logger);
      atLeastMs = RETRY_MS;
    }
  }
}

/** Writes the line of a renewal that failed. */
export function notRenewed({ called, logged }: TimedHold, error: StoreError, logger: AttemptLogger): void {
  logger.warn('a hold could not be renewed', { hold: called, ...logged, error: error.message });
}

/**
 * Waits for the work of a page, and renews the hold as often as it must be. So no other run takes the records that are
 * still under attempt while DynamoDB does not answer one request.
 *
 * @param inFlight the ids that are in flight, at the time of a renewal
 */
export async function withHeartbeat<T>(
  work: Promise<T>,
  inFlight: () => readonly string[],
  { hold, ...deps }: RenewalDeps & { readonly hold: TimedHold },
): Promise<T> {
  const over = new AbortController();
  // Both come to their end: a renewal must not be written behind the release, or behind the next journal.
  const [renewed, worked] = await Promise.allSettled([
    keepRenewed(hold, over.signal, deps, inFlight),
    work.finally(() => over.abort('the page is worked off')),
  ]);
  if (worked.status === 'rejected') throw worked.reason;
  if (renewed.status === 'rejected') throw renewed.reason;
  return worked.value;
}
