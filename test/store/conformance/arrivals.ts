import { expect, it } from 'vitest';
import type { UnderTest } from '../conformance.js';
import { NOW } from '../records.js';

const claim = (
  batch: string,
  holder = 'me',
  more: { until?: number; maxRuns?: number; now?: number; ids?: string[] } = {},
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
    expect(await store.claimArrivals('arr-1', claim('b/0'))).toBe('claimed');
    expect(await store.claimArrivals('arr-1', claim('b/0', 'other'))).toBe('taken');
    await store.releaseArrivals('arr-1', claim('b/0'));
    expect(await store.claimArrivals('arr-1', claim('b/0', 'other'))).toBe('claimed');
  });

  it('takes a claim that is repeated because its answer was lost', async () => {
    const { store } = underTest();
    await store.claimArrivals('arr-2', claim('b'));
    expect(await store.claimArrivals('arr-2', claim('b'))).toBe('claimed');
  });

  it('releases nobody else’s claim, and none that is gone', async () => {
    const { store } = underTest();
    await store.releaseArrivals('arr-3', claim('b'));
    await store.claimArrivals('arr-3', claim('b'));
    await store.releaseArrivals('arr-3', claim('b', 'other'));
    expect(await store.claimArrivals('arr-3', claim('b', 'other'))).toBe('taken');
  });

  it('lets so many runs be at work, and another when one ends', async () => {
    const { store } = underTest();
    await store.claimArrivals('arr-4', claim('a'));
    await store.claimArrivals('arr-4', claim('b'));
    expect(await store.claimArrivals('arr-4', claim('c'))).toBe('full');
    expect(await store.claimArrivals('arr-4', claim('b', 'other'))).toBe('taken');
    await store.releaseArrivals('arr-4', claim('a'));
    expect(await store.claimArrivals('arr-4', claim('c'))).toBe('claimed');
    expect(await store.claimArrivals('arr-other', claim('c'))).toBe('claimed');
  });

  it('clears claims away that ran out: their runs were lost', async () => {
    const { store } = underTest();
    await store.claimArrivals('arr-5', claim('a'));
    await store.claimArrivals('arr-5', claim('b'));
    const later = { now: NOW + 1001, until: NOW + 2000 };
    expect(await store.claimArrivals('arr-5', claim('a', 'other', later))).toBe('claimed');
    expect(await store.claimArrivals('arr-5', claim('c', 'third', later))).toBe('claimed');
    expect(await store.claimArrivals('arr-5', claim('d', 'fourth', later))).toBe('full');
  });

  it('gives each of many runs that come at once its place, and no more', async () => {
    const { store } = underTest();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        store.claimArrivals('arr-6', claim(`b${i}`, `h${i}`, { maxRuns: 4 })),
      ),
    );
    expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(4);
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(2);
  });

  it('renews a claim for its own holder', async () => {
    const { store } = underTest();
    await store.claimArrivals('arr-7', claim('b'));
    expect(await store.claimArrivals('arr-7', claim('b', 'me', { until: NOW + 9000 }))).toBe('claimed');
    expect(await store.claimedArrivals(['arr-7'], ['b-1', 'x'], NOW + 5000)).toEqual({
      ids: ['b-1'],
      neverIn: [],
    });
  });

  it('lets no two claims name the same record, under whatever name, until the first one is over', async () => {
    const { store } = underTest();
    await store.claimArrivals('arr-9', claim('a', 'me', { ids: ['x', 'y'] }));
    const overlapping = claim('b', 'other', { ids: ['y', 'z'], now: NOW + 1000 });
    expect(await store.claimArrivals('arr-9', overlapping)).toBe('shared');
    await store.releaseArrivals('arr-9', overlapping);
    expect(await store.claimArrivals('arr-9', claim('a', 'other', { ids: ['x'] }))).toBe('shared');
    expect(await store.claimArrivals('arr-9', claim('c', 'other', { ids: ['z'] }))).toBe('claimed');
    await store.releaseArrivals('arr-9', claim('c', 'other'));
    expect(await store.claimArrivals('arr-9', { ...overlapping, now: NOW + 1001 })).toBe('claimed');
  });

  it('gives a record to one at most of many that ask at once', async () => {
    const { store } = underTest();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        store.claimArrivals('arr-10', claim(`b${i}`, `h${i}`, { maxRuns: 6, ids: ['x', `y${i}`] })),
      ),
    );
    expect(answers.filter((answer) => answer === 'claimed').length).toBeLessThanOrEqual(1);
    expect(answers.filter((answer) => answer === 'shared').length).toBeGreaterThanOrEqual(5);
  });

  it('counts no claim without a limit of its own out', async () => {
    const { store } = underTest();
    for (const name of ['a', 'b', 'c']) {
      const { maxRuns: _, ...unlimited } = claim(name);
      expect(await store.claimArrivals('arr-11', unlimited)).toBe('claimed');
    }
    expect(await store.claimArrivals('arr-11', claim('d'))).toBe('full');
  });

  it('names the records that are claimed, in whichever of the queues, and none whose claim ran out or ended', async () => {
    const { store } = underTest();
    const ask = async (now: number, ...queues: string[]) =>
      await store.claimedArrivals(queues, ['a-1', 'a-2', 'b-1', 'ü'], now);
    expect(await ask(NOW, 'arr-8', 'arr-8b')).toEqual({ ids: [], neverIn: ['arr-8', 'arr-8b'] });
    await store.claimArrivals('arr-8', claim('a', 'me', { until: NOW + 10 }));
    expect(await ask(NOW, 'arr-8', 'arr-8b')).toMatchObject({ neverIn: ['arr-8b'] });
    await store.claimArrivals('arr-8b', claim('b', 'me', { until: NOW + 20, ids: ['b-1', 'ü'] }));
    expect(await ask(NOW, 'arr-8', 'arr-8b')).toEqual({ ids: ['a-1', 'a-2', 'b-1', 'ü'], neverIn: [] });
    expect(await ask(NOW, 'arr-8')).toMatchObject({ ids: ['a-1', 'a-2'] });
    expect(await ask(NOW + 15, 'arr-8', 'arr-8b')).toMatchObject({ ids: ['b-1', 'ü'] });
    await store.releaseArrivals('arr-8b', claim('b'));
    expect(await ask(NOW + 15, 'arr-8', 'arr-8b')).toEqual({ ids: [], neverIn: [] });
  });
}
