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
  const recent = minutesWithin(counts, minutes, now);
  return {
    succeeded: recent.reduce((total, { succeeded }) => total + succeeded, 0),
    failed: recent.reduce((total, { failed }) => total + failed, 0),
    minutes,
  };
}

function minutesWithin(counts: readonly MinuteCount[], minutes: number, now: number): readonly MinuteCount[] {
  return counts.filter(({ at }) => at > now - minutes * MINUTE_MS);
}

/** The number of the latest minutes. @param speed of the backlog's clock */
export function latestMinutes(speed: number): number {
  return Math.min(RECENT_MINUTES, Math.max(LATEST_MINUTES, Math.ceil((LATEST_REAL_MS * speed) / MINUTE_MS)));
}

/** Attempts that say that a queue fails. */
export interface FailingAttempts extends RecentAttempts {
  /** The first of the minutes in which most attempts failed, epoch milliseconds. */
  readonly since: number;
}

/**
 * The attempts that say that a queue fails: half or more of at least 5, in the latest minutes, or in 15 minutes of which the latest
 * are not better. So a queue that has recovered does not fail for another quarter of an hour.
 */
export function failingAttempts(
  counts: readonly MinuteCount[],
  now: number,
  speed: number,
): FailingAttempts | undefined {
  const latest = attemptsWithin(counts, latestMinutes(speed), now);
  const recent = attemptsWithin(counts, RECENT_MINUTES, now);
  const found = mostFail(latest) ? latest : mostFail(recent) && !isBack(latest) ? recent : undefined;
  const since = minutesWithin(counts, RECENT_MINUTES, now).find(isBad)?.at;
  return found && { ...found, since: since ?? now };
}

/** The minute since which a queue does not fail any more. Undefined: it did not fail within 15 minutes, or does still. */
export function backSince(counts: readonly MinuteCount[], now: number, speed: number): number | undefined {
  if (!mostFail(attemptsWithin(counts, RECENT_MINUTES, now))) return undefined;
  if (!isBack(attemptsWithin(counts, latestMinutes(speed), now))) return undefined;
  const minutes = minutesWithin(counts, RECENT_MINUTES, now);
  return minutes[minutes.findLastIndex(isBad) + 1]?.at;
}

function mostFail({ succeeded, failed }: RecentAttempts): boolean {
  const all = succeeded + failed;
  return all >= MIN_ATTEMPTS && failed / all >= FAILING_SHARE;
}

function isBack({ succeeded, failed }: RecentAttempts): boolean {
  return succeeded > failed;
}

function isBad({ succeeded, failed }: MinuteCount): boolean {
  return failed > 0 && failed >= succeeded;
}
