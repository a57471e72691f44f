import { type TierBand, tierBands } from '../../src/policies/index.js';
import type { Random } from '../../src/random.js';
import { type Faults, NO_FAULTS } from './actor.js';
import { between, chance, pick } from './random.js';

export const TICK_MS = 60_000;
/** How long things go wrong; after that all is well. */
export const TROUBLED_MS = 10 * TICK_MS;
export const FUNCTION_TIMEOUT_SECONDS = 300;
/** What a failure waits on a queue that retries per record, and under a record's own policy. */
export const WAIT_SECONDS = 60;

/** What one world is like, apart from its records. */
export interface Scenario {
  readonly faults: Faults;
  readonly maxStaleMs: number;
  readonly limits: {
    readonly concurrency: number;
    readonly attemptTimeoutSeconds: number;
    readonly maxRecords: number | undefined;
    readonly attemptsPerSecond: number | undefined;
  };
  /** How the queue retries from when on, in order: by these bands, or per record where there are none. */
  readonly ways: readonly { readonly fromMs: number; readonly bands: readonly TierBand[] | undefined }[];
  readonly pause: { readonly fromMs: number; readonly untilMs: number } | undefined;
  /** The rule of the slowest of three tiers never fires once all is well: the second makes up for it. */
  readonly losesSlowRule: boolean;
}

const DAY = 86_400;
const ONE_TIER = tierBands([{ everySeconds: 60, untilAgeSeconds: 10 * DAY }], FUNCTION_TIMEOUT_SECONDS);
const TWO_TIERS = tierBands(
  [
    { everySeconds: 60, untilAgeSeconds: 900 },
    { everySeconds: 180, untilAgeSeconds: 10 * DAY },
  ],
  FUNCTION_TIMEOUT_SECONDS,
);
const THREE_TIERS = tierBands(
  [
    { everySeconds: 60, untilAgeSeconds: 600 },
    { everySeconds: 180, untilAgeSeconds: 1500 },
    { everySeconds: 600, untilAgeSeconds: 10 * DAY },
  ],
  FUNCTION_TIMEOUT_SECONDS,
);

export function makeScenario(random: Random): Scenario {
  return {
    faults: pick<Faults>(random, [
      NO_FAULTS,
      { kill: 0.02, freeze: 0, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.02, slow: 0.05, hang: 0 },
      { kill: 0, freeze: 0.03, errorBefore: 0, errorAfter: 0, repeat: 0.05, slow: 0.05, hang: 0 },
      { kill: 0.01, freeze: 0.01, errorBefore: 0.05, errorAfter: 0.05, repeat: 0.05, slow: 0.1, hang: 0 },
      { kill: 0, freeze: 0, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.01, slow: 0.05, hang: 0.02 },
    ]),
    maxStaleMs: pick(random, [0, 500, 3000]),
    limits: {
      concurrency: pick(random, [1, 2, 10]),
      attemptTimeoutSeconds: pick(random, [5, 30]),
      maxRecords: pick(random, [undefined, undefined, 3]),
      attemptsPerSecond: pick(random, [undefined, undefined, 5, 0.1]),
    },
    ways: waysOver(random),
    pause: chance(random, 0.25) ? pauseWithin(random) : undefined,
    losesSlowRule: chance(random, 0.3),
  };
}

function waysOver(random: Random): Scenario['ways'] {
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

function pauseWithin(random: Random) {
  const fromMs = between(random, 0, TROUBLED_MS / 2);
  return { fromMs, untilMs: between(random, fromMs, TROUBLED_MS) };
}
