import { describe, expect, it } from 'vitest';
import {
  decideRetry,
  MAX_WAIT_SECONDS,
  POLICY_TYPES,
  type RetryPolicy,
  resolvePolicy,
} from '../../src/policies/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { scheduleOf } from '../../tools/src/lab/schedule-of.js';

const LAST = 10_000;
/** The last binary digits may go either way. */
const SAME = 1 - 1e-12;
const NOW = Date.parse('2026-01-01T00:00:00.000Z');
/** These draw their waits by themselves, and take no jitter. */
const RANDOM: ReadonlySet<string> = new Set(['window', 'sidekiq', 'buckets']);
const JITTERS = ['none', 'phase', 'full', 'equal', 'percent'] as const;
const CAPS = [undefined, 0.5, 100, 3600];

const POLICIES: readonly RetryPolicy[] = [
  ...POLICY_TYPES.map((type) => ({ type }) as RetryPolicy),
  { type: 'exponential', base: 1000, unit: MAX_WAIT_SECONDS },
  { type: 'exponential', base: 1.1 },
  { type: 'window', base: 1000, interval: MAX_WAIT_SECONDS },
  { type: 'window', base: 1.0001 },
  { type: 'fibonacci', unit: 1e-9 },
  { type: 'saturating', first: 1, max: 1 },
  { type: 'list', afterwards: 'last' },
  { type: 'list', waits: [1], afterwards: { type: 'exponential' } },
];

function variantsOf(policy: RetryPolicy): RetryPolicy[] {
  const jitters = RANDOM.has(policy.type) ? (['none'] as const) : JITTERS;
  return jitters.flatMap((jitter) => CAPS.map((maxWait) => ({ ...policy, jitter, maxWait }) as RetryPolicy));
}

/** Every failure at first, then some up to the last. */
function* failureCounts() {
  for (let failures = 1; failures <= LAST; failures += failures < 60 ? 1 : 419) yield failures;
  yield LAST;
}

function decide(policy: ReturnType<typeof resolvePolicy>, failures: number, u: number) {
  const attempt = {
    id: `order-${failures}`,
    queue: 'q',
    failures,
    firstFailureAt: NOW - 86_400_000,
    failedAt: NOW,
    bornAt: NOW - 86_400_000,
  };
  return decideRetry(policy, attempt, 60, () => u);
}

describe.each(POLICIES)('%j, up to failure 10,000', (given) => {
  it('has base waits that are finite, within the cap and 365 days, and never shrink', () => {
    for (const maxWait of CAPS) {
      const policy = resolvePolicy({ ...given, maxWait });
      const wrong: unknown[] = [];
      let before = { least: 0, most: 0 };
      for (let failures = 1; failures <= LAST; failures++) {
        const range = policy.baseWait({ failures, ageSeconds: 0 });
        if (!range) break;
        const { least, most } = range;
        // A cap keeps the relative width of what is drawn: its least may be less than the one before.
        const leastGrows = maxWait !== undefined || least >= before.least * SAME;
        const grows = leastGrows && most >= before.most * SAME;
        const holds = least >= 0 && least <= most && most <= (maxWait ?? MAX_WAIT_SECONDS);
        if (!grows || !holds || !Number.isFinite(most)) wrong.push({ failures, before, range });
        before = range;
      }
      expect(wrong).toEqual([]);
    }
  });

  it('has due times that are whole, not before the failure, and within the cap, whatever the jitter', () => {
    const wrong: unknown[] = [];
    for (const variant of variantsOf(given)) {
      const policy = resolvePolicy(variant);
      for (const failures of failureCounts()) {
        for (const u of [0, 0.5, 1 - 2 ** -53]) {
          const decision = decide(policy, failures, u);
          if (!decision.retry) continue;
          const wait = decision.dueAt - NOW;
          // What is kept to the second ends in its second, behind the mark.
          const most = 1000 * Math.max(1, policy.maxWait) + 1;
          if (!Number.isInteger(wait) || wait < 0 || wait > most) wrong.push({ variant, failures, wait });
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has sums of its base waits that are finite, and grow', () => {
    const { totals } = resolvePolicy(given);
    let before = { least: 0, most: 0 };
    for (const failures of failureCounts()) {
      const total = totals(failures);
      expect(total.least).toBeGreaterThanOrEqual(before.least);
      expect(total.most).toBeGreaterThanOrEqual(before.most);
      before = total;
    }
    expect(before.most).toBeLessThanOrEqual(LAST * MAX_WAIT_SECONDS);
  });

  it('prints the mean of what records wait, and a spread where there is room for one', () => {
    const wrong: unknown[] = [];
    for (const variant of variantsOf({ ...given, maxAge: 100 * MAX_WAIT_SECONDS } as RetryPolicy)) {
      const policy = resolvePolicy(variant);
      const jitter = (variant as { jitter: string }).jitter;
      for (const row of scheduleOf(policy, { attempts: 60 }).rows) {
        const { failures, waitSeconds, minSeconds, maxSeconds } = row;
        const ageSeconds = row.totalSeconds - waitSeconds;
        const { maximum = policy.maxWait } = policy.jitteredWait({ failures, ageSeconds }) ?? {};
        const isMean = Math.abs((minSeconds + maxSeconds) / 2 - waitSeconds) <= 1e-9 * waitSeconds;
        const isSpread = jitter === 'none' || maxSeconds > minSeconds || waitSeconds > maximum * (1 - 1e-6);
        if (!isMean || !isSpread || maxSeconds > maximum) wrong.push({ variant, row });
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gives each record a wait of its phase, whose mean is the printed one', () => {
    const ids = Array.from({ length: 500 }, (_, i) => `order-${i}`);
    const wrong: unknown[] = [];
    for (const variant of variantsOf({ ...given, maxAge: 100 * MAX_WAIT_SECONDS } as RetryPolicy)) {
      const policy = resolvePolicy(variant);
      if (policy.jitter.type !== 'phase') continue;
      for (const { failures, waitSeconds, totalSeconds } of scheduleOf(policy, { attempts: 12 }).rows) {
        const failedAt = totalSeconds - waitSeconds;
        const waits = ids.map((id) => {
          const times = { firstFailureAt: 0, failedAt: failedAt * 1000, bornAt: 0 };
          const decision = decideRetry(policy, { id, queue: 'q', failures, ...times }, 0, () => 0.5);
          return decision.retry ? decision.wanted / 1000 - failedAt : Number.NaN;
        });
        const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
        // 500 phases have a mean of their own: within four standard errors of it.
        if (!(Math.abs(mean / waitSeconds - 1) < 4 * (0.34 / Math.sqrt(3 * 500)))) {
          wrong.push({ variant, failures, mean, waitSeconds });
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gives the same wait to the same failure, whichever record came before', () => {
    for (const variant of variantsOf(given)) {
      const used = resolvePolicy(variant);
      for (const failures of [LAST, 500, 20, 3, 2, 1]) {
        const u = seededRandom(failures)();
        expect(decide(used, failures, u)).toEqual(decide(resolvePolicy(variant), failures, u));
      }
    }
  });
});

it('a wait that is drawn keeps its relative width at the cap, however many failures there were', () => {
  const { baseWait } = resolvePolicy({ type: 'window', maxWait: 100 });
  expect(baseWait({ failures: LAST, ageSeconds: 0 })).toEqual({ least: 50, most: 100 });
});

describe.each(POLICIES)('%j, after more failures than anyone can count', (given) => {
  const MANY = [
    1e5,
    1e6,
    2 ** 31,
    2 ** 52,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 53 + 2,
    1e30,
    1e125,
    Number.POSITIVE_INFINITY,
  ];

  it('waits no less than before, no more than its maximum, and not for ever', () => {
    for (const variant of variantsOf(given)) {
      const policy = resolvePolicy(variant);
      const ranges = MANY.map((failures) => policy.jitteredWait({ failures, ageSeconds: 0 }));
      const wrong = ranges.filter((range, i) => {
        const before = ranges[i - 1]?.most ?? 0;
        return range && !(range.least >= 0 && range.most >= before * SAME && range.most <= policy.maxWait);
      });
      expect({ variant, wrong }).toEqual({ variant, wrong: [] });
    }
  });

  it('decides without counting them: no formula and no sum goes through them one by one', () => {
    let asked = 0;
    const policy = resolvePolicy({ ...given, maxAge: 100 * MAX_WAIT_SECONDS } as RetryPolicy);
    const counting = {
      ...policy,
      totals: (failures: number) => {
        asked = Math.max(asked, failures);
        return policy.totals(failures);
      },
    };
    for (const failures of MANY) decide(counting, failures, 0.5);
    expect(asked).toBeLessThanOrEqual(100);
  });
});

/** These say themselves what their longest wait is. */
const WITH_A_MAXIMUM: readonly RetryPolicy[] = [
  { type: 'arctan', max: 7_200 },
  { type: 'sigmoid', first: 600, max: 7_200 },
  { type: 'saturating', first: 600, max: 7_200 },
  { type: 'list', waits: [60], afterwards: { type: 'arctan', max: 7_200 } },
];

it.each(WITH_A_MAXIMUM.flatMap(variantsOf))(
  '%j waits no longer than 7,200 s, whatever its jitter',
  (given) => {
    const policy = resolvePolicy(given);
    let longest = 0;
    for (let failures = 1; failures <= 60; failures++) {
      for (const u of [0, 0.5, 1 - 2 ** -53]) {
        for (const id of ['order-7', '42', 'a', 'b', 'c']) {
          const times = { firstFailureAt: NOW - 86_400_000, failedAt: NOW, bornAt: NOW - 86_400_000 };
          const decision = decideRetry(policy, { id, queue: 'q', failures, ...times }, 60, () => u);
          if (decision.retry) longest = Math.max(longest, decision.wanted - NOW);
        }
      }
    }
    expect(longest).toBeLessThanOrEqual(7_200_000);
  },
);
