import type { BacklogRecord } from '../../../../src/record/index.js';
import { patternOf } from './pattern.js';
import type { Stratum } from './sample.js';

/** Buckets by the time since the last failure. The edges are durations, as a filter takes them. */
export const BUCKETS = [
  { label: 'last 1 h', within: '1h', before: '', untilMs: 3_600_000 },
  { label: '1–3 h', within: '3h', before: '1h', untilMs: 3 * 3_600_000 },
  { label: '3–24 h', within: '24h', before: '3h', untilMs: 24 * 3_600_000 },
  { label: 'older', within: '', before: '24h', untilMs: Number.POSITIVE_INFINITY },
] as const;

/** Records that failed last for the same cause. */
export interface FailureGroup {
  readonly queue: string;
  readonly dead: boolean;
  readonly errorName: string;
  /** The message, with what differs from record to record replaced. */
  readonly pattern: string;
  /** The numbers of records by bucket, by estimate if not all were read. */
  readonly counts: readonly number[];
  readonly total: number;
  /** Not all records of its queue were read: counts are estimates. */
  readonly estimated: boolean;
  /** The record that failed last, of those that were read. */
  readonly example: BacklogRecord;
}

/** Groups by queue, error class, pattern of the message, and dead or not. The largest of the last hour first. */
export function groupFailures(strata: readonly Stratum[], now: number): FailureGroup[] {
  const groups = new Map<
    string,
    { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] } & { counts: number[] }
  >();
  for (const { queue, dead, total, failed, records } of strata) {
    // NEW records wait in the same lane; a dead record without an error has expired, or was discarded.
    const failures = records.filter(({ lastError, status }) => lastError && (dead || status === 'ERROR'));
    // Failed records stand together in the index. So their share of what was read says little of their number.
    const weight =
      failed === undefined
        ? total / Math.max(1, records.length)
        : Math.max(1, failed / Math.max(1, failures.length));
    for (const record of failures) {
      const { lastError } = record;
      if (!lastError) continue;
      const pattern = patternOf(lastError.message);
      const key = JSON.stringify([queue, dead, lastError.name, pattern]);
      const group = groups.get(key) ?? {
        queue,
        dead,
        errorName: lastError.name,
        pattern,
        counts: BUCKETS.map(() => 0),
        total: 0,
        estimated: weight > 1,
        example: record,
      };
      const bucket = bucketOf(record, now);
      group.counts[bucket] = (group.counts[bucket] ?? 0) + weight;
      group.total += weight;
      if (failedAt(record) > failedAt(group.example)) group.example = record;
      groups.set(key, group);
    }
  }
  const [recent, all] = [(group: FailureGroup) => group.counts[0] ?? 0, (group: FailureGroup) => group.total];
  return [...groups.values()].sort((one, other) => recent(other) - recent(one) || all(other) - all(one));
}

function bucketOf(record: BacklogRecord, now: number): number {
  const ago = now - failedAt(record);
  const found = BUCKETS.findIndex(({ untilMs }) => ago < untilMs);
  return found < 0 ? BUCKETS.length - 1 : found;
}

/** The time at which a record failed last, epoch milliseconds; 0: not known. */
export function failedAt({ lastFailureAt, lastError }: BacklogRecord): number {
  const time = Date.parse(lastFailureAt ?? lastError?.at ?? '');
  return Number.isFinite(time) ? time : 0;
}
