import { expect, it } from 'vitest';
import { seededRandom } from '../../src/support/seeded-random.js';
import { Deviation, Windows } from '../../tools/src/lab/measures.js';

const counted = (lengthMs: number, times: readonly number[]) => {
  const windows = new Windows(lengthMs);
  for (const at of times) windows.add(at);
  return windows;
};

it('the peak is the most in one window', () => {
  const times = [0, 10, 999, 1000, 5000, 5001];
  expect(counted(1000, times).peak).toBe(3);
  expect(counted(10_000, times).peak).toBe(6);
  expect(counted(1000, []).peak).toBe(0);
});

it('dispersion is variance over mean, empty windows included, those before the first not', () => {
  // Counts 1, 0, 3, 0, 1: mean 1, variance (0 + 1 + 4 + 1 + 0) / 5.
  expect(counted(1000, [7000, 9000, 9001, 9999, 11_500]).dispersion()).toBeCloseTo(6 / 5, 12);
  expect(counted(1000, [3000, 4000, 5000]).dispersion()).toBe(0);
  expect(counted(1000, []).dispersion()).toBeUndefined();
});

it('dispersion is 1 where chance alone spreads the events', () => {
  const random = seededRandom(1);
  const times = Array.from({ length: 100_000 }, () => random() * 1e7).sort((a, b) => a - b);
  expect(counted(1000, times).dispersion()).toBeCloseTo(1, 1);
});

it('deviation is relative, whichever side it falls on', () => {
  const deviation = new Deviation();
  expect([deviation.mean, deviation.greatest]).toEqual([undefined, undefined]);
  deviation.add(90, 60);
  deviation.add(45, 60);
  deviation.add(5, 0);
  expect([deviation.mean, deviation.greatest]).toEqual([0.375, 0.5]);
});
