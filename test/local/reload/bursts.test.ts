import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Bursts } from '../../../tools/src/local/reload/bursts.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Handles bursts as long as the test says. */
function world(handleMs = 0) {
  const handled: string[][] = [];
  const bursts = new Bursts<string>({
    handle: async (items) => {
      handled.push([...items]);
      if (handleMs > 0) await new Promise((resolve) => setTimeout(resolve, handleMs));
    },
  });
  return { bursts, handled };
}

it('a file that an editor writes twice is one burst, which is read after the second write', async () => {
  const { bursts, handled } = world();
  bursts.add('a');
  await vi.advanceTimersByTimeAsync(50);
  bursts.add('a');
  await vi.advanceTimersByTimeAsync(50);
  expect(handled).toEqual([]);
  await vi.advanceTimersByTimeAsync(50);
  expect(handled).toEqual([['a']]);
});

it('a checkout of 200 files is one burst', async () => {
  const { bursts, handled } = world();
  for (let i = 0; i < 200; i++) {
    bursts.add(`file-${i}`);
    await vi.advanceTimersByTimeAsync(2);
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(handled.map((items) => items.length)).toEqual([200]);
});

it('what is written without end is handled once a second', async () => {
  const { bursts, handled } = world();
  for (let i = 0; i < 100; i++) {
    bursts.add('a');
    await vi.advanceTimersByTimeAsync(30);
  }
  expect(handled.length).toBeGreaterThanOrEqual(2);
  expect(handled.length).toBeLessThanOrEqual(3);
});

it('what comes while a burst is handled is the next burst, and never handled beside it', async () => {
  const { bursts, handled } = world(500);
  bursts.add('a');
  await vi.advanceTimersByTimeAsync(100);
  bursts.add('b');
  bursts.add('c');
  await vi.advanceTimersByTimeAsync(400);
  expect(handled).toEqual([['a']]);
  await vi.advanceTimersByTimeAsync(200);
  expect(handled).toEqual([['a'], ['b', 'c']]);
});

it('nothing is handled after a stop, which waits for the burst that is handled', async () => {
  const { bursts, handled } = world(500);
  bursts.add('a');
  await vi.advanceTimersByTimeAsync(100);
  bursts.add('b');
  let stopped = false;
  void bursts.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stopped).toBe(true);
  bursts.add('c');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(handled).toEqual([['a']]);
});
