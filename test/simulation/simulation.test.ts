import { describe, expect, test } from 'vitest';
import { withoutFence, withoutJournal, withoutLease } from './sabotage.js';
import { type Sabotage, World } from './world.js';

/** `SIMULATION_SEED=17 npx vitest run test/simulation` plays that world alone; `SIMULATION_WORLDS` sets how many. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? 1);
const WORLDS = process.env.SIMULATION_SEED ? 1 : Number(process.env.SIMULATION_WORLDS ?? 1000);

async function violationsOf(seed: number, sabotage?: Sabotage): Promise<string[]> {
  const violations = await new World(seed, sabotage).play();
  return violations.map((violation) => `seed ${seed}: ${violation}`);
}

async function firstViolation(sabotage: Sabotage, worlds: number): Promise<string | undefined> {
  for (let seed = 1; seed <= worlds; seed++) {
    const [violation] = await violationsOf(seed, sabotage);
    if (violation) return violation;
  }
  return undefined;
}

describe('in worlds where runs overlap, die and freeze at any step, and the store fails before and after its writes', () => {
  test('no record is attempted twice at once, or after its success, and every record comes to its end', async () => {
    const violations: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + WORLDS && violations.length < 5; seed++) {
      violations.push(...(await violationsOf(seed)));
    }
    expect(violations).toEqual([]);
  }, 120_000);

  test.each([
    ['the fence', withoutFence],
    ['the journal', withoutJournal],
    ['the lease', withoutLease],
  ])(
    'the worlds notice when %s is taken out',
    async (_, sabotage) => {
      expect(await firstViolation(sabotage, 300)).toBeDefined();
    },
    60_000,
  );
});
