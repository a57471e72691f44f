export { hash32, phaseOf } from './hash.js';
export { DEFAULT_MAX_AGE_SECONDS, MAX_WAIT_SECONDS } from './policy.js';
export { POLICY_TYPES, type ResolvedPolicy, type RetryPolicy, resolvePolicy } from './resolve.js';
export { decideRetry, type FailedAttempt, type RetryDecision } from './schedule.js';
export { DEFAULT_TIERS, type Tier, type TierBand, tierBands, tiersSchema } from './tiers.js';
