import type { QueueCounts } from '../operate/queue-stats.js';
import {
  type FailingNote,
  failingSeconds,
  isOutage,
  openNotes,
  parseFailing,
  type RecordsLeft,
} from '../record/index.js';
import type { QueueState } from '../store/store.js';
import { isUnknownByPause } from './pauses.js';

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

/** Failures of a queue without recovery, by the notes of its runs. */
export interface FailingNow {
  /** The time for which they have lasted, in seconds. 0: the queue has recovered lately, or the region is passive. */
  readonly seconds: number;
  /** The notes of the groups that fail. */
  readonly groups: readonly FailingNote[];
  /** The time of the last recovery, epoch seconds. Undefined: none is noted, or a group fails again. */
  readonly endedAt: number | undefined;
}

/**
 * The failures of a queue. Undefined: nothing to say. So it is in a pause, and until its first runs: an outage that was known
 * before has not ended.
 *
 * @param now the backlog's time, epoch milliseconds
 * @param isPassive another region attempts the records. Undefined: not known
 */
export function failingNow(
  { failing, paused, resumedAt }: Pick<QueueState, 'failing' | 'paused' | 'resumedAt'>,
  counted: Counted | undefined,
  { now, isPassive }: { readonly now: number; readonly isPassive: boolean | undefined },
): FailingNow | undefined {
  if (failing === undefined || isPassive === undefined) return undefined;
  if (isUnknownByPause({ paused, resumedAt }, now)) return undefined;
  if (isPassive) return { seconds: 0, groups: [], endedAt: undefined };
  const notes = parseFailing(failing);
  const left: RecordsLeft | undefined = counted && {
    waiting: counted.counts.pending,
    inRetry: counted.inRetry,
    dead: counted.counts.dead,
  };
  const second = Math.floor(now / 1000);
  const seconds = failingSeconds(notes, second, left);
  if (seconds === undefined) return undefined;
  const { endedAt = second } = notes;
  const failsAgain = notes.notes.some((note) => note.lastAt > endedAt && isOutage(note));
  return {
    seconds,
    groups: openNotes(notes.notes, second, left),
    endedAt: failsAgain ? undefined : notes.endedAt,
  };
}
