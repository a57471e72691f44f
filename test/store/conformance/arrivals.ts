import { expect, it } from 'vitest';
import type { UnderTest } from '../conformance.js';
import { NOW } from '../records.js';

const claim = (
  batch: string,
  holder = 'me',
  more: { until?: number; maxRuns?: number; now?: number } = {},
) => ({
  batch,
  holder,
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
    expect(await store.claimedArrivals('arr-7', NOW + 5000)).toEqual(['b']);
  });

  it('names the batches that are under attempt, and none that ran out or ended', async () => {
    const { store } = underTest();
    expect(await store.claimedArrivals('arr-8', NOW)).toEqual([]);
    await store.claimArrivals('arr-8', claim('a', 'me', { until: NOW + 10 }));
    await store.claimArrivals('arr-8', claim('b', 'me', { until: NOW + 20 }));
    expect((await store.claimedArrivals('arr-8', NOW)).toSorted()).toEqual(['a', 'b']);
    expect(await store.claimedArrivals('arr-8', NOW + 15)).toEqual(['b']);
    await store.releaseArrivals('arr-8', claim('b'));
    expect(await store.claimedArrivals('arr-8', NOW + 15)).toEqual([]);
  });
}
