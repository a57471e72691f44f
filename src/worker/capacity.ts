import type { BreakerOptions } from './queue-options.js';

/** Records of one page, or of one batch that has just arrived: a run attempts no more of a lane at once. */
export const MAX_PAGE_RECORDS = 100;

/** A journal of long ids must stay far below DynamoDB's 400 KB. */
export const MAX_PAGE_ID_BYTES = 64 * 1024;

/** Lanes that one run drains at a time. */
export const LANES_AT_ONCE = 8;

/** Time after which an index shows what was written, as a rule. */
export const INDEX_LAG_MS = 1_000;

/** The longest timeout of attempts that do not hear of a cancellation: they end about as soon by themselves. */
export const SHORT_SECONDS = 30;

/** The numbers of a queue that bound its attempts at once. */
export interface QueueNumbers {
  /** Attempts at once of a run. */
  readonly concurrency: number;
  /** Lanes of the queue. */
  readonly shards: number;
  /** Runs at once in one lane, for different ages: 1 without tiers. */
  readonly tiers: number;
  /** Runs at once on arrival; 0 where first attempts are left to the rules. */
  readonly runsOnArrival: number;
}

/**
 * The most attempts that a queue can have under way: one run in each lane and tier, and those on arrival. In a queue with shards
 * that is more than a run's `concurrency`, as several runs may share its lanes.
 */
export function maxAttemptsAtOnce({ concurrency, shards, tiers, runsOnArrival }: QueueNumbers): number {
  return (shards * tiers + runsOnArrival) * Math.min(concurrency, MAX_PAGE_RECORDS);
}

/** The most attempts an hour of so many seconds each. Runs that end and begin, and their requests, leave less. */
export function maxAttemptsPerHour(numbers: QueueNumbers, attemptSeconds: number): number {
  return (3_600 * maxAttemptsAtOnce(numbers)) / attemptSeconds;
}

/** The most attempts that can end within a breaker's window at a rate, at whatever time they began. */
export function maxAttemptsInWindow(
  { window }: Pick<BreakerOptions, 'window'>,
  attemptsPerSecond: number,
  attemptTimeout: number,
): number {
  // It counts in slices of a sixth, the oldest of them as a whole.
  return Math.floor(attemptsPerSecond * ((window * 7) / 6 + attemptTimeout)) + 1;
}
