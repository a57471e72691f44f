import { describe, expect, it } from 'vitest';
import { violationsIn } from './violations.js';

/** `SIMULATION_SEED=17 npx vitest run test/simulation` plays that world alone; `npm run test:long` plays more. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
const WORLDS = process.env.SIMULATION_SEED ? 1 : Number(process.env.SIMULATION_WORLDS ?? 8);

describe('in worlds where runs overlap, die and freeze at any step, and the store fails before and after its writes', () => {
  it('no record is attempted twice at once, or after its success, and every record comes to its end', async () => {
    const violations = await violationsIn({ first: FIRST_SEED, count: WORLDS });
    expect(violations).toEqual([]);
  }, 300_000);
});
