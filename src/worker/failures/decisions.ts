import type { ResolvedPolicy } from '../../policies/index.js';
import type { AttemptOutcome, BacklogRecord } from '../../record/index.js';
import type { DeadOn } from './decision-options.js';

type Failure = Extract<AttemptOutcome, { type: 'failure' }>;

/** The decision of a retry function about a failure. */
export type Asked =
  /** Dead, for this reason. */
  | { readonly dead: string }
  | {
      /** Undefined: it is left to the policy behind the function. */
      readonly policy?: ResolvedPolicy | undefined;
      /** The policy's waits hold on a progressive queue too. */
      readonly chosen?: boolean | undefined;
      readonly queue?: string | undefined;
      /** The fault of the function's answer, which is then ignored. */
      readonly problem?: string | undefined;
    };

/** Asks a retry function and reads its answer; `retryDecider` makes it of the function. Never throws. */
export type RetryDecider = (failure: Failure, record: BacklogRecord, fallback: ResolvedPolicy) => Asked;

/** Choices about the failures of a queue, of a handler, or of one kind of records. */
export interface FailureChoices {
  /** Decides before the policy. A record with a policy of its own is not subject to it. */
  readonly retryDecider?: RetryDecider | undefined;
  /** The queue into which records go that are to be retried. Default: they stay. */
  readonly retryQueue?: string | undefined;
  /** Errors that are dead at once. */
  readonly deadOn?: DeadOn | undefined;
}

/**
 * Choices for one record that replace those of its handler. Those that are left out are the handler's.
 *
 * @inline
 */
export interface RecordChoices extends FailureChoices {
  /** The policy. With it, and without a function beside it, the handler's function is not asked. */
  readonly policy?: ResolvedPolicy | undefined;
  /** Time of its attempts, where it is less than the run's. */
  readonly attemptTimeout?: number | undefined;
}

/** Everything that is known about the failures of one record, except for its own policy. */
export interface Deciding extends FailureChoices {
  readonly policy: ResolvedPolicy;
  /** The policy's waits hold on a progressive queue too. */
  readonly chosen: boolean;
  /** Time of its attempts, where it is less than the run's. */
  readonly attemptTimeout?: number | undefined;
}

export interface Decided {
  readonly outcome: AttemptOutcome;
  readonly policy: ResolvedPolicy;
  readonly chosen: boolean;
  /** The queue into which it goes if it is retried; undefined: it stays. */
  readonly retryQueue?: string | undefined;
  readonly problem?: string | undefined;
}

/** The choices for one record: those for records of its kind, and else those of its handler. */
export function decidingFor(
  handler: FailureChoices & { readonly policy: ResolvedPolicy },
  own: RecordChoices = {},
): Deciding {
  return {
    policy: own.policy ?? handler.policy,
    chosen: own.policy !== undefined && own.policy.type !== 'progressive',
    retryDecider: own.retryDecider ?? (own.policy ? undefined : handler.retryDecider),
    retryQueue: own.retryQueue ?? handler.retryQueue,
    deadOn: own.deadOn ?? handler.deadOn,
    attemptTimeout: own.attemptTimeout,
  };
}

/**
 * A failure that no retry helps against is a death at once, whatever policy the record has; unless `process` asked for
 * another attempt.
 */
export function deadIfRefused(outcome: AttemptOutcome, deadOn: DeadOn = []): AttemptOutcome {
  if (outcome.type !== 'failure' || outcome.retryAfterSeconds !== undefined) return outcome;
  const fatal = deadOn.find((one) => isError(one, outcome));
  if (!fatal) return outcome;
  return { ...outcome, type: 'dead', reason: `deadOn: ${typeof fatal === 'string' ? fatal : fatal.name}` };
}

/**
 * Decides about a failure, once `deadIfRefused` has been asked. In this order:
 *
 *     the record's policy   its wait; it moves to `retryQueue` all the same
 *     the retry function    a wait, dead, or another queue; a bad answer leaves it to the rest
 *     the policy            of the records' kind, the handler or the CDK app
 *
 * A success, and an outcome that itself says what follows, is left as it is.
 */
export function decide(record: BacklogRecord, outcome: AttemptOutcome, deciding: Deciding): Decided {
  const { policy, chosen, retryDecider, retryQueue } = deciding;
  if (outcome.type !== 'failure') return { outcome, policy, chosen };
  const dead = (reason: string): Decided => {
    return { outcome: { ...outcome, type: 'dead', reason }, policy, chosen };
  };
  const asked = record.retry ? undefined : retryDecider?.(outcome, record, policy);
  if (!asked) return { outcome, policy, chosen, retryQueue };
  if ('dead' in asked) return dead(asked.dead);
  return {
    outcome,
    policy: asked.policy ?? policy,
    chosen: asked.chosen ?? chosen,
    retryQueue: asked.queue ?? retryQueue,
    problem: asked.problem,
  };
}

/** Most classes give their errors no name: the class's own, and those it is derived from, stand for it as well. */
function isError(expected: DeadOn[number], { error, thrown }: Failure): boolean {
  if (expected === error.name) return true;
  try {
    if (typeof expected === 'function') return thrown instanceof expected;
    for (let one = thrown; one instanceof Error; one = Object.getPrototypeOf(one)) {
      if (one.constructor?.name === expected) return true;
    }
    return expected === 'Error' && thrown instanceof Error;
  } catch {
    // What throws when it is looked at is none of them.
    return false;
  }
}
