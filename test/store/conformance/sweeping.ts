import { expect, it } from 'vitest';
import { item } from '../records.js';
import type { UnderTest } from './under-test.js';

export function sweeping(underTest: UnderTest): void {
  const scanAll = async (prefix: string, segments: number): Promise<string[]> => {
    const { store } = underTest();
    const found: string[] = [];
    for (let segment = 0; segment < segments; segment++) {
      let after: string | undefined;
      do {
        const page = await store.sweep.scan({ segment, segments, after });
        found.push(...page.ids);
        after = page.next;
      } while (after !== undefined);
    }
    return found.filter((id) => id.startsWith(prefix)).sort();
  };

  it('finds records that are not indexed or half indexed, and dead ones that were set to NEW, in whatever part of the table', async () => {
    const { put } = underTest();
    const none = { lane: undefined, dueAt: undefined, rev: undefined };
    await put({ id: 'sw-1-bare', status: 'NEW', payload: 1 });
    await put({ id: 'sw-1-statusless', payload: 1 });
    await put(item('sw-1-misspelt', { ...none, status: 'new' }));
    await put(item('sw-1-unlisted-dead', { ...none, status: 'DEAD' }));
    await put(item('sw-1-risen', { status: 'NEW', lane: 'orders/dead' }));
    await put(item('sw-1-risen-error', { status: 'ERROR', lane: 'orders/dead' }));
    await put(item('sw-1-risen-shard', { status: 'NEW', lane: 'orders#2/dead' }));
    await put(item('sw-1-half', { ...none, lane: 'orders' }));
    await put(item('sw-1-half-dead', { ...none, lane: 'orders/dead', status: 'DEAD' }));
    await put(item('sw-1-half-done', { ...none, lane: 'orders', status: 'SUCCESS' }));
    await put(item('sw-1-done', { ...none, status: 'SUCCESS' }));
    await put(item('sw-1-indexed'));
    await put(item('sw-1-dead', { status: 'DEAD', lane: 'orders/dead' }));
    const notIndexed = [
      'sw-1-bare',
      'sw-1-half',
      'sw-1-half-dead',
      'sw-1-misspelt',
      'sw-1-risen',
      'sw-1-risen-error',
      'sw-1-risen-shard',
      'sw-1-statusless',
      'sw-1-unlisted-dead',
    ];
    expect(await scanAll('sw-1-', 1)).toEqual(notIndexed);
    expect(await scanAll('sw-1-', 3)).toEqual(notIndexed);
  });

  it('finds what waits in the lane of another queue, whatever its queue is', async () => {
    const { put } = underTest();
    await put(item('sw-2-other', { queue: 'bulk', lane: 'orders' }));
    await put(item('sw-2-other-error', { queue: 'bulk', lane: 'orders', status: 'ERROR' }));
    await put(item('sw-2-nameless', { queue: undefined, lane: 'nosuch' }));
    for (const [type, queue] of Object.entries({ n: 5, map: { S: 'x' }, null: null, set: new Set(['a']) })) {
      await put(item(`sw-2-type-${type}`, { queue, lane: 'nosuch' }));
    }
    await put(item('sw-2-own', { queue: 'orders', lane: 'orders' }));
    await put(item('sw-2-shard', { queue: 'orders', lane: 'orders#3' }));
    await put(item('sw-2-default', { queue: undefined, lane: 'default' }));
    await put(item('sw-2-done', { queue: 'bulk', lane: 'orders', status: 'SUCCESS' }));
    expect(await scanAll('sw-2-', 3)).toEqual([
      'sw-2-nameless',
      'sw-2-other',
      'sw-2-other-error',
      'sw-2-type-map',
      'sw-2-type-n',
      'sw-2-type-null',
      'sw-2-type-set',
    ]);
  });

  it('keeps how far the search has come', async () => {
    const { store } = underTest();
    expect(await store.sweep.read()).toBeUndefined();
    const under = { startedAt: 1000, cursors: ['', 'sw-7', null], found: 3 };
    await store.sweep.write(under);
    expect(await store.sweep.read()).toMatchObject(under);
    await store.sweep.write({ ...under, finishedAt: 2000, cursors: [null, null, null] });
    expect(await store.sweep.read()).toMatchObject({ finishedAt: 2000, cursors: [null, null, null] });
    await store.sweep.write(under);
    expect((await store.sweep.read())?.finishedAt).toBeUndefined();
  });
}
