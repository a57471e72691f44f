import { expect, it } from 'vitest';
import { seededRandom } from '../../src/support/seeded-random.js';
import { VirtualTime } from '../../src/support/virtual-time.js';

it('things happen by time, and in the order in which they were asked for within a millisecond', async () => {
  const time = new VirtualTime(0);
  const random = seededRandom(1);
  const happened: (readonly [at: number, order: number])[] = [];
  const calledOff = new Set<number>();
  for (let order = 0; order < 3000; order++) {
    const at = Math.floor(random() * 50);
    const cancel = time.after(at, () => void happened.push([time.now, order]));
    if (random() < 0.6) {
      cancel();
      calledOff.add(order);
    }
  }
  expect(await time.runUntilQuiet(100)).toBe(true);
  expect(happened).toHaveLength(3000 - calledOff.size);
  expect(happened.some(([, order]) => calledOff.has(order))).toBe(false);
  expect(happened).toEqual([...happened].sort(([a, i], [b, j]) => a - b || i - j));
});

it('a sleep that is broken off is over at once, and time does not wait for it', async () => {
  const time = new VirtualTime(0);
  const enough = new AbortController();
  const slept = time
    .clock()
    .sleep(1000, enough.signal)
    .then(() => time.now);
  time.after(10, () => enough.abort());
  expect(await time.until(slept)).toBe(10);
  expect(await time.runUntilQuiet(5000)).toBe(true);
  expect(time.now).toBe(10);
});

it('to wait for what nothing will bring is an error', async () => {
  await expect(new VirtualTime(0).until(new Promise(() => {}))).rejects.toThrow('nothing will bring');
});
