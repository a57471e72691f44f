import { createHash } from 'node:crypto';
import type { TierBand } from '../policies/index.js';
import { type Random, randomToken } from '../support/random.js';

/** 72 bits: no two runs that are at work at the same time share them. */
const FINGERPRINT_CHARACTERS = 12;

/**
 * A new name for the holder of a lease or a claim: `RUN.TOKEN`, or `TOKEN` alone where no deaths are reported.
 *
 * @param invocation the function's request id, by which Lambda reports that a run has died
 */
export function newHolder(random: Random, invocation: string | undefined): string {
  const token = randomToken(random);
  return invocation === undefined ? token : `${holderPrefixOf(invocation)}${token}`;
}

/** The beginning of all names by which one invocation holds anything. Short, as each write of a lease is billed. */
export function holderPrefixOf(invocation: string): string {
  const hash = createHash('sha256').update(invocation).digest('base64url');
  return `${hash.slice(0, FINGERPRINT_CHARACTERS)}.`;
}

/** The lease of the run that drains the lanes of a queue's busy keys. No queue's name has a slash. */
export function busyLanesLease(queue: string): string {
  return `${queue}/keys`;
}

/** The lease of a lane; of a progressive queue, that of one tier of the lane. */
export function leaseName(lane: string, tier: Pick<TierBand, 'number'> | undefined): string {
  return tier ? `${lane}#${tier.number}` : lane;
}
