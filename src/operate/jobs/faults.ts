import { openNotes, parseFailing } from '../../record/index.js';
import type { QueueState } from '../../store/store.js';

/** Time after a pause in which failures are noted again: the end of a pause drops the notes. */
const AFTER_PAUSE_MS = 10 * 60_000;

type State = Pick<QueueState, 'failing' | 'breakers' | 'paused' | 'resumedAt'>;

/** The destinations of a queue that fail, by the breakers and the notes of its runs; an empty text: the whole queue. */
export function faultsOf({ failing, breakers }: State, now: number): readonly string[] {
  const notes = openNotes(parseFailing(failing).notes, Math.floor(now / 1000));
  return [...breakers.keys(), ...notes.map(({ group }) => group)];
}

/**
 * Tells whether a fault has ended: its breaker is closed, and its note gone, which takes successes. A paused queue attempts
 * nothing, so nothing is known of it.
 *
 * @param destination undefined: the whole queue
 * @param now the backlog's time, epoch milliseconds
 */
export function hasEnded(state: State, destination: string | undefined, now: number): boolean {
  const sincePause = now - Date.parse(state.resumedAt ?? '');
  if (state.paused || sincePause < AFTER_PAUSE_MS) return false;
  const faults = faultsOf(state, now);
  return destination === undefined ? faults.length === 0 : !faults.includes(destination);
}
