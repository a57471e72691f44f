import type { QueueStats } from '../operate/queue-stats.js';
import { minuteText } from './format.js';

/** @inline */
type Pause = Pick<QueueStats, 'paused' | 'pausedUntil' | 'pauseReason' | 'pausedBy'>;

/** ` by role/ops until 16:00 UTC, "stocktaking"`: what an operator has said of a pause; empty if nothing. */
export function pauseNote({ pausedUntil, pauseReason, pausedBy }: Pause, now: number): string {
  const end = Date.parse(pausedUntil ?? '');
  const by = pausedBy === undefined ? '' : ` by ${pausedBy}`;
  const until = Number.isNaN(end)
    ? ''
    : ` until ${minuteText(end, now)} UTC${end > now ? '' : ', which is over'}`;
  const reason = pauseReason === undefined ? '' : `, "${pauseReason}"`;
  return `${by}${until}${reason}`;
}

/** Tells whether a queue is in a pause whose announced end is ahead: no alarm is to go off for it. */
export function isAnnounced({ paused, pausedUntil }: Pause, now: number): boolean {
  return paused && Date.parse(pausedUntil ?? '') > now;
}
