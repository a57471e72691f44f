import { expect, it } from 'vitest';
import {
  withoutAnswersOfGroups,
  withoutCopy,
  withoutEarlierPages,
  withoutFence,
  withoutJournal,
  withoutLease,
  withoutProbeClaim,
  withoutSharedPermits,
  withoutWaitForAgain,
} from '../simulation/sabotage.js';
import {
  withoutClaims,
  withoutFenceOfBare,
  withoutNames,
  withoutOnFailure,
  withoutSweep,
  withoutWaiting,
} from '../simulation/sabotage-arrivals.js';
import {
  withFenceOfRevOnly,
  withoutFenceOfPayload,
  withoutFenceOfPolicy,
  withoutFenceOfQueue,
} from '../simulation/sabotage-edits.js';
import {
  withFenceOfPayloadOnly,
  withoutFenceAgainstLateRepeats,
  withoutFenceAgainstRestores,
  withoutFenceAgainstThaws,
  withoutLeaseOfShards,
  withoutRemovalOfExpiry,
  withoutSlots,
  withoutTasks,
  withoutTolerance,
  withStaleReads,
} from '../simulation/sabotage-features.js';
import {
  withoutKeyPauses,
  withoutLastingNotesOfKeys,
  withoutLeaseOfKeys,
  withoutNotesOfKeys,
  withoutPermitsOfOthers,
  withoutSlotsOfOthers,
} from '../simulation/sabotage-keys.js';
import { withoutHold, withoutLook, withoutOperatorsFence } from '../simulation/sabotage-operators.js';
import { withoutEarlyEnds, withoutFenceOfEnds, withoutTokens } from '../simulation/sabotage-pending.js';
import { violationsOf } from '../simulation/violations.js';
import type { Sabotage } from '../simulation/world.js';

async function firstViolation(
  sabotage: Sabotage,
  hasArrivals: boolean,
  hasOperators: boolean,
  first: number,
): Promise<string | undefined> {
  for (let seed = first; seed <= first + 600; seed++) {
    const [violation] = await violationsOf(seed, sabotage, hasArrivals, hasOperators);
    if (violation) return violation;
  }
  return undefined;
}

// The last column is a world in which it shows. Where a change of the code hides it there, the next ones are searched.
it.each<[string, Sabotage, boolean, boolean, number]>([
  ['the fence', withoutFence, false, false, 75],
  ['the answers of a group', withoutAnswersOfGroups, false, false, 488],
  ['the copy that an attempt gets', withoutCopy, false, false, 1],
  ['the wait of a record that comes again', withoutWaitForAgain, false, false, 1],
  ['the journal', withoutJournal, false, false, 3],
  ['what is under attempt in the journal of the next page', withoutEarlierPages, false, false, 5],
  ['the lease', withoutLease, false, false, 8],
  ['the common pace', withoutSharedPermits, true, false, 75],
  ['the claim on the probe', withoutProbeClaim, true, false, 113],
  ['the fence of what was never written', withoutFenceOfBare, true, false, 6],
  ['the claim on arrivals', withoutClaims, true, false, 34],
  ['the wait for who has records in hand', withoutWaiting, true, false, 46],
  ['the on-failure destination', withoutOnFailure, true, false, 296],
  ['the name of whose death is reported', withoutNames, true, false, 8],
  ['the sweep', withoutSweep, true, false, 6],
  ['the hold on what an operator moves', withoutHold, false, true, 144],
  ['the operator’s look at leases', withoutLook, false, true, 125],
  ['the fence of an operator’s writes', withoutOperatorsFence, false, true, 36],
  ['the fence of all but the payload', withFenceOfPayloadOnly, true, false, 15],
  ['the fence of all but the rev', withFenceOfRevOnly, false, false, 2],
  ['the fence of a payload', withoutFenceOfPayload, false, false, 2],
  ['the fence of a queue', withoutFenceOfQueue, false, false, 33],
  ['the fence of a policy', withoutFenceOfPolicy, false, false, 4],
  ['the wait for a task', withoutTasks, false, false, 2],
  ['the common limit of attempts at a time', withoutSlots, false, false, 87],
  ['the lease of a shard', withoutLeaseOfShards, false, false, 1],
  ['the tolerance of clocks that differ', withoutTolerance, false, false, 1],
  ['the fence against requests that arrive late', withoutFenceAgainstLateRepeats, false, false, 8],
  ['the fence against a sandbox that thaws', withoutFenceAgainstThaws, false, false, 55],
  ['the fence after the control table is lost', withoutFenceAgainstRestores, false, false, 129],
  ['the removal of an end that was set', withoutRemovalOfExpiry, false, true, 69],
  ['the strong reading of a page', withStaleReads, false, false, 3],
  ['the note of which keys have lanes', withoutNotesOfKeys, true, false, 3],
  ['the end of such a note', withoutLastingNotesOfKeys, true, false, 8],
  ['the lease of a key’s lane', withoutLeaseOfKeys, true, false, 3],
  ['the slots of keys that other runs have', withoutSlotsOfOthers, true, false, 9],
  ['the permits of keys that other runs have', withoutPermitsOfOthers, true, false, 39],
  ['the token of an attempt', withoutTokens, false, false, 1],
  ['an end that comes early', withoutEarlyEnds, false, false, 1],
  ['the fence of such an end', withoutFenceOfEnds, false, false, 2],
  ['the pauses of keys', withoutKeyPauses, true, false, 1],
])(
  'the worlds notice when %s is taken out',
  async (_, sabotage, hasArrivals, hasOperators, first) => {
    expect(await firstViolation(sabotage, hasArrivals, hasOperators, first)).toBeDefined();
  },
  180_000,
);
