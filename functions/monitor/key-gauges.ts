import type { MonitoredQueue, RateLimitedCounts } from '../../src/monitor/index.js';
import { keyDimension } from '../../src/monitor/key-dimension.js';
import { type BacklogOperatorOptions, Tables } from '../../src/operate/tables.js';
import { keysOf } from '../../src/overview/keys.js';
import type { ReadBudget } from '../../src/overview/sample/read-within.js';
import { sampleRecords } from '../../src/overview/sample/sample-records.js';
import { lanesToRead, parseBusyKeys } from '../../src/record/busy-keys.js';
import type { KeyGauges } from '../metrics.js';

/** The budget of a sample: 150 read units for one lane of records of up to 4 KB. */
const BUDGET: ReadBudget = { records: 200, units: 100, entries: 5_000 };
/** Keys of a queue that have metrics of their own. */
const MAX_KEYS = 5;
/**
 * Records of a key that a sample must have read. Fewer say too little of a key for an alarm. A key of which fewer wait is none of the
 * worst: without a metric of its own it costs nothing.
 */
const MIN_READ = 5;

/** The keys of a queue, as one sample has them. */
export interface KeySample {
  /** The keys with most waiting records, the one with most first. */
  readonly worst: readonly (KeyGauges & { readonly key: string })[];
  /** The most waiting records, and the most in retry, that any one key has. */
  readonly most: Omit<KeyGauges, 'dimension'>;
  /** The cost of the sample. */
  readonly readUnits: number;
}

const NONE: KeySample = { worst: [], most: { waiting: 0, inRetry: 0 }, readUnits: 0 };
/** The beginning of a lane of which nothing is known yet. */
const NOT_READ = { entries: 0, more: true };

/**
 * Reads a sample of the records that wait in a queue, and finds the keys with most of them.
 *
 * @param queue with its busy keys
 */
export async function sampleKeys(
  options: BacklogOperatorOptions,
  { name, busyKeys }: MonitoredQueue,
  { counts, inRetry, lanes: shards, isOld }: RateLimitedCounts,
): Promise<KeySample> {
  if (counts.pending < MIN_READ) return NONE;
  const tables = new Tables(options);
  const lanes = lanesToRead(name, shards, busyKeys);
  const queue = {
    queue: name,
    counted: isOld ? ('about' as const) : ('exact' as const),
    pending: counts.pending,
    dead: 0,
    lanes,
    busyKeys: parseBusyKeys(busyKeys),
    beginnings: new Map(lanes.map((lane) => [lane, NOT_READ])),
  };
  const { strata, readUnits } = await sampleRecords(tables, [queue], BUDGET);
  const waiting = strata.map((stratum) => ({ ...stratum, failed: inRetry }));
  const keys = keysOf(waiting, [], tables.clock.now()).flatMap(({ key, examined, waiting, retry }) =>
    key === undefined || examined < MIN_READ
      ? []
      : [{ key, dimension: keyDimension(key), waiting: Math.round(waiting), inRetry: Math.round(retry) }],
  );
  const most = (of: 'waiting' | 'inRetry') => Math.max(0, ...keys.map((one) => one[of]));
  return {
    worst: keys.slice(0, MAX_KEYS),
    most: { waiting: most('waiting'), inRetry: most('inRetry') },
    readUnits,
  };
}
