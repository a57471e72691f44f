import { describe, expect, it } from 'vitest';
import type { BacklogStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, succeed, YOUNG } from './harness.js';

const SLOW = { attemptsPerSecond: 0.5 };

function pile(count: number): Harness {
  const harness = new Harness();
  for (let i = 0; i < count; i++) harness.put(`r${i}`);
  return harness;
}

describe('a run that comes while another one is at work', () => {
  it('takes over from one that must end before the next rule fires', async () => {
    const harness = pile(200);
    const first = harness.start(succeed, SLOW);
    await harness.pass(240);
    const second = harness.start(succeed, SLOW);
    expect(await harness.time.until(first)).toMatchObject({ ended: 'deadline' });
    expect(await harness.time.until(second)).toMatchObject({ ended: 'drained' });
    expect(harness.statuses()).toEqual({ SUCCESS: 200 });
    // Both together made no pause: 200 attempts, one every two seconds.
    expect((harness.time.now - Date.parse('2026-03-01')) / 1000).toBeLessThan(410);
  });

  it('ends at once where the other has long to go', async () => {
    const harness = pile(200);
    const first = harness.start(succeed, SLOW);
    await harness.pass(180);
    const startedAt = harness.time.now;
    expect(await harness.run(succeed, SLOW)).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
    expect(harness.time.now).toBe(startedAt);
    await harness.time.until(first);
  });

  it('ends at once when its process is to end', async () => {
    const harness = pile(200);
    const first = harness.start(succeed, SLOW);
    await harness.pass(240);
    const stop = new AbortController();
    harness.time.after(3_000, () => stop.abort());
    let asked = 0;
    const holdLease: BacklogStore['holdLease'] = (key, hold) => {
      if (++asked > 10) throw new TypeError('asked for too often');
      return harness.store.holdLease(key, hold);
    };
    const store = replacing({ holdLease }, harness.store);
    const startedAt = harness.time.now;
    expect(await harness.run(succeed, { ...SLOW, stop: stop.signal, store })).toMatchObject({
      ended: 'leaseHeld',
    });
    expect(harness.time.now - startedAt).toBeLessThanOrEqual(3_000);
    await harness.time.until(first);
  });

  it('ends when the other has left nothing', async () => {
    const harness = pile(122);
    const first = harness.start(succeed, SLOW);
    await harness.pass(240);
    const second = harness.start(succeed, SLOW);
    expect(await harness.time.until(first)).toMatchObject({ ended: 'drained', succeeded: 122 });
    expect(await harness.time.until(second)).toMatchObject({ ended: 'drained', attempted: 0 });
  });

  it('waits for one whose last attempt does not end', async () => {
    const harness = pile(200);
    const hangs = harness.start(({ id }) => (id === 'r1' ? new Promise<void>(() => {}) : undefined), SLOW);
    await harness.pass(240);
    const second = await harness.time.until(harness.start(succeed, SLOW));
    expect(await harness.time.until(hangs)).toMatchObject({ ended: 'deadline' });
    expect(second.attempted).toBeGreaterThan(0);
  });

  it('waits on a progressive queue as well, whose rule fires less often', async () => {
    const harness = pile(200);
    const first = harness.start(fail, { ...SLOW, band: YOUNG });
    await harness.pass(240);
    const second = harness.start(fail, { ...SLOW, band: YOUNG });
    await harness.time.until(first);
    expect((await harness.time.until(second)).attempted).toBeGreaterThan(50);
  });
});
