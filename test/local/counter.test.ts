import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Counter } from '../../src/tools/local/status/counter.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function world(tookMs: number) {
  let counted = 0;
  const counter = new Counter({
    count: async () => {
      await new Promise((resolve) => setTimeout(resolve, tookMs));
      return ++counted;
    },
    onCounts: () => {},
  });
  return { counter, counted: () => counted };
}

it('a small table is counted every second', async () => {
  const { counter, counted } = world(10);
  counter.start();
  await vi.advanceTimersByTimeAsync(10_500);
  await counter.stop();
  expect(counted()).toBeGreaterThanOrEqual(10);
});

it('a large table is counted so seldom that counting takes a twentieth of the time at most', async () => {
  const { counter, counted } = world(1_000);
  counter.start();
  await vi.advanceTimersByTimeAsync(210_000);
  const stopped = counter.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  await stopped;
  expect(counted()).toBeLessThanOrEqual(11);
  expect(counted()).toBeGreaterThanOrEqual(9);
});

it('a count that fails is followed by the next one', async () => {
  let tried = 0;
  const counter = new Counter({
    count: async () => {
      tried += 1;
      throw new Error('no table');
    },
    onCounts: () => {},
  });
  counter.start();
  await vi.advanceTimersByTimeAsync(3_500);
  await counter.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tried).toBe(4);
});
