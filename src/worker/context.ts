import type { RecordsHold } from '../leases/timed-hold.js';
import type { RunningAttempt } from './attempt.js';
import type { RunCounters } from './counters.js';
import type { RunDeps } from './deps.js';
import type { FailingWatch } from './failing-watch.js';
import type { FailureLog } from './failure-log.js';
import type { Entry, Gate } from './guards/gate.js';
import type { Guard } from './guards/guard.js';
import type { KeyLimit } from './guards/key-limit.js';
import type { AtOnce, Share } from './guards/pool.js';
import type { QueueGuards } from './guards/queue-guards.js';
import type { RunOptions } from './options.js';
import type { RecordRules } from './record-rules.js';

/** Lets attempts of more than half a minute go on without their run. */
export interface LongAttemptGuard extends Guard {
  /**
   * Waits for an attempt for half a minute. One that takes longer goes on without the run, and its record says that it is under
   * attempt.
   *
   * @returns false: the attempt has ended or must end, under the hold of the run
   */
  takeOver(attempt: RunningAttempt, timeoutSeconds: number, entry: Entry, run: RunContext): Promise<boolean>;
}

/** The dependencies of a run in a process that lives on. */
export interface LiveRunDeps extends RunDeps {
  /**
   * Makes the guard of one lane. Default: the run ends with its attempts, as its function does.
   *
   * @internal
   */
  readonly longAttempts?: ((share: Share) => LongAttemptGuard) | undefined;
}

/** One run of one queue. */
export interface QueueRun extends LiveRunDeps {
  readonly options: RunOptions;
  readonly counters: RunCounters;
  readonly failures: FailureLog;
  readonly failing: FailingWatch;
  readonly guards: QueueGuards;
}

/** Everything that the attempts of a lane, or of a batch of arrivals, need. */
export interface RunContext extends RunDeps {
  readonly options: RunOptions;
  readonly rules: RecordRules;
  /** The lease or the claim under which the records are attempted. */
  readonly hold: RecordsHold;
  /** Every attempt passes it. */
  readonly gate: Gate;
  /** Attempts at once. */
  readonly atOnce: AtOnce;
  /** Attempts of each key at once. Undefined: no key has a limit of its own. */
  readonly keyLimit?: KeyLimit | undefined;
  readonly guards?: Pick<QueueGuards, 'watchAttempt'> | undefined;
  readonly counters: RunCounters;
  readonly failures: FailureLog;
  readonly failing: FailingWatch;
}
