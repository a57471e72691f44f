import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { Process } from '../../src/worker/index.js';
import { FAIR, FairQueue, MINUTE } from './fair-queue.js';
import { fail, type RunChoices, succeed } from './harness.js';

const ONE = { ...FAIR, concurrencyPerKey: 1 } as const;

/** A process that notes the most attempts of each key that were under way at once, in all runs, and the order of the attempts. */
function watched(harness: FairQueue, seconds: number | ((id: string) => number) = 1) {
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  const order: string[] = [];
  const ends = new Map<string, number>();
  const process: Process = async ({ id, key = '' }) => {
    order.push(id);
    now.set(key, (now.get(key) ?? 0) + 1);
    most.set(key, Math.max(most.get(key) ?? 0, now.get(key) ?? 0));
    await harness.sleep(typeof seconds === 'number' ? seconds : seconds(id));
    now.set(key, (now.get(key) ?? 0) - 1);
    ends.set(id, harness.seconds());
  };
  return { process, most, order, ends };
}

describe('a batch on arrival', () => {
  it('attempts so many records of a key at once, and those of other keys beside them', async () => {
    const harness = new FairQueue();
    const ids = [...harness.bare(6, 'a'), ...harness.bare(4, 'b'), ...harness.bare(3, 'c')];
    const { process, most, ends } = watched(harness, 0.6);
    const summary = await harness.run(process, {
      ...FAIR,
      concurrencyPerKey: 2,
      arrivals: { batch: 'b', ids },
    });
    expect(summary).toMatchObject({ ended: 'drained', succeeded: 13, leftOver: 0 });
    expect(Object.fromEntries(most)).toEqual({ a: 2, b: 2, c: 2 });
    expect(ends.get('b3')).toBe(1.2);
    expect(harness.seconds()).toBe(1.8);
  });

  it('puts those into the lane of their key that would wait for long, and has room for other batches', async () => {
    const harness = new FairQueue();
    const { process, most, ends } = watched(harness, (id) => (id.startsWith('a') ? 1.5 : 0.2));
    const ids = [...harness.bare(5, 'a'), ...harness.bare(1, 'b')];
    const run = harness.start(process, { ...ONE, arrivals: { batch: 'b', ids } });
    await harness.pass(3.6);
    expect(harness.lanesInUse()).toEqual({ undefined: 3, 'q#31': 3 });
    expect(await harness.time.until(run)).toMatchObject({ ended: 'drained', succeeded: 6, leftOver: 0 });
    expect(most.get('a')).toBe(1);
    expect(ends.get('b0')).toBe(0.2);
  });

  it('leaves records without a key alone', async () => {
    const harness = new FairQueue();
    for (let i = 0; i < 8; i++) harness.store.put({ id: `n${i}`, status: 'NEW', queue: 'q', payload: {} });
    const ids = Array.from({ length: 8 }, (_, i) => `n${i}`);
    const calls: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      calls.push(name);
      return call();
    });
    const { process, most } = watched(harness);
    await harness.run(process, { ...ONE, store, arrivals: { batch: 'b', ids } });
    expect(most.get('')).toBe(8);
    expect(calls.filter((name) => name.startsWith('keySlots'))).toEqual([]);
  });

  it('takes the slots of all keys by one write, and gives them back by another', async () => {
    const harness = new FairQueue();
    const ids = [...harness.bare(3, 'a'), ...harness.bare(1, 'b')];
    const calls: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      calls.push(name);
      return call();
    });
    await harness.run(watched(harness, 0.2).process, { ...ONE, store, arrivals: { batch: 'b', ids } });
    expect(calls.filter((name) => name.startsWith('keySlots'))).toEqual([
      'keySlots.take',
      'keySlots.release',
    ]);
    expect(calls).not.toContain('queues.noteBusyKeys');
  });

  it('puts those into the lane of their key of which another run has all slots, and drains it when that has ended', async () => {
    const harness = new FairQueue();
    const { process, most, order } = watched(harness, 8);
    const first = harness.start(process, { ...ONE, arrivals: { batch: '1', ids: harness.bare(1, 'a') } });
    await harness.pass(0.5);
    const ids = ['a7', 'b1'];
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {}, key: id[0] });
    const second = harness.start(process, { ...ONE, arrivals: { batch: '2', ids } });
    await harness.pass(8);
    expect(order).toEqual(['a0', 'b1']);
    expect(await harness.time.until(first)).toMatchObject({ succeeded: 1 });
    expect(await harness.time.until(second)).toMatchObject({ succeeded: 2, ended: 'drained', leftOver: 0 });
    expect(most.get('a')).toBe(1);
    expect(order).toEqual(['a0', 'b1', 'a7']);
    // a7 is indexed with the end of b1, and drained a second later.
    expect(harness.seconds()).toBe(17.5);
  });

  it('lets those go first that wait in the lane of their key', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(2, 'a', 'q#31');
    await harness.pass(1);
    harness.store.put({ id: 'a9', status: 'NEW', queue: 'q', payload: {}, key: 'a' });
    const { process, order } = watched(harness);
    const summary = await harness.run(process, { ...ONE, arrivals: { batch: 'b', ids: ['a9'] } });
    expect(order).toEqual(['a0', 'a1', 'a9']);
    expect(summary).toMatchObject({ succeeded: 3, leftOver: 0 });
  });

  it('leaves its slots to other batches while it waits for what it has indexed', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(20, 'a', 'q#31');
    await harness.pass(1);
    const { process, order } = watched(harness);
    const options = { ...ONE, globalConcurrency: 2 };
    harness.store.put({ id: 'a99', status: 'NEW', queue: 'q', payload: {}, key: 'a' });
    harness.store.put({ id: 'b', status: 'NEW', queue: 'q', payload: {} });
    const first = harness.start(process, { ...options, arrivals: { batch: '1', ids: ['a99'] } });
    await harness.pass(0.5);
    const second = harness.start(process, { ...options, arrivals: { batch: '2', ids: ['b'] } });
    await harness.time.until(second);
    expect(order[0]).toBe('b');
    expect(await harness.time.until(first)).toMatchObject({ succeeded: 21, leftOver: 0 });
  });

  it('attempts them at once where the lane of their key is empty', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    const { process } = watched(harness);
    await harness.run(process, { ...ONE, arrivals: { batch: 'b', ids: harness.bare(1, 'a') } });
    expect(harness.item('a0').lane).toBeUndefined();
    expect(harness.seconds()).toBe(1);
  });

  it('does not keep other runs from a key while an attempt of another key takes long', async () => {
    const harness = new FairQueue();
    const { process, ends } = watched(harness, (id) => (id.startsWith('slow') ? 25 : 0.2));
    const ids = [...harness.bare(1, 'slow'), ...harness.bare(1, 'a')];
    void harness.start(process, { ...ONE, arrivals: { batch: '1', ids } });
    await harness.pass(2);
    harness.store.put({ id: 'a9', status: 'NEW', queue: 'q', payload: {}, key: 'a' });
    await harness.run(process, { ...ONE, arrivals: { batch: '2', ids: ['a9'] } });
    expect(ends.get('a9')).toBe(2.2);
  });
});

describe('a run of the rule', () => {
  it('moves those into the lane of their key for which no slot is free, and goes on with other keys', async () => {
    const harness = new FairQueue();
    harness.putMany(40, 'a', 'q');
    harness.putMany(10, 'b', 'q');
    const { process, most, ends } = watched(harness);
    const summary = await harness.run(process, { ...FAIR, concurrencyPerKey: 2, concurrency: 5 });
    expect(summary).toMatchObject({ succeeded: 50, ended: 'drained' });
    expect(Object.fromEntries(most)).toEqual({ a: 2, b: 2 });
    expect(Math.max(...[...ends].flatMap(([id, end]) => (id.startsWith('b') ? end : [])))).toBeLessThan(15);
    expect(harness.seconds()).toBeLessThan(26);
  });

  it('attempts records of several keys in one lane beside each other', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    for (let i = 0; i < 12; i++) harness.put(`r${i}`, { lane: 'q#31', key: i < 6 ? 'a' : 'b' });
    const { process, most } = watched(harness);
    await harness.run(process, ONE);
    expect(Object.fromEntries(most)).toEqual({ a: 1, b: 1 });
    expect(harness.seconds()).toBeLessThan(8);
  });

  it('leaves a lane of which others have all slots, after some looks, and drains the others', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.putMany(300, 'a', 'q#31');
    harness.putMany(5, 'b', 'q#30');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
    const reads: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      reads.push(name);
      return call();
    });
    const { process, most } = watched(harness);
    const summary = await harness.run(process, { ...ONE, store });
    expect(summary).toMatchObject({ ended: 'keyLimited', succeeded: 5 });
    expect(most.has('a')).toBe(false);
    expect(reads.filter((name) => name === 'pages.read').length).toBeLessThan(12);
    expect(harness.seconds()).toBeLessThan(20);
  });

  it('does not wait for records of a key that an open breaker puts off', async () => {
    const harness = new FairQueue();
    harness.putMany(20, 'a', 'q');
    harness.putMany(5, 'b', 'q');
    const process: Process = async ({ key }) => {
      await harness.sleep(0.1);
      if (key === 'a') throw new Error('down');
    };
    const breaker = { minimumAttempts: 3, failureThreshold: 0.5 };
    const destination = ({ key = '' }) => key;
    await harness.run(process, { ...ONE, breaker, destination });
    expect(harness.statuses()).toEqual({ SUCCESS: 5, ERROR: 3, NEW: 17 });
    expect(harness.seconds()).toBeLessThan(3);
  });

  it('drains the lane of a key that is new, while another lane has no slots', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'c']);
    harness.putMany(2, 'a', 'q#31');
    harness.putMany(40, 'c', 'q#30');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
    const { process, ends } = watched(harness);
    const run = harness.start(process, ONE);
    await harness.pass(12);
    await harness.noteKeys(['b']);
    harness.putMany(2, 'b', 'q#29');
    await harness.time.until(run);
    expect(ends.get('b1')).toBeLessThan(30);
    expect([...ends.keys()].filter((id) => id.startsWith('c'))).toHaveLength(40);
  });

  it('uses slots that other runs give back while a page is at work', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(40, 'a', 'q#31');
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 3]]);
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 4, now, until: now + 900_000 });
    const { process, most } = watched(harness);
    const run = harness.start(process, { ...FAIR, concurrencyPerKey: 4 });
    await harness.pass(3);
    expect(most.get('a')).toBe(1);
    await harness.store.keySlots.release('q', 'other');
    await harness.time.until(run);
    expect(most.get('a')).toBe(4);
    expect(harness.seconds()).toBeLessThan(20);
  });

  it('counts attempts of several lanes together, its retries too', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(4, 'a', 'q');
    for (let i = 10; i < 14; i++) harness.put(`a${i}`, { lane: 'q#31', key: 'a' });
    const { process, most } = watched(harness);
    expect(await harness.run(process, ONE)).toMatchObject({ succeeded: 8 });
    expect(most.get('a')).toBe(1);
  });

  it('keeps to it in a queue without fairness, whose records wait in their lane', async () => {
    const harness = new FairQueue();
    harness.putMany(6, 'a', 'q');
    harness.putMany(2, 'b', 'q');
    const { process, most } = watched(harness);
    expect(await harness.run(process, { concurrencyPerKey: 2 })).toMatchObject({
      succeeded: 8,
      ended: 'drained',
    });
    expect(Object.fromEntries(most)).toEqual({ a: 2, b: 2 });
  });
});

describe('runs at the same time', () => {
  it('make no more attempts of a key than the limit, all together, and attempt everything', async () => {
    const harness = new FairQueue();
    const { process, most } = watched(harness, 0.7);
    const choices: RunChoices = { ...FAIR, concurrencyPerKey: 3 };
    const batches = Array.from({ length: 8 }, (_, batch) => {
      const ids = Array.from({ length: 10 }, (_, i) => `r${batch}-${i}`);
      for (const [i, id] of ids.entries())
        harness.store.put({ id, status: 'NEW', queue: 'q', payload: {}, key: i < 6 ? 'a' : `k${i}` });
      return { batch: String(batch), ids };
    });
    const runs = batches.map((arrivals) => harness.start(process, { ...choices, arrivals }));
    await harness.time.until(Promise.all(runs));
    for (let tick = 0; tick < 3; tick++) {
      await harness.pass(60);
      await harness.run(process, choices);
    }
    expect(harness.statuses()).toEqual({ SUCCESS: 80 });
    expect(Math.max(...most.values())).toBe(3);
  });

  it('do not count slots of a run that was lost, a minute later', async () => {
    const harness = new FairQueue();
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    await harness.store.keySlots.take('q', { run: 'lost', wanted, most: 1, now, until: now + 70_000 });
    await harness.noteKeys(['a']);
    harness.putMany(1, 'a', 'q#31');
    const { process } = watched(harness);
    expect(await harness.run(process, ONE)).toMatchObject({ ended: 'keyLimited' });
    await harness.pass(66);
    expect(await harness.run(process, ONE)).toMatchObject({ succeeded: 1 });
  });
});

describe('trouble', () => {
  it('with the slots leaves records of keys to a later run, and attempts the others', async () => {
    const harness = new FairQueue();
    harness.putMany(2, 'a', 'q');
    harness.put('n');
    const store = intercepted(harness.store, (name, call) => {
      if (name.startsWith('keySlots')) throw new StoreUnavailableError('no answer');
      return call();
    });
    expect(await harness.run(succeed, { ...ONE, store })).toMatchObject({ succeeded: 1 });
    expect(harness.warnings).toContain('slots of keys could not be taken');
    await harness.pass(60);
    expect(await harness.run(succeed, ONE)).toMatchObject({ succeeded: 2 });
  });

  it('of attempts gives their slots back: they fail, ignore their signal, or throw', async () => {
    const harness = new FairQueue();
    harness.putMany(3, 'a', 'q');
    await harness.run(fail, ONE);
    const now = harness.clock.wall();
    const wanted = new Map([[hashOfKey('a'), 1]]);
    const ask = { run: 'next', wanted, most: 1, now, until: now + MINUTE };
    expect(await harness.store.keySlots.take('q', ask)).toEqual(wanted);
  });

  it('counts an attempt that ignores its signal for as long as its code runs', async () => {
    const harness = new FairQueue();
    harness.putMany(2, 'a', 'q');
    const { process, most } = watched(harness, 45);
    await harness.run(process, ONE);
    await harness.pass(60);
    await harness.run(process, ONE);
    expect(most.get('a')).toBe(1);
  });

  it('of a record in the batch is dealt with at once, although others of its key wait in their lane', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(1, 'a', 'q#31');
    await harness.pass(1);
    harness.store.put({ id: 'a8', status: 'NEW', queue: 'q', payload: {}, key: 'a', task: 'unknown' });
    const choices = {
      ...ONE,
      knows: ({ task }: { readonly task?: string | undefined }) => task === undefined,
    };
    await harness.run(succeed, { ...choices, arrivals: { batch: 'b', ids: ['a8'] } });
    // It waits for a handler that knows its task, and no slot is taken for it.
    expect(harness.item('a8')).toMatchObject({ status: 'NEW', lane: 'q#31' });
    expect(Date.parse(String(harness.item('a8').dueAt))).toBeGreaterThan(harness.time.now);
  });

  it('is an error where attempts may go on without their run', async () => {
    const harness = new FairQueue();
    const choices = { ...ONE, attemptTimeout: 90, onLongAttempt: () => {} };
    await expect(harness.run(succeed, choices)).rejects.toThrow(
      'concurrencyPerKey: expected nothing where an attempt may take more than 60 s (queue "q", attemptTimeout 90), got 1',
    );
  });
});
