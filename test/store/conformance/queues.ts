import { describe, expect, it } from 'vitest';
import { MAX_OPEN_BREAKERS } from '../../../src/store/buckets.js';
import type { SlotsAsk } from '../../../src/store/index.js';
import { NOW } from '../records.js';
import type { UnderTest } from './under-test.js';

const RETRY = { mode: 'perRecord', since: NOW } as const;
const PROGRESSIVE = { mode: 'progressive', since: NOW + 1 } as const;

export function keepingQueues(underTest: UnderTest): void {
  it('does not know a new queue', async () => {
    const empty = { paused: false, retryMode: undefined, tiers: new Map(), breakers: new Map() };
    expect(await underTest().store.queues.read('queue-new')).toEqual(empty);
  });

  it('notes the retry mode only if it is as it was read', async () => {
    const { store } = underTest();
    expect(await store.queues.setRetryMode('queue-1', RETRY, undefined)).toBe(true);
    expect(await store.queues.setRetryMode('queue-1', PROGRESSIVE, undefined)).toBe(false);
    expect(await store.queues.setRetryMode('queue-1', PROGRESSIVE, { ...RETRY, since: NOW - 1 })).toBe(false);
    expect((await store.queues.read('queue-1')).retryMode).toEqual(RETRY);
    expect(await store.queues.setRetryMode('queue-1', PROGRESSIVE, RETRY)).toBe(true);
    expect((await store.pages.read([], 'queue-1')).queue.retryMode).toEqual(PROGRESSIVE);
  });

  it('takes a note of the retry mode that is repeated because its answer was lost', async () => {
    const { store } = underTest();
    await store.queues.setRetryMode('queue-2', RETRY, undefined);
    await store.queues.setRetryMode('queue-2', PROGRESSIVE, RETRY);
    expect(await store.queues.setRetryMode('queue-2', PROGRESSIVE, RETRY)).toBe(true);
  });

  it('notes the runs of tiers, each by itself', async () => {
    const { store } = underTest();
    await store.queues.setRetryMode('queue-3', PROGRESSIVE, undefined);
    await store.queues.recordTierRun('queue-3', '2', { at: NOW, complete: true });
    await store.queues.recordTierRun('queue-3', '3', { at: NOW + 1, complete: false });
    await store.queues.recordTierRun('queue-3', '2', { at: NOW + 2, complete: false });
    expect(await store.queues.read('queue-3')).toEqual({
      paused: false,
      retryMode: PROGRESSIVE,
      tiers: new Map([
        ['2', { at: NOW + 2, complete: false }],
        ['3', { at: NOW + 1, complete: false }],
      ]),
      breakers: new Map(),
    });
  });

  it('notes what fails only if it is as it was read or noted already, and nothing again', async () => {
    const { store } = underTest();
    const read = async () => (await store.pages.read([], 'queue-fails')).queue.failing;
    expect(await store.queues.noteFailing('queue-fails', '[0,[]]', 'another')).toBe(false);
    expect(await store.queues.noteFailing('queue-fails', '[0,[]]', undefined)).toBe(true);
    expect(await read()).toBe('[0,[]]');
    expect(await store.queues.noteFailing('queue-fails', '[1,[]]', undefined)).toBe(false);
    expect(await store.queues.noteFailing('queue-fails', '[1,[]]', '[0,[]]')).toBe(true);
    expect(await read()).toBe('[1,[]]');
    expect(await store.queues.noteFailing('queue-fails', '[1,[]]', '[0,[]]')).toBe(true);
    expect(await store.queues.noteFailing('queue-fails', undefined, '[1,[]]')).toBe(true);
    expect(await store.queues.noteFailing('queue-fails', undefined, '[1,[]]')).toBe(true);
    expect((await store.queues.read('queue-fails')).failing).toBeUndefined();
  });

  it('notes busy keys only if they are as they were read or noted already, beside what fails', async () => {
    const { store } = underTest();
    const read = async () => (await store.pages.read([], 'queue-keys')).queue;
    expect(await store.queues.noteBusyKeys('queue-keys', 'v:a:1', 'u:b:1')).toBe(false);
    expect(await store.queues.noteBusyKeys('queue-keys', 'v:a:1', undefined)).toBe(true);
    expect(await store.queues.noteFailing('queue-keys', '[0,[]]', undefined)).toBe(true);
    expect(await read()).toMatchObject({ busyKeys: 'v:a:1', failing: '[0,[]]' });
    expect(await store.queues.noteBusyKeys('queue-keys', 'v:a:2', undefined)).toBe(false);
    expect(await store.queues.noteBusyKeys('queue-keys', 'v:a:2', 'v:a:1')).toBe(true);
    expect(await store.queues.noteBusyKeys('queue-keys', 'v:a:2', 'v:a:1')).toBe(true);
    expect(await store.queues.noteBusyKeys('queue-keys', undefined, 'v:a:2')).toBe(true);
    const state = await read();
    expect(state.busyKeys).toBeUndefined();
    expect(state).toMatchObject({ failing: '[0,[]]' });
  });

  it('notes the paused keys if they are as they were read', async () => {
    const { store } = underTest();
    const note = (next: string | undefined, read: string | undefined) =>
      store.queues.notePausedKeys('queue-paused-keys', next, read);
    expect(await note('[1]', '[0]')).toBe(false);
    expect(await note('[1]', undefined)).toBe(true);
    expect((await store.queues.read('queue-paused-keys')).pausedKeys).toBe('[1]');
    expect((await store.queues.readAll()).get('queue-paused-keys')?.pausedKeys).toBe('[1]');
    expect(await note('[2]', undefined)).toBe(false);
    expect(await note('[2]', '[1]')).toBe(true);
    expect(await note('[2]', '[1]')).toBe(true);
    expect(await note(undefined, '[2]')).toBe(true);
    expect((await store.queues.read('queue-paused-keys')).pausedKeys).toBeUndefined();
  });

  it('loses no tier when the first runs of several end at once', async () => {
    const { store } = underTest();
    const tiers = ['1', '2', '3', '4', '5', '3/1'];
    await Promise.all(
      tiers.map((tier) => store.queues.recordTierRun('queue-4', tier, { at: NOW, complete: true })),
    );
    expect([...(await store.queues.read('queue-4')).tiers.keys()].sort()).toEqual(tiers.sort());
  });

  describe('breakers', () => {
    const open = (token: string, until = NOW + 60_000) => ({ until, since: NOW, token });

    it('are noted by destination, by a run that has read them as they are', async () => {
      const { store } = underTest();
      expect(await store.breakers.set('queue-5', '*', open('a'), undefined)).toBe(true);
      expect(await store.breakers.set('queue-5', 'https://shop.example/x?y#z', open('b'), undefined)).toBe(
        true,
      );
      expect(await store.breakers.set('queue-5', '*', open('c'), undefined)).toBe(false);
      expect(await store.breakers.set('queue-5', '*', open('d'), open('c'))).toBe(false);
      expect(await store.breakers.set('queue-5', '*', open('e', NOW + 7), open('a'))).toBe(true);
      expect((await store.queues.read('queue-5')).breakers).toEqual(
        new Map([
          ['*', open('e', NOW + 7)],
          ['https://shop.example/x?y#z', open('b')],
        ]),
      );
    });

    it('are closed by a run that has read them as they are', async () => {
      const { store } = underTest();
      await store.breakers.set('queue-6', '*', open('a'), undefined);
      expect(await store.breakers.set('queue-6', '*', undefined, open('b'))).toBe(false);
      expect(await store.breakers.set('queue-6', '*', undefined, open('a'))).toBe(true);
      expect((await store.queues.read('queue-6')).breakers).toEqual(new Map());
    });

    it('are as they were written when the answer was lost and the write is repeated', async () => {
      const { store } = underTest();
      for (const _ of [1, 2])
        expect(await store.breakers.set('queue-7', '*', open('a'), undefined)).toBe(true);
      for (const _ of [1, 2])
        expect(await store.breakers.set('queue-7', '*', open('b'), open('a'))).toBe(true);
      for (const _ of [1, 2])
        expect(await store.breakers.set('queue-7', '*', undefined, open('b'))).toBe(true);
    });

    it('keep destinations of any name apart', async () => {
      const { store } = underTest();
      const names = ['__proto__', 'constructor', '%', '%__proto__', 'a.b#c[0]', 'ü', 'x'.repeat(100), ' '];
      for (const name of names) {
        expect(await store.breakers.set('queue-5b', name, open(`of ${name}`), undefined)).toBe(true);
      }
      const { breakers } = await store.queues.read('queue-5b');
      expect(new Map(breakers)).toEqual(new Map(names.map((name) => [name, open(`of ${name}`)])));
      for (const [name, state] of breakers) {
        expect(await store.breakers.set('queue-5b', name, undefined, state)).toBe(true);
      }
      expect((await store.queues.read('queue-5b')).breakers.size).toBe(0);
    });

    it('do not open where the queue has no room for more, until one of them closes', async () => {
      const { store } = underTest();
      const names = Array.from({ length: MAX_OPEN_BREAKERS }, (_, i) => `d${i}`);
      for (const name of names) {
        expect(await store.breakers.set('queue-5c', name, open(name), undefined)).toBe(true);
      }
      expect(await store.breakers.set('queue-5c', 'x', open('x'), undefined)).toBe(false);
      expect([...(await store.queues.read('queue-5c')).breakers.keys()].sort()).toEqual(names.sort());
      expect(await store.breakers.set('queue-5c', 'd0', open('y', NOW + 9), open('d0'))).toBe(true);
      expect(await store.breakers.set('queue-5c', 'd0', undefined, open('y', NOW + 9))).toBe(true);
      expect(await store.breakers.set('queue-5c', 'x', open('x'), undefined)).toBe(true);
      expect((await store.queues.read('queue-5c')).breakers.get('x')).toEqual(open('x'));
    });

    it('leave what else is known of the queue as it is', async () => {
      const { store } = underTest();
      await store.queues.setRetryMode('queue-8', PROGRESSIVE, undefined);
      await store.queues.recordTierRun('queue-8', '3', { at: NOW, complete: true });
      await store.breakers.set('queue-8', '*', open('a'), undefined);
      expect(await store.queues.read('queue-8')).toMatchObject({ retryMode: PROGRESSIVE });
      expect((await store.queues.read('queue-8')).tiers.size).toBe(1);
    });
  });

  describe('permits', () => {
    const permits = (count: number, now = NOW, latest?: number) => ({ count, intervalMs: 50, now, latest });

    it('come at once where no run has any, and behind those of the others', async () => {
      const { store } = underTest();
      expect(await store.permits.acquire('queue-9', permits(10))).toBe(NOW);
      expect(await store.permits.acquire('queue-9', permits(2))).toBe(NOW + 500);
      expect(await store.permits.acquire('queue-9', permits(1, NOW + 400))).toBe(NOW + 600);
      expect(await store.permits.acquire('queue-9', permits(1, NOW + 9_000))).toBe(NOW + 9_000);
    });

    it('are not acquired where the first comes too late', async () => {
      const { store } = underTest();
      await store.permits.acquire('queue-10', permits(100));
      expect(await store.permits.acquire('queue-10', permits(1, NOW, NOW + 4_999))).toBeUndefined();
      expect(await store.permits.acquire('queue-10', permits(1, NOW, NOW + 5_000))).toBe(NOW + 5_000);
      expect(await store.permits.acquire('queue-13', permits(1, NOW, NOW - 1))).toBeUndefined();
      expect(await store.permits.acquire('queue-13', permits(1, NOW, NOW))).toBe(NOW);
    });

    it('are given to one each of many runs that ask at once', async () => {
      const { store } = underTest();
      const eight = Array.from({ length: 8 }, () => store.permits.acquire('queue-11', permits(4)));
      const firsts = (await Promise.all(eight)).map(Number).sort((a, b) => a - b);
      expect(firsts).toEqual(Array.from({ length: 8 }, (_, i) => NOW + i * 200));
    });

    it('of each key come behind those of the same key alone', async () => {
      const { store } = underTest();
      const ofKey = (key: string | undefined, latest = NOW + 9_000) => ({ ...permits(2, NOW, latest), key });
      expect(await store.permits.acquire('queue-14', ofKey('1z'))).toBe(NOW);
      expect(await store.permits.acquire('queue-14', ofKey('1z'))).toBe(NOW + 100);
      expect(await store.permits.acquire('queue-14', ofKey('zz'))).toBe(NOW);
      expect(await store.permits.acquire('queue-14', ofKey(undefined))).toBe(NOW);
      expect(await store.permits.acquire('queue-15', ofKey('1z'))).toBe(NOW);
      expect(await store.permits.acquire('queue-14', ofKey('1z', NOW + 100))).toBeUndefined();
      expect(await store.permits.acquire('queue-14', ofKey('1z'))).toBe(NOW + 200);
    });

    it('may be parts of a millisecond long', async () => {
      const { store } = underTest();
      const third = { count: 1, intervalMs: 1000 / 3, now: NOW };
      await store.permits.acquire('queue-12', third);
      expect(await store.permits.acquire('queue-12', third)).toBeCloseTo(NOW + 1000 / 3, 2);
    });
  });

  describe('slots', () => {
    const ask = (run: string, wanted: number, more: Partial<SlotsAsk> = {}): SlotsAsk => ({
      run,
      wanted,
      most: 10,
      onArrival: false,
      now: NOW,
      until: NOW + 300_000,
      ...more,
    });

    const held = (count: number, onArrival = false) => ({ count, onArrival });

    it('are added to those that a run has, once, as far as there are any', async () => {
      const { store } = underTest();
      const queue = 'queue-more-slots';
      await store.slots.take(queue, ask('a', 3, { onArrival: true }));
      await store.slots.take(queue, ask('b', 4));
      // Its answer was lost: it has more than it knows.
      expect(await store.slots.take(queue, ask('b', 4, { has: 3 }))).toBe(4);
      // Runs on arrival have half of all slots.
      expect(await store.slots.take(queue, ask('a', 7, { onArrival: true, has: 3 }))).toBe(5);
      expect(await store.slots.take(queue, ask('a', 7, { onArrival: true, has: 5 }))).toBe(5);
      await store.slots.release(queue, 'a', held(5, true));
      expect(await store.slots.take(queue, ask('e', 3, { onArrival: true }))).toBe(3);
      await store.slots.release(queue, 'e', held(3, true));
      for (const _ of [1, 2]) expect(await store.slots.take(queue, ask('b', 9, { has: 4 }))).toBe(9);
      expect(await store.slots.take(queue, ask('c', 9))).toBe(1);
      await store.slots.release(queue, 'b', held(9));
      // The run has none by now.
      expect(await store.slots.take(queue, ask('b', 10, { has: 9 }))).toBe(0);
      expect(await store.slots.take(queue, ask('d', 10))).toBe(9);
    });

    it('that are added last no longer, and no shorter, than those that a run has', async () => {
      const { store } = underTest();
      const queue = 'queue-more-time';
      await store.slots.take(queue, ask('a', 4));
      await store.slots.take(queue, ask('a', 8, { has: 4, until: NOW + 10 }));
      expect(await store.slots.take(queue, ask('b', 9, { now: NOW + 300_000 }))).toBe(2);
      await store.slots.take(queue, ask('a', 9, { has: 8, until: NOW + 900_000 }));
      expect(await store.slots.take(queue, ask('c', 10, { now: NOW + 300_001 }))).toBe(10);
    });

    it('are given as far as there are any', async () => {
      const { store } = underTest();
      expect(await store.slots.take('queue-13', ask('a', 6))).toBe(6);
      expect(await store.slots.take('queue-13', ask('b', 6))).toBe(4);
      expect(await store.slots.take('queue-13', ask('c', 6))).toBe(0);
      await store.slots.release('queue-13', 'a', held(6));
      expect(await store.slots.take('queue-13', ask('c', 6))).toBe(6);
      await store.slots.release('queue-13', 'unknown', held(6));
    });

    it('are the same when the answer was lost and the run asks again', async () => {
      const { store } = underTest();
      for (const _ of [1, 2]) expect(await store.slots.take('queue-14', ask('a', 6))).toBe(6);
      expect(await store.slots.take('queue-14', ask('b', 6))).toBe(4);
      for (const _ of [1, 2]) await store.slots.release('queue-14', 'a', held(6));
      expect(await store.slots.take('queue-14', ask('c', 10))).toBe(6);
    });

    it('of a run that has none are given back without harm', async () => {
      const { store } = underTest();
      await store.slots.release('queue-never-limited', 'a', held(6));
      expect(await store.slots.take('queue-never-limited', ask('b', 10))).toBe(10);
    });

    it('of a run that was lost are free when it would have ended', async () => {
      const { store } = underTest();
      await store.slots.take('queue-15', ask('lost', 10));
      expect(await store.slots.take('queue-15', ask('a', 1, { now: NOW + 300_000 }))).toBe(0);
      expect(await store.slots.take('queue-15', ask('a', 10, { now: NOW + 300_001 }))).toBe(10);
    });

    it('of a run whose death is reported are free at once, also those that it has renewed, and no others', async () => {
      const { store } = underTest();
      const [one, two] = ['queue-lost-1', 'queue-lost-2'];
      await store.slots.take(one, ask('lost.a', 4, { onArrival: true }));
      await store.slots.take(one, ask('alive.a', 3));
      await store.slots.take(two, ask('lost.b', 10));
      await store.slots.renew(two, 'lost.b', NOW + 400_000);
      const lost = { holderPrefix: 'lost.', until: NOW };
      expect(await store.slots.end([one, two, 'queue-never-limited'], lost)).toBe(2);
      expect(await store.slots.end([one, two], lost)).toBe(0);
      expect(await store.slots.renew(one, 'lost.a', NOW + 400_000)).toBe(false);
      expect(await store.slots.take(one, ask('next', 5, { onArrival: true }))).toBe(5);
      expect(await store.slots.take(one, ask('more', 5))).toBe(2);
      expect(await store.slots.take(two, ask('next', 10))).toBe(10);
    });

    it('are left to the rules by half', async () => {
      const { store } = underTest();
      const onArrival = { onArrival: true };
      expect(await store.slots.take('queue-16', ask('a', 4, onArrival))).toBe(4);
      expect(await store.slots.take('queue-16', ask('b', 4, onArrival))).toBe(1);
      expect(await store.slots.take('queue-16', ask('c', 4, onArrival))).toBe(0);
      expect(await store.slots.take('queue-16', ask('d', 10))).toBe(5);
      expect(await store.slots.take('queue-17', ask('a', 4, { ...onArrival, most: 1 }))).toBe(0);
    });

    it('are kept by a run that renews them, until it gives them back', async () => {
      const { store } = underTest();
      await store.slots.take('queue-19', ask('a', 10, { until: NOW + 10 }));
      expect(await store.slots.renew('queue-19', 'a', NOW + 500)).toBe(true);
      expect(await store.slots.take('queue-19', ask('b', 1, { now: NOW + 500 }))).toBe(0);
      await store.slots.release('queue-19', 'a', held(10));
      expect(await store.slots.renew('queue-19', 'a', NOW + 900)).toBe(false);
      expect(await store.slots.take('queue-19', ask('b', 10, { now: NOW + 501 }))).toBe(10);
    });

    it('of a run that lost them cannot be renewed', async () => {
      const { store } = underTest();
      expect(await store.slots.renew('queue-20', 'a', NOW + 500)).toBe(false);
      await store.slots.take('queue-20', ask('a', 6, { until: NOW + 10 }));
      expect(await store.slots.take('queue-20', ask('b', 10, { now: NOW + 11 }))).toBe(10);
      expect(await store.slots.renew('queue-20', 'a', NOW + 500)).toBe(false);
      // What it gives back late is not taken from others.
      await store.slots.release('queue-20', 'a', held(6));
      expect(await store.slots.take('queue-20', ask('c', 10, { now: NOW + 11 }))).toBe(0);
    });

    it('given back in another number than they were granted stay taken', async () => {
      const { store } = underTest();
      expect(await store.slots.take('queue-other-number', ask('a', 8))).toBe(8);
      expect(await store.slots.take('queue-other-number', ask('b', 8))).toBe(2);
      await store.slots.release('queue-other-number', 'b', held(8));
      expect(await store.slots.take('queue-other-number', ask('c', 8))).toBe(0);
      await store.slots.release('queue-other-number', 'b', held(2));
      expect(await store.slots.take('queue-other-number', ask('c', 8))).toBe(2);
    });

    it('are not shortened by a renewal, or an ask, that arrives late', async () => {
      const { store } = underTest();
      await store.slots.take('queue-20b', ask('a', 6, { until: NOW + 10 }));
      expect(await store.slots.renew('queue-20b', 'a', NOW + 70)).toBe(true);
      expect(await store.slots.renew('queue-20b', 'a', NOW + 40)).toBe(true);
      expect(await store.slots.take('queue-20b', ask('a', 6, { until: NOW + 10 }))).toBe(6);
      expect(await store.slots.take('queue-20b', ask('b', 10, { now: NOW + 60 }))).toBe(4);
    });

    it('are counted right after many have come and gone, on arrival and not', async () => {
      const { store } = underTest();
      for (let round = 0; round < 3; round++) {
        const runs = ['a', 'b', 'c'].map((name) => `${name}${round}`);
        for (const [i, run] of runs.entries()) {
          const onArrival = i === 0;
          const granted = await store.slots.take('queue-21', ask(run, 3, { onArrival }));
          expect(granted).toBe(3);
        }
        for (const [i, run] of runs.entries()) await store.slots.release('queue-21', run, held(3, i === 0));
      }
      expect(await store.slots.take('queue-21', ask('x', 10, { onArrival: true }))).toBe(5);
      expect(await store.slots.take('queue-21', ask('y', 10))).toBe(5);
    });

    it('are never more than there are, however many ask at once', async () => {
      const { store } = underTest();
      const runs = Array.from({ length: 40 }, (_, i) => `run-${i}`);
      const granted = await Promise.all(runs.map((run) => store.slots.take('queue-18', ask(run, 4))));
      expect(granted.filter((count) => count === 4)).toHaveLength(2);
      expect(granted.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(10);
      // One that came when all were in each other's way finds what is left.
      const left = await store.slots.take('queue-18', ask('last', 4));
      expect(granted.reduce((sum, count) => sum + count) + left).toBe(10);
    });
  });
}
