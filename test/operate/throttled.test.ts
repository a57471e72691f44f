import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Tables } from '../../src/operate/tables.js';
import { StoreThrottledError } from '../../src/store/errors.js';
import { MemoryStore } from '../../src/store/index.js';
import { systemClock } from '../../src/support/clock.js';

const warned = vi.fn();
beforeEach(() => {
  warned.mockClear();
  process.on('warning', warned);
});
afterEach(() => void process.off('warning', warned));

it('32 lanes that are throttled at once are asked again, without a warning of Node.js', async () => {
  const sleeps: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    sleeps.push(ms);
    // As the system's clock waits, for less long.
    await systemClock.sleep(1, signal);
  };
  const clock = { ...systemClock, sleep };
  const tables = new Tables({
    table: 'records',
    controlTable: 'control',
    store: new MemoryStore({ clock }),
    clock,
  });
  const patiently = tables.patiently(new AbortController().signal);
  const lanes = Array.from({ length: 32 }, (_, lane) => {
    let tries = 0;
    return patiently(async () => {
      if (tries++ === 0) throw new StoreThrottledError('throttled');
      return lane;
    });
  });
  expect(await Promise.all(lanes)).toHaveLength(32);
  expect(sleeps).toEqual(lanes.map(() => 500));
  // Warnings are emitted in the next tick.
  await systemClock.sleep(0);
  expect(warned).not.toHaveBeenCalled();
});
