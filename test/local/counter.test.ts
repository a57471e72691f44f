import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Counter } from '../../tools/src/local/status/counter.js';

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
  void counter.countNow();
  await vi.advanceTimersByTimeAsync(10_500);
  await counter.stop();
  expect(counted()).toBeGreaterThanOrEqual(10);
});

it('a large table is counted so seldom that counting takes a twentieth of the time at most', async () => {
  const { counter, counted } = world(1_000);
  void counter.countNow();
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
  void counter.countNow();
  await vi.advanceTimersByTimeAsync(3_500);
  await counter.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tried).toBe(4);
});

it('a small table is counted at once when something has changed, and a large one when its share is over', async () => {
  const small = world(2);
  void small.counter.countNow();
  await vi.advanceTimersByTimeAsync(60);
  expect(small.counted()).toBe(1);
  small.counter.soon();
  await vi.advanceTimersByTimeAsync(10);
  expect(small.counted()).toBe(2);
  await small.counter.stop();

  const large = world(1_000);
  void large.counter.countNow();
  await vi.advanceTimersByTimeAsync(1_500);
  for (let i = 0; i < 100; i++) large.counter.soon();
  await vi.advanceTimersByTimeAsync(19_000);
  expect(large.counted()).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(large.counted()).toBe(2);
  await large.counter.stop();
});

it('what has changed during a count is in the one after it', async () => {
  const { counter, counted } = world(100);
  void counter.countNow();
  await vi.advanceTimersByTimeAsync(50);
  counter.soon();
  let isDone = false;
  void counter.countNow().then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect([counted(), isDone]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(60);
  expect([counted(), isDone]).toEqual([2, true]);
  await counter.stop();
});
