/**
 * Keys and attributes of control items, which any service may have written: a value that the library cannot have written
 * is damaged.
 */

export const QUEUE_PREFIX = 'queue#';

/** The item of a queue in the control table; queues.ts tells what it holds. */
export function queueKey(queue: string): string {
  return `${QUEUE_PREFIX}${queue}`;
}

/** The beginning of the keys of operators' jobs; jobs.ts tells what the items hold. */
export const JOB_PREFIX = 'job#';

export const READING_PREFIX = 'reading#';

/** The item with what the monitor has read of a queue: its attribute `reading`, a map. */
export function readingKey(queue: string): string {
  return `${READING_PREFIX}${queue}`;
}

/**
 * A listener that gets the key of a control item, and its damaged attributes, which get new values.
 *
 * @inline
 */
export type OnDamaged = (key: string, attributes: readonly string[]) => void;

/** The beginning of the year 10000, in epoch milliseconds. No clock shows a later time. */
export const LAST_TIME = Date.UTC(10_000, 0);

const MAX_ID_BYTES = 2048;

/** Tells whether a value is a time in epoch milliseconds, `latest` or before. */
export function isTimeUntil(value: unknown, latest: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= latest;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Tells whether a value can be an id. DynamoDB refuses any other one, and with it the whole request. */
export function isId(value: unknown): value is string {
  return isText(value) && Buffer.byteLength(value) <= MAX_ID_BYTES;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof Set) && !ArrayBuffer.isView(value);
}
