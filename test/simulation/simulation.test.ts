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
import { withoutHold, withoutLook, withoutOperatorsFence } from './sabotage-operators.js';
import { violationsIn, violationsOf } from './violations.js';
import type { Sabotage } from './world.js';

/** `SIMULATION_SEED=17 npx vitest run test/simulation` plays that world alone; `SIMULATION_WORLDS` sets how many. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
const WORLDS = process.env.SIMULATION_SEED ? 1 : Number(process.env.SIMULATION_WORLDS ?? 150);

async function firstViolation(
  sabotage: Sabotage,
  hasArrivals: boolean,
  hasOperators: boolean,
): Promise<string | undefined> {
  for (let seed = 1; seed <= 600; seed++) {
    const [violation] = await violationsOf(seed, sabotage, hasArrivals, hasOperators);
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
    ['the fence', withoutFence, false, false],
    ['the journal', withoutJournal, false, false],
    ['the lease', withoutLease, false, false],
    ['the common pace', withoutSharedTurns, true, false],
    ['the claim on the probe', withoutProbeClaim, true, false],
    ['the fence of what was never written', withoutFenceOfBare, true, false],
    ['the claim on arrivals', withoutClaims, true, false],
    ['the wait for who has records in hand', withoutWaiting, true, false],
    ['the on-failure destination', withoutOnFailure, true, false],
    ['the sweep', withoutSweep, true, false],
    ['the hold on what an operator moves', withoutHold, false, true],
    ['the operator’s look at leases', withoutLook, false, true],
    ['the fence of an operator’s writes', withoutOperatorsFence, false, true],
  ])(
    'the worlds notice when %s is taken out',
    async (_, sabotage, hasArrivals, hasOperators) => {
      expect(await firstViolation(sabotage, hasArrivals, hasOperators)).toBeDefined();
    },
    60_000,
  );
});
