import { type Duration, parseDuration } from '../../support/duration.js';
import { readRetryAfter } from '../../support/retry-after-header.js';
import { ANY_LENGTH, BRAND } from './brand.js';

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
