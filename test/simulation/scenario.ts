import { type TierBand, tierBands } from '../../src/policies/index.js';
import type { Random } from '../../src/support/random.js';
import { type BreakerOptions, resolveBreaker } from '../../src/worker/index.js';
import { NO_TROUBLES, type Troubles } from '../../tools/src/lab/cloud/chaos.js';
import type { StreamOptions } from '../../tools/src/lab/cloud/stream.js';
import type { Faults } from './actor.js';
import { between, chance, pick } from './random.js';

export const TICK_MS = 60_000;
/** Time for which things go wrong; after that all is well. */
export const TROUBLED_MS = 10 * TICK_MS;
export const FUNCTION_TIMEOUT_SECONDS = 300;
/** Wait after a failure on a queue that retries per record, and under a record's own policy. */
export const WAIT_SECONDS = 60;

/** Faults that any world may have; the others are features. */
type CommonFaults = Omit<Faults, 'throttled' | 'lateRepeat' | 'clockJump'>;

/** The description of one world, apart from its records. */
export interface Scenario {
  readonly faults: CommonFaults;
  readonly maxStaleMs: number;
  readonly limits: {
    readonly concurrency: number;
    readonly attemptTimeout: number;
    readonly maxRecords: number | undefined;
    readonly attemptsPerSecond: number | undefined;
  };
  /** Numbers of shards of the queue, with the time from which each holds, in order. */
  readonly shards: readonly { readonly fromMs: number; readonly count: number }[];
  readonly breaker: BreakerOptions | undefined;
  /**
   * Retry modes of the queue, with the time from which each holds, in order: by these bands, or per record where
   * there are none.
   */
  readonly retryModes: readonly {
    readonly fromMs: number;
    readonly bands: readonly TierBand[] | undefined;
  }[];
  readonly pause: { readonly fromMs: number; readonly untilMs: number } | undefined;
  /** The rule of the slowest of three tiers never fires once all is well: the second makes up for it. */
  readonly losesSlowRule: boolean;
  /** The queue into which a queue's failures go, if not back to itself. */
  readonly retryQueues: { readonly [queue in string]?: string };
  /** The intake, which handles records that are not indexed. Undefined: every producer indexes its records. */
  readonly arrivals: ArrivalsScenario | undefined;
}

export interface ArrivalsScenario {
  readonly stream: StreamOptions;
  readonly troubles: Troubles;
  /** Times from which new records are attempted on insertion, or left to the rules. */
  readonly onArrival: readonly { readonly fromMs: number; readonly isOn: boolean }[];
  /** The rules of the queue are disabled until then. */
  readonly enabledFromMs: number;
  /** A second queue, into which records are put over. */
  readonly hasSecondQueue: boolean;
  /** When, beside every hour, the rule of the sweep fires, if it does. */
  readonly sweepAtMs: number | undefined;
}

const DAY = 86_400;
export const MAX_SHARDS = 3;
const ONE_TIER = tierBands([{ every: 60, untilAge: 10 * DAY }], FUNCTION_TIMEOUT_SECONDS);
const TWO_TIERS = tierBands(
  [
    { every: 60, untilAge: 900 },
    { every: 180, untilAge: 10 * DAY },
  ],
  FUNCTION_TIMEOUT_SECONDS,
);
const THREE_TIERS = tierBands(
  [
    { every: 60, untilAge: 600 },
    { every: 180, untilAge: 1500 },
    { every: 600, untilAge: 10 * DAY },
  ],
  FUNCTION_TIMEOUT_SECONDS,
);

/** A world with or without bare records; by chance, or as it is asked for. */
export function makeScenario(random: Random, hasArrivals = chance(random, 0.25)): Scenario {
  return {
    faults: pick<CommonFaults>(random, [
      { kill: 0, freeze: 0, errorBefore: 0, errorAfter: 0, repeat: 0, slow: 0, hang: 0 },
      { kill: 0.02, freeze: 0, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.02, slow: 0.05, hang: 0 },
      { kill: 0, freeze: 0.03, errorBefore: 0, errorAfter: 0, repeat: 0.05, slow: 0.05, hang: 0 },
      { kill: 0.01, freeze: 0.01, errorBefore: 0.05, errorAfter: 0.05, repeat: 0.05, slow: 0.1, hang: 0 },
      { kill: 0, freeze: 0, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.01, slow: 0.05, hang: 0.02 },
    ]),
    maxStaleMs: pick(random, [0, 500, 3000]),
    limits: {
      concurrency: pick(random, [1, 2, 10]),
      attemptTimeout: pick(random, [5, 30]),
      maxRecords: pick(random, [undefined, undefined, 3]),
      // A queue with a pace leaves its arrivals to its rules.
      attemptsPerSecond:
        hasArrivals && chance(random, 0.75) ? undefined : pick(random, [undefined, undefined, 5, 0.05]),
    },
    shards: shardsOver(random),
    breaker: chance(random, 0.2)
      ? resolveBreaker({
          failureThreshold: 0.3,
          minimumAttempts: 2,
          halfOpenAfter: pick(random, [10, 50, 200]),
        })
      : undefined,
    retryModes: retryModesOver(random),
    pause: chance(random, 0.25) ? pauseWithin(random) : undefined,
    losesSlowRule: chance(random, 0.3),
    retryQueues: pick(random, [{}, {}, {}, { q: 'r' }, { q: 'r', r: 'q' }]),
    arrivals: hasArrivals ? makeArrivals(random) : undefined,
  };
}

function makeArrivals(random: Random): ArrivalsScenario {
  const isOn = chance(random, 0.9);
  const changeAt = between(random, 1, 10) * TICK_MS;
  const standstillAt = between(random, 0, TROUBLED_MS / 2);
  return {
    stream: {
      shards: pick(random, [1, 2]),
      batchSize: pick(random, [1, 3, 10]),
      standstill: chance(random, 0.1)
        ? { fromMs: standstillAt, untilMs: standstillAt + 11 * TICK_MS }
        : undefined,
    },
    troubles: pick<Troubles>(random, [
      NO_TROUBLES,
      { twice: 0.1, late: 0.1, refused: 0.1, cutAgain: 0, lostPermanently: 0 },
      { twice: 0.3, late: 0.5, refused: 0.2, cutAgain: 0.5, lostPermanently: 0 },
      { twice: 0.2, late: 0.2, refused: 0.3, cutAgain: 0.2, lostPermanently: 0 },
      { twice: 0.1, late: 0.1, refused: 0, cutAgain: 0, lostPermanently: 0.3 },
    ]),
    onArrival: [
      { fromMs: 0, isOn },
      { fromMs: changeAt, isOn: !isOn },
    ].slice(0, pick(random, [1, 1, 1, 2])),
    enabledFromMs: chance(random, 0.1) ? between(random, 1, 10) * TICK_MS : 0,
    hasSecondQueue: chance(random, 0.3),
    sweepAtMs: chance(random, 0.4) ? between(random, 0, TROUBLED_MS) : undefined,
  };
}

function retryModesOver(random: Random): Scenario['retryModes'] {
  const bands = pick(random, [ONE_TIER, TWO_TIERS, THREE_TIERS]);
  const first = pick(random, [undefined, bands]);
  const second = first === undefined ? bands : undefined;
  const changeAt = between(random, 1, 10) * TICK_MS;
  const backAt = changeAt + between(random, 1, 10) * TICK_MS;
  return [
    { fromMs: 0, bands: first },
    { fromMs: changeAt, bands: second },
    { fromMs: backAt, bands: first },
  ].slice(0, pick(random, [1, 1, 1, 1, 2, 3]));
}

function shardsOver(random: Random): Scenario['shards'] {
  if (chance(random, 0.7)) return [{ fromMs: 0, count: 1 }];
  const changeAt = between(random, 1, 10) * TICK_MS;
  return [
    { fromMs: 0, count: pick(random, [1, 2, MAX_SHARDS]) },
    { fromMs: changeAt, count: pick(random, [1, 2, MAX_SHARDS]) },
  ];
}

function pauseWithin(random: Random) {
  const fromMs = between(random, 0, TROUBLED_MS / 2);
  return { fromMs, untilMs: between(random, fromMs, TROUBLED_MS) };
}
