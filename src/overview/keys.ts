import { type Cause, causeOf, causeText } from '../operate/cause.js';
import { hashOfKey } from '../record/busy-keys.js';
import type { KeyPause } from '../store/key-pauses.js';
import { groupBy } from '../support/group-by.js';
import type { OverviewStats } from './queue-counts.js';
import { type Exactness, exactnessOf, type Stratum, type Weighed, weighed } from './weighed.js';

/** Records of one key that are not finished, of all queues. Numbers are estimates if not all records were read. */
export interface KeyCounts {
  /** The key, a customer or tenant; undefined: records without a key. */
  readonly key: string | undefined;
  /** Records that wait, in retry or not. */
  readonly waiting: number;
  /** Records that wait after a failure. */
  readonly retry: number;
  /** Dead records. */
  readonly dead: number;
  /** The exactness of the numbers. */
  readonly counted: Exactness;
  /** The number of its records that were read. */
  readonly examined: number;
  /** The earliest insertion of a record that waits and was read, epoch milliseconds; undefined: none waits. */
  readonly oldestAt: number | undefined;
  /** The most frequent cause of its failures; undefined: none of its records that were read has failed. */
  readonly cause: Cause | undefined;
  /** The queues of its records, the one with most records first. */
  readonly queues: readonly string[];
  /** The time until which it has a lane of its own, epoch milliseconds; undefined: it is not busy. */
  readonly busyUntil: number | undefined;
  /** The queues in which it is paused, with what the operator has said. Default: none. */
  readonly paused?:
    | readonly {
        /** Name of the queue. */
        readonly queue: string;
        /** The pause of the key. */
        readonly pause: KeyPause;
      }[]
    | undefined;
}

/**
 * The keys of these records, the one with most waiting records first, and records without a key at the end.
 *
 * @param queues the queues of the records, with their busy and their paused keys
 * @param now the backlog's time, epoch milliseconds
 */
export function keysOf(
  strata: readonly Stratum[],
  queues: readonly Pick<OverviewStats, 'queue' | 'busyKeys' | 'pausedKeys'>[],
  now: number,
): KeyCounts[] {
  const busyBy = new Map(queues.map(({ queue, busyKeys = [] }) => [queue, busyKeys]));
  const byKey = groupBy(weighed(strata), ({ record }) => record.key);
  const keys = [...byKey].map(([key, own]): KeyCounts => {
    const owners = groupBy(own, ({ record }) => record.queue);
    const of = [...owners].sort(([, one], [, other]) => sum(other) - sum(one)).map(([queue]) => queue);
    const hash = key === undefined ? undefined : hashOfKey(key);
    const busy = of.flatMap((queue) => busyBy.get(queue) ?? []);
    const until = busy.filter((one) => one.hash === hash && one.until >= now).map((one) => one.until);
    return {
      key,
      ...countsOf(own),
      counted: exactnessOf(own.map(({ counted }) => counted)),
      examined: own.length,
      oldestAt: oldestOf(own),
      cause: causeMostOf(own),
      queues: of,
      busyUntil: until.length > 0 ? Math.max(...until) : undefined,
      ...pausedIn(key, queues),
    };
  });
  return keys.sort(
    (one, other) =>
      Number(one.key === undefined) - Number(other.key === undefined) ||
      other.waiting - one.waiting ||
      other.dead - one.dead ||
      ((one.key ?? '') < (other.key ?? '') ? -1 : 1),
  );
}

function pausedIn(
  key: string | undefined,
  queues: readonly Pick<OverviewStats, 'queue' | 'pausedKeys'>[],
): Pick<KeyCounts, 'paused'> {
  const paused = queues.flatMap(({ queue, pausedKeys = [] }) =>
    pausedKeys.filter((pause) => pause.key === key).map((pause) => ({ queue, pause })),
  );
  return paused.length > 0 ? { paused } : {};
}

function countsOf(own: readonly Weighed[]): Pick<KeyCounts, 'waiting' | 'retry' | 'dead'> {
  const waiting = own.filter(({ dead }) => !dead);
  return {
    waiting: sum(waiting),
    retry: sum(waiting.filter(({ record }) => record.status === 'ERROR')),
    dead: sum(own.filter(({ dead }) => dead)),
  };
}

function sum(own: readonly Weighed[]): number {
  return own.reduce((total, { weight }) => total + weight, 0);
}

function oldestOf(own: readonly Weighed[]): number | undefined {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { dead, record } of own) {
    const at = Date.parse(record.insertedAt);
    if (!dead && at < oldest) oldest = at;
  }
  return Number.isFinite(oldest) ? oldest : undefined;
}

function causeMostOf(own: readonly Weighed[]): Cause | undefined {
  const failed = own.filter(({ dead, record }) => dead || record.status === 'ERROR');
  const causes = failed.flatMap((one) => {
    const { lastError } = one.record;
    return lastError ? [{ one, cause: causeOf(lastError) }] : [];
  });
  const byCause = [...groupBy(causes, ({ cause }) => causeText(cause)).values()];
  const weightOf = (group: typeof causes) => sum(group.map(({ one }) => one));
  return byCause.sort((one, other) => weightOf(other) - weightOf(one))[0]?.[0]?.cause;
}
