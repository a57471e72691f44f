import { describe, expect, it } from 'vitest';
import { fibonacciNumber } from '../../src/policies/fibonacci.js';
import { DEFAULT_TIERS, type RetryPolicy, resolvePolicy, tierBands } from '../../src/policies/index.js';
import { expectSchedule, waitsOf } from './expect-schedule.js';

const jitter = 'none' as const;
const DAY = 86_400;

describe('the schedule', () => {
  it('of none ends at the first failure', () => expectSchedule({ type: 'none' }, ['maxAttempts']));

  it('of constant is the same wait again and again, 5 minutes by default', () => {
    expectSchedule({ type: 'constant', jitter }, [300, 300, 300, 300]);
    expectSchedule({ type: 'constant', interval: 35, maxAttempts: 4, jitter }, [35, 35, 35, 'maxAttempts']);
  });

  it('of fibonacci grows as the Fibonacci numbers, in minutes by default', () => {
    expectSchedule({ type: 'fibonacci', jitter }, [60, 60, 120, 180, 300, 480, 780, 1260, 2040, 3300]);
    expectSchedule({ type: 'fibonacci', unit: 1, jitter }, [1, 1, 2, 3, 5, 8, 13, 21]);
  });

  it('of fibonacci ends where the next wait would pass 360 days', () => {
    const waits = waitsOf({ type: 'fibonacci', jitter }, 40);
    expect(waits).toHaveLength(28);
    expect(waits.at(-1)).toBe('expired');
  });

  it('of progressive follows the age, and ends past its last tier', () => {
    const waits = waitsOf({ type: 'progressive' }, 1000);
    const counted = (seconds: number) => waits.filter((wait) => wait === seconds).length;
    const intervals = DEFAULT_TIERS.map(({ every }) => every);
    expect(waits.slice(0, 3)).toEqual([300, 300, 300]);
    expect(intervals.map(counted)).toEqual([289, 144, 14, 16, 38, 22]);
    expect(waits.at(-1)).toBe('expired');
  });

  it('of progressive begins no wait that would end behind its last tier', () => {
    const tiers = [
      { every: '5m', untilAge: '1h' },
      { every: '141m', untilAge: '12h' },
    ];
    for (const more of [{}, { maxAge: '2d' }]) {
      const waits = waitsOf({ type: 'progressive', tiers, ...more } as RetryPolicy, 100);
      expect(waits.at(-1)).toBe('expired');
      const minutes = waits.slice(0, -1).reduce<number>((sum, wait) => sum + Number(wait) / 60, 0);
      expect(minutes).toBe(65 + 4 * 141);
    }
  });

  it('is capped by maxWait', () => {
    expectSchedule({ type: 'fibonacci', maxWait: 150, jitter }, [60, 60, 120, 150, 150, 150]);
  });

  it('of saturating keeps to its formula after ten thousand failures and more', () => {
    const year = 365 * DAY;
    const policy = resolvePolicy({ type: 'saturating', first: '1m', max: '365d', jitter });
    for (const failures of [9_999, 10_000, 10_001, 20_000, 1_000_000]) {
      const towardsE = Math.exp(failures * Math.log1p(1 / failures));
      const wait = 60 + (year - 60) * ((towardsE - 2) / (Math.E - 2));
      expect(policy.baseWait({ failures, ageSeconds: 0 })?.most).toBeCloseTo(wait, 1);
    }
  });

  it('has the same sums of waits for a record with few failures, before and after one with many', () => {
    const policy = resolvePolicy({ type: 'fibonacci', jitter });
    expect([3, 10, 3].map((failures) => policy.totals(failures).most)).toEqual([240, 8_580, 240]);
  });

  it('ends at maxAge', () => {
    expectSchedule({ type: 'constant', maxAge: 900, jitter }, [300, 300, 300, 'expired']);
  });

  it('of 2 attempts has one wait', () => {
    expectSchedule({ type: 'fibonacci', maxAttempts: 2, jitter }, [60, 'maxAttempts']);
  });
});

it('the Fibonacci numbers', () => {
  expect(Array.from({ length: 10 }, (_, i) => fibonacciNumber(i + 1))).toEqual([
    1, 1, 2, 3, 5, 8, 13, 21, 34, 55,
  ]);
});

describe('the age bands', () => {
  it('leave a gap of one function timeout before each but the first', () => {
    expect(tierBands(DEFAULT_TIERS, 300)).toEqual([
      { number: 1, every: 300, fromAge: 0, untilAge: DAY, last: false },
      { number: 2, every: 3600, fromAge: DAY + 300, untilAge: 7 * DAY, last: false },
      {
        number: 3,
        every: 43_200,
        fromAge: 7 * DAY + 300,
        untilAge: 14 * DAY,
        last: false,
      },
      {
        number: 4,
        every: 86_400,
        fromAge: 14 * DAY + 300,
        untilAge: 30 * DAY,
        last: false,
      },
      {
        number: 5,
        every: 345_600,
        fromAge: 30 * DAY + 300,
        untilAge: 180 * DAY,
        last: false,
      },
      {
        number: 6,
        every: 691_200,
        fromAge: 180 * DAY + 300,
        untilAge: 360 * DAY,
        last: true,
      },
    ]);
  });
});

describe('durations of a policy', () => {
  it.each([
    [
      { type: 'fibonacci', unit: '30s' },
      { type: 'fibonacci', unit: 30 },
    ],
    [
      { type: 'constant', interval: '1h30m' },
      { type: 'constant', interval: 5_400 },
    ],
    [
      { type: 'linear', interval: 'PT1M' },
      { type: 'linear', interval: 60 },
    ],
    [{ type: 'exponential', min: '3m', unit: '1m' }, { type: 'exponential' }],
    [{ type: 'window', interval: '35s' }, { type: 'window' }],
    [{ type: 'arctan', max: '1d' }, { type: 'arctan' }],
    [{ type: 'sigmoid', first: '1m', max: '24h' }, { type: 'sigmoid' }],
    [{ type: 'saturating', first: '60s', max: '1d' }, { type: 'saturating' }],
    [{ type: 'list', waits: ['5m', 600, '25 min'] }, { type: 'list' }],
    [
      { type: 'LinearRetry', RetryIntervalSeconds: '1m' },
      { type: 'LinearRetry', RetryIntervalSeconds: 60 },
    ],
    [
      { type: 'progressive', tiers: [{ every: '5m', untilAge: '1d' }], maxAge: '2d', maxWait: '1h' },
      { type: 'progressive', tiers: [{ every: 300, untilAge: 86_400 }], maxAge: 172_800, maxWait: 3_600 },
    ],
  ])('%j has the waits of %j', (text, seconds) => {
    const [one, other] = [resolvePolicy(text), resolvePolicy(seconds)];
    for (let failures = 1; failures < 30; failures++) {
      const failure = { failures, ageSeconds: 3_600 };
      expect(one.jitteredWait(failure)).toEqual(other.jitteredWait(failure));
    }
    expect([one.maxAge, one.maxWait, one.tiers]).toEqual([other.maxAge, other.maxWait, other.tiers]);
    const { tiers } = seconds as { tiers?: unknown };
    expect(one.tiers).toEqual(tiers);
  });
});

describe('an invalid policy', () => {
  it.each([
    [undefined, 'retry: expected a retry policy such as { "type": "fibonacci" }, got nothing'],
    ['fibonacci', 'retry: expected a retry policy such as { "type": "fibonacci" }, got "fibonacci"'],
    [{}, 'retry.type: expected one of "none", "constant", "linear", "fibonacci", '],
    [{ type: 'fibonaci' }, '"ExponentialRetry", got "fibonaci"; did you mean "fibonacci"?'],
    [{ type: 'FIBONACCI' }, 'got "FIBONACCI"; did you mean "fibonacci"?'],
    [{ type: 'noRetry' }, 'got "noRetry"; did you mean "NoRetry"?'],
    [{ type: 'toString' }, '"ExponentialRetry", got "toString"'],
    [
      { type: 'fibonacci', pause: 60 },
      'retry: unknown option "pause"; expected "unit", "type", "maxAttempts", "maxAge", "maxWait", "rounding", "jitter"',
    ],
    [{ type: 'fibonacci', units: 60 }, 'retry: unknown option "units"; did you mean "unit"?'],
    [
      { type: 'fibonacci', unit: 0 },
      'retry.unit: expected seconds or a duration such as "90s" or "P1DT2H", above 0 s, at most 365 d, got 0',
    ],
    [{ type: 'fibonacci', unit: '60' }, 'retry.unit: expected seconds or a duration'],
    [{ type: 'fibonacci', maxAttempts: 0 }, 'retry.maxAttempts: expected number to be >=1, got 0'],
    [{ type: 'fibonacci', maxAttempts: 2.5 }, 'retry.maxAttempts: expected int, got 2.5'],
    [{ type: 'constant', unit: 60 }, 'retry: unknown option "unit"'],
    [{ type: 'constant', interval: Number.NaN }, 'retry.interval: expected seconds or a duration'],
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
      { type: 'list', afterwards: { type: 'fibonacci', maxWait: 60 } },
      'retry.afterwards.maxWait: expected as an option of the outer policy, got 60',
    ],
    [
      { type: 'list', afterwards: { type: 'fibonacci', maxAttempts: 5 } },
      'retry.afterwards.maxAttempts: expected as an option of the outer policy, got 5',
    ],
    [
      { type: 'list', afterwards: { type: 'fibonacci', jitter: 'phse' } },
      'retry.afterwards.jitter: expected as an option of the outer policy, got "phse"',
    ],
    [{ type: 'list', afterwards: { type: 'LinearRetry' } }, '"progressive", got "LinearRetry"'],
    [{ type: 'sigmoid', first: 100, max: 10 }, 'retry.max: expected no less than first (100), got 10'],
    [{ type: 'saturating', max: 10 }, 'retry.max: expected no less than first (60), got 10'],
    [
      { type: 'progressive', tiers: [{ every: 300, untillAge: 900 }] },
      'retry.tiers.0: unknown option "untillAge"; did you mean "untilAge"?',
    ],
    [{ type: 'ExponentialRetry', maxAttempts: 3 }, 'retry: unknown option "maxAttempts"'],
    [{ type: 'progressive', tiers: [] }, 'retry.tiers'],
    [{ type: 'progressive', tiers: [{ every: 90, untilAge: 900 }] }, 'expected whole minutes'],
  ])('%j is refused with its reason', (policy, reason) => {
    expect(() => resolvePolicy(policy)).toThrow(reason);
  });

  it.each([
    [{ type: 'fibonaci' }, '; did you mean "fibonacci"?'],
    [{ type: 'fibonacci', jitter: 'phas' }, '; did you mean "phase"?'],
    [{ type: 'list', afterwards: 'lst' }, '(did you mean "last"?)'],
  ])('%j is answered with the name that was probably meant', (policy, hint) => {
    expect(() => resolvePolicy(policy)).toThrow(hint);
  });

  it('an end of a list that is like no other is answered with what it may be', () => {
    expect(() => resolvePolicy({ type: 'list', afterwards: 'qqqqqqqqqq' })).toThrow(
      'or a policy such as { "type": "exponential" }, got "qqqqqqqqqq"',
    );
  });

  it.each([
    { type: 'qqqqqqqqqq' },
    { type: 'fibonacci', jitter: 'qqqqqqqqqq' },
    { type: 'list', afterwards: 'qqqqqqqqqq' },
  ])('%j is answered with no other name', (policy) => {
    expect(() => resolvePolicy(policy)).toThrow(/got "qqqqqqqqqq"$/);
    expect(() => resolvePolicy(policy)).not.toThrow('did you mean');
  });

  it.each([
    { type: 'sidekiq', jitter: 'none' },
    { type: 'sigmoid', first: 60, max: 60 },
  ])('%j is taken', (policy) => {
    expect(() => resolvePolicy(policy)).not.toThrow();
  });

  it('whose tiers are out of order is refused', () => {
    const tiers = [...DEFAULT_TIERS].reverse();
    expect(() => resolvePolicy({ type: 'progressive', tiers })).toThrow('expected tiers in ascending order');
  });
});
