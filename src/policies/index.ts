export { phaseOf } from './jitter.js';
export { isLimitsOnly, limited, type ParsedLimits, parseLimits } from './limits.js';
export { MAX_WAIT_SECONDS, type WaitRange } from './policy.js';
export { POLICY_TYPES, resolvePolicy } from './resolve.js';
export type { ResolvedPolicy } from './resolved-policy.js';
export type { RetryLimits, RetryPolicy } from './retry-policy.js';
export { decideRetry, type RetryDecision } from './schedule.js';
export { isExact, MAX_EXACT_SECONDS, nearestTick, noEarlierThan } from './tick.js';
export {
  caughtUpBy,
  DEFAULT_TIERS,
  latestAgeAtNextTurn,
  type Tier,
  type TierBand,
  tierBands,
  tiersSchema,
} from './tiers.js';
