import type { Duration, TimeZone } from 'aws-cdk-lib';
import type { Schedule } from 'aws-cdk-lib/aws-events';
import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { RetryLimits, RetryPolicy } from '../../src/policies/index.js';
import type { Missed } from '../../src/recurring/index.js';

/** A recurring record: a schedule, and the record that is inserted at each of its occurrences. Only `schedule` is required. */
export interface RecurringProps {
  /**
   * The times of the records, once a minute at most: `'cron(0 3 * * ? *)'`, `'rate(1 hour)'`, or a `Schedule` or `ScheduleExpression` of
   * the CDK.
   *
   * A rate counts from `startAt`, else from the first deployment. The time zone of a `ScheduleExpression` holds as well.
   */
  readonly schedule: string | Schedule | ScheduleExpression;

  /**
   * The IANA time zone of a cron, such as `'Europe/Berlin'` or `TimeZone.EUROPE_BERLIN`.
   *
   * @default 'UTC'
   */
  readonly timeZone?: string | TimeZone | undefined;

  /**
   * The queue of the records: of this Backlog, or of another stack on the same tables.
   *
   * @default 'default'
   */
  readonly queue?: string | undefined;

  /**
   * The task of the records, for a handler with `tasks`.
   *
   * @default - none
   */
  readonly task?: string | undefined;

  /**
   * The customer or tenant whose work the records are: text of 1 to 256 bytes.
   *
   * @default - none
   */
  readonly key?: string | undefined;

  /**
   * The payload of each record: what JSON can hold. Its texts may be known at deployment only (CDK tokens).
   *
   * @default {}
   */
  readonly payload?: unknown;

  /**
   * The policy of the records, or limits alone such as `{ maxAttempts: 3 }`.
   *
   * @default - that of their queue
   */
  readonly retry?: RetryPolicy | RetryLimits | undefined;

  /**
   * The occurrences that are made up for, of those whose records could not be inserted within 5 minutes: `'all'`, none (`'skip'`), or
   * the newest `'one'`, unless a later one is in time.
   *
   * @default 'one'
   */
  readonly missed?: Missed | undefined;

  /**
   * The time before which there is no occurrence: a `Date`, or ISO-8601 with its zone.
   *
   * @default - none
   */
  readonly startAt?: Date | string | undefined;

  /**
   * The time after which there is no occurrence, likewise.
   *
   * @default - none
   */
  readonly endAt?: Date | string | undefined;

  /**
   * The longest time by which records are put off, so that not all begin at once: up to a day.
   *
   * @default Duration.seconds(0)
   */
  readonly jitter?: Duration | undefined;
}
