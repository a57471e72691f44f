import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/store/index.js';
import type { MemorySharedItems } from '../../src/store/memory/shared-items.js';
import { storeConformance } from './conformance.js';
import { iso, item, NOW, read } from './records.js';

const clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };

storeConformance('the store in memory', async () => {
  const store = new MemoryStore({ clock });
  return {
    store,
    groups: store.groups,
    numbered: store.numbered,
    put: async (newItem) => store.put(newItem),
    delete: async (id) => store.delete(id),
    putControl: async (key, attributes) => (store.groups as MemorySharedItems).put(key, attributes),
    raw: async (id) => store.items().find((stored) => stored.id === id),
    close: async () => {},
  };
});

describe('the store in memory', () => {
  it('knows when the first record of a lane is due', async () => {
    const store = new MemoryStore({ clock });
    expect(store.earliestDue('orders')).toBeUndefined();
    await store.records.insert(item('a', { dueAt: iso(2000) }));
    await store.records.insert(item('b', { dueAt: iso(1000) }));
    expect(store.earliestDue('orders')).toBe(iso(1000));
    store.delete('b');
    expect(store.earliestDue('orders')).toBe(iso(2000));
    expect(store.lanes()).toEqual(['orders']);
    store.delete('a');
    expect([store.earliestDue('orders'), store.lanes()]).toEqual([undefined, []]);
  });

  it('hands out what its callers cannot change', async () => {
    const store = new MemoryStore({ clock });
    await store.records.insert(item('a', { payload: { list: [1] } }));
    const { payload } = await read(store, 'a');
    expect(() => (payload as { list: number[] }).list.push(2)).toThrow(TypeError);
    expect(store.items()).toMatchObject([{ payload: { list: [1] } }]);
  });

  it('shows an operator’s pause', async () => {
    const store = new MemoryStore({ clock });
    await store.queues.setPaused('orders', true);
    expect((await store.pages.read([], 'orders')).queue.paused).toBe(true);
  });
});
