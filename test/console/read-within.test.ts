import { expect, it } from 'vitest';
import { readWithin } from '../../src/overview/sample/read-within.js';
import { MemoryStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { NOW, waiting } from './console-under-test.js';

/** A store in which each record costs so many read units. */
function billed(count: number, unitsOf: (i: number) => number) {
  const store = new MemoryStore({ clock: { now: () => NOW, wall: () => NOW, sleep: async () => {} } });
  const ids = Array.from({ length: count }, (_, i) => `r${i}`);
  for (const id of ids) store.put(waiting(id));
  let readUnits = 0;
  let requests = 0;
  const readItems: MemoryStore['records']['getItems'] = async (some) => {
    requests += 1;
    for (const id of some) readUnits += unitsOf(Number(id.slice(1)));
    return store.records.getItems(some);
  };
  const billing = replacing({ records: { getItems: readItems } }, store);
  const tables = { open: () => ({ store: billing, units: () => ({ readUnits, writeUnits: 0 }) }) };
  return { tables, ids, requests: () => requests };
}

it('reads as many records as the budget pays for, in few requests', async () => {
  const { tables, ids, requests } = billed(200, () => 0.5);
  const { records, readUnits } = await readWithin(tables, ids, 25);
  expect(records.map(({ id }) => id)).toEqual(ids.slice(0, 50));
  expect(readUnits).toBe(25);
  expect(requests()).toBe(2);
});

it('reads few large records, and stops where those behind are larger', async () => {
  const { tables, ids } = billed(200, (i) => (i < 5 ? 4 : 12.5));
  const { records, readUnits } = await readWithin(tables, ids, 25);
  expect(records.length).toBe(6);
  expect(readUnits).toBeLessThan(25 + 12.5);
});

it('reads all there are, once, where they are cheap', async () => {
  const { tables, ids } = billed(20, () => 0.5);
  const { records, readUnits } = await readWithin(tables, ids, 25);
  expect(records.map(({ id }) => id)).toEqual(ids);
  expect(readUnits).toBe(10);
  expect(await readWithin(billed(0, () => 1).tables, [], 25)).toEqual({ records: [], readUnits: 0 });
});
