import type { Hold } from '../leases/heartbeat.js';
import type { AttemptBudget } from './budget.js';
import type { RunCounters } from './counters.js';
import type { RunDeps } from './deps.js';
import type { FailureLog } from './failure-log.js';
import type { LaneLimits, QueueLimits } from './limits/queue-limits.js';
import type { RunOptions } from './options.js';
import type { RecordRules } from './record-rules.js';

/** One run of one queue. */
export interface QueueRun extends RunDeps {
  readonly options: RunOptions;
  readonly counters: RunCounters;
  readonly failures: FailureLog;
  readonly limits: QueueLimits;
}

/** What attempts are made with. */
export interface RunContext extends RunDeps, LaneLimits {
  readonly options: RunOptions;
  readonly rules: RecordRules;
  /** The lease or the claim under which the records are attempted. */
  readonly hold: Hold;
  readonly budget: AttemptBudget;
  readonly counters: RunCounters;
  readonly failures: FailureLog;
}
