import { describe, expect, it } from 'vitest';
import { fibonacciNumber } from '../../src/policies/fibonacci.js';
import { DEFAULT_TIERS, resolvePolicy } from '../../src/policies/index.js';
import { tiersOf } from '../../tools/src/lab/tiers-of.js';
import { queueUnderRules } from '../schedules/rules.js';

const DAY = 86_400;

/**
 * Attempts of one record that never succeeds, as seconds since its insertion.
 *
 * @param lateSeconds how long after a common firing of all rules it comes
 */
async function attemptsOf(
  queues: Parameters<typeof queueUnderRules>[0],
  attemptSeconds = 0,
  lateSeconds = 0,
) {
  const ages: number[] = [];
  let bench: ReturnType<typeof queueUnderRules> | undefined;
  let bornAt = 0;
  bench = queueUnderRules(queues, () => {
    ages.push(((bench?.clock.now() ?? 0) - bornAt) / 1000);
    bench?.clock.advance(attemptSeconds);
    throw new Error('never');
  });
  const [queue] = Object.keys(queues);
  bench.clock.advance(lateSeconds);
  bornAt = bench.clock.now();
  await bench.insert({ id: 'hopeless', queue, payload: {}, rev: 'inserted' });
  await bench.pass(400, () => bench?.item('hopeless')?.status === 'DEAD');
  return { ages, bench, bornAt, item: bench.item('hopeless') };
}

function gaps(ages: readonly number[]): number[] {
  return ages.slice(1).map((age, i) => age - (ages[i] ?? 0));
}

describe('a record that never succeeds, over 360 days', () => {
  it('is attempted less and less often on the progressive schedule, and dies of age', async () => {
    const { ages, item, bench } = await attemptsOf({ bulk: { retryMode: 'progressive' } });
    const inTier = DEFAULT_TIERS.map(({ untilAge }, i) => {
      const from = DEFAULT_TIERS[i - 1]?.untilAge ?? -1;
      return ages.filter((age) => age > from && age <= untilAge);
    });
    const played = tiersOf(resolvePolicy({ type: 'progressive' }));
    expect(inTier.map((tier) => tier.length)).toEqual([289, 144, 14, 16, 38, 23]);
    expect(played?.figures.map(({ attempts }) => attempts)).toEqual(inTier.map((tier) => tier.length));
    expect(ages).toHaveLength(524);
    for (const [i, tier] of inTier.entries()) {
      expect(new Set(gaps(tier)), `tier ${i + 1}`).toEqual(new Set([DEFAULT_TIERS[i]?.every]));
    }
    // A record that comes into the next tier waits between a half and one and a half of the new interval.
    for (const [i, tier] of inTier.slice(1).entries()) {
      const every = DEFAULT_TIERS[i + 1]?.every ?? 0;
      const wait = (tier[0] ?? 0) - (inTier[i]?.at(-1) ?? 0);
      expect(wait).toBeGreaterThanOrEqual(every / 2);
      expect(wait).toBeLessThanOrEqual(every * 1.5);
    }
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'expired', attempts: 524, lane: 'bulk/dead' });
    expect((bench.clock.now() - bench.start) / 1000).toBe(360 * DAY + 300);
  });

  it.each([
    ['2.5 minutes behind the firing of all rules', 150, 360],
    ['five days behind it, with an age limit of 20.3 days', 432_000, 20.3],
    ['three days behind it, with an age limit two days into the last tier', 259_200, 182],
    ['with an age limit of 12 hours', 0, 0.5],
  ])('is dead within one tick of its age, if it came %s', async (_, lateSeconds, maxAgeDays) => {
    const retry = { type: 'progressive', maxAge: maxAgeDays * DAY } as const;
    const queues = { bulk: { retryMode: 'progressive', retry } } as const;
    const { ages, item, bench, bornAt } = await attemptsOf(queues, 0, lateSeconds);
    const diedAtAge = (bench.clock.now() - bornAt) / 1000;
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'expired' });
    expect(diedAtAge - maxAgeDays * DAY).toBeGreaterThanOrEqual(-300);
    expect(diedAtAge - maxAgeDays * DAY).toBeLessThanOrEqual(300);
    const played = tiersOf(resolvePolicy(retry))?.ages.length ?? 0;
    expect(ages.length).toBeGreaterThanOrEqual(played - 2);
    expect(ages.length).toBeLessThanOrEqual(played);
  });

  it('waits 1, 1, 2, 3, 5, 8, ... minutes under fibonacci', async () => {
    const retry = { type: 'fibonacci', jitter: 'none' } as const;
    const { ages, item } = await attemptsOf({ default: { retryMode: 'perRecord', retry } });
    const minutes = gaps(ages).map((seconds) => seconds / 60);
    expect(minutes.slice(0, 12)).toEqual([1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]);
    expect(minutes).toEqual(minutes.map((_, i) => fibonacciNumber(i + 1)));
    expect(ages).toHaveLength(28);
    expect(ages.at(-1)).toBe(60 * (fibonacciNumber(29) - 1));
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'expired', attempts: 28 });
  });

  it('waits to the nearest tick, however long the attempts take: they do not put it off', async () => {
    const retry = { type: 'fibonacci', jitter: 'none', maxAttempts: 7 } as const;
    const { ages, item } = await attemptsOf({ default: { retryMode: 'perRecord', retry } }, 10);
    expect(ages.map((seconds) => seconds / 60)).toEqual([0, 1, 2, 4, 7, 12, 20]);
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'maxAttempts', attempts: 7 });
  });
});
