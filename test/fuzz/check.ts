import * as fc from 'fast-check';
import { hostileItems } from './hostile-items.js';
import { Fuzz } from './trial.js';

/**
 * `FUZZ_SEED=17 npx vitest run --config vitest.long.config.ts test/long/fuzz` tries other items; `FUZZ_ITEMS` sets how
 * many; `FUZZ_SHRINK=1` looks for the fewest that fail, and shows them. That takes long and is seldom needed: what is
 * reported names the item.
 */
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** Beside each other in one trial. */
const PER_TRIAL = 200;
/** Violations that are shown: one cause has many. */
const MAX_SHOWN = 20;
/** All trials, and the search for the fewest items that fail: a test that fails says so before its time is up. */
const MAX_MS = 90_000;

/** Plays trials with so many items, or as many as are asked for. A failure names its violations first, and its seed. */
export async function checkHostileItems(endpoint: string, usual: number, mostMs = MAX_MS): Promise<void> {
  const items = Number(process.env.FUZZ_ITEMS ?? usual);
  const fuzz = await Fuzz.start(endpoint);
  const some = fc.array(hostileItems, {
    minLength: Math.min(items, PER_TRIAL) / 2,
    maxLength: Math.min(items, PER_TRIAL),
    size: 'max',
  });
  const property = fc.asyncProperty(some, async (trial) => {
    const { violations } = await fuzz.trial(trial);
    if (violations.length > 0) throw new Error(violations.slice(0, MAX_SHOWN).join('\n'));
  });
  try {
    const endOnFailure = process.env.FUZZ_SHRINK === undefined;
    const numRuns = Math.ceil(items / PER_TRIAL);
    const settings = { seed: SEED, numRuns, endOnFailure, interruptAfterTimeLimit: mostMs };
    const { failed, numRuns: trial, errorInstance, counterexample } = await fc.check(property, settings);
    if (!failed) return;
    const fewest = endOnFailure ? '' : `\n${JSON.stringify(counterexample)}`;
    throw new Error(`seed ${SEED}, trial ${trial}: ${errorInstance}${fewest}`);
  } finally {
    fuzz.stop();
  }
}
