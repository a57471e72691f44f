import { describe, expect, it } from 'vitest';
import { violationsIn } from './violations.js';

/** `SIMULATION_SEED=17 npx vitest run test/regions` plays those worlds alone; `SIMULATION_WORLDS` sets how many. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
const WORLDS = process.env.SIMULATION_SEED ? 1 : Number(process.env.SIMULATION_WORLDS ?? 1);
const worlds = { first: FIRST_SEED, count: WORLDS };

describe('in worlds of two regions whose replicas lag behind, and whose runs die', () => {
  it('a planned failover has no record attempted twice at once, after its success, or in both regions', async () => {
    expect(await violationsIn('planned', worlds)).toEqual([]);
  }, 300_000);

  it('a forced one repeats only what the lost region had written last, loses nothing, and ends there soon after its return', async () => {
    expect(await violationsIn('forced', worlds)).toEqual([]);
  }, 300_000);
});

describe('in worlds of two stacks on the same tables', () => {
  it('a transfer has no record attempted twice at once, after its success, or minutes late', async () => {
    expect(await violationsIn('owners', worlds)).toEqual([]);
  }, 300_000);
});
