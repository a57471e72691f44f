import type { Clock } from '../clock.js';
import type { BacklogStore } from '../store/store.js';
import type { RunCounters } from './counters.js';
import type { Hold } from './heartbeat.js';
import type { Breakers } from './limits/breakers.js';
import type { Share } from './limits/pool.js';
import type { SharedRateLimit } from './limits/shared-rate-limit.js';
import type { AttemptLogger, Process, RunLimits } from './options.js';
import type { RecordRules, Work } from './record-rules.js';
import type { Upcoming } from './upcoming.js';

/** What attempts are made with. */
export interface ExecutorDeps {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
  readonly lane: RecordRules;
  readonly lease: Hold;
  readonly counters: RunCounters;
  readonly rateLimit: SharedRateLimit;
  readonly breakers: Breakers;
  readonly share: Share;
  readonly upcoming?: Upcoming | undefined;
  readonly process: Process;
  readonly limits: RunLimits & { readonly maxRecords: number };
  readonly deadline: number;
  /** Aborted when the whole process is to end, before its deadline. */
  readonly stop?: AbortSignal | undefined;
}

/** What of a page was not attempted. */
export interface WorkedOff {
  /** It did not fit into the lease, the time or the limit. */
  readonly late: readonly Work[];
  /** The breaker of their destination is open. */
  readonly deferred: readonly Work[];
}
