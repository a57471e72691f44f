import { describe, expect, it } from 'vitest';
import { holderPrefixOf } from '../../src/leases/names.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START, succeed, YOUNG } from './harness.js';

describe('a queue with a limit for the attempts of all its runs', () => {
  it('never has more of them under way, whatever run makes them', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 60 }, (_, i) => `n${i}`);
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
    for (let i = 0; i < 60; i++) harness.put(`r${i}`);
    let [now, most] = [0, 0];
    const slow: Process = async () => {
      most = Math.max(most, ++now);
      await harness.sleep(1);
      now--;
    };
    const choices = { globalConcurrency: 8, concurrency: 6, retryMode: 'progressive' } as const;
    const batches = [0, 20, 40].map((from) => ({ batch: `b${from}`, ids: ids.slice(from, from + 20) }));
    const runs = [
      harness.start(slow, { ...choices, band: YOUNG }),
      ...batches.map((arrivals) => harness.start(slow, { ...choices, arrivals })),
    ];
    const [byRule, ...onArrival] = await harness.time.until(Promise.all(runs));
    expect(most).toBe(8);
    expect(byRule).toMatchObject({ ended: 'drained' });
    expect(onArrival.map(({ ended }) => ended).sort()).toEqual([
      'concurrencyLimited',
      'concurrencyLimited',
      'drained',
    ]);
    // The records that found no room are indexed now.
    await harness.pass(300);
    await harness.run(succeed, { ...choices, band: YOUNG });
    expect(harness.statuses()).toEqual({ SUCCESS: 120 });
  });

  it('lets a run of a rule end that finds no room; the next one comes in a minute', async () => {
    const harness = new Harness();
    harness.put('r');
    const ask = { run: 'other', wanted: 8, most: 8, onArrival: false };
    await harness.store.slots.take('q', {
      ...ask,
      now: harness.clock.wall(),
      until: harness.clock.wall() + 9_000,
    });
    expect(await harness.run(succeed, { globalConcurrency: 8 })).toMatchObject({
      attempted: 0,
      ended: 'concurrencyLimited',
    });
    await harness.pass(15);
    expect(await harness.run(succeed, { globalConcurrency: 8 })).toMatchObject({ succeeded: 1 });
  });

  it('has batches on arrival take no more than they have records', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 6 }, (_, i) => `n${i}`);
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
    const runs = ids.map((id) =>
      harness.start(() => harness.sleep(1), { globalConcurrency: 8, arrivals: { batch: id, ids: [id] } }),
    );
    const ended = (await harness.time.until(Promise.all(runs))).map((summary) => summary.ended);
    // Half of the slots are kept for the rules.
    expect(ended.filter((end) => end === 'drained')).toHaveLength(4);
    expect(ended.filter((end) => end === 'concurrencyLimited')).toHaveLength(2);
  });

  it('takes more of them for a run that got few, once other runs have left theirs, and asks each five seconds', async () => {
    const harness = new Harness();
    for (let i = 0; i < 200; i++) harness.put(`r${i}`);
    const time = { now: harness.clock.wall(), until: harness.clock.wall() + 70_000 };
    const other = { run: 'other', wanted: 7, most: 8, onArrival: false };
    await harness.store.slots.take('q', { ...other, ...time });
    const asked: number[] = [];
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'slots.take') asked.push((harness.time.now - START) / 1000);
      return call();
    });
    let [now, most] = [0, 0];
    const process: Process = async () => {
      most = Math.max(most, ++now);
      await harness.sleep(1);
      now--;
    };
    const run = harness.start(process, { globalConcurrency: 8, concurrency: 6, store });
    await harness.pass(20);
    expect(most).toBe(1);
    expect(asked.length).toBeLessThanOrEqual(5);
    await harness.store.slots.release('q', 'other', { count: 7, onArrival: false });
    expect(await harness.time.until(run)).toMatchObject({ succeeded: 200, ended: 'drained' });
    expect(most).toBe(6);
    expect((harness.time.now - START) / 1000).toBeLessThan(70);
    // It has all that it can use by now, and asks no more.
    expect(asked.length).toBeLessThanOrEqual(6);
    const all = { run: 'next', wanted: 8, most: 8, onArrival: false, ...time };
    expect(await harness.store.slots.take('q', all)).toBe(8);
  });

  it('asks for more every five seconds at most, and renews those that it has meanwhile', async () => {
    const harness = new Harness();
    for (let i = 0; i < 2_000; i++) harness.put(`r${i}`);
    const time = { now: harness.clock.wall(), until: harness.clock.wall() + 290_000 };
    await harness.store.slots.take('q', { run: 'other', wanted: 7, most: 8, onArrival: false, ...time });
    const calls: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      calls.push(name);
      return call();
    });
    const summary = await harness.run(() => harness.sleep(0.1), { globalConcurrency: 8, store });
    expect(summary).toMatchObject({ succeeded: 2_000, ended: 'drained' });
    const count = (name: string) => calls.filter((call) => call === name).length;
    expect(count('slots.take')).toBeGreaterThan(20);
    expect(count('slots.take')).toBeLessThanOrEqual(1 + 200 / 5);
    expect(count('slots.renew')).toBe(6);
  });

  it.each([
    [new StoreThrottledError('slow down'), 1],
    [new StoreUnavailableError('no answer'), 6],
  ])(
    'goes on with those that it has where the answer for more is an error (%s), and gives back what it has',
    async (error, most) => {
      const harness = new Harness();
      for (let i = 0; i < 30; i++) harness.put(`r${i}`);
      const time = { now: harness.clock.wall(), until: harness.clock.wall() + 3_000 };
      await harness.store.slots.take('q', { run: 'other', wanted: 7, most: 8, onArrival: false, ...time });
      let asked = 0;
      const store = intercepted(harness.store, async (name, call) => {
        if (name !== 'slots.take' || asked++ !== 1) return call();
        // Granted, and the answer is lost.
        if (most > 1) await call();
        throw error;
      });
      const limits = { globalConcurrency: 8, concurrency: 6 };
      expect(await harness.run(() => harness.sleep(1), { ...limits, store })).toMatchObject({
        succeeded: 30,
        ended: 'drained',
      });
      const all = { run: 'next', wanted: 8, most: 8, onArrival: false };
      const now = harness.clock.wall();
      expect(await harness.store.slots.take('q', { ...all, now, until: now + 70_000 })).toBe(8);
    },
  );

  it.each([
    ['a rule', {}],
    ['arrivals', { arrivals: { batch: 'b', ids: ['new'] } }],
  ])('has the slots of a run of %s under the name by which its death is reported', async (_, choices) => {
    const harness = new Harness();
    harness.put('old');
    harness.store.put({ id: 'new', status: 'NEW', queue: 'q', payload: {} });
    const slow: Process = () => harness.sleep(10);
    const run = harness.start(slow, { ...choices, globalConcurrency: 8, invocation: 'dead' });
    await harness.pass(1);
    const lost = (invocation: string) => ({ holderPrefix: holderPrefixOf(invocation), until: START });
    expect(await harness.store.slots.end(['q'], lost('living'))).toBe(0);
    expect(await harness.store.slots.end(['q'], lost('dead'))).toBe(1);
    await harness.time.until(run);
  });

  it('an idle run takes none, and one with records takes them once and gives them back', async () => {
    const harness = new Harness();
    const calls: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      calls.push(name);
      return call();
    });
    await harness.run(succeed, { globalConcurrency: 8, store });
    expect(calls).toEqual(['pages.query']);
    calls.length = 0;
    for (let i = 0; i < 100; i++) harness.put(`r${i}`);
    await harness.run(() => harness.sleep(0.1), { globalConcurrency: 8, store });
    const ofSlots = calls.filter((name) => name.startsWith('slots.'));
    expect(ofSlots).toEqual(['slots.take', 'slots.release']);
  });

  it('renews its attempts about twice a minute while it goes on, and no more often', async () => {
    const harness = new Harness();
    for (let i = 0; i < 200; i++) harness.put(`r${i}`);
    const renewedAt: number[] = [];
    const renewSlots: BacklogStore['slots']['renew'] = (...args) => {
      renewedAt.push((harness.time.now - START) / 1000);
      return harness.store.slots.renew(...args);
    };
    const store = replacing({ slots: { renew: renewSlots } }, harness.store);
    const summary = await harness.run(() => harness.sleep(10), { globalConcurrency: 10, store });
    expect(summary).toMatchObject({ succeeded: 200, ended: 'drained' });
    expect(renewedAt).toEqual([30, 60, 90, 120, 150, 180]);
  });

  it.each([
    [8, 10],
    [10, 10],
    [1, 1],
  ])(
    'of %i, at or below a concurrency of %i: a run that dies blocks the queue for about a minute',
    async (most, concurrency) => {
      const harness = new Harness();
      for (let i = 0; i < 30; i++) harness.put(`r${i}`);
      const choices = { globalConcurrency: most, concurrency };
      let isDead = false;
      const store = intercepted(harness.store, (_, call) => (isDead ? new Promise(() => {}) : call()));
      void harness.start(() => harness.sleep(10), { ...choices, store, deadlineSeconds: 900 });
      await harness.pass(45);
      isDead = true;
      const ends: string[] = [];
      for (let minute = 1; minute <= 3; minute++) {
        await harness.pass(60 * minute - (harness.time.now - START) / 1000);
        ends.push((await harness.run(succeed, choices)).ended);
      }
      expect(ends.at(-1)).toBe('drained');
      expect(ends).not.toContain('concurrencyLimited');
    },
  );

  it('starts no further attempt when it was frozen and other runs have its slots', async () => {
    const harness = new Harness();
    for (let i = 0; i < 100; i++) harness.put(`r${i}`);
    let isFrozen = false;
    const renewSlots: BacklogStore['slots']['renew'] = (queue, run, until) =>
      isFrozen ? new Promise(() => {}) : harness.store.slots.renew(queue, run, until);
    const store = replacing({ slots: { renew: renewSlots } }, harness.store);
    let attempts = 0;
    const run = harness.start(
      () => {
        attempts++;
        return harness.sleep(5);
      },
      { globalConcurrency: 1, concurrency: 1, attemptTimeout: 10, store },
    );
    isFrozen = true;
    await harness.pass(200);
    // The slots lasted for 70 s: attempts that would have ended later were not begun.
    expect(attempts).toBe(11);
    isFrozen = false;
    const ask = { run: 'other', wanted: 1, most: 1, onArrival: false };
    const now = harness.clock.wall();
    expect(await harness.store.slots.take('q', { ...ask, now, until: now + 70_000 })).toBe(1);
    await harness.time.until(run);
    expect(attempts).toBe(11);
  });

  it('ends when its slots have expired and cannot be renewed', async () => {
    const harness = new Harness();
    for (let i = 0; i < 100; i++) harness.put(`r${i}`);
    const renewSlots: BacklogStore['slots']['renew'] = async () => {
      throw new StoreUnavailableError('slots.renew: no answer');
    };
    const store = replacing({ slots: { renew: renewSlots } }, harness.store);
    const choices = { globalConcurrency: 1, concurrency: 1, attemptTimeout: 10, store };
    const summary = await harness.run(() => harness.sleep(5), choices);
    expect(summary).toMatchObject({ ended: 'concurrencyLimited', attempted: 11, succeeded: 11 });
    expect((harness.time.now - START) / 1000).toBeLessThan(70);
  });

  it('ends then too where it asks for more of them all the time', async () => {
    const harness = new Harness();
    for (let i = 0; i < 500; i++) harness.put(`r${i}`);
    const time = { now: harness.clock.wall(), until: harness.clock.wall() + 290_000 };
    await harness.store.slots.take('q', { run: 'other', wanted: 1, most: 2, onArrival: false, ...time });
    const renewSlots = () => Promise.reject(new StoreUnavailableError('slots.renew: no answer'));
    let asked = 0;
    const takeSlots: BacklogStore['slots']['take'] = (...args) => {
      asked++;
      return harness.store.slots.take(...args);
    };
    const store = replacing({ slots: { renew: renewSlots, take: takeSlots } }, harness.store);
    const choices = { globalConcurrency: 2, concurrency: 2, attemptTimeout: 10, store };
    expect(await harness.run(() => harness.sleep(1), choices)).toMatchObject({
      ended: 'concurrencyLimited',
      attempted: 55,
    });
    expect(asked).toBeGreaterThan(5);
  });

  it('starts no further attempt from the renewal on that finds its slots gone', async () => {
    const harness = new Harness();
    for (let i = 0; i < 100; i++) harness.put(`r${i}`);
    let goneAt = 0;
    const renewSlots: BacklogStore['slots']['renew'] = async () => {
      goneAt ||= harness.time.now;
      return false;
    };
    const store = replacing({ slots: { renew: renewSlots } }, harness.store);
    const choices = { globalConcurrency: 1, concurrency: 1, attemptTimeout: 10, store };
    const startedAt: number[] = [];
    const process: Process = async () => {
      startedAt.push(harness.time.now);
      await harness.sleep(1);
    };
    expect(await harness.run(process, choices)).toMatchObject({ ended: 'concurrencyLimited' });
    expect(goneAt).toBeGreaterThan(START);
    expect(startedAt.filter((at) => at > goneAt)).toEqual([]);
  });

  it('gives the slots back that it was granted without an answer', async () => {
    const harness = new Harness();
    harness.put('r');
    const takeSlots: BacklogStore['slots']['take'] = async (...args) => {
      await harness.store.slots.take(...args);
      throw new StoreUnavailableError('the answer was lost');
    };
    const store = replacing({ slots: { take: takeSlots } }, harness.store);
    const choices = { globalConcurrency: 4, concurrency: 4 };
    expect(await harness.run(succeed, { ...choices, store })).toMatchObject({ attempted: 0 });
    expect(await harness.run(succeed, choices)).toMatchObject({ succeeded: 1 });
  });

  it('a run whose store does not answer for its slots is concurrency-limited, and reports no error', async () => {
    for (const error of [new StoreThrottledError('slow down'), new StoreUnavailableError('no answer')]) {
      const harness = new Harness();
      harness.put('r');
      harness.store.put({ id: 'n', status: 'NEW', queue: 'q', payload: {} });
      const store = replacing({ slots: { take: () => Promise.reject(error) } }, harness.store);
      const byRule = await harness.run(succeed, { globalConcurrency: 8, store });
      expect(byRule).toMatchObject({ ended: 'concurrencyLimited', attempted: 0 });
      expect(byRule.trouble).toBeUndefined();
      const arrivals = { batch: 'b', ids: ['n'] };
      const onArrival = await harness.run(succeed, { globalConcurrency: 8, store, arrivals });
      expect(onArrival).toMatchObject({ ended: 'concurrencyLimited', attempted: 0 });
      expect(harness.item('n')).toMatchObject({ lane: 'q' });
      expect(await harness.run(succeed)).toMatchObject({ succeeded: 2 });
    }
  });

  it('is done although its attempts cannot be given back', async () => {
    const harness = new Harness();
    harness.put('r');
    const releaseSlots = () => Promise.reject(new StoreUnavailableError('no answer'));
    const store = replacing({ slots: { release: releaseSlots } }, harness.store);
    expect(await harness.run(succeed, { globalConcurrency: 1, store })).toMatchObject({ succeeded: 1 });
    expect(harness.warnings).toEqual(['slots could not be given back']);
  });

  it('gives the attempts of a run back whose store failed', async () => {
    const harness = new Harness();
    harness.put('r');
    const query = () => Promise.reject(new StoreUnavailableError('no answer'));
    const store = replacing({ pages: { query } }, harness.store);
    expect(await harness.run(succeed, { globalConcurrency: 1, store })).toMatchObject({
      ended: 'storeError',
    });
    expect(await harness.run(succeed, { globalConcurrency: 1 })).toMatchObject({ succeeded: 1 });
  });
});
