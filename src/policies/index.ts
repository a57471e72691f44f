export { hash32, phaseOf } from './hash.js';
export { isLimitsOnly, limited, parseLimits, type RetryLimits } from './limits.js';
export { MAX_WAIT_SECONDS, type WaitRange } from './policy.js';
export { POLICY_TYPES, type ResolvedPolicy, resolvePolicy } from './resolve.js';
export type { RetryPolicy } from './retry-policy.js';
export { decideRetry, type RetryDecision } from './schedule.js';
export { isExact, nearestTick, noEarlierThan } from './tick.js';
export { caughtUpBy, DEFAULT_TIERS, type Tier, type TierBand, tierBands, tiersSchema } from './tiers.js';
