import { describe, expect, it } from 'vitest';
import { decideRetry, phaseOf, type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';

/** Draws of each case. A thousand in `npm run test:long`. */
const DRAWS = Number(process.env.ROUNDING_DRAWS ?? 200);
const TICK_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00.000Z');

/** Seconds from a failure to the attempt by a rule that fires at whole minutes, or by a run that stays for the record. */
function waited(given: RetryPolicy, failures: number, random: () => number, id = 'r') {
  const policy = resolvePolicy(given);
  const failedAt = START + Math.floor(random() * TICK_MS);
  const attempt = { id, queue: 'q', failures, firstFailureAt: failedAt, failedAt, bornAt: failedAt };
  const decision = decideRetry(policy, attempt, TICK_MS / 1000, random);
  if (!decision.retry) throw new Error(decision.reason);
  const isKeptToTheSecond = decision.dueAt % 1000 === 1;
  const attemptedAt = isKeptToTheSecond ? decision.dueAt : Math.ceil(decision.dueAt / TICK_MS) * TICK_MS;
  return { seconds: (attemptedAt - failedAt) / 1000, wanted: (decision.wanted - failedAt) / 1000 };
}

describe('a documented minimum is kept by rules that fire once a minute', () => {
  it.each([
    [{ type: 'window' }, 9],
    [{ type: 'window', base: 1.3, maxWait: 300 }, 20],
    [{ type: 'ExponentialRetry', MaxRetries: 9 }, 9],
    [{ type: 'sidekiq' }, 9],
    [{ type: 'buckets' }, 20],
    [{ type: 'list', waits: [60], afterwards: { type: 'window' } }, 9],
  ] as [RetryPolicy, number][])('of %j', (policy, failures) => {
    const { baseWait } = resolvePolicy(policy);
    const random = seededRandom(7);
    const early: unknown[] = [];
    for (let n = 1; n <= failures; n++) {
      const range = baseWait({ failures: n, ageSeconds: 0 }) ?? { least: 0, most: 0 };
      if (range.least === range.most) continue;
      for (let i = 0; i < DRAWS; i++) {
        const { seconds } = waited(policy, n, random);
        if (seconds < range.least || seconds > range.most + 60) early.push({ n, seconds, ...range });
      }
    }
    expect(early).toEqual([]);
  });

  it('of exponential, whose waits have a part of that length', () => {
    const random = seededRandom(8);
    const waits = Array.from({ length: DRAWS }, () =>
      waited({ type: 'exponential', min: 300, unit: 1 }, 1, random),
    );
    expect(Math.min(...waits.map(({ seconds }) => seconds))).toBeGreaterThanOrEqual(300);
  });
});

const NEAREST_AND_UP: readonly RetryPolicy[] = [
  { type: 'fibonacci' },
  { type: 'fibonacci', jitter: 'none' },
  { type: 'constant', interval: 90 },
  { type: 'constant', interval: 35 },
  { type: 'constant', interval: 600, jitter: 'equal' },
  { type: 'power' },
  { type: 'arctan' },
];

describe.each(NEAREST_AND_UP)('the rounding of %j', (policy) => {
  const all = (rounding: 'nearest' | 'up') => {
    const random = seededRandom(9);
    return Array.from({ length: DRAWS }, (_, i) =>
      waited({ ...policy, rounding } as RetryPolicy, 1 + (i % 8), random, `r${i}`),
    );
  };

  it('is to the nearest tick, and half a minute early at most', () => {
    const early = all('nearest').map(({ seconds, wanted }) => seconds - wanted);
    expect(Math.min(...early)).toBeGreaterThanOrEqual(-31);
    expect(Math.max(...early)).toBeLessThanOrEqual(31);
  });

  it('up ends no wait early, and none more than a minute late', () => {
    const late = all('up').map(({ seconds, wanted }) => seconds - wanted);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(60.001);
  });
});

it('a record that is behind its line is not brought forward where waits are rounded up', () => {
  const policy = resolvePolicy({ type: 'constant', interval: 600, jitter: 'phase', rounding: 'up' });
  const own = 600 * (1 + 0.236 * (2 * phaseOf('r', 'q') - 1)) * 1000;
  const times = { firstFailureAt: 0, failedAt: own + 20_000, bornAt: 0 };
  const decision = decideRetry(policy, { id: 'r', queue: 'q', failures: 2, ...times }, 60, () => 0.5);
  expect(decision.retry && decision.wanted - times.failedAt).toBeCloseTo(own, 6);
});

it.each([
  ['down', /^retry\.rounding: expected .*"nearest".*"up".*got "down"/],
  [true, /^retry\.rounding: .*got true/],
])('%j is no rounding', (rounding, expected) => {
  expect(() => resolvePolicy({ type: 'constant', rounding })).toThrow(expected);
});
