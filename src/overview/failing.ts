import type { MinuteCount } from './runtime.js';

/** Attempts of a queue within its last minutes. */
export interface RecentAttempts {
  /** Attempts that succeeded. */
  readonly succeeded: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** The number of minutes, up to now. */
  readonly minutes: number;
}

const MINUTE_MS = 60_000;
export const RECENT_MINUTES = 15;
/**
 * The latest minutes, in which an outage after many successes is seen at once: in a quarter of an hour it would be a
 * small share.
 */
const LATEST_MINUTES = 3;
/** Real time that the latest minutes span at least: on a faster clock, three minutes pass between two looks at a page. */
const LATEST_REAL_MS = 15_000;
/** The least attempts that say whether a queue fails. */
const MIN_ATTEMPTS = 5;
const FAILING_SHARE = 0.5;

/** Attempts of the last minutes. The minute that has begun, and the one in which the first of them lies, are whole. */
export function attemptsWithin(counts: readonly MinuteCount[], minutes: number, now: number): RecentAttempts {
  const recent = counts.filter(({ at }) => at > now - minutes * MINUTE_MS);
  return {
    succeeded: recent.reduce((total, { succeeded }) => total + succeeded, 0),
    failed: recent.reduce((total, { failed }) => total + failed, 0),
    minutes,
  };
}

/** The number of the latest minutes. @param speed of the backlog's clock */
export function latestMinutes(speed: number): number {
  return Math.min(RECENT_MINUTES, Math.max(LATEST_MINUTES, Math.ceil((LATEST_REAL_MS * speed) / MINUTE_MS)));
}

/** The attempts that say that a queue fails: half or more of at least 5, in 15 minutes or in the latest ones. */
export function failingAttempts(
  counts: readonly MinuteCount[],
  now: number,
  speed: number,
): RecentAttempts | undefined {
  return [RECENT_MINUTES, latestMinutes(speed)]
    .map((minutes) => attemptsWithin(counts, minutes, now))
    .find(({ succeeded, failed }) => {
      const all = succeeded + failed;
      return all >= MIN_ATTEMPTS && failed / all >= FAILING_SHARE;
    });
}
