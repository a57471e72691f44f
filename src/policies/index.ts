export { hash32, phaseOf } from './hash.js';
export type { Jitter } from './jitter.js';
export { isLimitsOnly, limited, type ParsedLimits, parseLimits, type RetryLimits } from './limits.js';
export { DEFAULT_MAX_AGE_SECONDS, type Failure, MAX_WAIT_SECONDS, type WaitRange } from './policy.js';
export { POLICY_TYPES, type ResolvedPolicy, resolvePolicy } from './resolve.js';
export type { PolicyType, RetryPolicy, WorkQueuePolicy } from './retry-policy.js';
export { decideRetry, type FailedAttempt, type RetryDecision } from './schedule.js';
export { isExact, nearestTick, noEarlierThan } from './tick.js';
export { caughtUpBy, DEFAULT_TIERS, type Tier, type TierBand, tierBands, tiersSchema } from './tiers.js';
