/**
 * The parts that the handlers are made of. Code that builds on it may be a runner outside of Lambda (a container, a worker), a store
 * of your own, or a test with a clock and a store in memory. The tools of the same version
 * stand on it, too. It changes more often than the other entries.
 *
 * @packageDocumentation
 */

export {
  caughtUpBy,
  DEFAULT_TIERS,
  decideRetry,
  isLimitsOnly,
  limited,
  POLICY_TYPES,
  phaseOf,
  type ResolvedPolicy,
  type RetryDecision,
  resolvePolicy,
  type TierBand,
  tierBands,
  type WaitRange,
} from './policies/index.js';
export {
  bornAt,
  CONTRACT_ATTRIBUTES,
  DEFAULT_QUEUE,
  deadLane,
  firstTryAt,
  type Item,
  indexChange,
  isCancelled,
  isLaneOf,
  isMisindexed,
  isNewer,
  isNotIndexed,
  isPending,
  isRevived,
  isUnderAttempt,
  lanesOf,
  nextAttemptAt,
  notReadyText,
  ownLaneOf,
  parseRecord,
  QUEUE_NAME,
  QUEUE_PATTERN,
  type RecordChange,
  type RetryMode,
  restOf,
  STATUSES,
  traceIdOf,
  triesOf,
  waitOf,
  withoutDeadEnding,
} from './record/index.js';
export type * as StoreTypes from './store/contract.js';
export {
  type BacklogStore,
  createDynamoDbClient,
  DynamoDbStore,
  MemoryStore,
  type OperatorStore,
} from './store/index.js';
export {
  CLOCK_TOLERANCE_MS,
  type Clock,
  type ClockSetting,
  LAST_TIME,
  scaledClock,
  systemClock,
  toIso,
} from './support/clock.js';
export { age, parseDuration } from './support/duration.js';
export { type Random, randomToken, systemRandom } from './support/random.js';
export { seededRandom } from './support/seeded-random.js';
export { VirtualTime } from './support/virtual-time.js';
export {
  type BreakerOptions,
  type RunDeps,
  type RunOptions,
  type RunSummary,
  type RunTarget,
  redactionOf,
  retryDecider,
  run,
  type StopReason,
} from './worker/index.js';
export { isIdle } from './worker/summary.js';
