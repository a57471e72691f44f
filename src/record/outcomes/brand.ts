/**
 * The brand of the outcomes that `process` may return or throw to say more than "it worked" or "it failed". They are errors
 * so that they can be thrown from any depth. With a brand, two copies of this package understand each other.
 */
export const BRAND = Symbol.for('dynamo-backlog.outcome');

/** The reason of a `Snooze` that names none. */
export const NOT_YET = 'not its time yet';

/** A destination may ask for more than the longest wait, which is kept then. */
export const ANY_LENGTH = { most: Number.MAX_VALUE };

/** The type only: a value could hold anything, and errors are logged. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? `a ${value.constructor?.name ?? 'value'}` : `a ${typeof value}`;
}
