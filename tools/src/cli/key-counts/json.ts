import { causeText, type KeyCounts } from 'dynamo-backlog/overview';
import type { SampleRead } from '../../console/failures/read-causes.js';

/** The keys for programs. `key` is missing for records without one; what is not known or not so is missing, too. */
export function keysJson(keys: readonly KeyCounts[], { examined, total, counted }: SampleRead) {
  return { records: { examined, total, counted }, keys: keys.map(keyJson) };
}

function keyJson({ waiting, retry, dead, oldestAt, busyUntil, cause, ...rest }: KeyCounts) {
  return {
    ...rest,
    waiting: Math.round(waiting),
    retry: Math.round(retry),
    dead: Math.round(dead),
    oldestAt: isoOf(oldestAt),
    cause: cause && causeText(cause),
    busyUntil: isoOf(busyUntil),
  };
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
