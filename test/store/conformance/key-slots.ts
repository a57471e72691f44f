import { expect, it } from 'vitest';
import type { KeySlotsAsk } from '../../../src/store/index.js';
import { ask, KEYS, MOST, RacingRuns } from '../racing-runs.js';
import { NOW } from '../records.js';
import type { UnderTest } from './under-test.js';

/** Seeds of the races: four on DynamoDB Local, which answers as quickly as it likes. */
const RACES = Array.from({ length: Number(process.env.KEY_SLOT_RACES ?? 1) }, (_, i) => i + 1);

export function keepingKeySlots(underTest: UnderTest): void {
  const taken = async (queue: string, asked: KeySlotsAsk) => {
    const slots = await underTest().store.keySlots.take(queue, asked);
    return slots && Object.fromEntries(slots);
  };
  /** The slots of a key that are left, by a request that takes them and gives them back. */
  const leftOf = async (queue: string, key: string, now = NOW) => {
    const { [key]: left = 0 } = (await taken(queue, ask('probe', { [key]: MOST }, { now }))) ?? {};
    await underTest().store.keySlots.release(queue, 'probe');
    return left;
  };

  it('are given as far as there are any, of each key', async () => {
    const queue = 'keys-given';
    expect(await taken(queue, ask('a', { x: 3, y: 1 }))).toEqual({ x: 3, y: 1 });
    expect(await taken(queue, ask('b', { x: 3, y: 2, z: 4 }))).toEqual({ x: 1, y: 2, z: 4 });
    expect(await taken(queue, ask('c', { x: 1, y: 4, z: 1 }))).toEqual({ y: 1 });
    expect(await taken(queue, ask('d', { x: 1, z: 1 }))).toEqual({});
  });

  it('are never more than the limit, however many a run wants', async () => {
    expect(await taken('keys-most', ask('a', { x: 9, y: 0, z: -1 }))).toEqual({ x: MOST });
  });

  it('of one queue are not those of another one', async () => {
    await taken('keys-one', ask('a', { x: MOST }));
    expect(await taken('keys-two', ask('a', { x: MOST }))).toEqual({ x: MOST });
  });

  it('are replaced: a run keeps those that it still wants, and leaves the others', async () => {
    const queue = 'keys-replaced';
    await taken(queue, ask('a', { x: 2, y: 2 }));
    await taken(queue, ask('b', { x: 2, y: 2 }));
    expect(await taken(queue, ask('a', { x: 4, z: 1 }))).toEqual({ x: 2, z: 1 });
    expect(await taken(queue, ask('b', { x: 1, y: 4 }))).toEqual({ x: 1, y: 4 });
    expect(await taken(queue, ask('a', { x: 4, y: 1 }))).toEqual({ x: 3 });
  });

  it('are all given back by a run that wants none', async () => {
    const queue = 'keys-none-wanted';
    await taken(queue, ask('a', { x: MOST, y: 1 }));
    expect(await taken(queue, ask('a', {}))).toEqual({});
    expect(await leftOf(queue, 'x')).toBe(MOST);
    expect(await taken('keys-never-wanted', ask('a', {}))).toEqual({});
  });

  it('are the same when the run asks again, as after an answer that was lost', async () => {
    const queue = 'keys-again';
    for (const _ of [1, 2, 3]) expect(await taken(queue, ask('a', { x: 3 }))).toEqual({ x: 3 });
    expect(await leftOf(queue, 'x')).toBe(1);
  });

  it('are given back as often as the run likes, also by one that has none', async () => {
    const queue = 'keys-released';
    const { keySlots } = underTest().store;
    await keySlots.release(queue, 'a');
    await taken(queue, ask('a', { x: 3, y: 2 }));
    await taken(queue, ask('b', { x: 1 }));
    for (const _ of [1, 2]) await keySlots.release(queue, 'a');
    await keySlots.release(queue, 'unknown');
    expect(await leftOf(queue, 'x')).toBe(3);
    expect(await leftOf(queue, 'y')).toBe(MOST);
  });

  it('of a lost run are free when they have run out, and not before', async () => {
    const queue = 'keys-run-out';
    await taken(queue, ask('lost', { x: MOST }));
    expect(await taken(queue, ask('a', { x: 1 }, { now: NOW + 60_000, until: NOW + 90_000 }))).toEqual({});
    const later = { now: NOW + 60_001, until: NOW + 90_000 };
    expect(await taken(queue, ask('a', { x: 3 }, later))).toEqual({ x: 3 });
    // Its process was frozen, and goes on.
    expect(await taken(queue, ask('lost', { x: MOST }, later))).toEqual({ x: 1 });
  });

  it('are kept by a run that asks again in time', async () => {
    const queue = 'keys-renewed';
    await taken(queue, ask('a', { x: MOST }));
    const renewed = ask('a', { x: MOST }, { now: NOW + 50_000, until: NOW + 110_000 });
    expect(await taken(queue, renewed)).toEqual({ x: MOST });
    expect(await leftOf(queue, 'x', NOW + 110_000)).toBe(0);
    expect(await leftOf(queue, 'x', NOW + 110_001)).toBe(MOST);
  });

  it('last no shorter and are no fewer by a request that arrives late', async () => {
    const queue = 'keys-late';
    await taken(queue, ask('a', { x: 3 }, { now: NOW + 30_000, until: NOW + 90_000 }));
    expect(await taken(queue, ask('a', { x: 1, y: 2 }))).toEqual({ x: 3, y: 2 });
    expect(await taken(queue, ask('a', { z: 1 }))).toEqual({ x: 3, y: 2, z: 1 });
    expect(await leftOf(queue, 'x', NOW + 90_000)).toBe(1);
    expect(await leftOf(queue, 'y', NOW + 90_000)).toBe(2);
    expect(await leftOf(queue, 'x', NOW + 90_001)).toBe(MOST);
  });

  it('are fewer for a run that asks by a lower limit', async () => {
    const queue = 'keys-lower-limit';
    await taken(queue, ask('a', { x: 3 }));
    await taken(queue, ask('b', { x: 1 }));
    expect(await taken(queue, ask('a', { x: 3 }, { most: 2 }))).toEqual({ x: 1 });
    expect(await taken(queue, ask('b', { x: 2 }, { most: 1 }))).toEqual({});
  });

  it('of a run whose death is reported are free at once, and those of no other run', async () => {
    const { keySlots } = underTest().store;
    const [one, two] = ['keys-lost-1', 'keys-lost-2'];
    await taken(one, ask('lost.a', { x: 2, y: 1 }));
    await taken(one, ask('lost.b', { y: 1 }));
    await taken(one, ask('lost', { x: 1, y: 1 }));
    await taken(two, ask('lost.a', { x: MOST }, { until: NOW + 600_000 }));
    const lost = { holderPrefix: 'lost.', until: NOW };
    expect(await keySlots.end([one, two, 'keys-lost-3'], lost)).toBe(2);
    expect(await keySlots.end([one, two], lost)).toBe(0);
    expect(await keySlots.end([], lost)).toBe(0);
    expect(await leftOf(one, 'x')).toBe(3);
    expect(await leftOf(one, 'y')).toBe(3);
    expect(await leftOf(two, 'x')).toBe(MOST);
  });

  it('that a caller changes in what it gave or got do not change in the store', async () => {
    const queue = 'keys-own';
    const wanted = new Map([['x', 3]]);
    const got = await underTest().store.keySlots.take(queue, { ...ask('a', {}), wanted });
    wanted.set('x', 1);
    (got as Map<string, number>).clear();
    expect(await leftOf(queue, 'x')).toBe(1);
  });

  it('of three hundred keys are kept', async () => {
    const queue = 'keys-many';
    const wanted = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [i.toString(36), 1 + (i % MOST)]),
    );
    expect(await taken(queue, ask('a', wanted))).toEqual(wanted);
    expect(await leftOf(queue, (298).toString(36))).toBe(MOST - 1 - (298 % MOST));
  });

  it.each(RACES)('of twelve runs at once are never more than the limit together (%i)', async (seed) => {
    const queue = `keys-race-${seed}`;
    const { keySlots } = underTest().store;
    const stores = Array.from({ length: 12 }, () => keySlots);
    const runs = new RacingRuns(queue, seed);
    await runs.race(stores, 6);
    expect(runs.answers).toBeGreaterThan(6);
    // Slots that no run knows of are free, unless one was not quick enough to give them back.
    for (const key of KEYS) expect(await leftOf(queue, key), key).toBeLessThanOrEqual(MOST - runs.sumOf(key));
    for (let i = 0; i < stores.length; i++) await keySlots.release(queue, `run-${i}`);
    for (const key of KEYS) expect(await leftOf(queue, key), key).toBe(MOST);
  });
}
