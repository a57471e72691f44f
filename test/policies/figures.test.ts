import { describe, expect, it } from 'vitest';
import { type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { waitsOf } from './expect-schedule.js';

const HOUR = 3600;

/** The wait after failure n, before jitter: least and most. */
function rangesOf(policy: RetryPolicy, count: number): [number, number][] {
  const { baseWait } = resolvePolicy(policy);
  return Array.from({ length: count }, (_, i) => {
    const { least = Number.NaN, most = Number.NaN } = baseWait({ failures: i + 1, ageSeconds: 0 }) ?? {};
    return [least, most];
  });
}

const basesOf = (policy: RetryPolicy, count: number) => rangesOf(policy, count).map(([, most]) => most);

describe('arctan, sigmoid and saturating', () => {
  it('the table of f(n) / 60 in hours; 1.017 at n = 1', () => {
    const hours = basesOf({ type: 'arctan' }, 11).map((wait) => wait / HOUR);
    const printed = [1.017, 7.49, 16.25, 20.48, 22.18, 22.94, 23.33, 23.55, 23.69, 23.77, 23.83];
    const digits = [3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
    expect(hours.map((hour, i) => Number(hour.toFixed(digits[i])))).toEqual(printed);
  });

  it('the greatest interval is 24 hours', () => {
    expect(basesOf({ type: 'arctan' }, 10_000).at(-1)).toBeCloseTo(24 * HOUR, 3);
  });

  it('sigmoid and saturating rise from the first wait to the greatest', () => {
    for (const type of ['sigmoid', 'saturating'] as const) {
      const waits = basesOf({ type }, 1000);
      expect(waits[0]).toBeCloseTo(60, 6);
      expect(waits.slice(1).every((wait, i) => wait >= (waits[i] ?? 0))).toBe(true);
      expect(waits.at(-1)).toBeLessThanOrEqual(24 * HOUR);
    }
    expect(basesOf({ type: 'sigmoid' }, 4).map((wait) => Number((wait / HOUR).toFixed(2)))).toEqual([
      0.02, 11.1, 18.28, 21.73,
    ]);
    expect(basesOf({ type: 'saturating' }, 4).map((wait) => Number((wait / HOUR).toFixed(2)))).toEqual([
      0.02, 8.36, 12.38, 14.76,
    ]);
  });
});

describe('four functions of the retries so far', () => {
  it('constant: 5 minutes', () => expect(basesOf({ type: 'constant' }, 3)).toEqual([300, 300, 300]));

  it('exponential: 3 minutes and 2^r more', () => {
    expect(basesOf({ type: 'exponential' }, 6).map((wait) => wait / 60)).toEqual([4, 5, 7, 11, 19, 35]);
  });

  it('sidekiq: r^4 + 15 and up to 30 (r + 1) more', () => {
    expect(rangesOf({ type: 'sidekiq' }, 5)).toEqual([
      [15, 45],
      [16, 76],
      [31, 121],
      [96, 216],
      [271, 421],
    ]);
  });

  it('buckets: between r^3 and (r + 2)^3', () => {
    expect(rangesOf({ type: 'buckets' }, 5)).toEqual([
      [0, 8],
      [1, 27],
      [8, 64],
      [27, 125],
      [64, 216],
    ]);
  });
});

describe('NoRetry, LinearRetry and ExponentialRetry', () => {
  const table = [
    [35, 70],
    [70, 140],
    [140, 280],
    [280, 560],
    [560, 1120],
    [1120, 2240],
    [2240, 4480],
    [4480, 8960],
    [8960, 17_920],
    [17_920, 35_840],
  ];

  it('ExponentialRetry with base 2 and 35 seconds: the table of min and max', () => {
    expect(rangesOf({ type: 'window' }, 10)).toEqual(table);
    expect(rangesOf({ type: 'ExponentialRetry', MaxRetries: 10 }, 10)).toEqual(table);
  });

  it('ExponentialRetry stops after MaxRetries, 3 by default', () => {
    expect(waitsOf({ type: 'ExponentialRetry' }, 9)).toEqual([52.5, 105, 210, 'maxAttempts']);
    expect(
      waitsOf({ type: 'ExponentialRetry', RetryIntervalSeconds: 10, ExponentialRetryBase: 3 }, 2),
    ).toEqual([20, 60]);
  });

  it('LinearRetry waits RetryIntervalSeconds', () => {
    expect(waitsOf({ type: 'LinearRetry' }, 9)).toEqual([35, 35, 35, 'maxAttempts']);
    expect(waitsOf({ type: 'LinearRetry', MaxRetries: 1, RetryIntervalSeconds: 60 }, 9)).toEqual([
      60,
      'maxAttempts',
    ]);
  });

  it('NoRetry never tries again', () => expect(waitsOf({ type: 'NoRetry' }, 9)).toEqual(['maxAttempts']));
});

describe('fibonacci', () => {
  it('Fibonacci: after 1 or 2 failures 1 minute, after 6 failures 8', () => {
    const minutes = basesOf({ type: 'fibonacci' }, 10).map((wait) => wait / 60);
    expect(minutes).toEqual([1, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
  });
});

describe('power and list', () => {
  it(':exponential: the first fifteen intervals, n^5 + 30', () => {
    const [MINUTE, DAY] = [60, 86_400];
    expect(basesOf({ type: 'power' }, 15)).toEqual([
      30,
      31,
      62,
      273,
      1054,
      3155,
      2 * HOUR + 10.1 * MINUTE,
      4 * HOUR + (2437 / 60) * MINUTE,
      9 * HOUR + 398,
      16 * HOUR + 1479,
      DAY + 3 * HOUR + 2830,
      DAY + 20 * HOUR + 2681,
      2 * DAY + 21 * HOUR + 462,
      4 * DAY + 7 * HOUR + 523,
      6 * DAY + 5 * HOUR + 1454,
    ]);
  });

  it('a list of 5, 10 and 25 minutes, then dead', () => {
    expect(waitsOf({ type: 'list', jitter: 'none' }, 9)).toEqual([300, 600, 1500, 'maxAttempts']);
  });

  it('a list of 10, 20 and 30 seconds, then the last again, or another policy', () => {
    const waits = [10, 20, 30];
    expect(waitsOf({ type: 'list', waits, afterwards: 'last', jitter: 'none' }, 5)).toEqual([
      10, 20, 30, 30, 30,
    ]);
    const afterwards = { type: 'exponential', min: 0 } as const;
    expect(waitsOf({ type: 'list', waits, afterwards, jitter: 'none' }, 6)).toEqual([
      10, 20, 30, 60, 120, 240,
    ]);
  });
});

describe('jitter that is drawn', () => {
  const draws = (jitter: 'full' | 'equal' | 'percent', u: number) =>
    waitsOf({ type: 'constant', interval: 100, jitter }, 1, 'r', 'q', 0, () => u);

  it.each([
    ['full', 0, 0],
    ['full', 0.5, 50],
    ['equal', 0, 50],
    ['equal', 0.5, 75],
    ['percent', 0, 90],
    ['percent', 0.5, 100],
  ] as const)('%s at %d', (jitter, u, wait) => expect(draws(jitter, u)).toEqual([wait]));

  it('is drawn once per failure, and not at all where nothing is left to chance', () => {
    let drawn = 0;
    const random = () => {
      drawn++;
      return 0.5;
    };
    waitsOf({ type: 'window' }, 5, 'r', 'q', 0, random);
    expect(drawn).toBe(5);
    waitsOf({ type: 'fibonacci' }, 5, 'r', 'q', 0, random);
    expect(drawn).toBe(5);
  });

  it("keeps a random policy's relative width at its cap", () => {
    expect(rangesOf({ type: 'window', maxWait: 1000 }, 10).at(-1)).toEqual([500, 1000]);
  });
});
