import { type RetryPolicy, resolvePolicy, type Tier } from '../policies/index.js';

/** The tiers of a policy by age. Empty: it is another one, or not valid. */
export function tiersOf(policy: RetryPolicy | undefined): readonly Tier<number>[] {
  try {
    return resolvePolicy(policy ?? { type: 'progressive' }).tiers ?? [];
  } catch {
    return [];
  }
}
