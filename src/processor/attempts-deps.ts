import type { Clock } from '../clock.js';
import type { BacklogStore } from '../store/store.js';
import type { RunCounters } from './counters.js';
import type { Hold } from './hold.js';
import type { Lane, Work } from './lane.js';
import type { AttemptLogger, Process, RunLimits } from './options.js';
import type { Breakers } from './pressure/breakers.js';
import type { Share } from './pressure/pool.js';
import type { SharedPace } from './pressure/shared-pace.js';
import type { Upcoming } from './upcoming.js';

/** What attempts are made with. */
export interface AttemptsDeps {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly logger: AttemptLogger;
  readonly lane: Lane;
  readonly lease: Hold;
  readonly counters: RunCounters;
  readonly pace: SharedPace;
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
