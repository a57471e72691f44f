import type { Clock } from '../clock.js';
import { type AttemptOutcome, type BacklogRecord, outcomeOfReturn, outcomeOfThrow } from '../record/index.js';
import type { AttemptLogger, Process } from './options.js';

/** How long an attempt may take to end after its signal was aborted before it counts as a straggler. */
const GRACE_MS = 1_000;

export interface RunningAttempt {
  readonly record: BacklogRecord;
  /** Its outcome, whenever it comes; never rejects. */
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when it has ended, or has ignored its signal for a while: true if it is still running. */
  readonly straggling: Promise<boolean>;
}

export interface AttemptParts {
  readonly process: Process;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
}

/** Calls the user's `process` on a record, with a time limit that is told by the signal. */
export function startAttempt(record: BacklogRecord, parts: AttemptParts): RunningAttempt {
  const { process, timeoutSeconds, clock, logger } = parts;
  const timeout = new Timeout();
  const ended = new AbortController();
  const context = {
    get signal() {
      return timeout.signal;
    },
    attempt: record.attempts + 1,
    logger,
  };

  const startedAt = clock.wall();
  const outcome = (async () => process(record, context))()
    .then(outcomeOfReturn, (thrown) => {
      const said = outcomeOfThrow(thrown);
      // Whatever it throws once it was told to stop: what ended it was the time limit.
      const wasStopped = timeout.isUp && said.type === 'failure' && said.retryAfterSeconds === undefined;
      return wasStopped ? timedOut(timeoutSeconds) : said;
    })
    .then((ended) => ({ ...ended, ms: Math.max(0, Math.round(clock.wall() - startedAt)) }))
    .finally(() => ended.abort('ended'));

  const straggling = (async () => {
    await clock.sleep(timeoutSeconds * 1000, ended.signal);
    if (ended.signal.aborted) return false;
    timeout.end(new Error(`the attempt's ${timeoutSeconds} s are up`));
    await clock.sleep(GRACE_MS, ended.signal);
    return !ended.signal.aborted;
  })();

  return { record, outcome, straggling };
}

function timedOut(timeoutSeconds: number): AttemptOutcome {
  return failure('AttemptTimeout', `no end within ${timeoutSeconds} s`);
}

/** For an attempt that is still running when the function itself must end. */
export function neverEnded(timeoutSeconds: number): AttemptOutcome {
  return failure('AttemptTimeout', `no end within ${timeoutSeconds} s; it ignored its signal`);
}

function failure(name: string, message: string): AttemptOutcome {
  return { type: 'failure', error: { name, message } };
}

/** Tells an attempt that its time is up. Most never ask: the signal, which is dear, is made for whoever does. */
class Timeout {
  private controller: AbortController | undefined;
  private reason: Error | undefined;

  get isUp(): boolean {
    return this.reason !== undefined;
  }

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
