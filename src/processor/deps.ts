import type { Clock } from '../clock.js';
import type { Random } from '../random.js';
import type { BacklogStore } from '../store/store.js';
import type { AttemptLogger } from './options.js';
import type { BreakerMemory } from './pressure/breakers.js';
import type { Upcoming } from './upcoming.js';

/** What a run works with: handed in, so that tests and simulations own time, chance and storage. */
export interface RunDeps {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
  /**
   * What the process remembers of its former runs. Default: nothing.
   *
   * @internal
   */
  readonly breakers?: BreakerMemory | undefined;
  /**
   * Where the run notes what it may stay for. Default: it stays for nothing.
   *
   * @internal
   */
  readonly upcoming?: Upcoming | undefined;
}
