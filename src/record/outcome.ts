import { ConfigurationError } from '../errors.js';
import { show } from '../validation.js';

/**
 * What `process` may return or throw to say more than "it worked" or "it failed". They are errors so that they can
 * be thrown from any depth; a brand instead of `instanceof` lets two copies of this package understand each other.
 */
const BRAND = Symbol.for('dynamo-backlog.outcome');

/** The work is done: the record succeeds. The same as returning nothing. */
export class Done extends Error {
  override readonly name = 'Done';
  readonly [BRAND] = 'done';
}

/** It failed, and the other side said when to come back. The policy's own wait still holds if it is longer. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter';
  readonly [BRAND] = 'retryAfter';
  /** @param seconds how long to wait at least, from now */
  constructor(
    readonly seconds: number,
    because = 'the other side asked to wait',
    options?: ErrorOptions,
  ) {
    super(because, options);
    if (!Number.isFinite(seconds) || seconds < 0) {
      throw new ConfigurationError(`RetryAfter: expected seconds of 0 or more, got ${show(seconds)}`);
    }
  }
}

/** It can never succeed: the record is dead at once, and kept with this reason. */
export class Dead extends Error {
  override readonly name = 'Dead';
  readonly [BRAND] = 'dead';
  /** @param because why, in a few words; kept on the record */
  constructor(because: string, options?: ErrorOptions) {
    super(because, options);
  }
}

export type TypedOutcome = Done | RetryAfter | Dead;

/** How one attempt ended. */
export type AttemptOutcome =
  | { readonly type: 'success' }
  | {
      readonly type: 'failure';
      readonly error: { readonly name: string; readonly message: string };
      readonly retryAfterSeconds?: number | undefined;
    }
  | {
      readonly type: 'dead';
      readonly because: string;
      readonly error: { readonly name: string; readonly message: string };
    };

/** Reads what `process` returned. Nothing, or `Done`, is success; a value nobody asked for is an error. */
export function outcomeOfReturn(value: unknown): AttemptOutcome {
  if (value === undefined) return { type: 'success' };
  const typed = asTypedOutcome(value);
  if (typed) return outcomeOfTyped(typed);
  const message = `process returned ${describe(value)}: expected nothing, Done, RetryAfter or Dead`;
  return { type: 'failure', error: { name: 'UnknownReturnValue', message } };
}

/** Reads what `process` threw: a typed outcome, an error, or anything at all. */
export function outcomeOfThrow(thrown: unknown): AttemptOutcome {
  const typed = asTypedOutcome(thrown);
  return typed ? outcomeOfTyped(typed) : { type: 'failure', error: describeThrown(thrown) };
}

function asTypedOutcome(value: unknown): TypedOutcome | undefined {
  return typeof value === 'object' && value !== null && BRAND in value ? (value as TypedOutcome) : undefined;
}

function outcomeOfTyped(outcome: TypedOutcome): AttemptOutcome {
  const kind = outcome[BRAND];
  switch (kind) {
    case 'done':
      return { type: 'success' };
    case 'retryAfter':
      return { type: 'failure', error: errorOf(outcome), retryAfterSeconds: outcome.seconds };
    case 'dead':
      return { type: 'dead', because: outcome.message, error: errorOf(outcome) };
    default:
      throw new ConfigurationError(`unknown outcome ${show(kind satisfies never)}`);
  }
}

/** What caused the outcome, where it says so. */
function errorOf(outcome: TypedOutcome): { name: string; message: string } {
  return describeThrown(outcome.cause ?? outcome);
}

function describeThrown(thrown: unknown): { name: string; message: string } {
  if (thrown instanceof Error) return { name: thrown.name || 'Error', message: thrown.message };
  return { name: 'NonError', message: `threw ${describe(thrown)}` };
}

/** The type only: a value could hold anything, and errors are logged. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? `a ${value.constructor?.name ?? 'value'}` : `a ${typeof value}`;
}
