import { expect, it } from 'vitest';
import type { DueQuery, IndexKey } from '../../../src/store/index.js';
import { iso, item, NOW } from '../records.js';
import type { UnderTest } from './under-test.js';

const SECOND = 1000;

export function queryingDue(underTest: UnderTest): void {
  const query = (lane: string, more: Partial<DueQuery> = {}) =>
    underTest().store.pages.query({ lane, until: NOW, order: 'oldestFirst', limit: 100, ...more });

  /** Records due at these offsets in seconds. */
  const fill = async (lane: string, offsets: readonly number[]) => {
    const keys = offsets.map((offset, i) => ({ id: `${lane}-${i}`, dueAt: iso(offset * SECOND) }));
    for (const { id, dueAt } of keys) await underTest().store.records.insert(item(id, { lane, dueAt }));
    return keys;
  };
  const offsetsOf = (keys: readonly IndexKey[]) =>
    keys.map(({ dueAt }) => (Date.parse(dueAt) - NOW) / SECOND);

  it('finds nothing in an empty lane', async () => {
    expect(await query('due-none')).toEqual({ keys: [], more: false });
  });

  it('finds what is due up to and including now, the oldest first, and no records of other lanes', async () => {
    await fill('due-a', [5, -2, 0, -7, 1]);
    await fill('due-a2', [-1]);
    const { keys, more } = await query('due-a');
    expect(offsetsOf(keys)).toEqual([-7, -2, 0]);
    expect(keys[0]).toEqual({ id: 'due-a-3', dueAt: iso(-7 * SECOND) });
    expect(more).toBe(false);
  });

  it('finds the newest first', async () => {
    await fill('due-b', [5, -2, 0, -7]);
    expect(offsetsOf((await query('due-b', { order: 'newestFirst' })).keys)).toEqual([0, -2, -7]);
  });

  it('keeps to a range, both ends included, in both orders', async () => {
    await fill('due-c', [-10, -9, -8, -7, -6, -5]);
    const range = { from: NOW - 9 * SECOND, until: NOW - 6 * SECOND };
    expect(offsetsOf((await query('due-c', range)).keys)).toEqual([-9, -8, -7, -6]);
    const newest = await query('due-c', { ...range, order: 'newestFirst' });
    expect(offsetsOf(newest.keys)).toEqual([-6, -7, -8, -9]);
    const { keys } = await query('due-c', { from: NOW, until: NOW - 1 });
    expect(keys).toEqual([]);
  });

  it.each(['oldestFirst', 'newestFirst'] as const)(
    'pages through ties without gap or repetition, %s',
    async (order) => {
      const keys = await fill(`due-${order}`, [-5, -5, -5, -5, -5, -5, -4, -4, -3]);
      const found: IndexKey[] = [];
      let pages = 0;
      for (let after: IndexKey | undefined, more = true; more; pages++) {
        const page = await query(`due-${order}`, { order, limit: 2, after });
        found.push(...page.keys);
        after = page.keys.at(-1);
        more = page.more && after !== undefined;
      }
      const ascending = offsetsOf(keys);
      expect(offsetsOf(found)).toEqual(order === 'oldestFirst' ? ascending : ascending.toReversed());
      expect(new Set(found.map(({ id }) => id)).size).toBe(keys.length);
      expect(pages).toBeLessThanOrEqual(6);
    },
  );

  it('says that there is more as long as there is', async () => {
    await fill('due-more', [-3, -2, -1]);
    expect((await query('due-more', { limit: 2 })).more).toBe(true);
    expect((await query('due-more', { limit: 4 })).more).toBe(false);
  });

  it.each(['oldestFirst', 'newestFirst'] as const)(
    'continues behind a place that is gone, %s',
    async (order) => {
      const lane = `due-gone-${order}`;
      const keys = await fill(lane, [-5, -4, -3, -2, -1]);
      await underTest().delete(`${lane}-2`);
      const { keys: found } = await query(lane, { order, after: keys[2] });
      expect(offsetsOf(found)).toEqual(order === 'oldestFirst' ? [-2, -1] : [-4, -5]);
    },
  );

  it('starts from the beginning of a range that has moved past its place, and ends where the place is behind it', async () => {
    const lane = 'due-moved';
    await fill(lane, [-5, -4, -3, -2]);
    const range = { from: NOW - 4 * SECOND, until: NOW - 3 * SECOND };
    const place = (offset: number) => ({ id: 'anything', dueAt: iso(offset * SECOND) });
    const offsets = async (order: DueQuery['order'], offset: number) =>
      offsetsOf((await query(lane, { ...range, order, after: place(offset) })).keys);
    expect(await offsets('oldestFirst', -60)).toEqual([-4, -3]);
    expect(await offsets('oldestFirst', -1)).toEqual([]);
    expect(await offsets('newestFirst', -1)).toEqual([-3, -4]);
    expect(await offsets('newestFirst', -60)).toEqual([]);
  });

  it('does not find items without a lane, or without a due time', async () => {
    const { store } = underTest();
    await store.records.insert(item('due-no-lane', { lane: undefined }));
    await store.records.insert(item('due-no-time', { lane: 'due-no-time', dueAt: undefined }));
    expect((await query('due-no-time', { until: NOW + 1e9 })).keys).toEqual([]);
  });
}
