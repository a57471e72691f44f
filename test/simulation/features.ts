import type { Random } from '../../src/support/random.js';
import type { Keys } from './keys.js';
import { between, chance, pick } from './random.js';
import { TROUBLED_MS } from './scenario.js';

/** Features of a world beside its scenario. They are drawn from a chance of their own: each is in some worlds only. */
export interface Features {
  /** Bare records are overwritten outside of their payload, at any moment. */
  readonly overwrites: boolean;
  /** Records of every kind are changed by hand, at any moment. */
  readonly edits: boolean;
  /** Some records name a task, which no handler knows before this time. */
  readonly taskKnownFromMs: number | undefined;
  /** Attempts at a time in all runs of a queue together. */
  readonly globalConcurrency: number | undefined;
  /** The number of destinations of a queue with breakers. */
  readonly destinations: number | undefined;
  /** Shards of the queue in place of the scenario's, from the beginning to the end. */
  readonly shards: number | undefined;
  /** Probability per step that a machine's clock is set, by up to so many milliseconds. */
  readonly clockJumps: { readonly chance: number; readonly mostMs: number } | undefined;
  /** Probability that a request arrives once more, minutes later. */
  readonly lateRepeat: number;
  /** A sandbox whose invocation has ended goes on with whatever it had begun. */
  readonly thaws: boolean;
  /** Each key of the index is late by itself, its removal and its new place apart. */
  readonly itemLag: boolean;
  /** Probability that the store refuses for its limits. */
  readonly throttled: number;
  /** Successes are kept for so long; what expired goes at once, or within two days. */
  readonly expiry: { readonly retention: number; readonly isLate: boolean } | undefined;
  /** The control table is emptied, or set back to what it was. */
  readonly controlTable: { readonly atMs: number; readonly asOfMs: number | undefined } | undefined;
  /** Every attempt fails until then, and a failure waits so long: runs make probes. */
  readonly outage: Outage | undefined;
  /** Records have keys, and the queue may be fair between them. */
  readonly keys: Keys | undefined;
  /** Some attempts end as `Pending`, and their ends come from outside. */
  readonly pending: boolean;
  /** Attempts are made in batches, some of which fail as a whole for one of their records. */
  readonly batches: boolean;
}

export interface Outage {
  readonly untilMs: number;
  readonly waitSeconds: number;
}

export const NO_FEATURES: Features = {
  overwrites: false,
  edits: false,
  taskKnownFromMs: undefined,
  globalConcurrency: undefined,
  destinations: undefined,
  shards: undefined,
  clockJumps: undefined,
  lateRepeat: 0,
  thaws: false,
  itemLag: false,
  throttled: 0,
  expiry: undefined,
  controlTable: undefined,
  outage: undefined,
  keys: undefined,
  pending: false,
  batches: false,
};

export function makeOutage(random: Random): Outage {
  return { untilMs: between(random, 20, 80) * 60_000, waitSeconds: pick(random, [600, 900, 1800]) };
}

/** Most worlds have one or two of them, some none. */
export function makeFeatures(
  random: Random,
  hasArrivals: boolean,
  edits: boolean,
  outage: Outage | undefined,
  keys: Keys | undefined,
  pending: boolean,
): Features {
  const has = () => chance(random, 0.12);
  const tableAtMs = between(random, 0, TROUBLED_MS);
  return {
    overwrites: hasArrivals && chance(random, 0.3),
    edits,
    taskKnownFromMs: has() ? between(random, 0, 2 * TROUBLED_MS) : undefined,
    globalConcurrency: has() ? pick(random, [1, 2, 4]) : undefined,
    destinations: has() ? pick(random, [2, 5]) : undefined,
    shards: has() ? pick(random, [9, 12, 17]) : undefined,
    clockJumps: has() ? { chance: 0.005, mostMs: pick(random, [10_000, 3_600_000]) } : undefined,
    lateRepeat: has() ? pick(random, [0.02, 0.2]) : 0,
    thaws: has(),
    itemLag: chance(random, 0.3),
    throttled: has() ? pick(random, [0.02, 0.1]) : 0,
    expiry: has() ? { retention: pick(random, [60, 3600]), isLate: chance(random, 0.5) } : undefined,
    controlTable: chance(random, 0.08)
      ? { atMs: tableAtMs, asOfMs: pick(random, [undefined, between(random, 0, tableAtMs)]) }
      : undefined,
    outage,
    keys,
    pending,
    batches: false,
  };
}

/** No handler knows it at first. */
export const LATE_TASK = 'late';

/** The destination of a record; without a number of them, all go to one. */
export function destinationOf(id: string, destinations: number | undefined): string {
  return destinations === undefined ? '*' : `d${Number(id.slice(1)) % destinations}`;
}
