import { decideRetry, type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import type { Random } from '../src/support/random.js';

/** The retries on each firing of a rule, of records that failed at the same moment. */
export interface Firings {
  /** Most records that any one firing brings for their n-th retry, by n. */
  readonly peak: ReadonlyMap<number, number>;
  /** The share of pairs that meet at the n-th retry too, of those that met at the retry before. */
  readonly meetAgain: ReadonlyMap<number, number>;
  /** Mean of |wait / base - 1|, the wait being the time from a failure to the next attempt. */
  readonly meanDeviation: number;
}

const TICK_SECONDS = 60;
const TICK_MS = TICK_SECONDS * 1000;
const RETRIES = 15;
/** More than there are in a hundred years. */
const MAX_FIRINGS = 2 ** 26;
const NOTED = [5, 10, 15];
/** A run has its first attempt behind it by then. */
const ATTEMPT_MS = 1000;

/** Lets records fail together just behind a firing, and again at every firing that takes them. */
export function firingsOf(given: RetryPolicy, ids: readonly string[], random: Random): Firings {
  const policy = resolvePolicy(given);
  const firings = Array.from({ length: RETRIES + 1 }, () => new Float64Array(ids.length));
  let deviation = 0;
  for (const [i, id] of ids.entries()) {
    let failedAt = ATTEMPT_MS;
    for (let n = 1; n <= RETRIES; n++) {
      const record = { id, queue: 'q', failures: n, firstFailureAt: ATTEMPT_MS, failedAt, bornAt: 0 };
      const decision = decideRetry(policy, record, TICK_SECONDS, random);
      const { most = 0 } = policy.baseWait({ failures: n, ageSeconds: 0 }) ?? {};
      if (!decision.retry || most < TICK_SECONDS)
        throw new Error(`${given.type}: retry ${n} is not left to a rule`);
      const firing = Math.ceil(decision.dueAt / TICK_MS);
      deviation += Math.abs((firing * TICK_MS - failedAt) / 1000 / most - 1);
      (firings[n] as Float64Array)[i] = firing;
      failedAt = firing * TICK_MS + ATTEMPT_MS;
    }
  }
  const at = (n: number) => firings[n] as Float64Array;
  return {
    peak: new Map(NOTED.map((n) => [n, Math.max(...groups(at(n)).values())])),
    meetAgain: new Map(NOTED.map((n) => [n, pairs(at(n - 1), at(n)) / pairs(at(n - 1))])),
    meanDeviation: deviation / (ids.length * RETRIES),
  };
}

/** The number of records that have the same firing, or the same firings of two retries. */
function groups(firings: Float64Array, next?: Float64Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [i, firing] of firings.entries()) {
    const key = firing * MAX_FIRINGS + (next?.[i] ?? 0);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function pairs(firings: Float64Array, next?: Float64Array): number {
  return [...groups(firings, next).values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
}
