import type { AttemptOutcome, BacklogRecord } from '../../record/index.js';
import type { QueueState } from '../../store/store.js';
import type { StopReason } from '../stop-reason.js';

/** `late`: no attempt begins in time. `deferred`: the record must wait, and others need not. */
export type Refusal = 'late' | 'deferred';

/** An outcome, as a guard passes it on. */
export interface Left {
  readonly outcome: AttemptOutcome;
  /** Writes what the outcome changes for other runs, once it is settled. Default: nothing. */
  readonly note?: (() => Promise<void>) | undefined;
}

/** The leave of one guard for one attempt. */
export interface Admission {
  /** Tells whether it holds although guards behind this one have waited. Default: it does. */
  readonly holds?: (() => boolean | Promise<boolean>) | undefined;
  /** Gives it back, as the attempt does not begin. */
  readonly abandon?: (() => void | Promise<void>) | undefined;
  /** Called when others no longer wait for the attempt, which goes on. */
  readonly detach?: (() => void) | undefined;
  /** Takes note of the outcome, and may change it. Default: the outcome is passed on as it is. */
  readonly leave?: ((outcome: AttemptOutcome) => Left) | undefined;
  /** Called when the code of the attempt has ended: later than it was given up, if it ignored its signal. */
  readonly ended?: (() => void) | undefined;
}

/** One record's turn. */
export interface Turn {
  /** Attempts that are left of the page, this one included. */
  readonly attemptsLeft: number;
  /** Tells whether another attempt may begin now. */
  mayBegin(): boolean;
  /** Tells whether an attempt that begins at this (real) time ends in time. */
  isInTime(at: number): boolean;
}

/**
 * A limit on the attempts of a run. A run has a list of those that its options set, and an option that is not set has none. Each
 * part is optional. Times are real, in epoch milliseconds.
 */
export interface Guard {
  /**
   * Takes the run's part of what the runs of its queue share. Asked again for records on arrival that are left.
   *
   * @param inserted records that were just inserted, if these are to be attempted
   * @returns why there is none
   */
  open?(inserted?: number): Promise<StopReason | undefined>;
  /**
   * Called before a page is read. Returns what takes note of the queue as the page has it, which may be as it was now, and
   * tells why none of its records may be attempted.
   */
  reads?(): (queue: QueueState) => StopReason | undefined;
  /** Acquires what a page of so many records waits for, before the page is journalled. */
  prepare?(attempts: number): Promise<void>;
  /** The earliest time of the next attempt. Default: at once. */
  readonly nextAt?: number;
  /** Returns the reason why no attempt may begin any more, at this time or later. */
  stopReason?(startsAt: number): StopReason | undefined;
  /** Tells whether an attempt that begins at this time, or now if that is later, ends in time. Default: it does. */
  covers?(startsAt: number): boolean;
  /** Admits one record. May wait. Default: it is admitted. */
  enter?(record: BacklogRecord, turn: Turn): Promise<Admission | Refusal> | Admission | Refusal;
}
