import type { Random } from '../../src/support/random.js';
import { NO_TROUBLES, type Troubles } from '../../tools/src/lab/cloud/chaos.js';
import { type Faults, NO_FAULTS } from '../simulation/actor.js';
import { between, chance, pick } from '../simulation/random.js';
import type { Lags } from './replication.js';

export const MINUTE_MS = 60_000;

/** One record: how it is put, and how its attempts end. */
export interface Script {
  readonly id: string;
  /** Its place in a line. Undefined: the queue has no order. */
  readonly place?: { readonly key: string; readonly seq: number };
  /** The index of the region in which it is put. */
  readonly site: 0 | 1;
  readonly atMs: number;
  /** `bare`: as any service puts it. `indexed`: with lane and due time, as the client does. */
  readonly put: 'bare' | 'indexed' | 'delayed';
  readonly delayMs: number;
  /** Attempts that fail before one succeeds. */
  readonly failures: number;
  /** The duration of each attempt. The last one stands for all after it. */
  readonly attemptMs: readonly number[];
}

export interface Scenario {
  readonly faults: Faults;
  readonly troubles: Troubles;
  readonly lags: Lags;
  readonly shards: number;
  readonly concurrency: number;
  readonly attemptTimeout: number;
  readonly retrySeconds: number;
  /** Bare records are attempted as they are inserted. */
  readonly isOnArrival: boolean;
  /** The queue has order, and leaves numbers out after so many seconds. Undefined: it has none. */
  readonly skipGapAfter?: number | 'never';
  /** The stacks of the two regions have the same name. */
  readonly isSameOwner: boolean;
  readonly scripts: readonly Script[];
}

export interface ScenarioChoices {
  /** Records are put until then. */
  readonly untilMs: number;
  /** Most of them are put around these times. */
  readonly busyAtMs: readonly number[];
  readonly sites: 1 | 2;
  /** Some attempts take minutes. */
  readonly isLong?: boolean;
}

export const FUNCTION_TIMEOUT_SECONDS = 300;
const LONG_TIMEOUT_SECONDS = 240;

export function makeScenario(random: Random, choices: ScenarioChoices): Scenario {
  const isLong = choices.isLong ?? chance(random, 0.2);
  return {
    faults: pick<Faults>(random, [
      NO_FAULTS,
      { ...NO_FAULTS, kill: 0.002, slow: 0.02 },
      { ...NO_FAULTS, errorBefore: 0.01, errorAfter: 0.01, repeat: 0.02, slow: 0.05 },
      { ...NO_FAULTS, kill: 0.002, errorBefore: 0.05, errorAfter: 0.02, repeat: 0.02 },
    ]),
    troubles: pick<Troubles>(random, [
      NO_TROUBLES,
      { ...NO_TROUBLES, twice: 0.1, late: 0.1, refused: 0.1, cutAgain: 0.1 },
    ]),
    lags: { late: pick(random, [0, 0.05, 0.3]), latestMs: 60_000 },
    shards: pick(random, [1, 1, 3]),
    concurrency: pick(random, [1, 3, 10]),
    attemptTimeout: isLong ? LONG_TIMEOUT_SECONDS : 30,
    retrySeconds: pick(random, [20, 90, 600]),
    isOnArrival: chance(random, 0.7),
    isSameOwner: chance(random, 0.5),
    scripts: makeScripts(random, choices, isLong),
  };
}

function makeScripts(random: Random, choices: ScenarioChoices, isLong: boolean): Script[] {
  const count = between(random, 20, 50);
  return Array.from({ length: count }, (_, i) => ({
    id: `r${i}`,
    site: choices.sites === 2 && chance(random, 0.5) ? 1 : 0,
    atMs: putAtMs(random, choices),
    put: pick<Script['put']>(random, ['bare', 'bare', 'indexed', 'delayed']),
    delayMs: between(random, 1, chance(random, 0.5) ? 300 : 1800) * 1000,
    failures: pick(random, [0, 0, 0, 1, 2, 4]),
    attemptMs: Array.from({ length: 5 }, () => attemptMs(random, isLong)),
  }));
}

function putAtMs(random: Random, { untilMs, busyAtMs: [first, ...others] }: ScenarioChoices): number {
  if (first === undefined || chance(random, 0.3)) return between(random, 0, untilMs);
  const busyAt = pick(random, [first, ...others]);
  return Math.max(0, busyAt + between(random, -4 * MINUTE_MS, 4 * MINUTE_MS));
}

function attemptMs(random: Random, isLong: boolean): number {
  if (isLong && chance(random, 0.3)) return between(random, 60_000, 200_000);
  return chance(random, 0.5) ? between(random, 50, 500) : between(random, 500, 20_000);
}

const KEYS = ['a', 'b', 'c'];

/** The same, in a queue with order: the records of a key are put in the order of their numbers. */
export function inOrder(scenario: Scenario, skipGapAfter: number | 'never'): Scenario {
  const sorted = [...scenario.scripts].sort((one, other) => one.atMs - other.atMs);
  const scripts = sorted.map((script, at) => {
    const place = { key: KEYS[at % KEYS.length] ?? '', seq: Math.floor(at / KEYS.length) + 1 };
    return { ...script, place };
  });
  return { ...scenario, skipGapAfter, scripts };
}
