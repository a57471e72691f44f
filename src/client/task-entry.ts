import { InvalidRecordError } from '../support/errors.js';
import type { TaskInsertOptions } from './task-record.js';

/**
 * One of many records of a task: its payload, or `{ payload, ... }` with options of its own. A payload that itself has
 * an attribute `payload` has to be wrapped.
 *
 * @inline
 */
export type TaskEntry<Input, Priority extends string = string> =
  | ('payload' extends keyof Input ? never : Input)
  | WrappedPayload<Input, Priority>;

/** @inline */
export interface WrappedPayload<Input, Priority extends string = string>
  extends TaskInsertOptions<Input, Priority> {
  /** The payload, as the task's schema takes it. */
  readonly payload: Input;
}

/** @param common options of all of them; what one says comes before that */
export function entryOf(
  given: unknown,
  common: TaskInsertOptions<never>,
): { readonly payload: unknown; readonly options: TaskInsertOptions<never> } {
  if (!isWrapped(given)) return { payload: given, options: common };
  const { payload, ...own } = given;
  const stranger = Object.keys(own).find((name) => !OPTIONS.has(name));
  if (stranger !== undefined) {
    throw new InvalidRecordError(
      `unknown option "${stranger}" beside payload; a payload with an attribute "payload" of its own has to be wrapped: ` +
        '{ payload: { payload, ... } }',
    );
  }
  return { payload, options: merged(common, own) };
}

/** Tells whether an entry is a payload with options of its own, or may be. */
export function isWrapped(given: unknown): given is WrappedPayload<never> {
  return (
    typeof given === 'object' && given !== null && !Array.isArray(given) && Object.hasOwn(given, 'payload')
  );
}

const OPTIONS: ReadonlySet<string> = new Set([
  'delay',
  'at',
  'queue',
  'priority',
  'id',
  'key',
  'retry',
  'maxAttempts',
  'uniqueFor',
  'uniqueBy',
  'traceparent',
  'attributes',
  'insertedAt',
] satisfies (keyof TaskInsertOptions)[]);

/** Options that say the same thing in different words: the record's own comes first. */
const ALTERNATIVES = [
  ['delay', 'at'],
  ['queue', 'priority'],
  ['id', 'uniqueFor'],
] as const;

function merged(common: TaskInsertOptions<never>, own: TaskInsertOptions<never>): TaskInsertOptions<never> {
  const rest: Record<string, unknown> = { ...common };
  for (const [one, other] of ALTERNATIVES) {
    if (own[one] === undefined && own[other] === undefined) continue;
    delete rest[one];
    delete rest[other];
  }
  // Without a period there is nothing to tell apart.
  if (own.id !== undefined) delete rest.uniqueBy;
  return { ...rest, ...own };
}
