/** What is wrong with a handler, although its record may have succeeded. */
export interface Finding {
  /**
   * `ignoredSignal`: an attempt went on after its signal was aborted. `failedAgain`: an attempt failed that did the work of
   * another one again, which had succeeded. `changedRecord`: an attempt changed the record that it got, beside its payload.
   * `pollutedPrototype`: an attempt added a property to `Object.prototype`. `unknownTask`: no handler of the record's queue has
   * its task, so it was not attempted.
   */
  readonly type: 'ignoredSignal' | 'failedAgain' | 'changedRecord' | 'pollutedPrototype' | 'unknownTask';
  /** The record's id. */
  readonly id: string;
  /** Its queue. */
  readonly queue: string;
  /** Which attempt it was, or would have been, from 1. */
  readonly attempt: number;
  /** In a sentence, with what to do about it. */
  readonly message: string;
}

/** A handler does what would be wrong in production. Thrown by the call during which it was found. */
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

/** The effects of two attempts of one record are not those of one. */
export class NotIdempotentError extends Error {
  /** Always `NotIdempotentError`. */
  override readonly name = 'NotIdempotentError';
  constructor(
    message: string,
    /** After the first attempt. */
    readonly first: unknown,
    /** After the second one. */
    readonly second: unknown,
  ) {
    super(message);
  }
}
