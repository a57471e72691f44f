/** The reason for which a run ended. */
export type StopReason =
  /** Nothing was due any more. */
  | 'drained'
  /** Another run holds the lease, and was asked to look once more; or another has this batch of arrivals. */
  | 'leaseHeld'
  /** The queue has as many runs or attempts under way as its limits allow: arrivals were left to the rules. */
  | 'concurrencyLimited'
  /** Other runs have the next permits of the queue's rate limit: these arrivals were left to the rules. */
  | 'rateLimited'
  /** Records of a lane wait for the limits of their keys: `concurrencyPerKey`, `attemptsPerSecondPerKey`. */
  | 'keyLimited'
  /** The run had attempted `maxRecords`, or as many records alone (after the loss of a worker) as one run may. */
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
  /** Other runs have claimed some of these arrivals, and their event must come back for the rest. */
  | 'claimedElsewhere'
  /** DynamoDB throttled, or did not answer. */
  | 'storeError';

interface Meaning {
  /** Its weight where lanes of one queue ended differently: the greatest stands for the whole. */
  readonly weight: number;
  /** Tells that the queue itself lets no run go on, of whatever tier. */
  readonly ofQueue?: true;
  /** Tells that it says something of other queues of the same invocation, too. */
  readonly ofInvocation?: true;
  /** Tells that no run has handled the arrivals: their event must come back. */
  readonly losesArrivals?: true;
}

const MEANINGS: Readonly<Record<StopReason, Meaning>> = {
  storeError: { weight: 15, ofInvocation: true, losesArrivals: true },
  claimedElsewhere: { weight: 14, losesArrivals: true },
  stopped: { weight: 13, ofQueue: true, ofInvocation: true },
  paused: { weight: 12, ofQueue: true },
  breakerOpen: { weight: 11, ofQueue: true },
  retryModeChanged: { weight: 10, ofQueue: true },
  notOwner: { weight: 9, ofQueue: true },
  passiveRegion: { weight: 8, ofQueue: true, losesArrivals: true },
  leaseLost: { weight: 7 },
  deadline: { weight: 6, ofInvocation: true },
  maxRecords: { weight: 5, ofInvocation: true },
  concurrencyLimited: { weight: 4, ofQueue: true },
  rateLimited: { weight: 3 },
  keyLimited: { weight: 2 },
  leaseHeld: { weight: 1 },
  drained: { weight: 0, ofInvocation: true },
};

/** The reason for lanes of one queue that ended for these reasons. */
export function ofLanes(reasons: readonly StopReason[]): StopReason {
  return reasons.reduce(heavier, 'drained');
}

/** The reason for several queues: one that is paused, or that another run serves, says nothing about the others. */
export function ofQueues(reasons: readonly StopReason[]): StopReason {
  const [first, ...others] = reasons.filter((reason) => MEANINGS[reason].ofInvocation);
  return first ? others.reduce(heavier, first) : (reasons[0] ?? 'drained');
}

/** Tells whether the queue itself lets no run go on, of whatever tier. */
export function isOfQueue(reason: StopReason): boolean {
  return MEANINGS[reason].ofQueue === true;
}

/** Tells whether no run has handled the arrivals, so that their event must come back. */
export function losesArrivals(reason: StopReason): boolean {
  return MEANINGS[reason].losesArrivals === true;
}

function heavier(one: StopReason, other: StopReason): StopReason {
  return MEANINGS[other].weight > MEANINGS[one].weight ? other : one;
}
