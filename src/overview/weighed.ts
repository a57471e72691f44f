import { type BacklogRecord, isPending } from '../record/index.js';
import { groupBy } from '../support/group-by.js';
import type { OverviewStats } from './queue-counts.js';

/** The exactness of a number of records. */
export type Exactness = OverviewStats['counted'];

/** Some records of one lane of a queue, of those that wait or of those that are dead. */
export interface Stratum {
  /** The queue of the records. */
  readonly queue: string;
  /** The records are dead; false: they wait. */
  readonly dead: boolean;
  /** The number of such records in that lane of the index. */
  readonly total: number;
  /** The exactness of `total`. Default: it is exact. */
  readonly counted?: Exactness | undefined;
  /** The number of records in retry of the queue, in all its lanes; undefined: not known, as the index does not tell. */
  readonly failed?: number | undefined;
  /** The records that were read. */
  readonly records: readonly BacklogRecord[];
}

/** A record that was read, and the number of records that it stands for. */
export interface Weighed {
  readonly record: BacklogRecord;
  readonly dead: boolean;
  readonly weight: number;
  readonly counted: Exactness;
}

/** The records of these strata that wait or are dead, each with the number of records that it stands for. */
export function weighed(strata: readonly Stratum[]): Weighed[] {
  const byQueue = groupBy(strata, ({ queue, dead }) => JSON.stringify([queue, dead]));
  return [...byQueue.values()].flatMap(weighedOfQueue);
}

/** The exactness of a sum. An estimate in it can be too high, so the sum is no lower bound. */
export function exactnessOf(all: readonly Exactness[]): Exactness {
  return all.includes('about') ? 'about' : all.includes('atLeast') ? 'atLeast' : 'exact';
}

/** Tells whether a record of those that wait is in retry. */
function isInRetry({ status, lastError }: BacklogRecord): boolean {
  return status === 'ERROR' && lastError !== undefined;
}

/** The records of the strata of one queue, all waiting or all dead. */
function weighedOfQueue(strata: readonly Stratum[]): Weighed[] {
  const failed = strata[0]?.failed;
  const whole = strata.filter(isWhole);
  const sampled = strata.filter((stratum) => !isWhole(stratum));
  const factors = failed === undefined ? undefined : factorsOf(failed, { whole, sampled });
  return strata.flatMap(({ dead, total, counted = 'exact', records }) => {
    const base = Math.max(1, total / Math.max(1, records.length));
    const factorOf = (record: BacklogRecord) =>
      records.length >= total || !factors ? 1 : isInRetry(record) ? factors.retry : factors.others;
    return records
      .filter((record) => (dead ? record.status === 'DEAD' : isPending(record)))
      .map((record): Weighed => {
        const weight = Math.max(1, base * factorOf(record));
        return { record, dead, weight, counted: weight > 1 ? 'about' : counted };
      });
  });
}

/**
 * The factors by which the weights of records are corrected, where the number in retry is known. Failed records stand together in the
 * index, so their share of what was read says little of their number.
 */
function factorsOf(
  failed: number,
  { whole, sampled }: { readonly whole: readonly Stratum[]; readonly sampled: readonly Stratum[] },
) {
  const retrying = whole.flatMap(({ records }) => records.filter(isInRetry)).length;
  const left = Math.max(0, failed - retrying);
  const total = sampled.reduce((sum, stratum) => sum + stratum.total, 0);
  const estimate = (isCounted: (record: BacklogRecord) => boolean) =>
    sampled.reduce(
      (sum, { total: all, records }) =>
        sum + (all / Math.max(1, records.length)) * records.filter(isCounted).length,
      0,
    );
  const others = (record: BacklogRecord) => isPending(record) && !isInRetry(record);
  return {
    retry: left / Math.max(1, estimate(isInRetry)),
    others: Math.max(0, total - left) / Math.max(1, estimate(others)),
  };
}

function isWhole({ total, records }: Stratum): boolean {
  return records.length >= total;
}
