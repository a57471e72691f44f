import { describe, expect, it } from 'vitest';
import { CLAIM_BUCKETS, claimBucketOf } from '../../../src/store/buckets.js';
import { NOW } from '../records.js';
import type { UnderTest } from './under-test.js';

const claim = (
  batch: string,
  holder = 'me',
  more: {
    until?: number;
    maxRuns?: number | undefined;
    now?: number;
    ids?: string[];
    isSpread?: boolean;
  } = {},
) => ({
  batch,
  holder,
  ids: [`${batch}-1`, `${batch}-2`],
  until: NOW + 1000,
  maxRuns: 2,
  now: NOW,
  ...more,
});

export function claimingArrivals(underTest: UnderTest): void {
  it('gives a batch to one run, until that one releases it', async () => {
    const { store } = underTest();
    expect(await store.claims.take('arr-1', claim('b/0'))).toBe('claimed');
    expect(await store.claims.take('arr-1', claim('b/0', 'other'))).toBe('taken');
    await store.claims.release('arr-1', claim('b/0'));
    expect(await store.claims.take('arr-1', claim('b/0', 'other'))).toBe('claimed');
  });

  it('takes a claim that is repeated because its answer was lost', async () => {
    const { store } = underTest();
    await store.claims.take('arr-2', claim('b'));
    expect(await store.claims.take('arr-2', claim('b'))).toBe('claimed');
  });

  it('releases no claim of another run, and none that is gone', async () => {
    const { store } = underTest();
    await store.claims.release('arr-3', claim('b'));
    await store.claims.take('arr-3', claim('b'));
    await store.claims.release('arr-3', claim('b', 'other'));
    expect(await store.claims.take('arr-3', claim('b', 'other'))).toBe('taken');
  });

  it.each([false, true])(
    'ends the claims of a lost run, and of no other one (spread: %s)',
    async (isSpread) => {
      const { store } = underTest();
      const queue = `arr-lost-${isSpread}`;
      const of = (batch: string, holder: string) => claim(batch, holder, { isSpread, maxRuns: 40 });
      for (const batch of ['a', 'b', 'c', 'd', 'e', 'f'])
        await store.claims.take(queue, of(batch, `lost.${batch}`));
      await store.claims.take(queue, of('g', 'other'));
      expect(await store.claims.end(queue, { holderPrefix: 'lost.', until: NOW })).toBe(6);
      expect(await store.claims.end(queue, { holderPrefix: 'lost.', until: NOW })).toBe(0);
      const ids = ['a-1', 'f-2', 'g-1'];
      expect(await store.claims.find([queue], ids, NOW)).toMatchObject({ ids: ['g-1'] });
      expect(await store.claims.end('arr-lost-never', { holderPrefix: 'lost.', until: NOW })).toBe(0);
    },
  );

  it('lets so many runs be at work, and another when one ends', async () => {
    const { store } = underTest();
    await store.claims.take('arr-4', claim('a'));
    await store.claims.take('arr-4', claim('b'));
    expect(await store.claims.take('arr-4', claim('c'))).toBe('full');
    expect(await store.claims.take('arr-4', claim('b', 'other'))).toBe('taken');
    await store.claims.release('arr-4', claim('a'));
    expect(await store.claims.take('arr-4', claim('c'))).toBe('claimed');
    expect(await store.claims.take('arr-other', claim('c'))).toBe('claimed');
  });

  it('clears claims away that ran out: their runs were lost', async () => {
    const { store } = underTest();
    await store.claims.take('arr-5', claim('a'));
    await store.claims.take('arr-5', claim('b'));
    const later = { now: NOW + 1001, until: NOW + 2000 };
    expect(await store.claims.take('arr-5', claim('a', 'other', later))).toBe('claimed');
    expect(await store.claims.take('arr-5', claim('c', 'third', later))).toBe('claimed');
    expect(await store.claims.take('arr-5', claim('d', 'fourth', later))).toBe('full');
  });

  it('clears them away by claims without a limit, too', async () => {
    const { store } = underTest();
    const lost = { until: NOW - 2000, now: NOW - 3000, maxRuns: undefined };
    for (const batch of ['a', 'b', 'c']) await store.claims.take('arr-old', claim(batch, 'lost.1', lost));
    expect(await store.claims.take('arr-old', claim('d', 'me', { maxRuns: undefined }))).toBe('claimed');
    expect(await store.claims.end('arr-old', { holderPrefix: 'lost.', until: NOW })).toBe(0);
    expect(await store.claims.end('arr-old', { holderPrefix: 'me', until: NOW })).toBe(1);
  });

  it('gives each of many runs that come at once its place, and no more', async () => {
    const { store } = underTest();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        store.claims.take('arr-6', claim(`b${i}`, `h${i}`, { maxRuns: 4 })),
      ),
    );
    expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(4);
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(2);
  });

  it('renews a claim for its own holder', async () => {
    const { store } = underTest();
    await store.claims.take('arr-7', claim('b'));
    expect(await store.claims.take('arr-7', claim('b', 'me', { until: NOW + 9000 }))).toBe('claimed');
    expect(await store.claims.find(['arr-7'], ['b-1', 'x'], NOW + 5000)).toEqual({
      ids: ['b-1'],
      neverIn: [],
    });
  });

  it('is not shortened by a request of its holder that arrives late', async () => {
    const { store } = underTest();
    await store.claims.take('arr-late', claim('b', 'me', { until: NOW + 9000 }));
    expect(await store.claims.take('arr-late', claim('b'))).toBe('claimed');
    const { ids } = await store.claims.find(['arr-late'], ['b-1'], NOW + 5000);
    expect(ids).toEqual(['b-1']);
  });

  it('lets no two claims name the same record, under whatever name, until the first one is over', async () => {
    const { store } = underTest();
    await store.claims.take('arr-9', claim('a', 'me', { ids: ['x', 'y'] }));
    const overlapping = claim('b', 'other', { ids: ['y', 'z'], now: NOW + 1000 });
    expect(await store.claims.take('arr-9', overlapping)).toBe('shared');
    await store.claims.release('arr-9', overlapping);
    expect(await store.claims.take('arr-9', claim('a', 'other', { ids: ['x'] }))).toBe('shared');
    expect(await store.claims.take('arr-9', claim('c', 'other', { ids: ['z'] }))).toBe('claimed');
    await store.claims.release('arr-9', claim('c', 'other'));
    expect(await store.claims.take('arr-9', { ...overlapping, now: NOW + 1001 })).toBe('claimed');
  });

  it('gives a record to one at most of many that ask at once', async () => {
    const { store } = underTest();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        store.claims.take('arr-10', claim(`b${i}`, `h${i}`, { maxRuns: 6, ids: ['x', `y${i}`] })),
      ),
    );
    expect(answers.filter((answer) => answer === 'claimed').length).toBeLessThanOrEqual(1);
    expect(answers.filter((answer) => answer === 'shared').length).toBeGreaterThanOrEqual(5);
  });

  it('counts no claim without a limit of its own out', async () => {
    const { store } = underTest();
    for (const name of ['a', 'b', 'c']) {
      const { maxRuns: _, ...unlimited } = claim(name);
      expect(await store.claims.take('arr-11', unlimited)).toBe('claimed');
    }
    expect(await store.claims.take('arr-11', claim('d'))).toBe('full');
  });

  it('names the records that are claimed, in whichever of the queues, and none whose claim ran out or ended', async () => {
    const { store } = underTest();
    const ask = async (now: number, ...queues: string[]) =>
      await store.claims.find(queues, ['a-1', 'a-2', 'b-1', 'ü'], now);
    expect(await ask(NOW, 'arr-8', 'arr-8b')).toEqual({ ids: [], neverIn: ['arr-8', 'arr-8b'] });
    await store.claims.take('arr-8', claim('a', 'me', { until: NOW + 10 }));
    expect(await ask(NOW, 'arr-8', 'arr-8b')).toMatchObject({ neverIn: ['arr-8b'] });
    await store.claims.take('arr-8b', claim('b', 'me', { until: NOW + 20, ids: ['b-1', 'ü'] }));
    expect(await ask(NOW, 'arr-8', 'arr-8b')).toEqual({ ids: ['a-1', 'a-2', 'b-1', 'ü'], neverIn: [] });
    expect(await ask(NOW, 'arr-8')).toMatchObject({ ids: ['a-1', 'a-2'] });
    expect(await ask(NOW + 15, 'arr-8', 'arr-8b')).toMatchObject({ ids: ['b-1', 'ü'] });
    await store.claims.release('arr-8b', claim('b'));
    expect(await ask(NOW + 15, 'arr-8', 'arr-8b')).toEqual({ ids: [], neverIn: [] });
  });

  describe('of a queue with shards, in several places', () => {
    const spread = (batch: string, holder: string, ids: string[], more: { maxRuns?: number } = {}) =>
      claim(batch, holder, { ids, isSpread: true, maxRuns: 40, ...more });
    /** One for each place. */
    const batches = Array.from({ length: CLAIM_BUCKETS }, (_, place) => {
      const names = Array.from({ length: 100 }, (_, i) => `b${i}`);
      return names.find((batch) => claimBucketOf({ batch, isSpread: true }) === place) as string;
    });

    it('meet where they name the same record, whichever place each has', async () => {
      const { store } = underTest();
      for (const [i, batch] of batches.entries()) {
        const queue = `arr-12-${i}`;
        expect(await store.claims.take(queue, spread(batch, 'me', ['x', `y${i}`]))).toBe('claimed');
        for (const other of batches.filter((name) => name !== batch)) {
          const theirs = spread(other, 'other', ['x', `z${other}`]);
          expect(await store.claims.take(queue, theirs)).toBe('shared');
          await store.claims.release(queue, theirs);
        }
        expect(await store.claims.take(queue, spread(batch, 'other', ['x', `y${i}`]))).toBe('taken');
        await store.claims.release(queue, spread(batch, 'me', []));
        expect(await store.claims.take(queue, spread('new', 'other', ['x']))).toBe('claimed');
      }
    });

    it('are as many at a time as `maxRuns` says, all places together', async () => {
      const { store } = underTest();
      for (const [maxRuns, taken] of [
        [10, 10],
        [8, 8],
        [1, CLAIM_BUCKETS],
      ] as const) {
        const asks = Array.from({ length: 60 }, (_, i) => spread(`m${i}`, `h${i}`, [`x${i}`], { maxRuns }));
        const answers: string[] = [];
        for (const ask of asks) answers.push(await store.claims.take(`arr-16-${maxRuns}`, ask));
        expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(taken);
        expect(new Set(answers)).toEqual(new Set(['claimed', 'full']));
      }
    });

    it('meet those of runs that know of no shards yet, or any more', async () => {
      const { store } = underTest();
      for (const [i, batch] of batches.entries()) {
        const queue = `arr-13-${i}`;
        const without = claim('w', 'other', { ids: ['x'] });
        expect(await store.claims.take(queue, spread(batch, 'me', ['x']))).toBe('claimed');
        expect(await store.claims.take(queue, without)).toBe('shared');
        await store.claims.release(queue, without);
        await store.claims.release(queue, spread(batch, 'me', []));
        expect(await store.claims.take(queue, without)).toBe('claimed');
        expect(await store.claims.take(queue, spread(batch, 'me', ['x']))).toBe('shared');
      }
    });

    it('give a record to one at most of many that ask at once, with shards and without', async () => {
      const { store } = underTest();
      const asks = Array.from({ length: 8 }, (_, i) =>
        claim(`c${i}`, `h${i}`, { maxRuns: 40, ids: ['x', `y${i}`], isSpread: i % 3 !== 0 }),
      );
      const answers = await Promise.all(asks.map((ask) => store.claims.take('arr-14', ask)));
      expect(answers.filter((answer) => answer === 'claimed').length).toBeLessThanOrEqual(1);
      expect(answers.filter((answer) => answer === 'shared').length).toBeGreaterThanOrEqual(7);
    });

    it('are named with the records that they are on, and end', async () => {
      const { store } = underTest();
      for (const batch of batches) {
        const queue = `arr-15-${batch}`;
        const mine = spread(batch, 'me', ['x']);
        await store.claims.take(queue, mine);
        expect(await store.claims.find([queue, 'arr-15-never'], ['x', 'z'], NOW)).toEqual({
          ids: ['x'],
          neverIn: ['arr-15-never'],
        });
        expect([...(await store.queues.readAll()).keys()]).toContain(queue);
        await store.claims.release(queue, mine);
        expect(await store.claims.find([queue], ['x'], NOW)).toEqual({ ids: [], neverIn: [] });
      }
      expect([...(await store.queues.readAll()).keys()].filter((name) => name.includes('#'))).toEqual([]);
    });

    it('are renewed by their holders while others come', async () => {
      const { store } = underTest();
      await store.claims.take('arr-17', spread('b', 'me', ['x']));
      await store.claims.take('arr-17', spread('c', 'other', ['y']));
      const longer = { ...spread('b', 'me', ['x']), until: NOW + 9_000 };
      expect(await store.claims.take('arr-17', longer)).toBe('claimed');
      expect(await store.claims.find(['arr-17'], ['x', 'y'], NOW + 5_000)).toMatchObject({ ids: ['x'] });
    });
  });
}
