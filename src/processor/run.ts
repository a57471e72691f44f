import type { Clock } from '../clock.js';
import type { Random } from '../random.js';
import type { BacklogStore } from '../store/store.js';
import type { AttemptLogger, RunOptions } from './options.js';
import type { RunSummary } from './summary.js';

export interface RunParts {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
}

/** Drains what is due. (Being written.) */
export async function run(_options: RunOptions, _parts: RunParts): Promise<RunSummary> {
  throw new Error('not written yet');
}
