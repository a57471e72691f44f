import { StoreError } from '../store/errors.js';
import type { SkipReason } from './changes.js';

/** The result of an action. Counts are of records. */
export interface OperationResult {
  /** Records that were named, or matched by the selection. */
  readonly matched: number;
  /** Records that were changed; in a dry run, that would be. */
  readonly changed: number;
  /** Changed records that were moved while a run may have them under attempt: they are due in 15 minutes. */
  readonly delayed: number;
  /**
   * Records that were left as they are, by reason. `asWanted`: already as the action would make it. `otherStatus`: the action is
   * not for its status. `inFlight`: under attempt, or may be; try again in a minute. `cancelRequested`: its long attempt is asked
   * to end, and then it is cancelled, unless that attempt succeeds. `changedMeanwhile`: others changed it all the time, or it is
   * not what was `expected`. `numbered`: it has a `seq`, and stays in the queue of its line. `notFound`: no such record. `newer`:
   * written by a newer version of this library.
   */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Records that could not be changed. */
  readonly failed: number;
  /** The first 1,000 records that failed. */
  readonly failures: readonly {
    /** The record's id. */
    readonly id: string;
    /** The reason why it could not be changed. */
    readonly reason: string;
  }[];
  /** The ids of the first 5 records that were changed. */
  readonly examples: readonly string[];
  /** The end. `limit`: there may be more. `aborted`: by the signal; the same call goes on with what is left. */
  readonly ended: 'complete' | 'limit' | 'aborted';
}

/** The result of an action, and its cost as DynamoDB reports it; 0 on the store of a test. */
export type ActionResult = OperationResult & {
  /** Read units of all requests. */
  readonly readUnits: number;
  /** Write units of all requests, those of the index included. */
  readonly writeUnits: number;
};

/**
 * The store could not be reached, or used, any more, or another region has become the active one. `result` is what was done by
 * then; the same call goes on with what is left.
 */
export class OperationInterruptedError extends StoreError {
  /** Always `OperationInterruptedError`. */
  override readonly name = 'OperationInterruptedError';
  constructor(
    /** The result until then. */
    readonly result: OperationResult,
    options: { readonly cause: unknown },
  ) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`stopped with ${result.changed} changed: ${reason}`, options);
  }
}

/**
 * Counts so far.
 *
 * @inline
 */
export interface OperationProgress {
  /** Records looked at. */
  readonly looked: number;
  /** Records named, or matched by the selection. */
  readonly matched: number;
  /** Records changed; in a dry run, that would be. */
  readonly changed: number;
  /** Records left as they are. */
  readonly skipped: number;
  /** Records that could not be changed. */
  readonly failed: number;
}

const MAX_FAILURES = 1000;
const MAX_EXAMPLES = 5;

export class ActionCounters {
  looked = 0;
  matched = 0;
  delayed = 0;
  private changedCount = 0;
  private failedCount = 0;
  private skippedCount = 0;
  private readonly skippedBy: Partial<Record<SkipReason, number>> = {};
  private readonly failures: OperationResult['failures'][number][] = [];
  private readonly examples: string[] = [];

  get changedSoFar(): number {
    return this.changedCount;
  }

  changed(id: string): void {
    this.changedCount++;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(id);
  }

  skipped(reason: SkipReason): void {
    this.skippedCount++;
    this.skippedBy[reason] = (this.skippedBy[reason] ?? 0) + 1;
  }

  failed(id: string, reason: string): void {
    this.failedCount++;
    if (this.failures.length < MAX_FAILURES) this.failures.push({ id, reason });
  }

  progress(): OperationProgress {
    const { looked, matched, changedCount: changed, skippedCount: skipped, failedCount: failed } = this;
    return { looked, matched, changed, skipped, failed };
  }

  result(ended: OperationResult['ended']): OperationResult {
    const { matched, changedCount: changed, delayed, failedCount: failed, failures, examples } = this;
    const skipped = { ...this.skippedBy };
    return {
      matched,
      changed,
      delayed,
      skipped,
      failed,
      failures: [...failures],
      examples: [...examples],
      ended,
    };
  }
}
