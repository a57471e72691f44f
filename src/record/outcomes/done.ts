import * as z from 'zod/mini';
import { LAST_TIME } from '../../support/clock.js';
import { ConfigurationError } from '../../support/errors.js';
import { parseOptions } from '../../support/validation.js';
import { BRAND, describe } from './brand.js';

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
