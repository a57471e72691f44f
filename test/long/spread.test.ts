import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Firings, firingsOf } from '../../bench/firings-of.js';
import { type Spread, spreadOf } from '../../bench/spread-of.js';
import { seededRandom } from '../simulation/random.js';

const RECORDS = 100_000;
/** Each takes seconds. */
const SETS_OF_MANY = 4;
const SETS = 20;

describe('100,000 records that fail at once, under Fibonacci with its fixed phase of 0.236', () => {
  const spreads: Spread[] = Array.from({ length: SETS_OF_MANY }, (_, set) =>
    spreadOf(
      { type: 'fibonacci', jitter: { type: 'phase', amplitude: 0.236 } },
      Array.from({ length: RECORDS }, (_, i) => `set-${set}-order-${i}`),
      seededRandom(set),
    ),
  );
  const mean = (of: (spread: Spread) => number) =>
    spreads.reduce((sum, one) => sum + of(one), 0) / SETS_OF_MANY;

  it.each([
    [5, 348, 10],
    [10, 44.5, 2],
    [15, 10.8, 0.7],
  ])('come back at most so often a second at retry %i: %d +- %d', (retry, peak, tolerance) => {
    const measured = mean(({ peakPerSecond }) => peakPerSecond.get(retry) ?? 0);
    expect(Math.abs(measured - peak)).toBeLessThanOrEqual(tolerance);
  });

  it('are as even as chance', () => {
    const dispersion = mean((one) => one.dispersion.get(10) ?? 0);
    expect(dispersion).toBeGreaterThan(0.9);
    expect(dispersion).toBeLessThan(1.1);
  });

  it('keep close to the policy and to their order', () => {
    expect(Math.abs(mean(({ meanDeviation }) => meanDeviation) - 0.118)).toBeLessThanOrEqual(0.002);
    expect(spreads.every(({ inOrder }) => inOrder)).toBe(true);
  });

  it('leave less than one hundredth of the time line idle', () => {
    expect(mean(({ idleShare }) => idleShare)).toBeLessThan(0.01);
  });
});

/**
 * Sets of at least 100 records. With fewer the peaks are those of chance, under the fixed phase as under full
 * jitter.
 */
describe.each([100, 1000])('%i records that fail at once', (records) => {
  const spreads = (jitter: 'phase' | 'full') =>
    Array.from({ length: SETS }, (_, set) =>
      spreadOf(
        { type: 'fibonacci', jitter },
        Array.from({ length: records }, (_, i) => `set-${set}-order-${i}`),
        seededRandom(set),
      ),
    );
  const meanOf = (all: readonly Spread[], of: (spread: Spread) => number) =>
    all.reduce((sum, one) => sum + of(one), 0) / all.length;
  const [phase, full] = [spreads('phase'), spreads('full')];

  it.each([5, 10, 15])('are spread at retry %i as well as by full jitter', (retry) => {
    const peak = ({ peakPerSecond }: Spread) => peakPerSecond.get(retry) ?? 0;
    expect(meanOf(phase, peak)).toBeLessThanOrEqual(meanOf(full, peak) * 1.15);
  });

  it('stray a quarter as far, and stay in order', () => {
    const deviation = ({ meanDeviation }: Spread) => meanDeviation;
    expect(meanOf(phase, deviation) / meanOf(full, deviation)).toBeCloseTo(0.236, 1);
    expect(phase.every(({ inOrder }) => inOrder)).toBe(true);
    expect(full.some(({ inOrder }) => inOrder)).toBe(false);
  });
});

/** The figures of `npm run bench:spread` in docs/policies-mathematics.md: means over 20 sets, here over fewer. */
describe.each([
  ['phase', 'fixed phase (0.236)'],
  ['full', 'full'],
] as const)(
  'of 100,000 records that fail at once, by rules that fire every minute, with jitter %s',
  (jitter, name) => {
    const page = readFileSync(new URL('../../docs/policies-mathematics.md', import.meta.url), 'utf8');
    const [, table = ''] = /\| 100,000 at once \| peak per firing.*\n((?:\|.*\n)+)/.exec(page) ?? [];
    const row = table.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '';
    const quoted = row
      .split('|')
      .slice(2)
      .map((cell) => Number(cell.replace(/[, %]/g, '')));
    const sets: Firings[] = Array.from({ length: SETS_OF_MANY }, (_, set) =>
      firingsOf(
        { type: 'fibonacci', jitter },
        Array.from({ length: RECORDS }, (_, i) => `set-${set}-order-${i}`),
        seededRandom(set + 1),
      ),
    );
    const mean = (of: (firings: Firings) => number) =>
      sets.reduce((sum, one) => sum + of(one), 0) / sets.length;

    it.each([
      [5, 0.02],
      [10, 0.03],
      [15, 0.05],
    ])('one firing brings at most so many for retry %i as the docs say', (retry, tolerance) => {
      const peak = mean((one) => one.peak.get(retry) ?? 0);
      expect(Math.abs(peak / (quoted[[5, 10, 15].indexOf(retry)] ?? 0) - 1)).toBeLessThanOrEqual(tolerance);
    });

    it('those that meet once meet again, and waits stray, as often and as far as the docs say', () => {
      expect(mean((one) => 100 * (one.meetAgain.get(10) ?? 0))).toBeCloseTo(quoted[3] ?? 0, 0);
      expect(mean((one) => one.meanDeviation)).toBeCloseTo(quoted[4] ?? 0, 2);
    });
  },
);
