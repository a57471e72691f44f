import { MAX_WAIT_SECONDS } from '../policies/index.js';
import { show } from '../support/validation.js';
import type { RecordChange, SettleContext } from './change.js';
import type { ErrorText } from './history.js';
import { BRAND, describe, NOT_YET } from './outcomes/brand.js';
import type { Cancel } from './outcomes/cancel.js';
import type { Dead } from './outcomes/dead.js';
import type { Done } from './outcomes/done.js';
import type { Pending } from './outcomes/pending.js';
import type { RetryAfter } from './outcomes/retry-after.js';
import type { Snooze } from './outcomes/snooze.js';
import type { BacklogRecord } from './record.js';
import { givenResult, hasRoomForResult } from './result.js';

/**
 * An outcome that says more than success or failure, returned or thrown.
 *
 * @inline
 */
export type TypedOutcome = Done | RetryAfter | Dead | Snooze | Cancel | Pending;

/** An attempt whose end comes from outside. */
export type PendingOutcome = Extract<AttemptOutcome, { type: 'pending' }>;

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
  /** The work goes on outside, and its end comes from there. */
  | {
      readonly type: 'pending';
      /** Seconds until it counts as failed. */
      readonly seconds: number;
      readonly reason?: string | undefined;
      /** The change that it makes. Absent: the attempt's token is not known yet. */
      readonly change?:
        | ((record: BacklogRecord, said: PendingOutcome, context: SettleContext) => RecordChange)
        | undefined;
    }
  /** The work is not wanted any more. */
  | { readonly type: 'cancel'; readonly reason: string };

/** Reads what `process` returned. Nothing, or `Done`, is success; any other value is an error. */
export function outcomeOfReturn(value: unknown): AttemptOutcome {
  if (value === undefined) return { type: 'success' };
  return readable(() => {
    if (isTypedOutcome(value)) return outcomeOfTyped(value);
    return unknownReturn(
      `process returned ${describe(value)}: expected nothing, Done, RetryAfter, Snooze, Pending, Cancel or Dead`,
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

/** The name and the message of what code of the user's threw, or gave as an error, whatever it is. */
export function errorTextOf(thrown: unknown): ErrorText {
  const said = outcomeOfThrow(thrown);
  return 'error' in said ? said.error : { name: said.type, message: '' };
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
    case 'pending':
      return {
        type: 'pending',
        seconds: waitOf(outcome.seconds),
        reason: textOf(outcome.message) || undefined,
      };
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
