import type { StopReason } from './stop-reason.js';

/** The summary of one run. Counts are of records. */
export interface RunSummary {
  /** The queue that it served; of several, their names, separated by commas. */
  readonly queue: string;
  /** The part of the index that it drained; of several queues, their names. */
  readonly lane: string;
  /** The tier, on a progressive queue. */
  readonly tier?: number | undefined;
  /** Attempts that were made. */
  readonly attempted: number;
  /** Attempts that succeeded. */
  readonly succeeded: number;
  /** Failed, and to be tried again. */
  readonly failed: number;
  /** Given up in this run, for whatever reason. */
  readonly dead: number;
  /** Put off by `Snooze`: to be tried again, and not counted as failures. */
  readonly snoozed: number;
  /** Given up by `Cancel`; not among `dead`. */
  readonly cancelled: number;
  /** Named by the index, but not attempted: settled meanwhile, not their turn yet, or repaired. */
  readonly skipped: number;
  /** Attempted, but another process changed the record meanwhile, or the outcome could not be written. */
  readonly unsettled: number;
  /** Not attempted, as this handler does not know their task: they wait for one that does. Absent: none. */
  readonly unknownTask?: number | undefined;
  /** Attempts that ended as `Pending`: their records wait for their end from outside. Absent: none. */
  readonly pending?: number | undefined;
  /** Attempted ahead of their time, as their group fails; those that fail are not among `failed`. Absent: none. */
  readonly probes?: number | undefined;
  /** Refused by DynamoDB with any change, even their quarantine (an item of 400 KB has no room for it). Absent: none. */
  readonly refused?: number | undefined;
  /** Known to be due and not attempted; there may be more behind them. */
  readonly leftOver: number;
  /** The greatest delay of an attempt, in the backlog's seconds. */
  readonly lagSeconds: number;
  /** Time for which records of the queue have failed without recovery; 0: they have recovered lately. Absent: nothing to say. */
  readonly failingSeconds?: number | undefined;
  /** The reason for which the run ended. */
  readonly ended: StopReason;
  /** Tells that no run has handled the inserted records. The invocation fails, so that their event comes back. Absent: no. */
  readonly comesBack?: true | undefined;
  /** The summary of each queue, if the run served several. Absent: it served one. */
  readonly queues?: readonly RunSummary[] | undefined;
  /** The store's error, if it ended the run. */
  readonly trouble?: string | undefined;
  /** Tiers whose missed, late or cut-short runs this run made up for. Absent: none. */
  readonly caughtUp?: readonly number[] | undefined;
  /** Real time from its start to its end, in milliseconds. */
  readonly durationMs: number;
}

/** Tells whether it found one record, which succeeded. The metrics have its counts. */
export function isLoneSuccess(run: RunSummary): boolean {
  const { attempted, succeeded, ended } = run;
  return attempted === 1 && succeeded === 1 && ended === 'drained' && isIdle({ ...run, attempted: 0 });
}

/** Tells whether it met no record at all. */
export function isIdle(run: RunSummary): boolean {
  const { attempted, dead, skipped, unsettled, leftOver, unknownTask = 0, refused = 0 } = run;
  return attempted + dead + skipped + unsettled + leftOver + unknownTask + refused === 0;
}
