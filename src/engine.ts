/**
 * The parts that the handlers are made of. Code that builds on it may be a runner outside of Lambda (a container, a worker), a store
 * of your own, a tool, or a test with a clock and a store in memory. The tools of the same version
 * stand on it, too. It changes more often than the other entries.
 *
 * @packageDocumentation
 */

export { parseDeliveryUrl } from './delivery/url.js';
export { groupEndOf, isHeld as isHeldByGroup } from './groups/end-record.js';
export { describeGroup, endedGroup } from './groups/group.js';
export { GROUP_EVENT_TYPE, groupEvent } from './groups/group-event.js';
export type { GroupHead } from './groups/head.js';
export { checkGroupId, MEMBER_ATTRIBUTE, PAGE_MEMBERS, placeOf } from './groups/names.js';
export { firstDeathRecordId, type GroupReads, groupReads, openGroups } from './groups/open-groups.js';
export { type GroupPage, MEMBER_STATES, type MemberState, type StateCounts } from './groups/page.js';
export { GROUPS_SCAN, scannedItem } from './groups/scanned.js';
export {
  type Indexed,
  type IndexedWhenFree,
  type IndexingDeps,
  indexWhenFree,
  type KeyLanes,
  type SweepDeps,
  type SweepSummary,
  sweep,
} from './intake/index.js';
export { CLOCK_SKEW_MS, isExpired } from './leases/timed-hold.js';
export {
  type DescribedQueue,
  type FailingNow,
  GAUGE_FIELDS,
  type GaugeDefinition,
  GaugeReader,
  type GaugeReaderDeps,
  type GaugeValues,
  type Meter,
  type MeterProvider,
  type MonitoredQueue,
  monitoredQueue,
  type ObservableResult,
  observeQueues,
  QUEUE_GAUGES,
  type QueueGaugeValues,
} from './monitor/index.js';
export type { ActionName } from './operate/action-of.js';
export { redrive } from './operate/changes.js';
export type { PayloadMatch, SkipReason, Which } from './operate/index.js';
export {
  type AwaitedFault,
  isHeld,
  isLost,
  type Job,
  type JobCounts,
  type JobList,
  type JobOrigin,
  type JobOutcome,
  type JobRunOptions,
  type JobState,
  Jobs,
  listed,
  type NewJob,
  parseJob,
  selectedQueues,
  undoRefusal,
} from './operate/jobs/index.js';
export { endKeyPause } from './operate/key-pauses.js';
export { mergeInto } from './operate/merge-patch.js';
export { parsePause } from './operate/parse-pause.js';
export { type DuePart, duePartsOf } from './operate/queue-stats.js';
export { isPlainObject, parseSelection, type Selected } from './operate/selection.js';
export { lanesInUse } from './operate/stats.js';
export { Tables } from './operate/tables.js';
export { RateLimiter, Writes } from './operate/writes.js';
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
export { laneOfBusy } from './record/busy-keys.js';
export { type Completion, completionOf, type OutsideWait, outsideWaitOf } from './record/completion.js';
export {
  bornAt,
  CONTRACT_ATTRIBUTES,
  cancelReasonOf,
  DEFAULT_QUEUE,
  deadLane,
  detailTypeOf,
  EVENT_SOURCE,
  type FailingNote,
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
  recordEvent,
  restOf,
  STATUSES,
  traceIdOf,
  triesOf,
  waitOf,
  withoutDeadEnding,
} from './record/index.js';
export { itemBytes } from './record/item-size.js';
export { isPutOffByPause } from './record/put-off-by-pause.js';
export {
  type Definition,
  describeSchedule,
  latestOccurrences,
  MISSED,
  nameOf,
  nextOccurrences,
  occurrenceId,
  type PastOccurrence,
  RECURRING_QUEUE,
  scheduleId,
} from './recurring/index.js';
export { isPassiveBy } from './registry/regions.js';
export { removedSince } from './registry/removed.js';
export { countFirings, parseSchedule, parseSchedulerExpression, type Schedule } from './schedules/index.js';
export { type Interceptor, intercepted } from './store/bounded-store.js';
export type * as StoreTypes from './store/contract.js';
export {
  type Attributes,
  lambdaImage,
  parseNumber,
  toAttributes,
} from './store/dynamodb/attribute-values.js';
export { isId } from './store/dynamodb/control-values.js';
export { isSameValue } from './store/dynamodb/same-value.js';
export { isOfOneRecord, isOfStore } from './store/errors.js';
export {
  type BacklogStore,
  createDynamoDbClient,
  DUE_INDEX,
  type DynamoDBClient,
  DynamoDbOperatorStore,
  DynamoDbStore,
  DynamoDbSweepStore,
  MemoryStore,
  type OperatorStore,
  type SweepStore,
} from './store/index.js';
export { type KeyPause, keyPausesNow } from './store/key-pauses.js';
export { LaneIndex } from './store/memory/lane-index.js';
export { patiently } from './store/patience.js';
export { type Settle, type Settled, SettleGroups, type SettleTogether } from './store/settle-groups.js';
export {
  CLOCK_TOLERANCE_MS,
  type Clock,
  type ClockSetting,
  LAST_TIME,
  scaledClock,
  systemClock,
  toIso,
} from './support/clock.js';
export { age, type Bounds, parseDuration } from './support/duration.js';
export { hash32 } from './support/hash.js';
export { jsonOf } from './support/json.js';
export { BUNDLE_METADATA, type BundleDescription, LOCAL_CONTEXT } from './support/local-bundle.js';
export { didYouMean, nearest } from './support/nearest.js';
export { type Random, randomToken, systemRandom } from './support/random.js';
export { isRegion } from './support/region.js';
export { seededRandom } from './support/seeded-random.js';
export { readJson } from './support/settings-file.js';
export { withoutTrailing } from './support/trailing.js';
export { withoutUrlSecrets } from './support/url-text.js';
export { parseOptions, show } from './support/validation.js';
export { VERSION } from './support/version.js';
export { VirtualTime } from './support/virtual-time.js';
export {
  type BacklogDescription,
  type DeliveryDescription,
  METADATA_KEY,
  METADATA_VERSION,
  type QueueDescription,
  type RecurringDescription,
  type TableDescription,
  TOKEN,
} from './template-metadata.js';
export {
  type BreakerMemory,
  type BreakerOptions,
  LANES_AT_ONCE,
  loadLimits,
  maxAttemptsPerHour,
  parseWeights,
  QUEUE_DEFAULTS,
  type QueueNumbers,
  type QueueWeights,
  type RunDeps,
  type RunOptions,
  type RunSummary,
  type RunTarget,
  redactionOf,
  resolveBreaker,
  retryDecider,
  run,
  type StopReason,
  TIMES,
} from './worker/index.js';
/** @internal */
export { longAttempts } from './worker/long-attempts.js';
export { PageTurns, type QueueTurns } from './worker/page-turns.js';
export { isIdle } from './worker/summary.js';
export { areEqual } from './worker/weights.js';
