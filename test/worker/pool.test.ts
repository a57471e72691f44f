import { describe, expect, it } from 'vitest';
import type { BacklogRecord } from '../../src/record/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { Pool, type Share } from '../../src/worker/guards/pool.js';

const RECORD = {} as BacklogRecord;
const TURN = { attemptsLeft: 1, mayBegin: () => true, isInTime: () => true };

function poolOf(size: number) {
  const time = new VirtualTime(0);
  const pool = new Pool({ size, slots: undefined, clock: time.clock() });
  return {
    time,
    pool,
    /** Takes as many attempts as the lane can have, at most so many. */
    takeAll: (share: Share, most = 100) => {
      let taken = 0;
      while (taken < most && pool.tryTake(share)) taken++;
      return taken;
    },
    /** Waits for an attempt, and notes the name once it is there. */
    enter: (share: Share, name: string, order: string[]) =>
      void share.enter(RECORD, TURN).then(() => order.push(name)),
  };
}

describe('the attempts at once of a run', () => {
  it.each([
    // size, own lanes, busy lanes, share of one of its own, of a busy one, most of its own, most of a busy one
    [10, 1, 0, 10, 0, 10, 0],
    [10, 1, 1, 9, 5, 9, 9],
    [10, 1, 4, 9, 2, 9, 6],
    [10, 1, 24, 9, 1, 9, 1],
    [10, 4, 2, 2, 1, 6, 5],
    [2, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1, 1, 1],
  ])(
    '%i of them: a queue with %i lanes and %i busy keys counts on %i and %i, and lends up to %i and %i',
    (size, own, keys, share, shareOfBusy, most, mostOfBusy) => {
      const { pool } = poolOf(size);
      const [lane] = Array.from({ length: own }, () => pool.join());
      const [busy] = Array.from({ length: keys }, () => pool.join(true));
      expect([lane?.fair, lane?.most]).toEqual([share, most]);
      if (keys > 0) expect([busy?.fair, busy?.most]).toEqual([shareOfBusy, mostOfBusy]);
    },
  );

  it('are never more than its size, whatever lanes take them', () => {
    const { pool, takeAll } = poolOf(7);
    const lanes = [pool.join(), pool.join(), pool.join(true), pool.join(true), pool.join(true)];
    let all = 0;
    for (let i = 0; i < 4; i++) for (const lane of lanes) all += takeAll(lane, 1 + i);
    expect(all).toBe(7);
  });

  it('are all but one lent to the queue’s lane, or to a busy key, while the other has none', () => {
    const first = poolOf(10);
    const own = first.pool.join();
    const key = first.pool.join(true);
    expect(first.takeAll(own)).toBe(9);
    expect(first.takeAll(key)).toBe(1);
    const second = poolOf(10);
    const lane = second.pool.join();
    expect(second.takeAll(second.pool.join(true))).toBe(9);
    expect(second.takeAll(lane)).toBe(1);
  });

  it('are left to busy keys, one for all of them, and to each lane of the queue that has none', () => {
    const { pool, takeAll } = poolOf(10);
    const [one, , ,] = [pool.join(), pool.join(), pool.join()];
    for (let i = 0; i < 5; i++) pool.join(true);
    // One to each of the two other lanes, and one to the five keys.
    expect(takeAll(one)).toBe(7);
  });

  it('are left to each lane of the queue that has none also where busy keys have theirs', () => {
    const { pool, takeAll } = poolOf(10);
    const [one, other, last] = [pool.join(), pool.join(), pool.join()];
    expect(takeAll(pool.join(true), 1)).toBe(1);
    expect(takeAll(one)).toBe(7);
    expect(takeAll(other, 1)).toBe(1);
    expect(takeAll(last)).toBe(1);
  });

  it('are one for the queue’s lanes, where there are fewer than lanes, and busy keys have theirs', () => {
    const { pool, takeAll } = poolOf(2);
    const [one] = [pool.join(), pool.join()];
    expect(takeAll(pool.join(true))).toBe(1);
    expect(takeAll(one)).toBe(1);
  });

  it('are all those of the queue when the last busy key has left', () => {
    const { pool, takeAll } = poolOf(4);
    const own = pool.join();
    const key = pool.join(true);
    expect([own.fair, own.most]).toEqual([3, 3]);
    key.leave();
    expect([own.fair, own.most]).toEqual([4, 4]);
    expect(takeAll(own)).toBe(4);
  });

  it('are all those of a busy key when no other lane is left', () => {
    const { pool, takeAll } = poolOf(4);
    const own = pool.join();
    const key = pool.join(true);
    own.leave();
    expect(takeAll(key)).toBe(4);
    expect([key.fair, key.most]).toEqual([4, 4]);
  });

  it('go to the queue’s lanes first when one ends, and to busy keys in the order in which they came', async () => {
    const { time, pool, takeAll, enter } = poolOf(2);
    const own = pool.join();
    const keys = ['a', 'b', 'c'].map(() => pool.join(true));
    takeAll(own, 1);
    const [first] = keys;
    takeAll(first as Share, 1);
    const order: string[] = [];
    for (const [i, key] of keys.entries()) {
      if (i > 0) enter(key, 'abc'[i] as string, order);
      // They look at their time once a second, each at another moment: that must not change their order.
      await time.runUntil(time.now + 300);
    }
    enter(own, 'own', order);
    await time.runUntil(10_450);
    pool.giveBack(own);
    await time.runUntil(10_460);
    expect(order).toEqual(['own']);
    pool.giveBack(first as Share);
    await time.runUntil(10_470);
    expect(order).toEqual(['own', 'b']);
    pool.giveBack(keys[1] as Share);
    await time.runUntil(10_480);
    expect(order).toEqual(['own', 'b', 'c']);
  });

  it('are every other one a busy key’s, where there is one at a time and several lanes wait', async () => {
    const { time, pool, takeAll, enter } = poolOf(1);
    const lanes = [pool.join(), pool.join()] as const;
    const key = pool.join(true);
    takeAll(lanes[0], 1);
    const order: string[] = [];
    for (let i = 0; i < 2; i++) enter(lanes[1], 'own', order);
    for (let i = 0; i < 2; i++) enter(key, 'key', order);
    const ends = [lanes[0], key, lanes[1], key];
    for (const share of ends) {
      await time.runUntil(time.now + 1500);
      pool.giveBack(share);
    }
    await time.runUntil(time.now + 10);
    expect(order).toEqual(['key', 'own', 'key', 'own']);
  });

  it('have pages of busy keys that last longer: many of them share the attempts', () => {
    const { pool } = poolOf(10);
    expect([pool.join().pageSeconds, pool.join(true).pageSeconds]).toEqual([undefined, 20]);
  });
});
