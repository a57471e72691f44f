import { DEFAULT_TIERS } from '../policies/index.js';
import type { RetryMode } from '../record/index.js';
import { type KeyPause, keyPausesNow } from '../store/key-pauses.js';
import type { QueueState } from '../store/store.js';
import { LAST_TIME, toIso } from '../support/clock.js';

/** Counts of the queues of a backlog. */
export interface Stats {
  /** Read units that the count cost, as DynamoDB reports them. */
  readonly readUnits: number;
  /** The time of the count, by the backlog's clock; ISO-8601. */
  readonly at: string;
  /** The queues, in alphabetical order. */
  readonly queues: readonly QueueStats[];
}

/** State and counts of a queue. Counts are of records that are indexed. */
export interface QueueStats {
  /** Its name. */
  readonly queue: string;
  /** The queue's retry mode, once a run has noted it. */
  readonly retryMode: RetryMode | undefined;
  /** An operator has stopped it. */
  readonly paused: boolean;
  /** The time at which it was stopped, ISO-8601; absent where it is not known. */
  readonly pausedAt?: string | undefined;
  /** The time until which no alarm says that it is late, ISO-8601; absent if no end was announced. */
  readonly pausedUntil?: string | undefined;
  /** The reason of the pause. */
  readonly pauseReason?: string | undefined;
  /** The name of the operator. */
  readonly pausedBy?: string | undefined;
  /** The keys that are paused, and have not come to their ends. Absent: none. */
  readonly pausedKeys?: readonly KeyPause[] | undefined;
  /** Records wait in it, and no function serves it. Absent: one does, or the control table does not tell. */
  readonly unserved?: true | undefined;
  /** Destinations whose circuit breaker is open. */
  readonly openBreakers: number;
  /** Records that wait, `NEW` and `ERROR` together: the index does not tell them apart. */
  readonly pending: number;
  /** Records that were given up, and are still in the index. */
  readonly dead: number;
  /** The first due time of all that wait, ISO-8601; on a progressive queue the insertion of its oldest record. */
  readonly oldestDueAt: string | undefined;
  /** Lateness of the oldest due record of a queue that retries per record, in the backlog's seconds. */
  readonly lagSeconds?: number | undefined;
  /** Records of a queue that retries per record, by due time. Each window begins now, and holds the shorter ones. */
  readonly due?:
    | {
        /** Records that are due by now. */
        readonly now: number;
        /** Records that are due within a minute. */
        readonly minute: number;
        /** Records that are due within an hour. */
        readonly hour: number;
        /** Records that are due within a day. */
        readonly day: number;
      }
    | undefined;
  /** Records of a progressive queue by age, in the bands of its tiers, the youngest first. */
  readonly ages?:
    | readonly {
        /** Beginning of the band, in the backlog's seconds. */
        readonly fromAgeSeconds: number;
        /** End of the band, in the backlog's seconds; undefined: it has none. */
        readonly untilAgeSeconds: number | undefined;
        /** Records in the band. */
        readonly count: number;
      }[]
    | undefined;
  /** Records of a progressive queue that are not due yet, as their producer or a move has them wait. */
  readonly delayed?: number | undefined;
}

/** The counts of a queue, from the index. */
export type QueueCounts = Pick<
  QueueStats,
  'pending' | 'dead' | 'oldestDueAt' | 'lagSeconds' | 'due' | 'ages' | 'delayed'
>;

/** The settings of a queue that its counts depend on. */
export interface CountedQueue {
  /** The lanes of its waiting records. */
  readonly lanes: readonly string[];
  readonly isByAge: boolean;
  /** Ends of the tiers of a queue that goes by age, in seconds, ascending. Default: those of the default tiers. */
  readonly tierEnds?: readonly number[] | undefined;
}

/** Due times, inclusive; epoch milliseconds. */
export interface Range {
  /** Default: no bound. */
  readonly from?: number | undefined;
  /** Default: no bound. */
  readonly until?: number | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A queue's counts, with what its item in the control table says. */
export function withState(
  queue: string,
  { paused, pausedAt, pausedUntil, pauseReason, pausedBy, pausedKeys, retryMode, breakers }: QueueState,
  counts: QueueCounts,
  now: number,
): QueueStats {
  const keys = keyPausesNow(pausedKeys, now);
  return {
    queue,
    retryMode: retryMode?.mode,
    paused,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    ...(pausedUntil === undefined ? {} : { pausedUntil }),
    ...(pauseReason === undefined ? {} : { pauseReason }),
    ...(pausedBy === undefined ? {} : { pausedBy }),
    ...(keys.length === 0 ? {} : { pausedKeys: keys }),
    openBreakers: breakers.size,
    ...counts,
  };
}

interface Parts {
  readonly now: number;
  readonly oldestDueAt: string | undefined;
  /** Counts the records whose due times are in that range. */
  readonly countPart: (range: Range) => Promise<number>;
}

/** Counts the records that wait, by due time or by age. */
export async function countParts(
  { isByAge, tierEnds = DEFAULT_TIERS.map(({ untilAge }) => untilAge) }: Omit<CountedQueue, 'lanes'>,
  { now, oldestDueAt, countPart }: Parts,
): Promise<Omit<QueueCounts, 'dead' | 'oldestDueAt'>> {
  const between = (edges: readonly (number | undefined)[]) =>
    Promise.all(
      edges.slice(1).map((until, i) => {
        const before = edges[i];
        return countPart({ from: before === undefined ? undefined : before + 1, until });
      }),
    );
  if (isByAge) {
    const edges = tierEnds.map((age) => now - age * 1000).reverse();
    const counts = await between([undefined, ...edges, now, undefined]);
    const delayed = counts.pop() ?? 0;
    const pending = counts.reduce((sum, one) => sum + one, delayed);
    return { pending, ages: bandsOf(counts.reverse(), tierEnds), delayed };
  }
  const [late = 0, minute = 0, second = 0, third = 0, rest = 0] = await between([
    undefined,
    now,
    now + MINUTE_MS,
    now + HOUR_MS,
    now + DAY_MS,
    undefined,
  ]);
  const hour = minute + second;
  const day = hour + third;
  return {
    pending: late + day + rest,
    // A due time that cannot be read is no lag.
    lagSeconds: Math.max(0, now - Date.parse(oldestDueAt ?? '') || 0) / 1000,
    due: { now: late, minute, hour, day },
  };
}

/** @param counts from the youngest band on */
function bandsOf(counts: readonly number[], ends: readonly number[]): NonNullable<QueueCounts['ages']> {
  return [...ends, undefined].map((untilAgeSeconds, i) => ({
    fromAgeSeconds: ends[i - 1] ?? 0,
    untilAgeSeconds,
    count: counts[i] ?? 0,
  }));
}

/** Records that are due between two times, exclusive and inclusive; epoch milliseconds. */
export interface DuePart {
  /** Beginning, exclusive. Default: no bound. */
  readonly from?: number | undefined;
  /** End, inclusive. */
  readonly until: number;
  /** Records in this part. */
  readonly count: number;
}

/** The records that wait, in parts of near due times. On a progressive queue, the parts are bands of age. */
export function duePartsOf({ due, ages = [], delayed = 0, pending }: QueueCounts, now: number): DuePart[] {
  if (!due) {
    const byAge = ages.map(({ fromAgeSeconds, untilAgeSeconds, count }) => ({
      from: untilAgeSeconds === undefined ? undefined : now - untilAgeSeconds * 1000,
      until: now - fromAgeSeconds * 1000,
      count,
    }));
    return [...byAge, { from: now, until: LAST_TIME, count: delayed }];
  }
  return [
    { until: now, count: due.now },
    { from: now, until: now + MINUTE_MS, count: due.minute },
    { from: now + MINUTE_MS, until: now + HOUR_MS, count: due.hour - due.minute },
    { from: now + HOUR_MS, until: now + DAY_MS, count: due.day - due.hour },
    { from: now + DAY_MS, until: LAST_TIME, count: pending - due.now - due.day },
  ];
}

/** Entries at the beginning of a lane among which a due time is looked for that can be read. They cost half a read unit, as one does. */
export const FIRST_ENTRIES = 10;

/** Returns the first due time that can be read, as it may stand behind others; or the first one, if none can. */
export function firstDueTime(dueTimes: readonly string[]): string | undefined {
  const inOrder = [...dueTimes].sort();
  return inOrder.find((at) => !Number.isNaN(Date.parse(at))) ?? inOrder[0];
}

/** Counts the records of a queue by their due times, without the index. */
export async function countsOfDueTimes(
  queue: Omit<CountedQueue, 'lanes'>,
  { dueTimes, dead }: { readonly dueTimes: readonly string[]; readonly dead: number },
  now: number,
): Promise<QueueCounts> {
  const oldestDueAt = firstDueTime(dueTimes);
  // The index compares due times as texts.
  const countPart = async ({ from, until }: Range) => {
    const [least, most] = [from, until].map((time) => (time === undefined ? undefined : toIso(time)));
    return dueTimes.filter(
      (one) => (least === undefined || one >= least) && (most === undefined || one <= most),
    ).length;
  };
  return { dead, oldestDueAt, ...(await countParts(queue, { now, oldestDueAt, countPart })) };
}
