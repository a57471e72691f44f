import type { BacklogRecord, Item } from '../../src/record/index.js';
import type { BacklogStore } from '../../src/store/index.js';

export const NOW = Date.parse('2026-11-20T12:00:00.000Z');

export const iso = (offsetMs = 0) => new Date(NOW + offsetMs).toISOString();

/** A record as a library's producer writes it; `undefined` takes an attribute away. */
export function item(id: string, attributes: Record<string, unknown> = {}): Item {
  const all = {
    id,
    status: 'NEW',
    payload: { text: 'hello', n: 1 },
    queue: 'orders',
    insertedAt: iso(),
    lane: 'orders',
    dueAt: iso(),
    rev: 'rev-0',
    ...attributes,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export async function insertAndRead(store: BacklogStore, newItem: Item): Promise<BacklogRecord> {
  await store.records.insert(newItem);
  return read(store, String(newItem.id));
}

export async function read(store: BacklogStore, id: string): Promise<BacklogRecord> {
  const record = await store.records.get(id);
  if (!record) throw new Error(`no record ${id}`);
  return record;
}

export async function collect<Element>(elements: AsyncIterable<Element>): Promise<Element[]> {
  const all: Element[] = [];
  for await (const element of elements) all.push(element);
  return all;
}
