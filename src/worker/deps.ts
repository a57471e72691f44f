import type { BacklogStore } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import type { Random } from '../support/random.js';
import type { FailingMemory } from './failing-watch.js';
import type { BreakerMemory } from './guards/breakers.js';
import type { KeyMemory } from './guards/busy-keys.js';
import type { QueueTurns } from './page-turns.js';

/** Attempts that are under way. */
export interface WatchedAttempts {
  readonly queue: string;
  readonly ids: readonly string[];
  /** The time limit of each of them. */
  readonly seconds: number;
  /** Other records wait for them, or are under attempt beside them. */
  readonly othersWait: boolean;
}

/** Ends a process whose event loop is blocked: no time limit can. */
export interface Watchdog {
  /** Watches attempts until the function that it returns is called. */
  watch(attempts: WatchedAttempts): () => void;
}

/** The dependencies of a run, handed in, so that tests and simulations own time, chance and storage. */
export interface RunDeps {
  /** The store of the records. */
  readonly store: BacklogStore;
  /** Tells both times; `systemClock`, or a test's. */
  readonly clock: Clock;
  /** Draws jitter and tokens; `systemRandom`, or a test's. */
  readonly random: Random;
  /** Gets the lines of the run and of its attempts. */
  readonly logger: AttemptLogger;
  /**
   * The breakers that the process remembers of its earlier runs. Default: none.
   *
   * @internal
   */
  readonly breakerMemory?: BreakerMemory | undefined;
  /**
   * The memory of the process for the keys of its queues. Default: none.
   *
   * @internal
   */
  readonly keyMemory?: KeyMemory | undefined;
  /**
   * The notes of failures that the process remembers of its earlier runs. Default: a run that finds nothing due does not ask.
   *
   * @internal
   */
  readonly failingMemory?: FailingMemory | undefined;
  /**
   * Ends the process if an attempt blocks it. Default: it remains blocked until its function's time is over.
   *
   * @internal
   */
  readonly watchdog?: Watchdog | undefined;
  /**
   * Its pages take turns with those of other queues. Default: it serves one queue.
   *
   * @internal
   */
  readonly turns?: QueueTurns | undefined;
}
