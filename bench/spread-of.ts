import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import type { Random } from '../src/support/random.js';
import { retryTimes } from '../tools/src/lab/retry-times.js';

/** The spread of the n-th retries of records that failed at the same moment, and the error of their waits. */
export interface Spread {
  /** Most retries in any one second, by the number of the retry. */
  readonly peakPerSecond: ReadonlyMap<number, number>;
  /** Variance of the retries per second over their mean, within the middle of the wave: 1 for chance alone. */
  readonly dispersion: ReadonlyMap<number, number>;
  /** Mean of |wait / base - 1| over all waits; base is the middle of what the policy says. */
  readonly meanDeviation: number;
  /** Share of the time from the first retry to the last that lies in pauses of more than ten seconds. */
  readonly idleShare: number;
  /** No record's wait was shorter than its wait before. */
  readonly inOrder: boolean;
}

const RETRIES = 15;
const NOTED = [5, 10, 15];
const FAR_AGE_SECONDS = 3_000_000_000;
const MAX_PAUSE_SECONDS = 10;

/** Lets `count` records fail at second 0 and at every retry, exactly when it is due. */
export function spreadOf(given: RetryPolicy, ids: readonly string[], random: Random): Spread {
  const policy = resolvePolicy({ ...given, maxAge: FAR_AGE_SECONDS });
  const times = Array.from({ length: RETRIES + 1 }, () => new Float64Array(ids.length));
  let deviation = 0;
  let inOrder = true;
  for (const [i, id] of ids.entries()) {
    const due = retryTimes(policy, { id, queue: 'q' }, { retries: RETRIES, random });
    if (due.length < RETRIES) throw new Error(`${given.type} ends after ${due.length + 1} failures`);
    let lastWait = 0;
    for (const [k, time] of due.entries()) {
      const n = k + 1;
      const { least = 0, most = 0 } = policy.baseWait({ failures: n, ageSeconds: 0 }) ?? {};
      const wait = time - (due[k - 1] ?? 0);
      deviation += Math.abs(wait / ((least + most) / 2) - 1);
      // A millisecond is what rounding may take.
      inOrder &&= wait >= lastWait - 0.0011;
      lastWait = wait;
      (times[n] as Float64Array)[i] = time;
    }
  }
  const noted = new Map(NOTED.map((n) => [n, perSecond(times[n] as Float64Array)]));
  return {
    peakPerSecond: new Map([...noted].map(([n, counts]) => [n, counts.reduce((a, b) => Math.max(a, b), 0)])),
    dispersion: new Map([...noted].map(([n, counts]) => [n, dispersionOf(counts)])),
    meanDeviation: deviation / (ids.length * RETRIES),
    idleShare: idleShareOf(times.slice(1)),
    inOrder,
  };
}

function perSecond(times: Float64Array): Uint32Array {
  const first = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = times.reduce((a, b) => Math.max(a, b), 0);
  const counts = new Uint32Array(Math.floor(last) - Math.floor(first) + 1);
  for (const time of times) {
    const second = Math.floor(time) - Math.floor(first);
    counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}

/** The dispersion in the middle nine tenths: the first and the last second are only partly inside a wave. */
function dispersionOf(counts: Uint32Array): number {
  const cut = Math.ceil(counts.length / 20);
  const middle = counts.slice(cut, counts.length - cut);
  const mean = middle.reduce((a, b) => a + b, 0) / middle.length;
  return middle.reduce((sum, count) => sum + (count - mean) ** 2, 0) / middle.length / mean;
}

function idleShareOf(waves: readonly Float64Array[]): number {
  const times = Float64Array.from(waves.flatMap((wave) => [...wave])).sort();
  let idle = 0;
  for (let i = 1; i < times.length; i++) {
    const pause = (times[i] ?? 0) - (times[i - 1] ?? 0);
    if (pause > MAX_PAUSE_SECONDS) idle += pause;
  }
  return idle / ((times.at(-1) ?? 0) - (times[0] ?? 0));
}
