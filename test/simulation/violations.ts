import { type Sabotage, World } from './world.js';

/** Violations in one world; empty if all is well. */
export async function violationsOf(
  seed: number,
  sabotage?: Sabotage,
  hasArrivals?: boolean,
  hasOperators?: boolean,
): Promise<string[]> {
  const violations = await new World(seed, sabotage, hasArrivals, hasOperators).play();
  return violations.map((violation) => `seed ${seed}: ${violation}`);
}

/** Violations of the first few worlds in which anything is wrong. */
export async function violationsIn(
  worlds: { readonly first: number; readonly count: number },
  hasArrivals?: boolean,
  hasOperators?: boolean,
  sabotage: Sabotage = {},
): Promise<string[]> {
  const violations: string[] = [];
  for (let seed = worlds.first; seed < worlds.first + worlds.count && violations.length < 5; seed++) {
    violations.push(...(await violationsOf(seed, sabotage, hasArrivals, hasOperators)));
  }
  return violations;
}
