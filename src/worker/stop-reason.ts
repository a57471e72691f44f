/** Why a run ended. */
export type StopReason =
  /** Nothing was due any more. */
  | 'drained'
  /** Another run holds the lease, and was asked to look once more; or another has this batch of arrivals. */
  | 'leaseHeld'
  /** The queue has as many runs or attempts under way as its limits allow: arrivals were left to the rules. */
  | 'concurrencyLimited'
  /** Other runs have the next permits of the queue's rate limit: these arrivals were left to the rules. */
  | 'rateLimited'
  /** It had attempted `maxRecords`, or as many records alone (after the loss of a worker) as one run may. */
  | 'maxRecords'
  /** Too little time was left for another attempt. */
  | 'deadline'
  /** The process was told to end (SIGTERM). */
  | 'stopped'
  | 'paused'
  /** Too many attempts have failed: the queue's circuit breaker is open. */
  | 'breakerOpen'
  /** The queue's retry mode has changed; the old mode's last run may still be at work. */
  | 'retryModeChanged'
  /** The queue has another owner: see docs/protocol.md. */
  | 'notOwner'
  /** Another region is the active one: see docs/regions.md. */
  | 'passiveRegion'
  /** The lease was lost to another run. */
  | 'leaseLost'
  /**
   * Other runs have claimed some of these arrivals, or another region attempts them. The invocation fails, so that its event
   * comes back for what is left.
   */
  | 'shared'
  /** DynamoDB throttled, or did not answer. */
  | 'storeError';

/** First what says most about the whole, where several lanes or queues ended differently. */
const BY_WEIGHT: readonly StopReason[] = [
  'storeError',
  'stopped',
  'paused',
  'breakerOpen',
  'retryModeChanged',
  'notOwner',
  'passiveRegion',
  'leaseLost',
  'deadline',
  'maxRecords',
  'concurrencyLimited',
  'leaseHeld',
  'drained',
];

/** What is said of lanes of one queue that ended for these reasons. */
export function ofLanes(reasons: readonly StopReason[]): StopReason {
  return BY_WEIGHT.find((reason) => reasons.includes(reason)) ?? 'drained';
}

/** What is said of several queues: one that is paused, or that another run serves, says nothing about the others. */
export function ofQueues(reasons: readonly StopReason[]): StopReason {
  const ofAll: readonly StopReason[] = ['storeError', 'stopped', 'deadline', 'maxRecords', 'drained'];
  return ofAll.find((reason) => reasons.includes(reason)) ?? reasons[0] ?? 'drained';
}

const OF_QUEUE: readonly StopReason[] = [
  'concurrencyLimited',
  'stopped',
  'paused',
  'breakerOpen',
  'retryModeChanged',
  'notOwner',
  'passiveRegion',
];

/** The queue itself lets no run go on, of whatever tier. */
export function isOfQueue(reason: StopReason): boolean {
  return OF_QUEUE.includes(reason);
}

/** The run has done what it could: what it has settled may come due soon. */
export function isDone(reason: StopReason): boolean {
  return ['drained', 'leaseHeld', 'concurrencyLimited'].includes(reason);
}
