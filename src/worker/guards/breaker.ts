import type { AttemptOutcome } from '../../record/index.js';
import type { BreakerState } from '../../store/store.js';
import { type Random, randomToken } from '../../support/random.js';
import type { BreakerOptions } from '../queue-options.js';
import { FailureWindow } from './failure-window.js';

export type BreakerStatus = 'closed' | 'open' | 'halfOpen';

/** The part of an attempt for the breaker. `probe`: it alone decides whether the breaker closes. */
export type AttemptKind = 'attempt' | 'probe';

/** A `Retry-After` holds one record for as long as it says; all the others of its destination for an hour at most. */
const MAX_HOLD_SECONDS = 3_600;

/**
 * The circuit breaker of one destination, as one process knows it: the state that all share, as last read, and how the
 * attempts of this process ended.
 *
 * Times are of the backlog, epoch milliseconds.
 */
export class Breaker {
  private readonly window: FailureWindow;
  /** The state that this process goes by: its own changes count at once. */
  private present: BreakerState | undefined;
  /** The state that all share, as far as this process knows. */
  private stored: BreakerState | undefined;
  /** The place of its last change among those that this process has written: `Infinity` until it is written, 0 without any. */
  private writtenAt = 0;
  /** The end of its last write. */
  private lastWrite: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: BreakerOptions,
    private readonly random: Random,
  ) {
    this.window = new FailureWindow(options.window);
  }

  /** Takes over the state that all runs share, as it was just read. */
  refresh(state: BreakerState | undefined): void {
    if (this.present !== undefined && state === undefined) this.window.clear();
    this.present = state;
    this.stored = state;
  }

  /** Tells whether all its changes were written when the process had written so many of all its breakers. */
  isWrittenBy(changes: number): boolean {
    return this.writtenAt <= changes;
  }

  /**
   * Writes what has changed. Two changes may be noted in any order, and one while the other is being written. So writes are made
   * one at a time, each of the present state, and the last one may find nothing to do.
   *
   * @param set changes the state that all runs share, if it is `read`
   * @param place the next place among the changes that this process has written
   */
  write(
    set: (next: BreakerState | undefined, read: BreakerState | undefined) => Promise<boolean>,
    place: () => number,
  ): Promise<void> {
    const before = this.lastWrite.catch(() => {});
    this.lastWrite = before.then(async () => {
      if (Number.isFinite(this.writtenAt)) return;
      const next = this.present;
      try {
        if (await set(next, this.stored)) this.stored = next;
      } finally {
        if (this.present === next) this.writtenAt = place();
      }
    });
    return this.lastWrite;
  }

  status(now: number): BreakerStatus {
    if (this.present === undefined) return 'closed';
    return now < this.present.until ? 'open' : 'halfOpen';
  }

  /** The time from which the next probe may be made; 0 while it is closed. */
  get openUntil(): number {
    return this.present?.until ?? 0;
  }

  /** Begins a probe while the breaker is half-open. No other run may make one while it lasts. */
  beginProbe(now: number, holdSeconds: number): BreakerState {
    return this.moveTo({ until: now + holdSeconds * 1000, since: this.present?.since ?? now });
  }

  /** Tells whether a probe still decides: not if its hold ran out, and the state has changed since. */
  isDecidedBy({ token }: BreakerState): boolean {
    return this.present?.token === token;
  }

  /** Tells whether other runs know of a probe, and nothing has changed since. */
  isStored(probe: BreakerState): boolean {
    return this.isDecidedBy(probe) && this.stored?.token === probe.token;
  }

  /** Gives a probe up to a run that was quicker. Its result is read with the next page. */
  lostProbe(probe: BreakerState, now: number): void {
    if (!this.isDecidedBy(probe)) return;
    this.present = { ...probe, until: now + this.options.halfOpenAfter * 1000 };
  }

  /**
   * Takes note of how an attempt ended. Failures of attempts that were under way when the breaker opened change
   * nothing.
   *
   * @returns whether the state changes, which is then to be written
   */
  ended(outcome: AttemptOutcome, kind: AttemptKind, now: number): boolean {
    const verdict = verdictOn(outcome);
    if (verdict === undefined) {
      // A probe that tells nothing: the next one may come at once.
      if (kind === 'probe') this.moveTo({ until: now, since: this.present?.since ?? now });
      return kind === 'probe';
    }
    if (verdict === 'success') return this.succeeded(kind, now);
    return this.failed(outcome, kind, now);
  }

  private succeeded(kind: AttemptKind, now: number): boolean {
    this.window.note('success', now);
    if (kind === 'probe') this.change(undefined);
    return kind === 'probe';
  }

  private failed(outcome: AttemptOutcome, kind: AttemptKind, now: number): boolean {
    const isOpen = this.status(now) === 'open';
    if (!isOpen) this.window.note('failure', now);
    const { attempts, failureRate } = this.window.measure(now);
    const tooMany =
      !isOpen && attempts >= this.options.minimumAttempts && failureRate >= this.options.failureThreshold;
    const askedSeconds = Math.min(askedToWait(outcome), MAX_HOLD_SECONDS);
    const halfOpenAfter = tooMany || kind === 'probe' ? this.options.halfOpenAfter : 0;
    const until = now + Math.max(askedSeconds, halfOpenAfter) * 1000;
    if (until <= now || (kind !== 'probe' && until <= this.openUntil)) return false;
    this.moveTo({ until, since: this.present?.since ?? now });
    return true;
  }

  private moveTo(state: Omit<BreakerState, 'token'>): BreakerState {
    const next = { ...state, token: randomToken(this.random) };
    this.change(next);
    return next;
  }

  private change(next: BreakerState | undefined): void {
    this.window.clear();
    this.present = next;
    this.writtenAt = Number.POSITIVE_INFINITY;
  }
}

/** Tells from an outcome whether the destination works. A permanent refusal is an answer, and so is "not ready yet". */
function verdictOn(outcome: AttemptOutcome): 'success' | 'failure' | undefined {
  switch (outcome.type) {
    case 'success':
      return 'success';
    case 'dead':
      return outcome.untried ? undefined : 'success';
    // "Not ready yet" is an answer; one that names a time may be of the library, or of the handler alone.
    case 'snooze':
      return outcome.seconds === undefined ? 'success' : undefined;
    // The destination has taken it on.
    case 'pending':
      return 'success';
    case 'failure':
      return 'failure';
    default:
      return undefined;
  }
}

function askedToWait(outcome: AttemptOutcome): number {
  return outcome.type === 'failure' ? (outcome.retryAfterSeconds ?? 0) : 0;
}
