import * as z from 'zod/mini';
import { type Duration, parseDuration } from '../../support/duration.js';
import { parseOptions } from '../../support/validation.js';
import { ANY_LENGTH, BRAND, NOT_YET } from './brand.js';

const notReadySchema = z.strictObject({
  reason: z.optional(z.string()),
  cause: z.optional(z.unknown()),
});

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
