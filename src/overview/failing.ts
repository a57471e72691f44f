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
/** The least attempts that say whether a queue fails, where some succeed. */
const MIN_ATTEMPTS = 5;
/** The least failures that say it, where none succeeds: back-off thins the attempts of an outage. */
const MIN_FAILURES = 2;
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

/** Failures of a queue by its attempts. */
export interface OutageByMinute {
  /** The attempts that say that it fails. Undefined: it does not. */
  readonly failing?: FailingAttempts | undefined;
  /** The minute since which it does not fail any more: the first after those in which most attempts failed. Undefined: it did not fail. */
  readonly backAt?: number | undefined;
  /** The first minute of the outage that ended then. */
  readonly failedSince?: number | undefined;
}

/**
 * Reads the minutes in turn, the oldest first. After a recovery, only later attempts say that the queue fails again: one record
 * does not. So the time of a recovery stays the same until most attempts fail again.
 */
export function outageByMinute(counts: readonly MinuteCount[], now: number, speed: number): OutageByMinute {
  let outage: OutageByMinute = {};
  let from = 0;
  let failedSince: number | undefined;
  let lastBad = -1;
  for (let i = 0; i <= counts.length; i++) {
    const minute = counts[i];
    if (minute && isBadMinute(minute)) lastBad = i;
    const seenAt = Math.min(now, (minute?.at ?? now) + MINUTE_MS - 1);
    // No look goes further back, and a queue has two hours of them.
    const seen = counts.slice(Math.max(from, i - RECENT_MINUTES), i + 1);
    const failing = failingAt(seen, seenAt, speed);
    const firstGood = Math.max(from, lastBad + 1);
    // An outage may begin and end within one minute.
    const endedIn = counts[lastBad]?.succeededSince ? counts[lastBad] : undefined;
    const hasSucceeded = () =>
      endedIn !== undefined || counts.slice(firstGood, i + 1).some(({ succeeded }) => succeeded > 0);
    if (failing) {
      failedSince ??= failing.since;
      outage = { failing };
    } else if (outage.failing && hasSucceeded()) {
      from = firstGood;
      outage = { backAt: (endedIn ?? counts[from])?.at, failedSince };
      failedSince = undefined;
    } else if (i === counts.length) outage = { ...outage, failing: undefined };
  }
  return outage;
}

/**
 * The attempts that say that a queue fails: half or more of at least 5, in the latest minutes, or in 15 minutes of which the latest
 * are not better. Two failures are enough if none has succeeded in 15 minutes. So a queue that has recovered does not fail for another
 * quarter of an hour.
 */
export function failingAttempts(
  counts: readonly MinuteCount[],
  now: number,
  speed: number,
): FailingAttempts | undefined {
  return outageByMinute(counts, now, speed).failing;
}

function failingAt(counts: readonly MinuteCount[], now: number, speed: number): FailingAttempts | undefined {
  const latest = attemptsWithin(counts, latestMinutes(speed), now);
  const recent = attemptsWithin(counts, RECENT_MINUTES, now);
  const isBad = (mostFail(recent) || allFail(recent)) && !isBack(latest);
  const found = mostFail(latest) ? latest : isBad ? recent : undefined;
  const since = minutesWithin(counts, RECENT_MINUTES, now).find(isBadMinute)?.at;
  return found && { ...found, since: since ?? now };
}

function mostFail({ succeeded, failed }: RecentAttempts): boolean {
  const all = succeeded + failed;
  return all >= MIN_ATTEMPTS && failed / all >= FAILING_SHARE;
}

function allFail({ succeeded, failed }: RecentAttempts): boolean {
  return succeeded === 0 && failed >= MIN_FAILURES;
}

function isBack({ succeeded, failed }: RecentAttempts): boolean {
  return succeeded > failed;
}

function isBadMinute({ succeeded, failed }: MinuteCount): boolean {
  return failed > 0 && failed >= succeeded;
}
