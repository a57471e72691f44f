import { describe, expect, it } from 'vitest';
import { phaseOf, type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { seededRandom } from '../../src/support/seeded-random.js';
import { type ScheduleFacts, scheduleOf } from '../../tools/src/lab/schedule-of.js';

const look = (policy: RetryPolicy, facts: Partial<ScheduleFacts> = {}) =>
  scheduleOf(resolvePolicy(policy), { attempts: 15, ...facts });
const waits = (policy: RetryPolicy, facts?: Partial<ScheduleFacts>) =>
  look(policy, facts).rows.map(({ waitSeconds }) => waitSeconds);

describe('a schedule', () => {
  it('has the wait after each failure, and the time since the first one', () => {
    expect(look({ type: 'fibonacci', jitter: 'none' }, { attempts: 4 })).toEqual({
      rows: [
        { failures: 1, waitSeconds: 60, minSeconds: 60, maxSeconds: 60, totalSeconds: 60 },
        { failures: 2, waitSeconds: 60, minSeconds: 60, maxSeconds: 60, totalSeconds: 120 },
        { failures: 3, waitSeconds: 120, minSeconds: 120, maxSeconds: 120, totalSeconds: 240 },
        { failures: 4, waitSeconds: 180, minSeconds: 180, maxSeconds: 180, totalSeconds: 420 },
      ],
    });
  });

  it('keeps more digits than the milliseconds of a due time', () => {
    const formula = (n: number) => 86_400 * (2 / Math.PI) * Math.atan(n ** 3 / 15);
    expect(waits({ type: 'arctan', jitter: 'none' })).toEqual(
      Array.from({ length: 15 }, (_, i) => expect.closeTo(formula(i + 1), 9)),
    );
  });

  it('has base waits, and the range of all phases, where no record is named', () => {
    const { rows } = look({ type: 'fibonacci', jitter: { type: 'phase', amplitude: 0.25 } }, { attempts: 6 });
    expect(rows.map(({ waitSeconds }) => waitSeconds)).toEqual([60, 60, 120, 180, 300, 480]);
    expect(rows.at(-1)).toMatchObject({ minSeconds: 360, maxSeconds: 600, totalSeconds: 1200 });
  });

  it('has every wait of a record at its own phase', () => {
    const jitter = { type: 'phase', amplitude: 0.236 } as const;
    for (const id of ['order-7', 'ü', '42']) {
      const k = 1 + 0.236 * (2 * phaseOf(id, 'bulk') - 1);
      const { rows } = look({ type: 'fibonacci', jitter }, { record: { id, queue: 'bulk' }, attempts: 20 });
      const bases = waits({ type: 'fibonacci', jitter: 'none' }, { attempts: 20 });
      expect(rows.map(({ waitSeconds }) => waitSeconds)).toEqual(
        bases.map((base) => expect.closeTo(base * k, 6)),
      );
      expect(rows.at(-1)?.totalSeconds).toBeCloseTo(bases.reduce((sum, base) => sum + base, 0) * k, 5);
    }
  });

  it.each([
    ['full', 0, 30, 60],
    ['equal', 30, 45, 60],
    [{ type: 'percent', percent: 50 }, 30, 60, 90],
  ] as const)('with jitter %j has the middle of what is drawn', (jitter, min, wait, max) => {
    expect(look({ type: 'fibonacci', jitter }).rows[0]).toEqual({
      failures: 1,
      waitSeconds: wait,
      minSeconds: min,
      maxSeconds: max,
      totalSeconds: wait,
    });
  });

  it('draws within the range, the same from the same seed', () => {
    const drawn = (seed: number) =>
      look({ type: 'window' }, { random: seededRandom(seed), attempts: 10 }).rows;
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    for (const { failures, waitSeconds, minSeconds, maxSeconds } of drawn(3)) {
      expect([minSeconds, maxSeconds]).toEqual([35 * 2 ** (failures - 1), 35 * 2 ** failures]);
      expect(waitSeconds).toBeGreaterThan(minSeconds);
      expect(waitSeconds).toBeLessThan(maxSeconds);
      expect(waitSeconds).not.toBe((minSeconds + maxSeconds) / 2);
    }
  });

  it('follows the age where the policy does', () => {
    const { rows, end } = look({ type: 'progressive' }, { attempts: 10_000 });
    const waitAt = (age: number) => rows.find(({ totalSeconds }) => totalSeconds >= age)?.waitSeconds;
    expect([0, 2, 8, 15, 40, 200].map((day) => waitAt(day * 86_400))).toEqual([
      300, 3_600, 43_200, 86_400, 345_600, 691_200,
    ]);
    expect(end).toEqual({ reason: 'expired' });
  });

  it('ends where the attempts do', () => {
    const { rows, end } = look({ type: 'constant', maxAttempts: 4 });
    expect([rows.length, end]).toEqual([3, { reason: 'maxAttempts' }]);
    expect(look({ type: 'constant', maxAttempts: 16 }).end).toBeUndefined();
    expect(look({ type: 'none' })).toEqual({ rows: [], end: { reason: 'maxAttempts' } });
  });

  it('ends where the next wait would pass the greatest age, and not before', () => {
    const policy = { type: 'constant', interval: 100, jitter: 'none' } as const;
    const atAge = (maxAge: number) => look({ ...policy, maxAge });
    expect([atAge(300).rows.length, atAge(300).end]).toEqual([3, { reason: 'expired' }]);
    expect(atAge(299).rows).toHaveLength(2);
  });

  it('stays in its range, and finite, up to failure 10,000', () => {
    const types = ['exponential', 'fibonacci', 'power', 'sidekiq', 'buckets', 'arctan', 'sigmoid'] as const;
    for (const type of [...types, 'saturating', 'window', 'constant'] as const) {
      const policy = { type, maxAge: 3e9 };
      const { rows } = look(policy, { attempts: 10_000, record: { id: 'a', queue: 'q' } });
      expect(rows.length, type).toBeGreaterThan(90);
      const good = rows.every(
        ({ waitSeconds, minSeconds, maxSeconds, totalSeconds }) =>
          minSeconds <= waitSeconds && waitSeconds <= maxSeconds && Number.isFinite(totalSeconds),
      );
      expect(good, type).toBe(true);
    }
  });
});
