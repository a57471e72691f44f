import type { AttemptOutcome } from '../../record/index.js';
import type { BreakerState } from '../../store/store.js';
import { type Random, randomToken } from '../../support/random.js';
import type { BreakerOptions } from '../queue-options.js';
import { FailureWindow } from './failure-window.js';

export type BreakerStatus = 'closed' | 'open' | 'halfOpen';

/** The part of an attempt for the breaker. `probe`: it alone decides whether the breaker closes. */
export type AttemptKind = 'attempt' | 'probe';

/** A change of the state that all runs share. `next` undefined: closed. */
export interface Transition {
  readonly next: BreakerState | undefined;
  readonly read: BreakerState | undefined;
}

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
  private state: BreakerState | undefined;
  /** The place of its last change among those that this process has written: `Infinity` until it is written, 0 without any. */
  writtenAt = 0;

  constructor(
    private readonly options: BreakerOptions,
    private readonly random: Random,
  ) {
    this.window = new FailureWindow(options.window);
  }

  /** Takes over the state that all runs share, as it was just read. */
  refresh(state: BreakerState | undefined): void {
    if (this.state !== undefined && state === undefined) this.window.clear();
    this.state = state;
  }

  status(now: number): BreakerStatus {
    if (this.state === undefined) return 'closed';
    return now < this.state.until ? 'open' : 'halfOpen';
  }

  /** The time from which the next probe may be made; 0 while it is closed. */
  get openUntil(): number {
    return this.state?.until ?? 0;
  }

  /** Begins a probe while the breaker is half-open. No other run may make one while it lasts. */
  beginProbe(now: number, holdSeconds: number): Transition & { readonly next: BreakerState } {
    return this.moveTo({ until: now + holdSeconds * 1000, since: this.state?.since ?? now });
  }

  /** Tells whether a probe still decides: not if its hold ran out, and the state has changed since. */
  isDecidedBy({ token }: BreakerState): boolean {
    return this.state?.token === token;
  }

  /** Gives a probe up to a run that was quicker. Its result is read with the next page. */
  lostProbe(now: number): void {
    if (this.state) this.state = { ...this.state, until: now + this.options.halfOpenAfter * 1000 };
  }

  /**
   * Takes note of how an attempt ended. Failures of attempts that were under way when the breaker opened change
   * nothing.
   *
   * @returns how the shared state changes, if it does
   */
  ended(outcome: AttemptOutcome, kind: AttemptKind, now: number): Transition | undefined {
    const verdict = verdictOn(outcome);
    if (verdict === undefined) {
      // A probe that tells nothing: the next one may come at once.
      return kind === 'probe' ? this.moveTo({ until: now, since: this.state?.since ?? now }) : undefined;
    }
    if (verdict === 'success') return this.succeeded(kind, now);
    return this.failed(outcome, kind, now);
  }

  private succeeded(kind: AttemptKind, now: number): Transition | undefined {
    this.window.note('success', now);
    if (kind !== 'probe') return undefined;
    this.window.clear();
    const read = this.state;
    this.state = undefined;
    this.writtenAt = Number.POSITIVE_INFINITY;
    return { next: undefined, read };
  }

  private failed(outcome: AttemptOutcome, kind: AttemptKind, now: number): Transition | undefined {
    const isOpen = this.status(now) === 'open';
    if (!isOpen) this.window.note('failure', now);
    const { attempts, failureRate } = this.window.measure(now);
    const tooMany =
      !isOpen && attempts >= this.options.minimumAttempts && failureRate >= this.options.failureThreshold;
    const askedSeconds = Math.min(askedToWait(outcome), MAX_HOLD_SECONDS);
    const halfOpenAfter = tooMany || kind === 'probe' ? this.options.halfOpenAfter : 0;
    const until = now + Math.max(askedSeconds, halfOpenAfter) * 1000;
    if (until <= now || (kind !== 'probe' && until <= this.openUntil)) return undefined;
    return this.moveTo({ until, since: this.state?.since ?? now });
  }

  private moveTo(state: Omit<BreakerState, 'token'>): Transition & { readonly next: BreakerState } {
    const read = this.state;
    const next = { ...state, token: randomToken(this.random) };
    this.window.clear();
    this.state = next;
    this.writtenAt = Number.POSITIVE_INFINITY;
    return { next, read };
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
    case 'failure':
      return 'failure';
    default:
      return undefined;
  }
}

function askedToWait(outcome: AttemptOutcome): number {
  return outcome.type === 'failure' ? (outcome.retryAfterSeconds ?? 0) : 0;
}
