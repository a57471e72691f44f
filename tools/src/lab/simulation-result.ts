import type { Item } from 'dynamo-backlog/engine';
import type { AttemptLog } from './attempt-log.js';

/** The figures of a scenario. Seconds are of the scenario's time, not rounded; `null` where there is nothing to say. */
export interface SimulationResult {
  readonly records: number;
  readonly succeeded: number;
  readonly dead: number;
  /** Records that are neither, at the horizon. */
  readonly open: number;
  readonly attempts: number;
  /** Attempts that failed. */
  readonly wastedAttempts: number;
  /** The failed attempts that count against their records: a breaker spares those that were under way when it opened. */
  readonly countedFailures: number;
  readonly peakPerSecond: number;
  readonly peakPer10Seconds: number;
  readonly peakPerMinute: number;
  /** The peak without the first attempt of each record. */
  readonly retryPeakPerSecond: number;
  readonly retryPeakPer10Seconds: number;
  readonly retryPeakPerMinute: number;
  /**
   * Variance / mean of the attempts per second, without the first of each record, from the first to the last of the
   * others: 1 where chance alone spreads them.
   */
  readonly indexOfDispersion: number | null;
  /** The mean of |wait / base - 1|; a wait is from a failure to the next attempt. */
  readonly meanDeviation: number | null;
  readonly greatestDeviation: number | null;
  /** The time of the last success, if no record that can succeed is open any more. */
  readonly drainedSeconds: number | null;
  /** The greatest age of a record when it succeeded or died, or at the horizon. */
  readonly oldestAgeSeconds: number | null;
}

export interface SimulationEnd {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Ids of the records that never succeed. */
  readonly failing: ReadonlySet<string>;
}

/** Makes the figures from the log, and from the records as they are at the end. */
export function summarize(items: readonly Item[], log: AttemptLog, end: SimulationEnd): SimulationResult {
  let [succeeded, dead, drainedAt, oldestMs, failures] = [0, 0, 0, 0, 0];
  let isDrained = true;
  for (const item of items) {
    let endedAt = end.endedAt;
    failures += Number(item.failures ?? 0);
    if (item.status === 'SUCCESS') {
      succeeded++;
      endedAt = time(item.lastAttemptAt);
      drainedAt = Math.max(drainedAt, endedAt);
    } else if (item.status === 'DEAD') {
      dead++;
      // A dead record is listed by the time of its death.
      endedAt = time(item.dueAt);
    } else if (!end.failing.has(String(item.id))) {
      isDrained = false;
    }
    oldestMs = Math.max(oldestMs, endedAt - time(item.insertedAt));
  }
  return {
    records: items.length,
    succeeded,
    dead,
    open: items.length - succeeded - dead,
    attempts: log.attempts,
    wastedAttempts: log.failed,
    countedFailures: failures,
    peakPerSecond: log.seconds.peak,
    peakPer10Seconds: log.tenSeconds.peak,
    peakPerMinute: log.minutes.peak,
    retryPeakPerSecond: log.retrySeconds.peak,
    retryPeakPer10Seconds: log.retryTenSeconds.peak,
    retryPeakPerMinute: log.retryMinutes.peak,
    indexOfDispersion: log.retrySeconds.dispersion() ?? null,
    meanDeviation: log.deviation.mean ?? null,
    greatestDeviation: log.deviation.greatest ?? null,
    drainedSeconds: isDrained && succeeded > 0 ? (drainedAt - end.startedAt) / 1000 : null,
    oldestAgeSeconds: items.length > 0 ? oldestMs / 1000 : null,
  };
}

function time(attribute: unknown): number {
  return Date.parse(String(attribute));
}
