import { ForcedWorld } from './forced.js';
import { OwnersWorld } from './owners.js';
import { PlannedWorld } from './planned.js';
import type { Sabotage } from './site.js';

export type Kind = 'planned' | 'forced' | 'owners';

/** Violations in one world; empty if all is well. */
export async function violationsOf(kind: Kind, seed: number, sabotage?: Sabotage): Promise<string[]> {
  const violations = await play(kind, seed, sabotage);
  return violations.map((violation) => `${kind}, seed ${seed}: ${violation}`);
}

async function play(kind: Kind, seed: number, sabotage?: Sabotage): Promise<readonly string[]> {
  if (kind === 'owners') return new OwnersWorld(seed, sabotage).play();
  if (kind === 'forced') return (await new ForcedWorld(seed, sabotage).play()).violations;
  return (await new PlannedWorld(seed, sabotage).play()).violations;
}

/** Violations of the first few worlds in which anything is wrong. */
export async function violationsIn(
  kind: Kind,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<string[]> {
  const violations: string[] = [];
  for (let seed = first; seed < first + count && violations.length < 5; seed++)
    violations.push(...(await violationsOf(kind, seed)));
  return violations;
}
