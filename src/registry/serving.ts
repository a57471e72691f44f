import type { QueueOwner, QueueState, Registry } from '../store/store.js';
import { removedSince } from './removed.js';

/**
 * Tells whether a function serves a queue, as far as the control table knows: its entry in the registry is no removed one. A
 * queue without an entry is not served either, unless there are no entries at all, or a run has served it: functions without an
 * owner register nothing.
 *
 * @param now the backlog's time, epoch milliseconds
 * @returns undefined: it is not known
 */
export function isServed(
  queue: string,
  { queues }: Pick<Registry, 'queues'>,
  state: Pick<QueueState, 'retryMode'> | undefined,
  now: number,
): boolean | undefined {
  const entry: QueueOwner | undefined = queues.get(queue);
  if (entry) return removedSince(entry, now) === undefined;
  return queues.size === 0 || state?.retryMode !== undefined ? undefined : false;
}
