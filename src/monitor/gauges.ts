import type { Clock } from '../clock.js';
import { isExpired } from '../leases/lease.js';
import type { RetryPolicy, TierBand } from '../policies/index.js';
import { lanesOf } from '../record/index.js';
import type { OperatorStore } from '../store/operator-store.js';
import { lagSeconds } from '../worker/counters.js';

/** A queue as the monitor knows it. */
export interface MonitoredQueue {
  readonly name: string;
  /** Lanes that its records are spread over. */
  readonly shards: number;
  /** The tiers of a progressive queue; empty for one that retries per record. */
  readonly bands: readonly TierBand[];
  /** As the app gives it. Default: that of its retry mode. */
  readonly retry?: RetryPolicy | undefined;
  /** The longest time of one attempt, if it is long. Default: one of some minutes, as functions have. */
  readonly attemptTimeout?: number | undefined;
}

export interface GaugeDeps {
  readonly store: OperatorStore;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** By its real time leases run out. */
  readonly clock: Clock;
}

/** Records of each end of a tier that are looked at. Some of them may wait for a reason of their own, such as a snooze. */
const SAMPLES = 3;

/**
 * How late the record is that is due for longest, in the backlog's seconds; 0 if none is due. Where attempts may take long, one
 * that is under attempt is not late.
 *
 * Of a queue that retries per record, the index knows: one query of one entry per lane. Of a progressive queue it holds
 * the insertion only, so the oldest and the youngest records of each tier are looked at: a tier that does not run has
 * attempted neither.
 */
export async function oldestDueAge(queue: MonitoredQueue, deps: GaugeDeps): Promise<number> {
  const lanes = lanesOf(queue.name, 0, queue.shards);
  const ages =
    queue.bands.length === 0
      ? lanes.map((lane) => ageOfFirst(lane, queue, deps))
      : lanes.flatMap((lane) => queue.bands.map((band) => latenessIn(lane, band, queue, deps)));
  return Math.max(0, ...(await Promise.all(ages)));
}

async function ageOfFirst(lane: string, queue: MonitoredQueue, deps: GaugeDeps): Promise<number> {
  const { store, now } = deps;
  const underAttempt = await idsUnderAttempt(lane, queue, deps);
  const limit = 1 + underAttempt.size;
  const { keys } = await store.queryDue({ lane, until: now, order: 'oldestFirst', limit });
  const ages = keys.map(({ id, dueAt }) => ({ id, age: (now - Date.parse(dueAt)) / 1000 }));
  // A due time that cannot be read is no age.
  const first = ages.find(({ id, age }) => !underAttempt.has(id) || isTooLong(age, queue));
  return first && !Number.isNaN(first.age) ? first.age : 0;
}

async function latenessIn(
  lane: string,
  band: TierBand,
  queue: MonitoredQueue,
  deps: GaugeDeps,
): Promise<number> {
  const { store, now } = deps;
  const range = bandRange(band, now);
  const underAttempt = await idsUnderAttempt(`${lane}#${band.number}`, queue, deps);
  const limit = SAMPLES + underAttempt.size;
  const ends = await Promise.all(
    (['oldestFirst', 'newestFirst'] as const).map((order) =>
      store.queryDue({ lane, ...range, order, limit }),
    ),
  );
  const ids = new Set(ends.flatMap(({ keys }) => keys.map(({ id }) => id)));
  if (ids.size === 0) return 0;
  const records = await store.readRecords([...ids]);
  const waiting = records.filter((record) => record.lane === lane);
  const ages = waiting.map((record) => ({ id: record.id, age: lagSeconds(record, band, now) }));
  const late = ages.filter(({ id, age }) => !underAttempt.has(id) || isTooLong(age, queue));
  return Math.max(0, ...late.map(({ age }) => age));
}

/** The alarms on lag allow for attempts of that length. */
const LONG_ATTEMPT_SECONDS = 300;

/** What a run has in its journal. Its lease lasts for a minute, and is renewed: that of a process that is gone runs out. */
async function idsUnderAttempt(
  key: string,
  { attemptTimeout = 0 }: MonitoredQueue,
  { store, clock }: GaugeDeps,
): Promise<ReadonlySet<string>> {
  if (attemptTimeout <= LONG_ATTEMPT_SECONDS) return new Set();
  const lease = await store.readLease(key);
  return new Set(lease && !isExpired(lease, clock) ? lease.ids : []);
}

/** A record may have waited for a while before its attempt. */
const WAITED_SECONDS = 600;

/** An attempt that does not end with its time keeps its record for as long as its process lives. */
function isTooLong(age: number, { attemptTimeout = 0 }: MonitoredQueue): boolean {
  return age > attemptTimeout + WAITED_SECONDS;
}

function bandRange({ fromAge, untilAge, last }: TierBand, now: number) {
  return { until: now - fromAge * 1000, ...(last ? {} : { from: now - untilAge * 1000 }) };
}
