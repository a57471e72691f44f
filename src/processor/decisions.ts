import type { ResolvedPolicy } from '../policies/index.js';
import type { AttemptOutcome, BacklogRecord } from '../record/index.js';
import type { DeadOn } from './decision-options.js';
import { askRetryFunction, type RetryFunction } from './retry-function.js';

/** What may be said about the failures of a queue, of a handler, or of one kind of records. */
export interface FailureChoices {
  /** Asked before the policy, after the record's own. */
  readonly retryFunction?: RetryFunction | undefined;
  /** Where records go that are to be retried. Default: they stay. */
  readonly retryQueue?: string | undefined;
  /** Errors that are dead at once. */
  readonly deadOn?: DeadOn | undefined;
}

/** What holds for one record in place of what its handler says; what it leaves out, the handler says. */
export interface RecordChoices extends FailureChoices {
  /** With it, and without a function beside it, the handler's function is not asked. */
  readonly policy?: ResolvedPolicy | undefined;
  /** Time of its attempts, where it is less than the run's. */
  readonly attemptTimeoutSeconds?: number | undefined;
}

/** Everything that is known about the failures of one record, but for its own policy. */
export interface Deciding extends FailureChoices {
  readonly policy: ResolvedPolicy;
  /** The policy is one record's alone. */
  readonly chosen: boolean;
}

export interface Decided {
  readonly outcome: AttemptOutcome;
  readonly policy: ResolvedPolicy;
  /** The policy's waits hold on a progressive queue too. */
  readonly chosen: boolean;
  /** Where it goes if it is retried; undefined: it stays. */
  readonly retryQueue?: string | undefined;
  readonly problem?: string | undefined;
}

/** What holds for one record, of what its handler says and of what is said for records of its kind. */
export function decidingFor(
  handler: FailureChoices & { readonly policy: ResolvedPolicy },
  own: RecordChoices = {},
): Deciding {
  const { policy, retryFunction, retryQueue, deadOn } = handler;
  return {
    policy: own.policy ?? policy,
    chosen: own.policy !== undefined && own.policy.type !== 'progressive',
    retryFunction: own.retryFunction ?? (own.policy ? undefined : retryFunction),
    retryQueue: own.retryQueue ?? retryQueue,
    deadOn: own.deadOn ?? deadOn,
  };
}

/**
 * What becomes of a failure. First who knows best:
 *
 *     deadOn                dead at once, whatever policy the record has
 *     the record's policy   its wait; it moves to `retryQueue` all the same
 *     the retry function    a wait, dead, or another queue; a bad answer leaves it to the rest
 *     the policy            of the records' kind, the handler or the CDK app
 *
 * A success, and an outcome that says itself what shall be, is left as it is.
 */
export function decide(record: BacklogRecord, outcome: AttemptOutcome, deciding: Deciding): Decided {
  const { policy, chosen, retryFunction, retryQueue, deadOn = [] } = deciding;
  const stays = { outcome, policy, chosen };
  if (outcome.type !== 'failure') return stays;
  const fatal = outcome.retryAfterSeconds === undefined ? fatalIn(deadOn, outcome) : undefined;
  if (fatal !== undefined) return { ...stays, outcome: deadOf(outcome, `deadOn: ${fatal}`) };
  const retried = { ...stays, retryQueue };
  if (record.retry || !retryFunction) return retried;
  const asked = askRetryFunction(retryFunction, outcome, record, policy);
  if ('dead' in asked) return { ...stays, outcome: deadOf(outcome, asked.dead) };
  return {
    outcome,
    policy: asked.policy ?? policy,
    chosen: asked.chosen ?? chosen,
    retryQueue: asked.queue ?? retryQueue,
    problem: asked.problem,
  };
}

type Failure = Extract<AttemptOutcome, { type: 'failure' }>;

function deadOf({ error, thrown }: Failure, because: string): AttemptOutcome {
  return { type: 'dead', because, error, thrown };
}

/** The name of the error that is listed, if any is. */
function fatalIn(deadOn: DeadOn, { error, thrown }: Failure): string | undefined {
  if (deadOn.length === 0) return undefined;
  const names = new Set([error.name, ...classNames(thrown)]);
  const found = deadOn.find((one) => (typeof one === 'string' ? names.has(one) : isOf(one, thrown)));
  return typeof found === 'function' ? found.name : found;
}

function isOf(errorClass: Exclude<DeadOn[number], string>, thrown: unknown): boolean {
  try {
    return thrown instanceof errorClass;
  } catch {
    return false;
  }
}

/** Of the classes that an error is derived from: most of them give their errors no name. */
function classNames(thrown: unknown): string[] {
  const names: string[] = [];
  try {
    if (!(thrown instanceof Error)) return names;
    for (let one = Object.getPrototypeOf(thrown); one instanceof Error || one === Error.prototype; ) {
      names.push(String(one.constructor?.name));
      one = Object.getPrototypeOf(one);
    }
  } catch {
    // What throws when it is looked at has no more names than those.
  }
  return names;
}
