import { type BacklogRecord, type RecordChange, traceIdOf, truncate } from '../record/index.js';
import type { AttemptLogger } from '../support/logger.js';
import { stackOf } from './failures/stack.js';

/** Lines of single failures in one run of a queue. An outage writes no more, however many records fail. */
const MAX_LINES = 100;
const MAX_STACKS = 20;
/** Classes of errors that the rest is counted by: code can make up any number of names. */
const MAX_CLASSES = 20;
const MAX_REASON_BYTES = 200;
/** The beginning of an `HttpError`: the text of the answer comes behind it. */
const HTTP_STATUS = /^HTTP \d{3}\b/;
/** The reasons that the library itself gives as a `deadReason`. */
const OWN_REASON = /^(?:(?:expired|maxAttempts)(?:: not ready after \d+ attempts?)?|deadOn: .*$)/;

/** Reasons of a record that was too old, or not ready in time. */
const ENDED_BY_POLICY = /^(?:expired|maxAttempts)\b/;

/** Writes one line per attempt that failed, and counts what is beyond the limit by the class of the error. */
export class FailureLog {
  private lines = 0;
  private stacks = 0;
  private readonly rest = new Map<string, number>();

  /**
   * @param hasTexts whether lines have the texts of errors, which can repeat a payload: only where the user's hook has
   *   said what of them may be kept
   */
  constructor(
    private readonly logger: AttemptLogger,
    private readonly hasTexts: boolean,
  ) {}

  /**
   * Writes the line of a change that was written, if a failure caused it: at `WARN` where the record is retried, at
   * `ERROR` where it is dead. Successes, snoozes and cancellations have none.
   */
  settled(record: BacklogRecord, change: RecordChange): void {
    const { lastError, deadReason } = change.set;
    // Dead by its policy, and without an error. All other changes without an error are no failures.
    if (!lastError && !ENDED_BY_POLICY.test(deadReason ?? '')) return;
    if (this.lines < MAX_LINES) this.write(record, change);
    else this.count(lastError?.name ?? messageFor(change));
  }

  /** Writes where an attempt threw: the places alone, as a message may repeat a payload. */
  threw({ id }: BacklogRecord, thrown: unknown): void {
    const stack = stackOf(thrown);
    if (stack && this.stacks++ < MAX_STACKS) this.logger.warn('attempt threw', { id, stack });
  }

  /** Writes a line per error class for the failures that have had no line. */
  end(queue: string): void {
    for (const [error, count] of this.rest) {
      this.logger.warn('more attempts failed', { queue, error, failures: count });
    }
    this.rest.clear();
  }

  private write(record: BacklogRecord, change: RecordChange): void {
    const { set } = change;
    const { lastError, deadReason } = set;
    this.lines++;
    this.logger[deadReason === undefined ? 'warn' : 'error'](messageFor(change), {
      id: record.id,
      queue: record.queue,
      task: record.task,
      attempt: set.attempts,
      error: lastError?.name,
      reason: lastError && this.textOf(lastError.message, HTTP_STATUS),
      status: set.status,
      ...(deadReason === undefined
        ? { nextAt: set.history?.at(-1)?.next, movedTo: set.queue }
        : { deadReason: this.textOf(deadReason, OWN_REASON) }),
      ms: set.history?.at(-1)?.ms,
      traceId: record.traceparent && traceIdOf(record.traceparent),
    });
  }

  /** The text that a line may have: all of it with the user's hook, otherwise only the part that matches. */
  private textOf(text: string, harmless: RegExp): string | undefined {
    const said = this.hasTexts ? text : harmless.exec(text)?.[0];
    return said && truncate(said, MAX_REASON_BYTES);
  }

  private count(name: string): void {
    const known = this.rest.has(name) || this.rest.size < MAX_CLASSES ? name : 'others';
    this.rest.set(known, (this.rest.get(known) ?? 0) + 1);
  }
}

function messageFor({ set: { lastError, attempts }, countedAs }: RecordChange): string {
  if (countedAs === 'probe') return 'probe failed';
  if (lastError === undefined) return attempts === undefined ? 'expired' : 'not ready in time';
  // What is dead before its attempt has the count of attempts that it had.
  return attempts === undefined ? 'refused' : 'attempt failed';
}
