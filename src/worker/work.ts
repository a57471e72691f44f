import type { BacklogRecord, RecordChange } from '../record/index.js';

/** The work of a run for one record of a page: an attempt, or a change without one. */
export interface Work {
  readonly record: BacklogRecord;
  /** The change. Undefined: the record is attempted. */
  readonly change?: RecordChange | undefined;
}

/** Records of a page that were not attempted. */
export interface WorkedOff {
  /** Records that did not fit into the lease, the time or the limit. */
  readonly late: readonly Work[];
  /** Records that must wait, while others need not: their destination has an open breaker, or their key is at its limit. */
  readonly deferred: readonly Work[];
}
