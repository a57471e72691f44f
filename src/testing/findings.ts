/** A mistake of a handler, although its record may have succeeded. */
export interface Finding {
  /**
   * `ignoredSignal`: an attempt went on after its signal was aborted. `failedAgain`: an attempt failed that did the work of
   * another one again, which had succeeded. `changedRecord`: an attempt changed the record that it got, beside its payload.
   * `pollutedPrototype`: an attempt added a property to `Object.prototype`. `lostResult`: an attempt gave a result that is not
   * kept. `unknownTask`: no handler of the record's queue has its task, so it was not attempted.
   */
  readonly type:
    | 'ignoredSignal'
    | 'failedAgain'
    | 'changedRecord'
    | 'pollutedPrototype'
    | 'lostResult'
    | 'unknownTask';
  /** The record's id. */
  readonly id: string;
  /** Its queue. */
  readonly queue: string;
  /** The number of the attempt, or of the one that would have been, from 1. */
  readonly attempt: number;
  /** The mistake in a sentence, with what to do about it. */
  readonly message: string;
}

/** Thrown by the call during which a handler did what would be wrong in production. */
export class HandlerFindingError extends Error {
  /** Always `HandlerFindingError`. */
  override readonly name = 'HandlerFindingError';
  constructor(
    /** All that was found during the call. */
    readonly findings: readonly Finding[],
  ) {
    super(findings.map(({ message }) => message).join('\n'));
  }
}

/** Thrown if a second attempt of a record failed, or had effects of its own. */
export class NotIdempotentError extends Error {
  /** Always `NotIdempotentError`. */
  override readonly name = 'NotIdempotentError';
  constructor(
    message: string,
    /** The effects after the first attempt. */
    readonly first: unknown,
    /** The effects after the second attempt. */
    readonly second: unknown,
  ) {
    super(message);
  }
}
