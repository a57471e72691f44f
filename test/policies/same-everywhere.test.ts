import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { decideRetry, POLICY_TYPES, type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { powerOf } from '../../src/policies/power-of.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const IDS = ['order-7', '42', 'ü', '1b671a64-40d5-491e-99b0-da01ff1f3341'];

/** Every bit of the base waits, their sums and the due times, for 200 failures and some ids. */
function digestOf(given: RetryPolicy): string {
  const policy = resolvePolicy({ ...given, maxAge: 3_000_000_000 });
  const numbers: number[] = [];
  for (let failures = 1; failures <= 200; failures++) {
    const { least, most } = policy.baseWait({ failures, ageSeconds: failures * 86_400 }) ?? {
      least: -1,
      most: -1,
    };
    const totals = policy.totals(failures);
    numbers.push(least, most, totals.least, totals.most);
    for (const id of IDS) {
      const failedAt = START + failures * 86_400_000;
      const attempt = { id, queue: 'orders', failures, firstFailureAt: START, failedAt, bornAt: START };
      const decision = decideRetry(policy, attempt, 60, () => 0.3);
      numbers.push(decision.retry ? decision.dueAt : -1, decision.retry ? decision.wanted : -1);
    }
  }
  return createHash('sha256')
    .update(new Uint8Array(Float64Array.from(numbers).buffer))
    .digest('hex')
    .slice(0, 8);
}

/** Written down once; Node 20, 22 and 24 come to the same. */
const DIGESTS: readonly [RetryPolicy, string][] = [
  [{ type: 'none' }, 'bda62ed1'],
  [{ type: 'constant' }, '1e1e8365'],
  [{ type: 'linear' }, '756d5558'],
  [{ type: 'fibonacci' }, '6fde2da7'],
  [{ type: 'exponential' }, '790bc5bc'],
  [{ type: 'window' }, 'a7e3012c'],
  [{ type: 'sidekiq' }, '356a413d'],
  [{ type: 'buckets' }, 'f16c80db'],
  [{ type: 'power' }, 'fce081ba'],
  [{ type: 'arctan' }, '65c38edd'],
  [{ type: 'sigmoid' }, '5c19af94'],
  [{ type: 'saturating' }, 'c18b9b76'],
  [{ type: 'list' }, '54cd2178'],
  [{ type: 'progressive' }, 'a05becae'],
  [{ type: 'exponential', base: 1.1 }, '14046960'],
  [{ type: 'window', base: 7.3 }, 'a2e1b887'],
  [{ type: 'saturating', first: 7, max: 1000 }, '98440256'],
  [{ type: 'sigmoid', first: 7, max: 1000 }, 'b2ee4502'],
  [{ type: 'arctan', max: 777 }, '909aceea'],
  [{ type: 'fibonacci', jitter: 'full' }, '8fc24d78'],
  [{ type: 'fibonacci', maxWait: 1000 }, '58b1f27c'],
];

it.each(DIGESTS)('%j waits the same on every machine and Node version, to the last bit', (policy, digest) => {
  expect(digestOf(policy)).toBe(digest);
});

it('no policy is left out', () => {
  expect(new Set(DIGESTS.map(([{ type }]) => type))).toEqual(new Set(POLICY_TYPES));
});

it.each([
  [2, 10],
  [3, 33],
  [7, 0],
  [0, 5],
  [1, 1e15],
  [10, 15],
  [999, 5],
])('%d to the power of %d is exact', (base, exponent) => {
  const exact = base === 1 ? 1 : Number(BigInt(base) ** BigInt(exponent));
  expect(powerOf(base, exponent)).toBe(exact);
});

it('a power of any base is right to twelve digits, and infinite at last', () => {
  for (const base of [1.0001, 1.1, 1.5, 2.7, 123.4]) {
    for (const exponent of [1, 2, 3, 17, 100]) {
      expect(powerOf(base, exponent) / base ** exponent).toBeCloseTo(1, 12);
    }
  }
  expect(powerOf(2, 10_000)).toBe(Number.POSITIVE_INFINITY);
});
