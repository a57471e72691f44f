import * as z from 'zod/mini';
import { MAX_WAIT_SECONDS } from '../../policies/index.js';
import { type Duration, duration } from '../../support/duration.js';
import { parseOptions } from '../../support/validation.js';
import { BRAND } from './brand.js';

/** The options of a `Pending`. */
export interface PendingOptions {
  /** The longest wait from the end of the attempt: seconds, or text such as `'2h'`, up to 365 days. Default: a day. */
  readonly timeout?: Duration | undefined;
  /** The reason in a few words, for people; kept on the record while it waits. */
  readonly reason?: string | undefined;
}

const pendingSchema = z.strictObject({
  timeout: z._default(duration({ above: 0, most: MAX_WAIT_SECONDS }), 86_400),
  reason: z.optional(z.string()),
});

/**
 * The work goes on outside, and its end comes from there: a person or a system calls `complete` or `fail` of `BacklogClient` with the
 * record's id and `context.token`. The record waits meanwhile, without an attempt, and holds no slot. A wait that is over
 * is a failure (`PendingTimedOut`), and the record is attempted again, with another token.
 */
export class Pending extends Error {
  /** Always `Pending`. */
  override readonly name = 'Pending';
  /** @hidden */
  readonly [BRAND] = 'pending';
  /** The longest wait from the end of the attempt, in seconds. */
  readonly seconds: number;
  /**
   * @param options `{ timeout, reason }`
   * @throws ConfigurationError for any other option. Thrown in an attempt, that is a failure like any other
   */
  constructor(options: PendingOptions = {}) {
    const { timeout, reason } = parseOptions(pendingSchema, options, 'Pending');
    super(reason);
    this.seconds = timeout;
  }
}
