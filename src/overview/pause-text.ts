import type { QueueStats } from '../operate/queue-stats.js';
import type { KeyPause } from '../store/key-pauses.js';
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

/** ` by role/ops until 16:00 UTC, "their endpoint is down"`: what an operator has said of the pause of a key; empty if nothing. */
export function keyPauseNote({ until, reason, by }: KeyPause, now: number): string {
  return pauseNote({ paused: true, pausedUntil: until, pauseReason: reason, pausedBy: by }, now);
}

/** `key tenant-7 paused by role/ops until 16:00 UTC`, `3 keys paused`; empty if none is. The key may be any text. */
export function pausedKeysText(pausedKeys: readonly KeyPause[] = [], now: number): string {
  const [first] = pausedKeys;
  if (!first) return '';
  return pausedKeys.length > 1
    ? `${pausedKeys.length} keys paused`
    : `key ${first.key} paused${keyPauseNote(first, now)}`;
}

/** Tells whether a queue is in a pause whose announced end is ahead: no alarm is to go off for it. */
export function isAnnounced({ paused, pausedUntil }: Pause, now: number): boolean {
  return paused && Date.parse(pausedUntil ?? '') > now;
}
