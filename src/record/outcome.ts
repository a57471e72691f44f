import * as z from 'zod/mini';
import { MAX_WAIT_SECONDS } from '../policies/index.js';
import { LAST_TIME } from '../support/clock.js';
import { type Duration, parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { readRetryAfter } from '../support/retry-after-header.js';
import { parseOptions, show } from '../support/validation.js';
import type { ErrorText } from './history.js';
import type { BacklogRecord } from './record.js';
import { givenResult, hasRoomForResult } from './result.js';

/**
 * The brand of the outcomes that `process` may return or throw to say more than "it worked" or "it failed". They are errors
 * so that they can be thrown from any depth. With a brand, two copies of this package understand each other.
 */
const BRAND = Symbol.for('dynamo-backlog.outcome');

const doneSchema = z.strictObject({ result: z.optional(z.unknown()), again: z.optional(z.unknown()) });

/** The options of a `Done`. */
export interface DoneOptions {
  /**
   * The value that the record keeps as its `result`: anything that `JSON.stringify` takes, up to 1,024 bytes of JSON. One that
   * cannot be kept is left out, with a line at `ERROR`; the record succeeds all the same. Default: none.
   */
  readonly result?: unknown;
  /**
   * The time at which the record comes again: it waits as a new one until then, with no failure counted and its age from 0. It is
   * due at the next tick of its queue at the earliest, which is a full minute. Default: it does not, and is `SUCCESS`.
   */
  readonly again?: Date | undefined;
}

/** The work is done: the record succeeds. Without options it is the same as returning nothing. */
export class Done extends Error {
  /** Always `Done`. */
  override readonly name = 'Done';
  /** @hidden */
  readonly [BRAND] = 'done';
  /** The value to keep; `undefined`: none. */
  readonly result: unknown;
  /** The time at which the record comes again, epoch milliseconds; `undefined`: it does not. */
  readonly again: number | undefined;
  /**
   * @param options `{ result, again }`: a small value that the record keeps, and the time at which it comes again
   * @throws ConfigurationError for any other option. Thrown in an attempt, that is a failure like any other
   */
  constructor(options: DoneOptions = {}) {
    super();
    // An error must not quote what was given in place of the options: it may be the result.
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw new ConfigurationError(`Done: expected { result, again }, got ${describe(options)}`);
    }
    const { result, again } = parseOptions(doneSchema, { ...options }, 'Done');
    this.result = result;
    this.again = again === undefined ? undefined : timeOf(again, 'Done.again');
  }
}

/** @throws ConfigurationError for what is no `Date`, or one that has no ISO form of four digits for the year */
function timeOf(date: unknown, name: string): number {
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  if (time >= 0 && time <= LAST_TIME) return time;
  throw new ConfigurationError(`${name}: expected a Date up to the year 9999, got ${describe(date)}`);
}

/** A destination may ask for more than the longest wait, which is kept then. */
const ANY_LENGTH = { most: Number.MAX_VALUE };

/** The attempt failed, and the destination said when to come back. The policy's own wait still holds if it is longer. */
export class RetryAfter extends Error {
  /** Always `RetryAfter`. */
  override readonly name = 'RetryAfter';
  /** @hidden */
  readonly [BRAND] = 'retryAfter';
  /** The least wait, from the end of the attempt, in seconds. */
  readonly seconds: number;
  /**
   * @param wait how long to wait at least, from now: seconds, text such as `'2h'`, or the value of a header `Retry-After`
   *   (seconds such as `'120'`, or an HTTP date). `null` or `undefined`, as where that header is absent: as long as the
   *   policy says. It is cut to the queue's `maxRetryAfter` (a day), the policy's `maxWait`, and what is left of `maxAge`
   * @param reason kept on the record as the error's message
   * @param options `{ cause }`: the error behind it, whose name and message are kept instead
   * @throws ConfigurationError for any other value. Thrown in an attempt, that is a failure like any other, which waits as
   *   long as the policy says
   */
  constructor(
    wait: Duration | null | undefined,
    reason = 'the destination asked to wait',
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.seconds = secondsToWait(wait);
  }
}

function secondsToWait(wait: Duration | null | undefined): number {
  if (wait === null || wait === undefined) return 0;
  // A destination's date is of real time.
  const asked = typeof wait === 'string' ? readRetryAfter(wait, Date.now()) : undefined;
  return asked ?? parseDuration(wait, 'RetryAfter', ANY_LENGTH);
}

/** The work can never succeed: the record is dead at once, and kept with this reason. */
export class Dead extends Error {
  /** Always `Dead`. */
  override readonly name = 'Dead';
  /** @hidden */
  readonly [BRAND] = 'dead';
  /**
   * @param reason why, in a few words; kept on the record as its `deadReason`
   * @param options `{ cause }`: the error behind it, whose name and message are kept as well
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

const NOT_YET = 'not its time yet';
const notReadySchema = z.strictObject({
  reason: z.optional(z.string()),
  cause: z.optional(z.unknown()),
});

/** Dead before its handler was called, such as a payload that its schema refuses: it says nothing about the destination. */
export class Refused extends Dead {
  readonly untried = true;
}

/** The reason of a `Snooze` that names no time. */
export interface NotReady extends ErrorOptions {
  /** The reason in a few words; kept in the record's history. */
  readonly reason?: string | undefined;
}

/**
 * The work is not ready yet: the record is tried again, and no failure is counted. Without a delay it is tried again when its
 * policy says, or at the next turn of a progressive queue. The policy counts such an attempt as it counts a failure, so that
 * its waits grow and its limits hold.
 */
export class Snooze extends Error {
  /** Always `Snooze`. */
  override readonly name = 'Snooze';
  /** @hidden */
  readonly [BRAND] = 'snooze';
  /** The wait from the end of the attempt, in seconds. Undefined: as long as the policy says. */
  readonly seconds: number | undefined;
  /**
   * @param notReady why the work is not ready yet; the policy says when to look again
   * @throws ConfigurationError for what is neither that nor a duration
   */
  constructor(notReady?: NotReady);
  /**
   * @param delay from now, in place of what the policy says: seconds, or text such as `'2h'`; longer than 365 days is 365 days
   * @param reason why, in a few words; kept in the record's history
   * @param options `{ cause }`: the error behind it
   * @throws ConfigurationError for what is no duration
   */
  constructor(delay: Duration, reason?: string, options?: ErrorOptions);
  constructor(delay?: Duration | NotReady, reason?: string, options?: ErrorOptions) {
    const notReady = typeof delay === 'object' && delay !== null ? delay : undefined;
    if (notReady) parseOptions(notReadySchema, notReady, 'Snooze');
    super(notReady?.reason ?? reason ?? NOT_YET, notReady && 'cause' in notReady ? notReady : options);
    const isTimed = delay !== undefined && !notReady;
    this.seconds = isTimed ? parseDuration(delay as Duration, 'Snooze', ANY_LENGTH) : undefined;
  }
}

/**
 * The work is not wanted any more: the record is given up with this reason. That is neither a failure nor a death that
 * sets off an alarm.
 */
export class Cancel extends Error {
  /** Always `Cancel`. */
  override readonly name = 'Cancel';
  /** @hidden */
  readonly [BRAND] = 'cancel';
  /**
   * @param reason why, in a few words; kept on the record as its `deadReason`, behind `cancelled: `
   * @param options `{ cause }`: the error behind it
   */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

/**
 * An outcome that says more than success or failure, returned or thrown.
 *
 * @inline
 */
export type TypedOutcome = Done | RetryAfter | Dead | Snooze | Cancel;

/** The end of one attempt. */
export type AttemptOutcome = AttemptEnding & {
  /** Its duration in milliseconds; absent if that is not known. */
  readonly ms?: number | undefined;
};

type AttemptEnding =
  | {
      readonly type: 'success';
      /** The result to keep, as JSON. Undefined: none. */
      readonly result?: string | undefined;
      /** The reason why the result that it gave is not kept. It does not quote the result. */
      readonly notKept?: string | undefined;
      /** The time at which the record comes again, epoch milliseconds. Undefined: it does not. */
      readonly again?: number | undefined;
    }
  | {
      readonly type: 'failure';
      readonly error: ErrorText;
      readonly retryAfterSeconds?: number | undefined;
      /** The value that `process` threw, if it did; never stored. */
      readonly thrown?: unknown;
    }
  | {
      readonly type: 'dead';
      readonly reason: string;
      readonly error: ErrorText;
      /** The value that `process` threw, if it did; never stored. */
      readonly thrown?: unknown;
      /** Marks a record that was given up before its attempt began. */
      readonly untried?: true | undefined;
    }
  /** The work is not ready yet. Without `seconds` its policy says when to try again. */
  | {
      readonly type: 'snooze';
      readonly seconds?: number | undefined;
      readonly reason?: string | undefined;
    }
  /** The work is not wanted any more. */
  | { readonly type: 'cancel'; readonly reason: string };

/** Reads what `process` returned. Nothing, or `Done`, is success; any other value is an error. */
export function outcomeOfReturn(value: unknown): AttemptOutcome {
  if (value === undefined) return { type: 'success' };
  return readable(() => {
    if (isTypedOutcome(value)) return outcomeOfTyped(value);
    return unknownReturn(
      `process returned ${describe(value)}: expected nothing, Done, RetryAfter, Snooze, Cancel or Dead`,
    );
  });
}

/** Reads what `process` threw: a typed outcome, an error, or anything at all. */
export function outcomeOfThrow(thrown: unknown): AttemptOutcome {
  return readable(() =>
    isTypedOutcome(thrown)
      ? outcomeOfTyped(thrown)
      : { type: 'failure', error: describeThrown(thrown), thrown },
  );
}

/** The outcome without its result, if the item of its record has no room for that. */
export function withinRoom(record: BacklogRecord, outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.type !== 'success' || outcome.result === undefined) return outcome;
  if (hasRoomForResult(record, outcome.result)) return outcome;
  return { ...outcome, result: undefined, notKept: 'its item has almost 400 KB' };
}

/** The name of what code of the user's threw, whatever it is. */
export function nameOfThrown(thrown: unknown): string {
  const said = outcomeOfThrow(thrown);
  return 'error' in said ? said.error.name : said.type;
}

/** Reads an outcome. A value that throws when it is read is a failure: none may keep its record from being settled. */
function readable(read: () => AttemptOutcome): AttemptOutcome {
  try {
    return read();
  } catch {
    const message = 'what process returned or threw throws when it is read';
    return { type: 'failure', error: { name: 'UnreadableOutcome', message } };
  }
}

function isTypedOutcome(value: unknown): value is TypedOutcome {
  return typeof value === 'object' && value !== null && BRAND in value;
}

function outcomeOfTyped(outcome: TypedOutcome): AttemptOutcome {
  const kind = outcome[BRAND];
  switch (kind) {
    case 'done':
      return { type: 'success', ...givenResult(outcome.result), again: outcome.again };
    case 'retryAfter':
      return {
        type: 'failure',
        error: errorOf(outcome),
        retryAfterSeconds: waitOf(outcome.seconds),
        thrown: outcome.cause ?? outcome,
      };
    case 'dead':
      return {
        type: 'dead',
        reason: textOf(outcome.message),
        error: errorOf(outcome),
        thrown: outcome.cause ?? outcome,
        ...('untried' in outcome && outcome.untried === true ? { untried: true } : {}),
      };
    case 'snooze': {
      const reason = textOf(outcome.message);
      const said = reason === NOT_YET ? {} : { reason };
      return outcome.seconds === undefined
        ? { type: 'snooze', ...said }
        : { type: 'snooze', seconds: waitOf(outcome.seconds), ...said };
    }
    case 'cancel':
      return { type: 'cancel', reason: textOf(outcome.message) };
    default:
      return unknownReturn(`an outcome of another version of this package: ${show(kind satisfies never)}`);
  }
}

function unknownReturn(message: string): AttemptOutcome {
  return { type: 'failure', error: { name: 'UnknownReturnValue', message } };
}

/** The destination may ask for any wait; a record is never put off for more than the longest one. */
function waitOf(seconds: number): number {
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) : 0;
}

/** The cause of the outcome, or the outcome itself. */
function errorOf(outcome: TypedOutcome): { name: string; message: string } {
  return describeThrown(outcome.cause ?? outcome);
}

/** The longest text that is read; the rest is dropped at once. */
const MAX_TEXT_CHARACTERS = 16_384;

function textOf(value: unknown): string {
  return String(value).slice(0, MAX_TEXT_CHARACTERS);
}

function describeThrown(thrown: unknown): { name: string; message: string } {
  if (thrown instanceof Error)
    return { name: textOf(thrown.name || 'Error'), message: textOf(thrown.message) };
  return { name: 'NonError', message: `threw ${describe(thrown)}` };
}

/** The type only: a value could hold anything, and errors are logged. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? `a ${value.constructor?.name ?? 'value'}` : `a ${typeof value}`;
}
