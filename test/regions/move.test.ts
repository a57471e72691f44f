import { describe, expect, it } from 'vitest';
import { CLOCK_SKEW_MS } from '../../src/leases/timed-hold.js';
import { MemoryStore, StoreUnavailableError } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { moveBetween } from '../../tools/src/cli/failover/move.js';
import { compareReplicas } from '../../tools/src/cli/failover/replicas.js';
import { replacing } from '../simulation/replacing.js';
import { MINUTE_MS } from './scenario.js';
import { START } from './world.js';

/** Two regions. What is written of the active region in one of them reaches the other one as the test says. */
function bench() {
  const time = new VirtualTime(START);
  const clock = time.clock();
  const [from, to] = ['eu-central-1', 'eu-west-1'].map((name) => ({
    name,
    store: new MemoryStore({ clock }),
  }));
  if (!from || !to) throw new Error('expected two');
  const replicate = async () => {
    const item = await from.store.activeRegion.read();
    if (item) await to.store.activeRegion.write(item, undefined);
  };
  const { signal } = new AbortController();
  const move = () => moveBetween(from, to, { clock, signal, say: () => {}, force: false });
  return { time, from, to, replicate, move };
}

describe('a planned failover', () => {
  it('takes a few minutes where all is replicated', async () => {
    const { time, to, replicate, move } = bench();
    const moving = move();
    for (const seconds of [1, 140]) time.after(seconds * 1000, () => void replicate());
    expect(await time.until(moving)).toBe('moved');
    expect(await to.store.activeRegion.read()).toMatchObject({ region: to.name, from: time.now });
    expect(time.now - START).toBeLessThan(3 * MINUTE_MS);
  });

  it('is given back, in both regions, where nothing is replicated', async () => {
    const { time, from, to, move } = bench();
    expect(await time.until(move())).toBe('givenBack');
    for (const { store } of [from, to])
      expect(await store.activeRegion.read()).toMatchObject({ region: from.name, from: time.now });
    // Before its runs have ended.
    expect(time.now - START).toBeLessThan(2.1 * MINUTE_MS);
  });

  it('is given back, in both regions, where what a run wrote last is not replicated', async () => {
    const { time, from, to, replicate, move } = bench();
    time.after(1_000, () => void replicate());
    expect(await time.until(move())).toBe('givenBack');
    for (const { store } of [from, to])
      expect(await store.activeRegion.read()).toMatchObject({ region: from.name, from: time.now });
  });

  it('does not tell the first region to go on where the second one cannot be reached: it would begin by itself', async () => {
    const { time, from, to } = bench();
    const writeActiveRegion = () => Promise.reject(new StoreUnavailableError('no answer'));
    const mute = { ...to, store: replacing({ activeRegion: { write: writeActiveRegion } }, to.store) };
    const { signal } = new AbortController();
    const moving = moveBetween(from, mute, { clock: time.clock(), signal, say: () => {}, force: false });
    await expect(time.until(moving)).rejects.toThrow('no answer');
    expect(await from.store.activeRegion.read()).toMatchObject({ region: to.name, before: from.name });
  });

  it('goes on where DynamoDB does not answer for a moment', async () => {
    const { time, from, to, replicate } = bench();
    let asked = 0;
    const readRuns = async () => {
      if (++asked === 1) throw new StoreUnavailableError('no answer');
      return from.store.control.readRuns();
    };
    const flaky = { ...from, store: replacing({ control: { readRuns } }, from.store) };
    const { signal } = new AbortController();
    const moving = moveBetween(flaky, to, { clock: time.clock(), signal, say: () => {}, force: false });
    for (const seconds of [1, 145]) time.after(seconds * 1000, () => void replicate());
    expect(await time.until(moving)).toBe('moved');
    expect(asked).toBe(2);
  });

  it('says how it goes on where DynamoDB does not answer any more', async () => {
    const { time, from, to, replicate } = bench();
    const readRuns = () => Promise.reject(new StoreUnavailableError('no answer'));
    const mute = { ...from, store: replacing({ control: { readRuns } }, from.store) };
    const said: string[] = [];
    const { signal } = new AbortController();
    const deps = { clock: time.clock(), signal, say: (line: string) => void said.push(line), force: false };
    const moving = moveBetween(mute, to, deps);
    time.after(1_000, () => void replicate());
    await expect(time.until(moving)).rejects.toThrow('no answer');
    expect(said.at(-1)).toMatch(/eu-west-1 begins by itself at .*Z, or with the same command/);
  });

  it('waits for a run whose lease has just run out by this clock: clocks differ', async () => {
    const { time, from, replicate, move } = bench();
    const until = START + 200_000;
    await from.store.leases.hold('orders', { holder: 'h', until, ids: ['a'], rev: 'r' });
    const moving = move();
    for (const seconds of [1, 140, 199, 203, 207, 211]) time.after(seconds * 1000, () => void replicate());
    expect(await time.until(moving)).toBe('moved');
    expect(time.now).toBeGreaterThanOrEqual(until + CLOCK_SKEW_MS);
  });

  it('is over when it is repeated after the other region has begun by itself', async () => {
    const { time, from, to, replicate } = bench();
    const { clock } = { clock: time.clock() };
    const stopped = new AbortController();
    const deps = { clock, signal: stopped.signal, say: () => {}, force: false };
    time.after(10_000, () => stopped.abort());
    expect(await time.until(moveBetween(from, to, deps))).toBe('interrupted');
    await replicate();
    await time.runUntil(START + 31 * MINUTE_MS);
    const said = await to.store.activeRegion.read();
    const again = { ...deps, signal: new AbortController().signal };
    expect(await time.until(moveBetween(from, to, again))).toBe('moved');
    expect(await from.store.activeRegion.read()).toEqual(said);
    expect(await to.store.activeRegion.read()).toEqual(said);
    expect(time.now - START).toBe(31 * MINUTE_MS);
  });

  it('is taken back at once where the other region has not begun', async () => {
    const { time, from, to, replicate } = bench();
    const clock = time.clock();
    const stopped = new AbortController();
    const deps = { clock, say: () => {}, force: false };
    time.after(10_000, () => stopped.abort());
    expect(await time.until(moveBetween(from, to, { ...deps, signal: stopped.signal }))).toBe('interrupted');
    await replicate();
    const { signal } = new AbortController();
    expect(await time.until(moveBetween(to, from, { ...deps, signal }))).toBe('moved');
    for (const { store } of [from, to])
      expect(await store.activeRegion.read()).toMatchObject({
        region: from.name,
        from: time.now,
        before: to.name,
      });
    expect(time.now - START).toBeLessThan(MINUTE_MS);
  });

  it('is not taken back that easily where the other region may have begun', async () => {
    const { time, from, to, replicate } = bench();
    const clock = time.clock();
    const stopped = new AbortController();
    const deps = { clock, say: () => {}, force: false };
    time.after(10_000, () => stopped.abort());
    await time.until(moveBetween(from, to, { ...deps, signal: stopped.signal }));
    await replicate();
    await time.runUntil(START + 30 * MINUTE_MS - 3_000);
    const { signal } = new AbortController();
    const back = moveBetween(to, from, { ...deps, signal });
    const replicateBack = async () => {
      const item = await to.store.activeRegion.read();
      if (item) await from.store.activeRegion.write(item, undefined);
    };
    for (const seconds of [1, 140]) time.after(seconds * 1000, () => void replicateBack());
    expect(await time.until(back)).toBe('moved');
    expect(time.now - START).toBeGreaterThan(31 * MINUTE_MS);
  });

  it('is not given back once the other region has begun by itself meanwhile', async () => {
    const { time, from, to, replicate } = bench();
    const stopped = new AbortController();
    const deps = { clock: time.clock(), say: () => {}, force: false };
    time.after(10_000, () => stopped.abort());
    expect(await time.until(moveBetween(from, to, { ...deps, signal: stopped.signal }))).toBe('interrupted');
    const queues = new Map([['orders', { owner: 'o', retryMode: 'perRecord', at: '' } as const]]);
    await from.store.registry.write({ rev: 'r', queues }, '');
    const dueAt = new Date(time.now).toISOString();
    to.store.put({ id: 'a', status: 'NEW', queue: 'orders', lane: 'orders', dueAt, rev: 'r', payload: 1 });
    await time.runUntil(START + 27 * MINUTE_MS);
    const again = moveBetween(from, to, { ...deps, signal: new AbortController().signal });
    for (const seconds of [5, 15]) time.after(seconds * 1000, () => void replicate());
    expect(await time.until(again)).toBe('moved');
    for (const { store } of [from, to])
      expect(await store.activeRegion.read()).toMatchObject({ region: to.name });
  });

  it.each([
    ['its last write', 'eu-central-1', 2, true],
    ['the beginning', 'eu-west-1', 1, true],
    ['what gives it back', 'eu-west-1', 1, false],
    ['what gives it back in the first region', 'eu-central-1', 2, false],
  ])(
    'ends where another command has changed the active region before %s',
    async (_, name, number, arrives) => {
      const { time, from, to, replicate } = bench();
      let count = 0;
      const refusing = (region: typeof from) => {
        if (region.name !== name) return region;
        const write: typeof region.store.activeRegion.write = async (item, before) =>
          ++count !== number && region.store.activeRegion.write(item, before);
        return { ...region, store: replacing({ activeRegion: { write } }, region.store) };
      };
      const { signal } = new AbortController();
      const deps = { clock: time.clock(), signal, say: () => {}, force: false };
      const moving = moveBetween(refusing(from), refusing(to), deps);
      if (arrives) for (const seconds of [1, 140]) time.after(seconds * 1000, () => void replicate());
      expect(await time.until(moving)).toBe('changed');
    },
  );

  it('does not wait for a time that lies ahead', async () => {
    const { time, from, to, replicate } = bench();
    const clock = time.clock();
    const ahead = START + 1_000_000 * MINUTE_MS;
    const item = { region: to.name, from: ahead, at: ahead, before: from.name };
    await from.store.activeRegion.write(item, undefined);
    await replicate();
    const { signal } = new AbortController();
    const moving = moveBetween(from, to, { clock, signal, say: () => {}, force: false });
    time.after(140_000, () => void replicate());
    expect(await time.until(moving)).toBe('moved');
    expect(time.now - START).toBeLessThan(3 * MINUTE_MS);
  });
});

describe('what a region would attempt', () => {
  it('is compared with what the other one has: by the fence, the status and the due time', async () => {
    const { from, to, time } = bench();
    const queues = new Map([
      ['orders', { owner: 'o', retryMode: 'perRecord', shards: 2, fairness: true, at: '' } as const],
    ]);
    await from.store.registry.write({ rev: 'r', queues }, '');
    const dueAt = new Date(time.now).toISOString();
    const item = { status: 'NEW', queue: 'orders', lane: 'orders', dueAt, rev: 'r', payload: 1 };
    for (const { store } of [from, to]) store.put({ ...item, id: 'same' });
    to.store.put({ ...item, id: 'other rev' });
    from.store.put({ ...item, id: 'other rev', rev: 's' });
    to.store.put({ ...item, id: 'done', lane: 'orders#1' });
    from.store.put({ ...item, id: 'done', status: 'SUCCESS', lane: undefined, dueAt: undefined });
    to.store.put({ ...item, id: 'gone' });
    to.store.put({ ...item, id: 'busy', lane: 'orders#31' });
    to.store.put({ ...item, id: 'later', dueAt: new Date(time.now + 1).toISOString() });
    from.store.put({ ...item, id: 'only there' });
    const { compared, differing } = await compareReplicas(from.store, to.store, time.now);
    expect(compared).toBe(5);
    expect([...differing].sort()).toEqual(['busy', 'done', 'gone', 'other rev']);
  });
});
