import { expect, it } from 'vitest';
import { inOrder, type Scenario } from './scenario.js';
import { type Kind, violationsOf } from './violations.js';

/** `ORDER_REGIONS` sets how many worlds are played. */
const WORLDS = Number(process.env.ORDER_REGIONS ?? 2);
const FIRST = Number(process.env.ORDER_REGIONS_FIRST ?? 1);

it.each<[string, Kind, number | 'never']>([
  ['a planned failover keeps the order of each key, and loses no turn', 'planned', 'never'],
  ['a forced one loses no record of a line', 'forced', 120],
])(
  'in a queue with order, %s',
  async (_, kind, skipGapAfter) => {
    const scenario = (given: Scenario) => inOrder(given, skipGapAfter);
    for (let seed = FIRST; seed < FIRST + WORLDS; seed++)
      expect(await violationsOf(kind, seed, { scenario })).toEqual([]);
  },
  300_000,
);
