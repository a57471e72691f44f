import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DueQuery, IndexKey } from '../../src/store/index.js';
import { LaneIndex } from '../../src/store/memory/lane-index.js';
import { iso, NOW } from './records.js';

const byTimeAndId = (a: IndexKey, b: IndexKey) =>
  a.dueAt < b.dueAt ? -1 : a.dueAt > b.dueAt ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

const keyOf = (n: number): IndexKey => ({ id: `r-${n}`, dueAt: iso((n * 7919) % 50) });

/** All keys of a query, page by page. */
function pages(lane: LaneIndex, query: DueQuery): IndexKey[] {
  const found: IndexKey[] = [];
  for (let after: IndexKey | undefined; ; ) {
    const page = lane.query({ ...query, after });
    found.push(...page.keys);
    after = page.keys.at(-1);
    if (!page.more || !after) return found;
  }
}

describe('the index of a lane in memory', () => {
  it('finds what a sorted list would, after any additions and removals, in both orders', () => {
    const change = fc.record({
      first: fc.nat(4000),
      count: fc.integer({ min: 1, max: 1500 }),
      add: fc.boolean(),
    });
    const order = fc.constantFrom('oldestFirst' as const, 'newestFirst' as const);
    const limit = fc.integer({ min: 1, max: 700 });
    const property = fc.property(
      fc.array(change, { maxLength: 6 }),
      fc.nat(50),
      fc.nat(50),
      order,
      limit,
      (changes, from, until, order, limit) => {
        const lane = new LaneIndex();
        const model = new Map<string, IndexKey>();
        for (const { first, count, add } of changes) {
          for (let n = first; n < first + count; n++) {
            const key = keyOf(n);
            if (add && !model.has(key.id)) {
              lane.add(key);
              model.set(key.id, key);
            } else if (!add) {
              lane.remove(key);
              model.delete(key.id);
            }
          }
        }
        const expected = [...model.values()]
          .filter(({ dueAt }) => dueAt >= iso(from) && dueAt <= iso(until))
          .sort(byTimeAndId);
        if (order === 'newestFirst') expected.reverse();
        const found = pages(lane, { lane: 'q', from: NOW + from, until: NOW + until, order, limit });
        expect(found).toEqual(expected);
        expect(lane.first).toEqual([...model.values()].sort(byTimeAndId)[0]);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});
