/**
 * The evidence that a group of records has not recovered: it fails since a time, and successes have not outweighed the failures.
 * Times are of the backlog, in epoch seconds.
 */
export interface FailingNote {
  /** The destination, or `WHOLE_QUEUE`. */
  readonly group: string;
  /** The first failure. */
  readonly since: number;
  /** The last failure, also of a record that has failed for long. */
  readonly lastAt: number;
  /** The last success since the first failure. Undefined: none. */
  readonly lastSuccessAt?: number | undefined;
  /** Records that have failed, of those whose first failure was less than an hour before. */
  readonly records: number;
  /** The first three failures of each of these records, less twice the successes; 0 at least. A death counts as all three. */
  readonly evidence: number;
  /** Successes of late, as they were at `countedAt`: they halve every two minutes. */
  readonly recentSuccesses: number;
  /** Failures of late of such records, in the same way. */
  readonly recentFailures: number;
  /** The time of the last run that counted. */
  readonly countedAt: number;
  /** Class and HTTP status of the last error that counted, such as `HttpError 503`. Empty: not known. */
  readonly error: string;
}

/** An outage of a group that is over. Records of it that fail again are evidence of a relapse, however old. */
export interface PastOutage {
  /** The destination; `*`: all records of the queue. */
  readonly group: string;
  /** The first failure, seconds since the epoch. */
  readonly since: number;
  /** The recovery. */
  readonly endedAt: number;
  /** Class and HTTP status of the last error that counted. Empty: not known. */
  readonly error: string;
}

/** The groups of a queue that fail. */
export interface FailingNotes {
  readonly notes: readonly FailingNote[];
  /** The last outage of each group in the last day. */
  readonly past: readonly PastOutage[];
  /** The time at which the last group that was reported as failing has recovered. */
  readonly endedAt?: number | undefined;
}

/** Records of a queue. */
export interface RecordsLeft {
  /** Records that wait for an attempt, now or later. */
  readonly waiting: number;
  /** The number of them that have failed. */
  readonly inRetry: number;
  readonly dead: number;
}

/** The outcomes of a group in one run. Times are in epoch seconds. */
export interface GroupOutcomes {
  successes: number;
  /** Failures of records whose first failure was less than an hour before: what has failed for longer proves nothing new. */
  failures: number;
  /** The first three failures of each of these records, a death as all three: one that always fails is no evidence on and on. */
  evidence: number;
  /** Records among them that had not failed since the group's note began. */
  records: number;
  /** One of the failures was a retry or a death: many a first attempt fails that the second one mends. */
  isTelling: boolean;
  firstFailureAt: number;
  /** The last failure of any record; 0: none has failed. */
  lastFailureAt: number;
  /** The last error, as in `FailingNote`. */
  error: string;
}

/** A failure of an attempt. Times are in epoch seconds. */
export interface Failure {
  readonly group: string;
  readonly now: number;
  readonly isDead: boolean;
}
