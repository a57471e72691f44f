import {
  type AttemptOutcome,
  type BacklogRecord,
  completionToken,
  copyForHandler,
  outcomeOfReturn,
  outcomeOfThrow,
  type PendingOutcome,
} from '../record/index.js';
import { withinAttempt } from '../support/attempt-scope.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import { cleanPrototypes } from '../support/prototypes.js';
import { show } from '../support/validation.js';
import type { Process } from './options.js';

/** Time for an attempt to end after its signal was aborted. After that it counts as a straggler. */
const GRACE_MS = 1_000;
/** The same time when the process is to end, unless its run says otherwise: Lambda gives half a second at least, or two. */
export const STOP_GRACE_MS = 200;
/** The outcome of an attempt that was stopped: no failure, and another run may attempt the record at once. */
const STOPPED = { type: 'snooze', seconds: 0, reason: 'stopped with its function' } as const;
/** Longer than the shutdown of a process takes. */
const STILL_RUNNING_SECONDS = 60;

export interface RunningAttempt {
  readonly record: BacklogRecord;
  /** Its outcome, whenever it comes; never rejects. */
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when it has ended, or has ignored its signal for a while: true if it is still running. */
  readonly straggling: Promise<boolean>;
  /** The parts of its context that its handler has asked for. */
  readonly given: { readonly token?: string };
  /** Aborts its signal at once; what it ends with then is no failure. */
  cancel(reason: Error): void;
}

export interface AttemptDeps {
  readonly process: Process;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
  /** The `rev` that the outcome is to be written with. */
  readonly rev: string;
  readonly rules: {
    /** Loads the code that gives an outcome whose end comes from outside the change that it makes. */
    laterCode(): Promise<{
      pendingWith(pending: PendingOutcome, token: string): AttemptOutcome;
    }>;
  };
  /** Aborted when the whole process is to end. */
  readonly stop?: AbortSignal | undefined;
  /** Time of a running attempt after `stop`, before its signal is aborted. Default: `STOP_GRACE_MS`. */
  readonly stopGraceMs?: number | undefined;
}

/** Calls the user's `process` on a copy of a record, with a time limit, at which the signal is aborted. */
export function startAttempt(record: BacklogRecord, deps: AttemptDeps): RunningAttempt {
  const { process, timeoutSeconds, clock, logger, stop, stopGraceMs = STOP_GRACE_MS } = deps;
  const timeout = new Timeout();
  let hasEnded = false;
  // Ends the current wait: a signal is expensive, and most attempts need only one.
  let wake = new AbortController();
  const stopping = () => wake.abort('stopping');
  stop?.addEventListener('abort', stopping, { once: true });
  let cancelled: Error | undefined;
  const cancel = (reason: Error) => {
    cancelled = reason;
    wake.abort('cancelled');
  };
  const { rev, rules } = deps;
  const given: { token?: string } = {};
  const context = {
    get signal() {
      return timeout.signal;
    },
    get token() {
      given.token ??= completionToken(rev, record);
      return given.token;
    },
    attempt: record.attempts + 1,
    logger,
    traceparent: record.traceparent,
  };

  const startedAt = clock.wall();
  const outcome = (async () =>
    withinAttempt(record.hops ?? 0, () => process(copyForHandler(record), context)))()
    // Pollution is removed before anything else looks at an object.
    .finally(() => reportPollution(record, logger))
    .then(outcomeOfReturn, (thrown): AttemptOutcome => {
      const said = outcomeOfThrow(thrown);
      // Whatever it throws once it was told to stop: what ended it was the time limit.
      const wasStopped =
        timeout.reason !== undefined && said.type === 'failure' && said.retryAfterSeconds === undefined;
      if (!wasStopped) return said;
      return stop?.aborted || cancelled ? STOPPED : timedOut(timeoutSeconds);
    })
    .then(async (ended) => {
      const ms = Math.max(0, Math.round(clock.wall() - startedAt));
      if (ended.type !== 'pending') return { ...ended, ms };
      return { ...(await rules.laterCode()).pendingWith(ended, context.token), ms };
    })
    .finally(() => {
      stop?.removeEventListener('abort', stopping);
      hasEnded = true;
      wake.abort('ended');
    });

  const straggling = (async () => {
    await clock.sleep(timeoutSeconds * 1000, wake.signal);
    if (!hasEnded && !cancelled && stop?.aborted) {
      wake = new AbortController();
      const leftMs = startedAt + timeoutSeconds * 1000 - clock.wall();
      await clock.sleep(Math.max(0, Math.min(stopGraceMs, leftMs)), wake.signal);
    }
    if (hasEnded) return false;
    if (cancelled) wake = new AbortController();
    timeout.end(
      cancelled ??
        new Error(stop?.aborted ? 'the function is ending' : `the attempt's ${timeoutSeconds} s are up`),
    );
    await clock.sleep(stop?.aborted ? STOP_GRACE_MS : GRACE_MS, wake.signal);
    return !hasEnded;
  })();

  return { record, outcome, straggling, cancel, given };
}

/** Logs properties that were added to all objects, and removes them. Another attempt under way may have added them. */
function reportPollution({ id }: BacklogRecord, logger: AttemptLogger): void {
  const names = cleanPrototypes();
  if (names.length > 0) {
    const properties = names.map(show).join(', ');
    logger.error('code of an attempt has added properties to all objects', { id, properties });
  }
}

function timedOut(timeoutSeconds: number): AttemptOutcome {
  return failure('AttemptTimeout', `no end within ${timeoutSeconds} s`);
}

/** The outcome of an attempt that is still running when it must be given up. */
export function neverEnded(timeoutSeconds: number, isStopping: boolean): AttemptOutcome {
  if (isStopping) return { ...STOPPED, seconds: STILL_RUNNING_SECONDS };
  return failure('AttemptTimeout', `no end within ${timeoutSeconds} s; it ignored its signal`);
}

function failure(name: string, message: string): AttemptOutcome {
  return { type: 'failure', error: { name, message } };
}

/** Tells an attempt that its time is up. The signal is expensive: it is created only for an attempt that reads it. */
class Timeout {
  private controller: AbortController | undefined;
  /** Undefined: it is not up. */
  reason: Error | undefined;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.reason) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  end(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}
