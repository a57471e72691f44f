import type { TierBand } from '../policies/index.js';

/** The lease of a lane; of a progressive queue, that of one tier of the lane. */
export function leaseName(lane: string, tier: Pick<TierBand, 'number'> | undefined): string {
  return tier ? `${lane}#${tier.number}` : lane;
}
