export const QUEUE_PREFIX = 'queue#';

/** The item of a queue in the control table; queues.ts tells what it holds. */
export function queueKey(queue: string): string {
  return `${QUEUE_PREFIX}${queue}`;
}
