import type { QueueCounts } from '../operate/queue-stats.js';
import { failingSeconds, parseFailing } from '../record/index.js';
import type { QueueState } from '../store/store.js';

/**
 * Records of the queue, where they are counted.
 *
 * @inline
 */
interface Counted {
  /** Records that wait, and dead ones. */
  readonly counts: Pick<QueueCounts, 'pending' | 'dead'>;
  /** Waiting records that have failed. */
  readonly inRetry: number;
}

/**
 * The seconds for which records of a queue have failed without recovery, by the notes of its runs. 0: they have recovered lately,
 * or no run attempts them: the queue is paused, or the region passive. Undefined: nothing to say.
 *
 * @param now the backlog's time, epoch milliseconds
 * @param isPassive another region attempts the records. Undefined: not known
 */
export function failingFor(
  { failing, paused }: Pick<QueueState, 'failing' | 'paused'>,
  counted: Counted | undefined,
  { now, isPassive }: { readonly now: number; readonly isPassive: boolean | undefined },
): number | undefined {
  if (failing === undefined || isPassive === undefined) return undefined;
  if (paused || isPassive) return 0;
  const left = counted && {
    waiting: counted.counts.pending,
    inRetry: counted.inRetry,
    dead: counted.counts.dead,
  };
  return failingSeconds(parseFailing(failing), Math.floor(now / 1000), left);
}
