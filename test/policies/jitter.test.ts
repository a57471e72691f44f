import { describe, expect, it } from 'vitest';
import {
  decideRetry,
  POLICY_TYPES,
  phaseOf,
  type RetryPolicy,
  resolvePolicy,
} from '../../src/policies/index.js';
import { hash32 } from '../../src/support/hash.js';
import { waitsOf } from './expect-schedule.js';

describe('the phase of a record', () => {
  it.each([
    ['order-7', '42bc63bc', 0.260687, 53.223],
    ['ü', 'c15d99c6', 0.755334, 67.231],
    ['42', '28ec2cbd', 0.159854, 50.367],
  ])('%s', (id, hash, u, firstWait) => {
    expect(hash32(id).toString(16)).toBe(hash);
    expect(phaseOf(id)).toBeCloseTo(u, 6);
    expect(60 * (1 + 0.236 * (2 * phaseOf(id) - 1))).toBeCloseTo(firstWait, 3);
  });

  it.each(['order-7', '', 'ü', 'aü', 'üa', '日本', 'a\u007f', 'a\u0080', '😀x'])(
    '%j is hashed by its bytes in UTF-8',
    (id) => {
      let h = 0x811c9dc5;
      for (const byte of Buffer.from(id)) h = Math.imul(h ^ byte, 0x01000193);
      h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
      h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
      expect(hash32(id)).toBe((h ^ (h >>> 16)) >>> 0);
    },
  );

  it('is salted by the queue', () => {
    expect(phaseOf('42', 'orders')).toBe((hash32('orders:42') + 0.5) / 2 ** 32);
  });

  it('of sequential ids spreads as evenly as chance', () => {
    const buckets = new Array<number>(1000).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const bucket = Math.floor(phaseOf(`order-${i}`, 'q') * 1000);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    const variance = buckets.reduce((sum, count) => sum + (count - 100) ** 2, 0) / 1000;
    // Index of dispersion: 1 for Poisson, within 5 standard deviations of its estimate.
    expect(Math.abs(variance / 100 - 1)).toBeLessThan(5 * Math.sqrt(2 / 1000));
  });
});

function amplitudeOf(policy: RetryPolicy): number | undefined {
  const { jitter } = resolvePolicy(policy);
  return jitter.type === 'phase' ? jitter.amplitude : undefined;
}

describe('the fixed-phase jitter', () => {
  it('has the amplitude at which successive waves tile the time line: phi^-3 for fibonacci', () => {
    expect(amplitudeOf({ type: 'fibonacci' })).toBeCloseTo(((1 + Math.sqrt(5)) / 2) ** -3, 12);
    expect(amplitudeOf({ type: 'arctan' })).toBe(0.236);
    expect(amplitudeOf({ type: 'constant', jitter: 'phase' })).toBe(0.236);
    expect(amplitudeOf({ type: 'exponential', jitter: 'phase' })).toBeCloseTo(1 / 3, 12);
    expect(resolvePolicy({ type: 'progressive' }).jitter).toEqual({ type: 'none' });
    expect(amplitudeOf({ type: 'fibonacci', jitter: { type: 'phase', amplitude: 0.1 } })).toBe(0.1);
  });

  it("is the default of the policies that are no one else's figures; the others wait exactly what they say", () => {
    const phased = POLICY_TYPES.filter((type) => resolvePolicy({ type }).jitter.type === 'phase');
    expect(phased).toEqual(['fibonacci', 'arctan', 'sigmoid', 'saturating']);
    for (const type of ['LinearRetry', 'ExponentialRetry'] as const)
      expect(resolvePolicy({ type }).jitter).toEqual({ type: 'none' });
  });

  it('scales the first wait by the phase', () => {
    const u = phaseOf('order-7', 'q');
    const [wait] = waitsOf({ type: 'fibonacci', jitter: { type: 'phase', amplitude: 0.236 } }, 1, 'order-7');
    expect(wait).toBeCloseTo(60 * (1 + 0.236 * (2 * u - 1)), 2);
  });

  it("keeps the policy's proportions in the total, counted from the first failure", () => {
    const plain = waitsOf({ type: 'fibonacci', jitter: 'none' }, 12) as number[];
    for (const id of ['a', 'b', 'c', 'd']) {
      const k = 1 + 0.2 * (2 * phaseOf(id, 'q') - 1);
      const waits = waitsOf(
        { type: 'fibonacci', jitter: { type: 'phase', amplitude: 0.2 } },
        12,
        id,
      ) as number[];
      const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
      expect(total(waits)).toBeCloseTo(k * total(plain), 0);
    }
  });

  it('keeps the mean of 15 waits close to the greatest one: 23.77 h after the tenth failure, 12.67 d in all', () => {
    const waits = Array.from(
      { length: 4000 },
      (_, i) => waitsOf({ type: 'arctan' }, 15, `r${i}`) as number[],
    );
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    expect(mean(waits.map((one) => one[9] ?? 0)) / 3600).toBeCloseTo(23.77, 2);
    expect(mean(waits.map(total)) / 86_400).toBeCloseTo(12.67, 1);
    expect(Math.max(...waits.flat())).toBeLessThanOrEqual(86_400);
  });

  it('lets records that have come to maxWait keep the distances that they had before', () => {
    const policy = { type: 'fibonacci', maxWait: 3600 } as const;
    const all = Array.from({ length: 200 }, (_, i) => waitsOf(policy, 20, `r${i}`) as number[]);
    expect(new Set(all.map((waits) => waits.at(-1)))).toEqual(new Set([3600]));
    const totals = all.map((waits) => waits.reduce((sum, wait) => sum + wait, 0));
    // 0.236 of the 88 minutes before it, to both sides.
    expect(Math.max(...totals) - Math.min(...totals)).toBeGreaterThan(2400);
  });

  it('that is wide lets no wait end before it begins, however long ago the first failure was', () => {
    const policy = resolvePolicy({ type: 'fibonacci', jitter: { type: 'phase', amplitude: 0.99 } });
    const times = { firstFailureAt: 0, failedAt: 86_400_000, bornAt: 0 };
    const waits = Array.from({ length: 100 }, (_, i) => {
      const decision = decideRetry(policy, { id: `r${i}`, queue: 'q', failures: 4, ...times }, 60, () => 0.5);
      return decision.retry ? decision.dueAt - times.failedAt : Number.NaN;
    });
    expect(Math.min(...waits)).toBe(0);
    expect(Math.max(...waits)).toBeGreaterThan(200_000);
  });

  /**
   * The difference between the second wait and the record's own, when the first attempt came so many seconds later
   * than its line has it.
   */
  const movedAfter = (lateSeconds: number, interval: number) => {
    const policy = resolvePolicy({ type: 'constant', interval, jitter: 'phase' });
    const own = interval * (1 + 0.236 * (2 * phaseOf('r', 'q') - 1));
    const times = { firstFailureAt: 0, failedAt: (own + lateSeconds) * 1000, bornAt: 0 };
    const decision = decideRetry(policy, { id: 'r', queue: 'q', failures: 2, ...times }, 60, () => 0.5);
    return decision.retry ? Math.round((decision.wanted - times.failedAt) / 1000 - own) : Number.NaN;
  };

  it('brings a record back to its line after a rounded tick, and after a late attempt by half a tick at most', () => {
    expect([0, 20, -20, 300].map((late) => movedAfter(late, 600))).toEqual([0, -20, 20, -30]);
  });

  it('leaves the line of a record alone that had waited less under another policy', () => {
    expect(movedAfter(-500, 600)).toBe(0);
  });

  it('does not shorten a wait of hardly more than a tick for it', () => {
    expect(movedAfter(20, 50)).toBe(0);
    expect(movedAfter(20, 60)).toBe(-4);
  });
});
