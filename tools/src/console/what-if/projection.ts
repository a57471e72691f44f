import { decideRetry, hash32, type ResolvedPolicy, seededRandom } from 'dynamo-backlog/engine';

/** A record that waits. Times are epoch milliseconds, the backlog's. */
export interface WaitingRecord {
  readonly id: string;
  readonly queue: string;
  /** The time at which its next attempt is due; never before now. */
  readonly next: number;
  /** Failures so far. */
  readonly failures: number;
  /** The time of its first failure; undefined: it has not failed yet. */
  readonly firstFailureAt: number | undefined;
  /** The time that its age counts from. */
  readonly bornAt: number;
  /** The number of records that it stands for. */
  readonly weight: number;
  /** Its policy, given that of its queue: its own one, or the queue's with its own limits. */
  readonly policyWith: (queuePolicy: ResolvedPolicy) => ResolvedPolicy;
}

/** The attempts of the present records if each of them fails. */
export interface Projection {
  /** Attempts by minute of the next hour. */
  readonly minutes: readonly number[];
  /** Attempts by hour of the next day. */
  readonly hours: readonly number[];
  /** Attempts in the next 24 hours. */
  readonly attemptsADay: number;
  /**
   * The time at which the last of the records is attempted for the last time, and given up. Undefined: there are no
   * records.
   */
  readonly end: ProjectedEnd | undefined;
}

/** The last attempt of the last record. */
export interface ProjectedEnd {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason: 'maxAttempts' | 'expired';
  /** `about`: too many attempts to count, so by the greatest age. `notBefore`: it is later than that. */
  readonly kind: 'exact' | 'about' | 'notBefore';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Seconds between two firings of the rule of a queue that retries per record. */
const TICK_SECONDS = 60;
/** Most decisions for one policy. Each takes three microseconds: a page has some 60 ms for each policy. */
const MAX_DECISIONS = 20_000;
/** Most decisions behind the next day for one record. Fibonacci has fewer in a year. */
const MAX_DECISIONS_TO_END = 200;

/**
 * Plays each record's policy on from its next attempt, as if every attempt failed. Where that would take too many steps,
 * some records, evenly chosen, stand for all. A wait that is left to chance is drawn for each record, always the same.
 * Rules are taken to fire in time.
 *
 * @param queuePolicy that of the queue
 */
export function projectAttempts(
  records: readonly WaitingRecord[],
  queuePolicy: ResolvedPolicy,
  now: number,
): Projection {
  const minutes = new Array<number>(60).fill(0);
  const hours = new Array<number>(24).fill(0);
  const some = affordable(records, queuePolicy, now);
  const scale = records.reduce(sumOf, 0) / Math.max(Number.MIN_VALUE, some.reduce(sumOf, 0));
  const ends: ProjectedEnd[] = [];
  const count = (at: number, weight: number) => {
    const ahead = at - now;
    if (ahead < HOUR_MS) add(minutes, Math.floor(ahead / MINUTE_MS), weight);
    if (ahead < DAY_MS) add(hours, Math.floor(ahead / HOUR_MS), weight);
  };
  // Due times are known of all, so the first wave has its true shape.
  for (const { next, weight } of records) count(next, weight);
  for (const record of some) {
    const weight = record.weight * scale;
    const walk = attemptsOf(record, record.policyWith(queuePolicy));
    let left = MAX_DECISIONS_TO_END;
    walk.next();
    let step = walk.next();
    for (; !step.done; step = walk.next()) {
      if (step.value - now >= DAY_MS && left-- === 0) break;
      count(step.value, weight);
    }
    ends.push(step.done ? step.value : farEnd(record, record.policyWith(queuePolicy), step.value));
  }
  const attemptsADay = hours.reduce((sum, number) => sum + number, 0);
  return { minutes, hours, attemptsADay, end: latest(ends) };
}

/** The attempts of one record, each at its time; at last, why and when it is given up. */
export function* attemptsOf(
  record: WaitingRecord,
  policy: ResolvedPolicy,
): Generator<number, ProjectedEnd, undefined> {
  const random = seededRandom(hash32(record.id));
  const { id, queue, bornAt, next } = record;
  const firstFailureAt = record.firstFailureAt ?? next;
  let failedAt = next;
  for (let failures = record.failures + 1; ; failures++) {
    yield failedAt;
    const attempt = { id, queue, failures, firstFailureAt, failedAt, bornAt };
    const decision = decideRetry(policy, attempt, TICK_SECONDS, random);
    if (!decision.retry) return { at: failedAt, reason: decision.reason, kind: 'exact' };
    // The due time that is stored is up to half a tick earlier, so that the nearest firing of the rule finds it.
    failedAt = Math.max(decision.wanted, failedAt + 1);
  }
}

/** Evenly chosen records, fewer where a policy attempts often. */
function affordable(records: readonly WaitingRecord[], policy: ResolvedPolicy, now: number) {
  const sample = records[Math.floor(records.length / 2)];
  if (sample === undefined) return records;
  let inDay = 0;
  for (const at of attemptsOf(sample, sample.policyWith(policy))) {
    if (at >= now + DAY_MS || inDay >= MAX_DECISIONS) break;
    inDay++;
  }
  const most = Math.max(1, Math.floor(MAX_DECISIONS / (inDay + MAX_DECISIONS_TO_END / 4)));
  if (records.length <= most) return records;
  return Array.from(
    { length: most },
    (_, i) => records[Math.floor(((i + 0.5) * records.length) / most)],
  ).filter((record) => record !== undefined);
}

/** The end of a record with more attempts than are counted. */
function farEnd(record: WaitingRecord, policy: ResolvedPolicy, reached: number): ProjectedEnd {
  return Number.isFinite(policy.maxAttempts)
    ? { at: reached, reason: 'maxAttempts', kind: 'notBefore' }
    : { at: record.bornAt + policy.maxAge * 1000, reason: 'expired', kind: 'about' };
}

function latest(ends: readonly ProjectedEnd[]): ProjectedEnd | undefined {
  return ends.reduce<ProjectedEnd | undefined>(
    (last, end) => (last === undefined || end.at > last.at ? end : last),
    undefined,
  );
}

function add(bins: number[], bin: number, weight: number): void {
  bins[bin] = (bins[bin] ?? 0) + weight;
}

const sumOf = (sum: number, { weight }: WaitingRecord) => sum + weight;

const WRITE_UNITS = 3;
const DOLLARS_PER_MILLION = 0.625;

/** The cost in DynamoDB of attempts that fail, on demand, for items of up to 1 KB: see docs/cost.md. */
export function costOf(attempts: number): { readonly writeUnits: number; readonly dollars: number } {
  const writeUnits = attempts * WRITE_UNITS;
  return { writeUnits, dollars: (writeUnits * DOLLARS_PER_MILLION) / 1e6 };
}
