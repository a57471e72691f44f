import { describe, expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import { KeyPaces } from '../../src/worker/guards/key-paces.js';
import { Harness, START } from './harness.js';

/** The paces of one run of the queue `q`, and the requests for permits that it makes. */
function pacesOf(harness: Harness, perSecond: number, latestStart = START + 300_000) {
  const state = { isDown: false, asked: 0 };
  const store = intercepted(harness.store, (name, call) => {
    if (name !== 'permits.acquire') return call();
    state.asked++;
    if (state.isDown) throw new StoreUnavailableError('no answer');
    return call();
  });
  const logger = {
    debug() {},
    info() {},
    warn: (text: string) => void harness.warnings.push(text),
    error() {},
  };
  const paces = new KeyPaces({ queue: 'q', perSecond, latestStart, store, clock: harness.clock, logger });
  return { paces, state };
}

const needs = (counts: Record<string, number>) => new Map(Object.entries(counts));

/** Milliseconds until the next permit of a key that another run would get now. */
async function nextOf(harness: Harness, key: string): Promise<number> {
  const now = harness.clock.wall();
  const first = await harness.time.until(
    harness.store.permits.acquire('q', { key, count: 1, intervalMs: 1, now, latest: now + 900_000 }),
  );
  return Math.round(Number(first) - now);
}

describe('the paces of keys', () => {
  it('leave permits to other runs for which this one does not wait', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 1);
    await harness.time.until(paces.take(needs({ a: 10, b: 2, c: 10 }), 2_000));
    expect(await nextOf(harness, 'a')).toBe(3_000);
    expect(await nextOf(harness, 'b')).toBe(2_000);
  });

  it('leave permits to other runs that come after the end of this one', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 1, START + 1_500);
    await harness.time.until(paces.take(needs({ a: 10 }), 60_000));
    expect(await nextOf(harness, 'a')).toBe(2_000);
  });

  it('acquire permits for no more than five seconds at once, and one at least', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 2);
    await harness.time.until(paces.take(needs({ a: 100 }), 60_000));
    expect(await nextOf(harness, 'a')).toBe(5_000);
    const { paces: slow } = pacesOf(harness, 0.1);
    await harness.time.until(slow.take(needs({ s: 100 }), 60_000));
    expect(await nextOf(harness, 's')).toBe(10_000);
  });

  it('ask for nothing while permits are left, and do not ask again at once when they could not be acquired', async () => {
    const harness = new Harness();
    const { paces, state } = pacesOf(harness, 1);
    const take = () => harness.time.until(paces.take(needs({ a: 1 }), 1_000));
    await take();
    await take();
    expect(state.asked).toBe(1);
    expect(paces.tryUse('a')).toBe(true);
    expect(paces.tryUse('a')).toBe(false);
    await harness.pass(1);
    state.isDown = true;
    await take();
    await take();
    expect(state.asked).toBe(2);
    expect(harness.warnings).toEqual(['permits of keys could not be acquired']);
    expect(paces.waitMs('a')).toBe(1_000);
    await harness.pass(1);
    state.isDown = false;
    await take();
    expect([state.asked, paces.waitMs('a')]).toEqual([3, 0]);
  });

  it('move their permits where one is used late, and leave them where it is in time', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 1);
    await harness.time.until(paces.take(needs({ a: 3, b: 3 }), 60_000));
    await harness.pass(0.15);
    await harness.time.until(paces.postpone('b'));
    expect(paces.tryUse('b')).toBe(true);
    expect(await nextOf(harness, 'b')).toBe(2_850);
    await harness.pass(0.35);
    await harness.time.until(paces.postpone('a'));
    expect(paces.tryUse('a')).toBe(true);
    // Half a second later than without: the others of this run, too.
    expect([await nextOf(harness, 'a'), paces.waitMs('a')]).toEqual([3_000, 1_000]);
    await harness.pass(1.7);
    expect([paces.tryUse('a'), paces.waitMs('a')]).toEqual([true, 1_000]);
  });

  it('are given up where one is late and other runs have those behind it', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 1);
    const { paces: other } = pacesOf(harness, 1);
    await harness.time.until(paces.take(needs({ a: 2 }), 60_000));
    await harness.time.until(other.take(needs({ a: 1 }), 60_000));
    await harness.pass(0.5);
    await harness.time.until(paces.postpone('a'));
    expect(paces.tryUse('a')).toBe(false);
  });

  it('do not refuse a longer wait because a shorter one is refused at the same time', async () => {
    const harness = new Harness();
    const { paces: other } = pacesOf(harness, 0.1);
    await harness.time.until(other.take(needs({ a: 1 }), 60_000));
    const { paces } = pacesOf(harness, 0.1);
    const both = [paces.take(needs({ a: 1 }), 1_000), paces.take(needs({ a: 1 }), 60_000)];
    await harness.time.until(Promise.all(both));
    expect(paces.waitMs('a')).toBe(10_000);
  });

  it('know of keys only what is still to come', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 1);
    const known = () => Reflect.get(paces, 'paces').size;
    const keys = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 1]));
    await harness.time.until(paces.take(needs(keys), 1_000));
    expect(known()).toBe(100);
    for (const key of Object.keys(keys)) expect(paces.tryUse(key)).toBe(true);
    await harness.pass(0.5);
    await harness.time.until(paces.take(needs({ other: 1 }), 1_000));
    expect(known()).toBe(101);
    await harness.pass(0.5);
    await harness.time.until(paces.take(needs({ other: 1 }), 1_000));
    expect(known()).toBe(1);
  });

  it('start no attempt sooner because another run has asked meanwhile, or because it is late', async () => {
    const harness = new Harness();
    const { paces } = pacesOf(harness, 1);
    const { paces: other } = pacesOf(harness, 1);
    await harness.time.until(paces.take(needs({ a: 3 }), 60_000));
    await harness.time.until(other.take(needs({ a: 3 }), 60_000));
    expect([paces.waitMs('a'), other.waitMs('a')]).toEqual([0, 3_000]);
    // Its first two permits are missed, and not made up for.
    await harness.pass(2.5);
    expect(paces.tryUse('a')).toBe(true);
    expect([paces.tryUse('a'), other.waitMs('a')]).toEqual([false, 500]);
    await harness.pass(0.5);
    expect([paces.tryUse('a'), other.tryUse('a')]).toEqual([false, true]);
  });
});
