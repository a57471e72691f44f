import type { StopReason } from './stop-reason.js';

/** What one run did. Counts are of records. */
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
  /** To be tried again. */
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
  /** DynamoDB takes no change of them, not even their quarantine (an item of 400 KB has no room for it). Absent: none. */
  readonly refused?: number | undefined;
  /** Known to be due and not attempted; there may be more behind them. */
  readonly leftOver: number;
  /** How late the latest record was attempted, in the backlog's seconds. */
  readonly lagSeconds: number;
  /** Why the run ended. */
  readonly ended: StopReason;
  /** No run has handled the records that were just inserted. The invocation fails, so that their event comes back. Absent: no. */
  readonly comesBack?: true | undefined;
  /** What the run did for each queue, if it served several. Absent: it served one. */
  readonly queues?: readonly RunSummary[] | undefined;
  /** The store's error, if it ended the run. */
  readonly trouble?: string | undefined;
  /** Tiers whose missed, late or cut-short runs this run made up for. Absent: none. */
  readonly caughtUp?: readonly number[] | undefined;
  /** Real time from its start to its end, in milliseconds. */
  readonly durationMs: number;
}

/** It found one record, which succeeded. The metrics have its counts. */
export function isLoneSuccess(run: RunSummary): boolean {
  const { attempted, succeeded, ended } = run;
  return attempted === 1 && succeeded === 1 && ended === 'drained' && isIdle({ ...run, attempted: 0 });
}

/** It met no record at all. */
export function isIdle(run: RunSummary): boolean {
  const { attempted, dead, skipped, unsettled, leftOver, unknownTask = 0, refused = 0 } = run;
  return attempted + dead + skipped + unsettled + leftOver + unknownTask + refused === 0;
}
