import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/lab/seeded-random.js';
import { fibonacciNumber } from '../../src/policies/fibonacci.js';
import {
  DEFAULT_TIERS,
  decideRetry,
  MAX_WAIT_SECONDS,
  POLICY_TYPES,
  type RetryPolicy,
  resolvePolicy,
  tierBands,
} from '../../src/policies/index.js';
import { expectSchedule, waitsOf } from './expect-schedule.js';

const jitter = 'none' as const;
const DAY = 86_400;

describe('the schedule', () => {
  test('of none ends at the first failure', () => expectSchedule({ type: 'none' }, ['maxAttempts']));

  test('of constant is the same wait again and again, 5 minutes by default', () => {
    expectSchedule({ type: 'constant', jitter }, [300, 300, 300, 300]);
    expectSchedule({ type: 'constant', intervalSeconds: 35, maxAttempts: 4, jitter }, [
      35,
      35,
      35,
      'maxAttempts',
    ]);
  });

  test('of fibonacci grows as the Fibonacci numbers, in minutes by default', () => {
    expectSchedule({ type: 'fibonacci', jitter }, [60, 60, 120, 180, 300, 480, 780, 1260, 2040, 3300]);
    expectSchedule({ type: 'fibonacci', unitSeconds: 1, jitter }, [1, 1, 2, 3, 5, 8, 13, 21]);
  });

  test('of fibonacci ends where the next wait would pass 360 days', () => {
    const waits = waitsOf({ type: 'fibonacci', jitter }, 40);
    expect(waits).toHaveLength(28);
    expect(waits.at(-1)).toBe('expired');
  });

  test('of progressive follows the age, and ends past its last tier', () => {
    const waits = waitsOf({ type: 'progressive' }, 1000);
    const counted = (seconds: number) => waits.filter((wait) => wait === seconds).length;
    const intervals = DEFAULT_TIERS.map(({ everySeconds }) => everySeconds);
    expect(waits.slice(0, 3)).toEqual([300, 300, 300]);
    expect(intervals.map(counted)).toEqual([289, 144, 14, 16, 38, 22]);
    expect(waits.at(-1)).toBe('expired');
  });

  test('is capped by maxWaitSeconds', () => {
    expectSchedule({ type: 'fibonacci', maxWaitSeconds: 150, jitter }, [60, 60, 120, 150, 150, 150]);
  });

  test('ends at maxAgeSeconds', () => {
    expectSchedule({ type: 'constant', maxAgeSeconds: 900, jitter }, [300, 300, 300, 'expired']);
  });

  test('of 2 attempts has one wait', () => {
    expectSchedule({ type: 'fibonacci', maxAttempts: 2, jitter }, [60, 'maxAttempts']);
  });
});

describe('every policy', () => {
  test.each(POLICY_TYPES)('%s is finite up to failure 10,000, and its waits never pass 365 days', (type) => {
    const policy = resolvePolicy({ type } as RetryPolicy);
    for (const failures of [1, 2, 10, 100, 1000, 10_000]) {
      const wait = policy.baseWait({ failures, ageSeconds: DAY })?.most ?? 0;
      expect(Number.isFinite(wait)).toBe(true);
      expect(wait).toBeLessThanOrEqual(MAX_WAIT_SECONDS);
    }
  });

  test.each(POLICY_TYPES)('%s has waits that never shrink, up to failure 10,000', (type) => {
    const policy = resolvePolicy({ type } as RetryPolicy);
    let before = { least: 0, most: 0 };
    for (let failures = 1; failures <= 10_000; failures++) {
      const range = policy.baseWait({ failures, ageSeconds: 0 });
      if (!range) break;
      expect(range.least >= before.least && range.most >= before.most && range.most >= range.least).toBe(
        true,
      );
      before = range;
    }
  });

  test.each(POLICY_TYPES)('%s has due times that are whole, later, and the same whenever asked', (type) => {
    for (const jitter of ['none', 'phase', 'full', 'equal', 'percent'] as const) {
      if (jitter !== 'none' && RANDOM.has(type)) continue;
      for (const cap of [{}, { maxWaitSeconds: 100 }]) {
        const given = { type, jitter, ...cap } as RetryPolicy;
        for (const failures of [1, 2, 3, 20, 500, 10_000]) {
          const attempt = {
            id: `order-${failures}`,
            queue: 'q',
            failures,
            firstFailureAt: 0,
            failedAt: DAY,
            bornAt: 0,
          };
          const decide = () => decideRetry(resolvePolicy(given), attempt, 60, seededRandom(failures));
          const decision = decide();
          // The same policy that has answered others before, too.
          const used = resolvePolicy(given);
          decideRetry(used, { ...attempt, failures: 7 }, 60, seededRandom(1));
          expect(decideRetry(used, attempt, 60, seededRandom(failures))).toEqual(decision);
          expect(decide()).toEqual(decision);
          if (!decision.retry) continue;
          expect(Number.isInteger(decision.dueAt) && decision.dueAt >= DAY).toBe(true);
          if ('maxWaitSeconds' in cap) expect(decision.dueAt - DAY).toBeLessThanOrEqual(100_000);
        }
      }
    }
  });
});

/** These draw their waits by themselves, and take no jitter. */
const RANDOM: ReadonlySet<string> = new Set(['window', 'sidekiq', 'buckets']);

test('the Fibonacci numbers', () => {
  expect(Array.from({ length: 10 }, (_, i) => fibonacciNumber(i + 1))).toEqual([
    1, 1, 2, 3, 5, 8, 13, 21, 34, 55,
  ]);
});

describe('the age bands', () => {
  test('leave a gap of one function timeout before each but the first', () => {
    expect(tierBands(DEFAULT_TIERS, 300)).toEqual([
      { number: 1, everySeconds: 300, fromAgeSeconds: 0, untilAgeSeconds: DAY, last: false },
      { number: 2, everySeconds: 3600, fromAgeSeconds: DAY + 300, untilAgeSeconds: 7 * DAY, last: false },
      {
        number: 3,
        everySeconds: 43_200,
        fromAgeSeconds: 7 * DAY + 300,
        untilAgeSeconds: 14 * DAY,
        last: false,
      },
      {
        number: 4,
        everySeconds: 86_400,
        fromAgeSeconds: 14 * DAY + 300,
        untilAgeSeconds: 30 * DAY,
        last: false,
      },
      {
        number: 5,
        everySeconds: 345_600,
        fromAgeSeconds: 30 * DAY + 300,
        untilAgeSeconds: 180 * DAY,
        last: false,
      },
      {
        number: 6,
        everySeconds: 691_200,
        fromAgeSeconds: 180 * DAY + 300,
        untilAgeSeconds: 360 * DAY,
        last: true,
      },
    ]);
  });
});

describe('a policy that makes no sense', () => {
  test.each([
    [undefined, 'retry: expected a retry policy such as { "type": "fibonacci" }, got nothing'],
    ['fibonacci', 'retry: expected a retry policy such as { "type": "fibonacci" }, got "fibonacci"'],
    [{}, 'retry.type: expected one of "none", "constant", "linear", "fibonacci", '],
    [{ type: 'fibonaci' }, '"progressive", got "fibonaci"; did you mean "fibonacci"?'],
    [{ type: 'toString' }, '"progressive", got "toString"'],
    [{ type: 'fibonacci', units: 60 }, 'retry: unknown option "units"'],
    [{ type: 'fibonacci', unitSeconds: 0 }, 'retry.unitSeconds: expected number to be >0, got 0'],
    [{ type: 'fibonacci', unitSeconds: '60' }, 'retry.unitSeconds: expected number, got "60"'],
    [{ type: 'fibonacci', maxAttempts: 0 }, 'retry.maxAttempts: expected number to be >=1, got 0'],
    [{ type: 'fibonacci', maxAttempts: 2.5 }, 'retry.maxAttempts: expected int, got 2.5'],
    [{ type: 'constant', unitSeconds: 60 }, 'retry: unknown option "unitSeconds"'],
    [{ type: 'constant', intervalSeconds: Number.NaN }, 'retry.intervalSeconds: expected number, got NaN'],
    [{ type: 'fibonacci', jitter: { type: 'phase', amplitude: 1 } }, 'retry.jitter'],
    [
      { type: 'fibonacci', jitter: 'ful' },
      'retry.jitter: expected "phase", "full", "equal", "percent", "none", or such as ' +
        '{ "type": "phase", "amplitude": 0.236 }, got "ful"; did you mean "full"?',
    ],
    [{ type: 'fibonacci', jitter: 7 }, '0.236 }, got 7'],
    [{ type: 'fibonacci', jitter: { type: 'phse' } }, 'got {"type":"phse"}; did you mean "phase"?'],
    [
      { type: 'fibonacci', jitter: { type: 'phase', amplitud: 0.1 } },
      'retry.jitter: unknown option "amplitud"; did you mean "amplitude"?',
    ],
    [{ type: 'fibonacci', jitter: { type: 'full', percent: 3 } }, 'retry.jitter: unknown option "percent"'],
    [{ type: 'window', jitter: 'phase' }, 'retry.jitter: expected "none", as "window" is random by itself'],
    [{ type: 'list', afterwards: { type: 'fibonaci' } }, 'retry.afterwards.type: expected one of "none", '],
    [{ type: 'list', afterwards: { type: 'fibonaci' } }, 'got "fibonaci"; did you mean "fibonacci"?'],
    [
      { type: 'list', afterwards: { type: 'list', afterwards: { type: 'power', bas: 1 } } },
      'retry.afterwards.afterwards: unknown option "bas"',
    ],
    [
      { type: 'list', afterwards: 'daed' },
      'retry.afterwards: expected "dead", "last" or a policy such as { "type": "exponential" } (did you mean "dead"?), got "daed"',
    ],
    [
      { type: 'list', afterwards: 7 },
      'retry.afterwards: expected a retry policy such as { "type": "fibonacci" }, got 7',
    ],
    [
      { type: 'progressive', tiers: [{ everySeconds: 300, untilAgeSecond: 900 }] },
      'retry.tiers.0: unknown option "untilAgeSecond"; did you mean "untilAgeSeconds"?',
    ],
    [{ type: 'ExponentialRetry', maxAttempts: 3 }, 'retry: unknown option "maxAttempts"'],
    [{ type: 'progressive', tiers: [] }, 'retry.tiers'],
    [{ type: 'progressive', tiers: [{ everySeconds: 90, untilAgeSeconds: 900 }] }, 'expected whole minutes'],
  ])('%j is refused with its reason', (policy, reason) => {
    expect(() => resolvePolicy(policy)).toThrow(reason);
  });

  test('whose tiers are out of order is refused', () => {
    const tiers = [...DEFAULT_TIERS].reverse();
    expect(() => resolvePolicy({ type: 'progressive', tiers })).toThrow('expected tiers in ascending order');
  });
});
