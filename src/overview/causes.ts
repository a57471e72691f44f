import { type Cause, causeOf, causeText } from '../operate/cause.js';
import type { BacklogRecord } from '../record/index.js';
import { groupBy } from '../support/group-by.js';
import { patternsOf } from './message-pattern.js';
import { type Exactness, exactnessOf, type Stratum, type Weighed, weighed } from './weighed.js';

/** Numbers of records, by estimate if not all were read. */
export interface FailureCounts {
  /** Records in retry. */
  readonly retry: number;
  /** Dead records. */
  readonly dead: number;
}

/**
 * Times of failures, epoch milliseconds; undefined: no record tells.
 *
 * @inline
 */
interface Times {
  /** The earliest failure of this cause that the records still tell: a history is bounded. */
  readonly firstAt: number | undefined;
  /** The latest failure. */
  readonly lastAt: number | undefined;
}

/** A record of a pattern. */
export interface FailureExample {
  /** The record's id. */
  readonly id: string;
  /** Its queue. */
  readonly queue: string;
  /** The stack of its last failure; undefined: its history has none. */
  readonly stack: string | undefined;
}

/** Records of a cause whose messages are the same, except numbers, ids, and words that differ from record to record. */
export interface FailurePattern extends FailureCounts, Times {
  /** The message that they share, with `{n}`, `{id}`, `{time}` and `{word}` for its differing parts. */
  readonly pattern: string;
  /** The records that failed last, the latest first. */
  readonly examples: readonly FailureExample[];
}

/** Records whose last failure has the same cause, of all queues. */
export interface FailureCause extends FailureCounts, Times {
  /** The class of the error, with the HTTP status and the destination of its message. */
  readonly cause: Cause;
  /** The exactness of the counts: `about` if not all records of a queue were read. */
  readonly counted: Exactness;
  /** Numbers by `AGES`, the time since the last failure. */
  readonly ages: {
    /** Records in retry. */
    readonly retry: readonly number[];
    /** Dead records. */
    readonly dead: readonly number[];
  };
  /** Numbers by the hour of the last failure, in the last 24 hours; the oldest hour first. */
  readonly hours: readonly number[];
  /** The queues, the one with most records first. */
  readonly queues: readonly (FailureCounts &
    Times & {
      /** The queue's name. */
      readonly queue: string;
    })[];
  /** The patterns, the one with most records first. */
  readonly patterns: readonly FailurePattern[];
  /** The number of patterns that are left out. */
  readonly morePatterns: number;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** A bucket of failures by the time since the last one. The edges are durations, as a filter takes them. */
export interface FailureAge {
  /** The bucket in words, such as `last 1 h`. */
  readonly label: string;
  /** The longest time since the failure; empty: any. */
  readonly within: string;
  /** The shortest time since the failure; empty: none. */
  readonly before: string;
  /** The longest time in milliseconds. */
  readonly untilMs: number;
}

/** Buckets by the time since the last failure, the shortest time first. */
export const AGES: readonly FailureAge[] = [
  { label: 'last 1 h', within: '1h', before: '', untilMs: HOUR_MS },
  { label: '1–3 h', within: '3h', before: '1h', untilMs: 3 * HOUR_MS },
  { label: '3–24 h', within: '24h', before: '3h', untilMs: 24 * HOUR_MS },
  { label: 'older', within: '', before: '24h', untilMs: Number.POSITIVE_INFINITY },
];

const MAX_PATTERNS = 20;
const MAX_EXAMPLES = 3;

/** A record that has failed, and the number of records that it stands for. */
interface Failed extends Weighed {
  readonly cause: Cause;
}

/** The causes of the failures of these records. The one with most failures in the last hour comes first. */
export function causesOf(strata: readonly Stratum[], now: number): FailureCause[] {
  const byCause = groupBy(weighed(strata).flatMap(failedOf), ({ cause }) => causeText(cause));
  const causes = [...byCause.values()].map((failed) => causeFrom(failed, now));
  const recent = ({ ages }: FailureCause) => (ages.retry[0] ?? 0) + (ages.dead[0] ?? 0);
  return causes.sort((one, other) => recent(other) - recent(one) || sumOf(other) - sumOf(one));
}

/** The number of records, in retry and dead. */
export function sumOf({ retry, dead }: FailureCounts): number {
  return retry + dead;
}

function failedOf(one: Weighed): Failed[] {
  const { lastError, status } = one.record;
  // NEW records wait in the same lane; a dead record without an error has expired, or was discarded.
  return lastError && (one.dead || status === 'ERROR') ? [{ ...one, cause: causeOf(lastError) }] : [];
}

function causeFrom(failed: readonly Failed[], now: number): FailureCause {
  const [{ cause }] = failed as readonly [Failed];
  const messages = patternsOf(failed.map(({ record }) => record.lastError?.message ?? ''));
  const byPattern = groupBy(failed, (_, i) => messages[i] ?? '');
  const byQueue = groupBy(failed, ({ record }) => record.queue);
  const patterns = [...byPattern].map(([pattern, own]) => ({
    pattern,
    ...countsOf(own),
    ...timesOf(own),
    examples: examplesOf(own),
  }));
  const queues = [...byQueue].map(([queue, own]) => ({ queue, ...countsOf(own), ...timesOf(own) }));
  return {
    cause,
    ...countsOf(failed),
    ...timesOf(failed),
    counted: exactnessOf(failed.map(({ counted }) => counted)),
    ages: {
      retry: agesOf(
        failed.filter(({ dead }) => !dead),
        now,
      ),
      dead: agesOf(
        failed.filter(({ dead }) => dead),
        now,
      ),
    },
    hours: hoursOf(failed, now),
    queues: queues.sort(byNumber),
    patterns: patterns.sort(byNumber).slice(0, MAX_PATTERNS),
    morePatterns: Math.max(0, patterns.length - MAX_PATTERNS),
  };
}

function byNumber(one: FailureCounts, other: FailureCounts): number {
  return sumOf(other) - sumOf(one);
}

function countsOf(failed: readonly Failed[]): FailureCounts {
  const weightOf = (isDead: boolean) =>
    failed.reduce((sum, { dead, weight }) => (dead === isDead ? sum + weight : sum), 0);
  return { retry: weightOf(false), dead: weightOf(true) };
}

function timesOf(failed: readonly Failed[]): Times {
  let [firstAt, lastAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { record, cause } of failed) {
    const last = failedAt(record);
    if (Number.isFinite(last)) lastAt = Math.max(lastAt, last);
    for (const time of [last, ...earlierOf(record, cause)]) if (time < firstAt) firstAt = time;
  }
  return {
    firstAt: Number.isFinite(firstAt) ? firstAt : undefined,
    lastAt: Number.isFinite(lastAt) ? lastAt : undefined,
  };
}

/**
 * The earlier failures of the same cause. A history has lost its oldest entries: where those that are left have no other cause, the
 * first failure counts as well.
 */
function earlierOf({ history, firstFailureAt }: BacklogRecord, cause: Cause): number[] {
  const text = causeText(cause);
  const failures = history.filter(({ name, outcome }) => name !== undefined && outcome === undefined);
  const same = failures.filter(
    ({ name = '', message = '' }) => name === cause.error && causeText(causeOf({ name, message })) === text,
  );
  const isOnly = same.length > 0 && same.length === failures.length;
  const first = isOnly && firstFailureAt !== undefined ? [firstFailureAt] : [];
  return [...first, ...same.map(({ at }) => at)].map(Date.parse);
}

function agesOf(failed: readonly Failed[], now: number): number[] {
  const counts: number[] = AGES.map(() => 0);
  for (const { record, weight } of failed) {
    const found = AGES.findIndex(({ untilMs }) => now - failedAt(record) < untilMs);
    const i = found < 0 ? AGES.length - 1 : found;
    counts[i] = (counts[i] ?? 0) + weight;
  }
  return counts;
}

function hoursOf(failed: readonly Failed[], now: number): number[] {
  const counts = Array.from({ length: HOURS }, () => 0);
  for (const { record, weight } of failed) {
    const i = HOURS - 1 - Math.max(0, Math.floor((now - failedAt(record)) / HOUR_MS));
    if (i >= 0) counts[i] = (counts[i] ?? 0) + weight;
  }
  return counts;
}

function examplesOf(failed: readonly Failed[]): FailureExample[] {
  const latest = [...failed].sort(
    (one, other) => (failedAt(other.record) || 0) - (failedAt(one.record) || 0),
  );
  return latest.slice(0, MAX_EXAMPLES).map(({ record: { id, queue, history } }) => ({
    id,
    queue,
    stack: history.at(-1)?.stack,
  }));
}

/** The time at which a record failed last, epoch milliseconds; NaN: not known. */
function failedAt({ lastFailureAt, lastError }: BacklogRecord): number {
  return Date.parse(lastFailureAt ?? lastError?.at ?? '');
}
