import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { decideRetry, POLICY_TYPES, type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { powerOf } from '../../src/policies/power-of.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const IDS = ['order-7', '42', 'ü', '1b671a64-40d5-491e-99b0-da01ff1f3341'];

/** Every bit of the base waits, their sums and the due times, for 200 failures and some ids. */
function digestOf(given: RetryPolicy): string {
  const policy = resolvePolicy({ ...given, maxAgeSeconds: 3_000_000_000 });
  const numbers: number[] = [];
  for (let failures = 1; failures <= 200; failures++) {
    const { least, most } = policy.baseWait({ failures, ageSeconds: failures * 86_400 }) ?? {
      least: -1,
      most: -1,
    };
    numbers.push(least, most, policy.totalSeconds(failures));
    for (const id of IDS) {
      const failedAt = START + failures * 86_400_000;
      const attempt = { id, queue: 'orders', failures, firstFailureAt: START, failedAt, bornAt: START };
      const decision = decideRetry(policy, attempt, 60, () => 0.3);
      numbers.push(decision.retry ? decision.dueAt : -1);
    }
  }
  return createHash('sha256')
    .update(new Uint8Array(Float64Array.from(numbers).buffer))
    .digest('hex')
    .slice(0, 8);
}

/** Written down once; Node 20, 22 and 24 come to the same. */
const DIGESTS: readonly [RetryPolicy, string][] = [
  [{ type: 'none' }, 'a35567e1'],
  [{ type: 'constant' }, 'a5c7876f'],
  [{ type: 'linear' }, 'c8a0472b'],
  [{ type: 'fibonacci' }, '022cd4f5'],
  [{ type: 'exponential' }, 'ae60140b'],
  [{ type: 'window' }, 'a1012a11'],
  [{ type: 'sidekiq' }, '5dbd782a'],
  [{ type: 'buckets' }, '2693be4a'],
  [{ type: 'power' }, '12ef366e'],
  [{ type: 'arctan' }, 'ee5d1ed8'],
  [{ type: 'sigmoid' }, 'fcdfedef'],
  [{ type: 'saturating' }, 'dfddb5a4'],
  [{ type: 'list' }, '154e53f9'],
  [{ type: 'progressive' }, '4281abb1'],
  [{ type: 'exponential', base: 1.1 }, '68e42ff8'],
  [{ type: 'window', base: 7.3 }, '2e72f055'],
  [{ type: 'saturating', firstSeconds: 7, maxSeconds: 1000 }, '857986d7'],
  [{ type: 'sigmoid', firstSeconds: 7, maxSeconds: 1000 }, '2e66c3a3'],
  [{ type: 'arctan', maxSeconds: 777 }, '204f10ae'],
  [{ type: 'fibonacci', jitter: 'full' }, 'aa85ad55'],
  [{ type: 'fibonacci', maxWaitSeconds: 1000 }, '42062817'],
];

test.each(DIGESTS)(
  '%j waits the same on every machine and Node version, to the last bit',
  (policy, digest) => {
    expect(digestOf(policy)).toBe(digest);
  },
);

test('no policy is left out', () => {
  expect(new Set(DIGESTS.map(([{ type }]) => type))).toEqual(new Set(POLICY_TYPES));
});

test.each([
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

test('a power of any base is right to twelve digits, and infinite at last', () => {
  for (const base of [1.0001, 1.1, 1.5, 2.7, 123.4]) {
    for (const exponent of [1, 2, 3, 17, 100]) {
      expect(powerOf(base, exponent) / base ** exponent).toBeCloseTo(1, 12);
    }
  }
  expect(powerOf(2, 10_000)).toBe(Number.POSITIVE_INFINITY);
});
