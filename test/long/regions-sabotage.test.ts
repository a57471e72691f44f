import { expect, it } from 'vitest';
import {
  withActiveIntake,
  withOldKnowledge,
  withoutClaims,
  withoutComparison,
  withoutLease,
  withoutLookAtPages,
  withoutRegion,
  withoutWaitForRuns,
} from '../regions/sabotage.js';
import type { Sabotage } from '../regions/site.js';
import { type Kind, violationsOf } from '../regions/violations.js';

async function firstViolation(kind: Kind, sabotage: Sabotage, first: number): Promise<string | undefined> {
  for (let seed = first; seed <= first + 200; seed++) {
    const [violation] = await violationsOf(kind, seed, sabotage);
    if (violation) return violation;
  }
  return undefined;
}

// The last column is a world in which it shows. Where a change of the code hides it there, the next ones are searched.
it.each<[string, Kind, Sabotage, number]>([
  ['the wait for runs', 'planned', withoutWaitForRuns, 3],
  ['the comparison of replicas', 'planned', withoutComparison, 25],
  ['the rest of a passive intake', 'planned', withActiveIntake, 1],
  ['the look at the active region', 'planned', withoutRegion, 2],
  ['the minute within which a function looks again', 'planned', withOldKnowledge, 1],
  ['the look before each page', 'forced', withoutLookAtPages, 22],
  ['the lease', 'owners', withoutLease, 1],
  ['the claim on arrivals', 'owners', withoutClaims, 2],
])(
  'the worlds of two regions and of two stacks notice when %s is taken out',
  async (_, kind, sabotage, first) => {
    expect(await firstViolation(kind, sabotage, first)).toBeDefined();
  },
  300_000,
);
