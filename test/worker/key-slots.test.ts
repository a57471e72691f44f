import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import { KeySlots } from '../../src/worker/guards/key-slots.js';
import { FAIR, FairQueue } from './fair-queue.js';
import { succeed } from './harness.js';

const [A, B] = [hashOfKey('a'), hashOfKey('b')];

/** Slots of one run, with a limit of two for each key. */
function slotsOf(harness: FairQueue, store: BacklogStore = harness.store): KeySlots {
  const logger = { debug() {}, info() {}, warn: (text: string) => harness.warnings.push(text), error() {} };
  const { clock } = harness;
  return new KeySlots({
    queue: 'q',
    perKey: 2,
    attemptTimeout: 30,
    store,
    clock,
    random: Math.random,
    logger,
  });
}

/** The slots of a key that another run gets now, without taking them. */
async function leftOf(harness: FairQueue, key: string): Promise<number> {
  const now = harness.clock.wall();
  const ask = { run: 'looks', wanted: new Map([[key, 2]]), most: 2, now: now - 5_000, until: now + 1_000 };
  const slots = await harness.store.keySlots.take('q', ask);
  await harness.store.keySlots.release('q', 'looks');
  return slots?.get(key) ?? 0;
}

describe('the slots of a run', () => {
  it('are as many as its records need, and no more than the limit', async () => {
    const harness = new FairQueue();
    const slots = slotsOf(harness);
    slots.need(A, 5);
    slots.need(B, 1);
    await slots.take();
    expect([slots.free(A), slots.free(B)]).toEqual([2, 1]);
    expect([await leftOf(harness, A), await leftOf(harness, B)]).toEqual([0, 1]);
    await harness.time.until(slots.close());
    expect([await leftOf(harness, A), await leftOf(harness, B)]).toEqual([2, 2]);
  });

  it('are given back a second after they are not needed any more, while the run goes on', async () => {
    const harness = new FairQueue();
    const slots = slotsOf(harness);
    for (const key of [A, B]) slots.need(key, 1);
    await slots.take();
    for (const key of [A, B]) {
      expect(slots.tryUse(key)).toBe(true);
      slots.need(key, -1);
    }
    slots.giveBack(A);
    await harness.pass(0.9);
    expect(await leftOf(harness, A)).toBe(1);
    await harness.pass(0.2);
    expect([await leftOf(harness, A), await leftOf(harness, B)]).toEqual([2, 1]);
    expect(slots.tryUse(A)).toBe(false);
    await harness.time.until(slots.close());
  });

  it('last as long as the run needs them', async () => {
    const harness = new FairQueue();
    const slots = slotsOf(harness);
    slots.need(A, 2);
    await slots.take();
    expect(slots.tryUse(A)).toBe(true);
    for (let minute = 0; minute < 5; minute++) {
      await harness.pass(60);
      expect(slots.covers()).toBe(true);
      expect(await leftOf(harness, A)).toBe(0);
    }
    await harness.time.until(slots.close());
    await harness.pass(200);
    expect(await leftOf(harness, A)).toBe(2);
  });

  it('let no attempt begin that could outlast them, where they could not be renewed', async () => {
    const harness = new FairQueue();
    let isUp = true;
    const store = intercepted(harness.store, (_, call) => {
      if (!isUp) throw new StoreUnavailableError('no answer');
      return call();
    });
    const slots = slotsOf(harness, store);
    slots.need(A, 2);
    await slots.take();
    isUp = false;
    await harness.pass(34);
    expect(slots.covers()).toBe(true);
    await harness.pass(2);
    expect(slots.covers()).toBe(false);
    // Nothing that it has is of use: a caller must not ask for ever.
    await slots.take();
    expect(slots.free(A)).toBe(0);
    expect(slots.covers()).toBe(true);
    expect(harness.warnings).toContain('slots of keys could not be taken');
    isUp = true;
    await slots.take();
    expect(slots.free(A)).toBe(2);
    await harness.time.until(slots.close());
  });

  it('are renewed for attempts under way, after asks without an answer', async () => {
    const harness = new FairQueue();
    let isUp = true;
    const store = intercepted(harness.store, (_, call) => {
      if (!isUp) throw new StoreUnavailableError('no answer');
      return call();
    });
    const slots = slotsOf(harness, store);
    slots.need(A, 1);
    await slots.take();
    expect(slots.tryUse(A)).toBe(true);
    slots.need(A, -1);
    await harness.pass(2);
    isUp = false;
    await harness.pass(40);
    slots.need(B, 1);
    await slots.take();
    isUp = true;
    await harness.pass(60);
    expect(await leftOf(harness, A)).toBe(1);
    await harness.time.until(slots.close());
  });

  it('are asked for once, although some are not needed any more before the answer comes', async () => {
    const harness = new FairQueue();
    let asks = 0;
    const store = intercepted(harness.store, async (name, call) => {
      if (name !== 'keySlots.take') return call();
      asks++;
      await harness.sleep(3);
      return call();
    });
    const slots = slotsOf(harness, store);
    slots.need(A, 1);
    const taken = slots.take();
    slots.need(B, 1);
    slots.need(B, -1);
    await harness.time.until(taken);
    await harness.pass(5);
    expect(asks).toBe(1);
    await harness.time.until(slots.close());
  });

  it('that an ask without an answer may have brought are given back, too', async () => {
    const harness = new FairQueue();
    let isLost = true;
    const store = intercepted(harness.store, async (name, call) => {
      const answer = await call();
      if (name === 'keySlots.take' && isLost) throw new StoreUnavailableError('no answer');
      return answer;
    });
    const slots = slotsOf(harness, store);
    slots.need(A, 1);
    await slots.take();
    expect([slots.free(A), await leftOf(harness, A)]).toEqual([0, 1]);
    isLost = false;
    await harness.time.until(slots.close());
    expect(await leftOf(harness, A)).toBe(2);
  });

  it('can be asked for after an ask that has failed', async () => {
    const harness = new FairQueue();
    let isAllowed = false;
    const store = intercepted(harness.store, (_, call) => {
      if (!isAllowed) return Promise.reject(new TypeError('broken'));
      return call();
    });
    const slots = slotsOf(harness, store);
    slots.need(A, 1);
    await expect(slots.take()).rejects.toThrow('broken');
    isAllowed = true;
    await slots.take();
    expect(slots.free(A)).toBe(1);
    await harness.time.until(slots.close());
  });

  it('of others count for some seconds longer than they last, as clocks differ', async () => {
    const harness = new FairQueue();
    const now = harness.clock.wall();
    const ask = { run: 'other', wanted: new Map([[A, 2]]), most: 2, now, until: now + 1_000 };
    await harness.store.keySlots.take('q', ask);
    const slots = slotsOf(harness);
    slots.need(A, 1);
    await harness.pass(5);
    await slots.take();
    expect(slots.free(A)).toBe(0);
    await harness.pass(2);
    await slots.take();
    expect(slots.free(A)).toBe(1);
    await harness.time.until(slots.close());
  });
});

describe('a run', () => {
  it('holds no slot when it has ended, however that was', async () => {
    const harness = new FairQueue();
    harness.putMany(6, 'a', 'q');
    const stop = new AbortController();
    const process = () => harness.sleep(3);
    const run = harness.start(process, { ...FAIR, concurrencyPerKey: 2, stop: stop.signal });
    await harness.pass(1);
    stop.abort('the process ends');
    expect(await harness.time.until(run)).toMatchObject({ ended: 'stopped' });
    expect(await leftOf(harness, A)).toBe(2);
  });

  it('goes on in later pages where slots could not be renewed for a while', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(8, 'a', 'q#31');
    let isUp = true;
    const store = intercepted(harness.store, (name, call) => {
      if (name.startsWith('keySlots') && !isUp) throw new StoreUnavailableError('no answer');
      return call();
    });
    const choices = { ...FAIR, concurrencyPerKey: 1, store, attemptTimeout: 30 };
    const run = harness.start(() => harness.sleep(12), choices);
    await harness.pass(1);
    isUp = false;
    await harness.pass(60);
    isUp = true;
    await harness.time.until(run);
    await harness.pass(60);
    await harness.run(succeed, choices);
    expect(harness.statuses()).toEqual({ SUCCESS: 8 });
  });
});
