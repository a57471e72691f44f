import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * `page`: records are late or fail, an operator should look now. `ticket`: no record is late because of it, it can wait for the
 * morning.
 *
 * @inline
 */
export type Severity = 'page' | 'ticket';

/** Actions for all alarms, or by severity. */
export type AlarmActions =
  | readonly IAlarmAction[]
  | {
      /** The actions of alarms of the severity `page`. */
      readonly page?: readonly IAlarmAction[] | undefined;
      /** The actions of alarms of the severity `ticket`. */
      readonly ticket?: readonly IAlarmAction[] | undefined;
    };

/** The thresholds of a queue's alarms. `false`: there is no such alarm. */
export interface QueueAlarms {
  /**
   * The longest time for which a record may be due without an attempt.
   *
   * @default - 3 minutes and one `attemptTimeout`, of which 5 minutes count with `worker: "external"`
   */
  readonly lag?: Duration | false | undefined;

  /**
   * Records that may be given up within five minutes.
   *
   * @default 0
   */
  readonly dead?: number | false | undefined;

  /**
   * Records have failed for minutes, and none of them, or of one destination, succeeds.
   *
   * @default true
   */
  readonly failures?: boolean | undefined;

  /**
   * Records that may wait, now or later. It needs the metrics `full`.
   *
   * @default - no alarm
   */
  readonly depth?: number | false | undefined;

  /**
   * Records of one key that may wait, now or later. It needs `metricsPerKey`.
   *
   * @default - no alarm
   */
  readonly depthPerKey?: number | false | undefined;

  /**
   * The longest time for which a record may wait for its end from outside, after an attempt that ended as `Pending`. It needs the metrics
   * `full`.
   *
   * @default - no alarm
   */
  readonly pending?: Duration | false | undefined;

  /**
   * The longest time for which records of one key may wait behind one that is dead, or for a number that does not come, in a queue with
   * `order`: until an operator acts.
   *
   * @default - 5 minutes
   */
  readonly held?: Duration | false | undefined;

  /**
   * The severity of all alarms of this queue.
   *
   * @default - `page` for lag and failures, `ticket` for the others
   */
  readonly severity?: Severity | undefined;
}
