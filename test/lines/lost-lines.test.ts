import { expect, it } from 'vitest';
import type { LinesLost } from './order-sabotage.js';
import { playOrderWorld } from './order-worlds.js';

const WORLDS = Math.ceil(Number(process.env.ORDER_WORLDS ?? 20) / 2);
const FIRST = Number(process.env.ORDER_WORLDS_FIRST ?? 1);
const MINUTE_MS = 60_000;

/** A control table that was replaced, or restored, while a queue was stopped: see docs/recovery.md. */
it.each<[string, LinesLost]>([
  ['gone', { atMs: 4 * MINUTE_MS, toMs: undefined }],
  ['as they were a moment before', { atMs: 5 * MINUTE_MS, toMs: 4.9 * MINUTE_MS }],
  ['as they were long before', { atMs: 25 * MINUTE_MS, toMs: 2 * MINUTE_MS }],
])(
  `attempts no two records of a key at once, and all of them, whose lines are ${'%s'}, in ${WORLDS} worlds`,
  async (_, lines) => {
    for (let seed = FIRST; seed < FIRST + WORLDS; seed++) {
      const violations = await playOrderWorld(seed, {
        lines,
        scenario: (scenario) => ({ ...scenario, rules: { ...scenario.rules, skipGapAfter: 120 } }),
      });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  },
);
