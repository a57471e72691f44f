import { describe, expect, test } from 'vitest';
import {
  withoutFence,
  withoutJournal,
  withoutLease,
  withoutProbeClaim,
  withoutSharedTurns,
} from './sabotage.js';
import {
  withoutClaims,
  withoutFenceOfBare,
  withoutOnFailure,
  withoutSweep,
  withoutWaiting,
} from './sabotage-arrivals.js';
import { violationsIn, violationsOf } from './violations.js';
import type { Sabotage } from './world.js';

/** `SIMULATION_SEED=17 npx vitest run test/simulation` plays that world alone; `SIMULATION_WORLDS` sets how many. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
const WORLDS = process.env.SIMULATION_SEED ? 1 : Number(process.env.SIMULATION_WORLDS ?? 1000);

async function firstViolation(sabotage: Sabotage, hasArrivals: boolean): Promise<string | undefined> {
  for (let seed = 1; seed <= 600; seed++) {
    const [violation] = await violationsOf(seed, sabotage, hasArrivals);
    if (violation) return violation;
  }
  return undefined;
}

describe('in worlds where runs overlap, die and freeze at any step, and the store fails before and after its writes', () => {
  test('no record is attempted twice at once, or after its success, and every record comes to its end', async () => {
    const violations = await violationsIn({ first: FIRST_SEED, count: WORLDS });
    expect(violations).toEqual([]);
  }, 120_000);

  test.each([
    ['the fence', withoutFence, false],
    ['the journal', withoutJournal, false],
    ['the lease', withoutLease, false],
    ['the common pace', withoutSharedTurns, true],
    ['the claim on the probe', withoutProbeClaim, true],
    ['the fence of what was never written', withoutFenceOfBare, true],
    ['the claim on arrivals', withoutClaims, true],
    ['the wait for who has records in hand', withoutWaiting, true],
    ['the on-failure destination', withoutOnFailure, true],
    ['the sweep', withoutSweep, true],
  ])(
    'the worlds notice when %s is taken out',
    async (_, sabotage, hasArrivals) => {
      expect(await firstViolation(sabotage, hasArrivals)).toBeDefined();
    },
    60_000,
  );
});
