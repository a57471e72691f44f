import type { RecordsHold } from '../leases/timed-hold.js';
import type { RunCounters } from './counters.js';
import type { RunDeps } from './deps.js';
import type { FailureLog } from './failure-log.js';
import type { Gate } from './guards/gate.js';
import type { AtOnce } from './guards/pool.js';
import type { QueueGuards } from './guards/queue-guards.js';
import type { RunOptions } from './options.js';
import type { RecordRules } from './record-rules.js';

/** One run of one queue. */
export interface QueueRun extends RunDeps {
  readonly options: RunOptions;
  readonly counters: RunCounters;
  readonly failures: FailureLog;
  readonly guards: QueueGuards;
}

/** What attempts are made with. */
export interface RunContext extends RunDeps {
  readonly options: RunOptions;
  readonly rules: RecordRules;
  /** The lease or the claim under which the records are attempted. */
  readonly hold: RecordsHold;
  /** Every attempt passes it. */
  readonly gate: Gate;
  /** Attempts at once. */
  readonly atOnce: AtOnce;
  readonly counters: RunCounters;
  readonly failures: FailureLog;
}

/** Has a blocked process ended while these attempts are under way. Returns what ends that. */
export function watchAttempts(
  { watchdog, options }: Pick<RunContext, 'watchdog' | 'options'>,
  ids: readonly string[],
  othersWait: boolean,
): (() => void) | undefined {
  const { limits, target } = options;
  return watchdog?.watch({ queue: target.queue, ids, seconds: limits.attemptTimeout, othersWait });
}
