/**
 * The parts that the handlers are made of. Code that builds on it may be a runner outside of Lambda (a container, a worker), a store
 * of your own, or a test with a clock and a store in memory. It changes more often than the other entries.
 *
 * @packageDocumentation
 */

export { type ResolvedPolicy, resolvePolicy, type TierBand, tierBands } from './policies/index.js';
export type * as StoreTypes from './store/contract.js';
export {
  type BacklogStore,
  createDynamoDbClient,
  DynamoDbStore,
  MemoryStore,
  type OperatorStore,
} from './store/index.js';
export { type Clock, systemClock } from './support/clock.js';
export { type Random, systemRandom } from './support/random.js';
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
