import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { caughtUpBy, latestAgeAtNextTurn, tierBands } from '../../src/policies/tiers.js';
import { expectSchedule } from './expect-schedule.js';

const MINUTE = 60;
const HOUR = 3_600;
const TIERS = [
  { every: 5 * MINUTE, untilAge: HOUR },
  { every: 10 * MINUTE, untilAge: 2 * HOUR },
  { every: 30 * MINUTE, untilAge: 4 * HOUR },
];
const withTiers = (...tiers: readonly (readonly [every: number, untilAge: number])[]) => ({
  type: 'progressive',
  tiers: tiers.map(([every, untilAge]) => ({ every, untilAge })),
});

describe('tiers', () => {
  it.each([
    ['two tiers that end at the same age', withTiers([60, 600], [60, 600])],
    ['a later tier that ends before the one above it', withTiers([60, 600], [60, 1_200], [60, 900])],
  ])('of %s are refused', (_, policy) => {
    expect(() => resolvePolicy(policy)).toThrow('expected tiers in ascending order of untilAge');
  });

  it.each([
    ['between the first two', withTiers([120, 600], [60, 1_200])],
    ['between the last two', withTiers([60, 600], [180, 1_200], [120, 1_800])],
  ])('whose intervals shrink %s are refused', (_, policy) => {
    expect(() => resolvePolicy(policy)).toThrow('expected intervals (every) that do not shrink');
  });

  it('of equal intervals are taken', () => {
    expect(() => resolvePolicy(withTiers([60, 600], [60, 1_200], [120, 1_800]))).not.toThrow();
  });

  it('have a wait that ends at the very end of the last one, and none behind it', () => {
    const tiers = [{ every: '10m', untilAge: '30m' }];
    expectSchedule({ type: 'progressive', tiers }, [600, 600, 600, 'expired']);
  });
});

describe('the greatest age at the next turn', () => {
  it.each([
    ['is one interval later within a tier', 0, 5 * MINUTE],
    ['may be the very end of a tier', 55 * MINUTE, HOUR],
    ['is within the interval of the next tier, if this one ends before', 55 * MINUTE + 1, HOUR + 10 * MINUTE],
    ['is counted by the old tier at its end', HOUR, HOUR + 10 * MINUTE],
    ['is counted by the new tier behind it', HOUR + 1, HOUR + 1 + 10 * MINUTE],
    ['is one interval later in the last tier, also past its end', 4 * HOUR, 4 * HOUR + 30 * MINUTE],
    ['is one interval of the last tier later behind all tiers', 9 * HOUR, 9 * HOUR + 30 * MINUTE],
  ])('%s', (_, age, latest) => {
    expect(latestAgeAtNextTurn(TIERS, age)).toBe(latest);
  });
});

describe('the slower tiers', () => {
  const bands = tierBands(TIERS, 300);

  it('are looked after by the rule of the second one, which has all behind it', () => {
    const caughtUp = bands.map((band) => caughtUpBy(band, bands)?.map(({ number }) => number));
    expect(caughtUp).toEqual([undefined, [3], undefined]);
  });

  it('need no rule where there is none behind the second one', () => {
    const two = bands.slice(0, 2);
    expect(two.map((band) => caughtUpBy(band, two))).toEqual([undefined, undefined]);
  });
});
