import { withoutEnds } from '../support/trailing.js';
import type { Item } from './record.js';

/** DynamoDB's limit for an item, attribute names included. */
export const MAX_ITEM_BYTES = 400 * 1024;
/** The most bytes that a failure adds, without its texts: counts, times, the fence and the keys of the index. */
const OUTCOME_BYTES = 512;
/** The newest failure, with its name. */
const LAST_ERROR_BYTES = 640;
/** Above the most that a history may take: records of fewer bytes have room for any. */
const ENOUGH_BYTES = 32 * 1024;

/** The attributes that every failure writes again: `OUTCOME_BYTES` has their room already. */
const WRITTEN_AGAIN =
  'attempts failures notReady firstFailureAt lastFailureAt lastAttemptAt dueAt exact rev'.split(' ');
/** A name and a time. Another service may have written more. */
const MAX_WRITTEN_AGAIN_BYTES = 40;

/**
 * The room that an item leaves for the outcome of an attempt. Its history, its newest error, its wait and its end from outside make
 * room for others, so they do not count. Nothing: there is enough.
 *
 * @returns `isFull`: an attempt could be made, and its outcome not be written. `historyRoom`, in bytes: for its history
 */
export function roomIn(item: Item): { readonly isFull?: true; readonly historyRoom?: number } {
  const { history, lastError, completion, notBefore, ...rest } = item;
  const again = sum(WRITTEN_AGAIN, (name) =>
    Math.min(MAX_WRITTEN_AGAIN_BYTES, attributeBytes(name, item[name])),
  );
  const room = MAX_ITEM_BYTES - OUTCOME_BYTES - itemBytes(rest) + again;
  if (room >= ENOUGH_BYTES) return {};
  return { ...(room < 0 ? { isFull: true } : {}), historyRoom: Math.max(0, room - LAST_ERROR_BYTES) };
}

/** The size of an item as DynamoDB counts it: names and values, 3 bytes and 1 per element for maps and lists. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += attributeBytes(name, value);
  }
  return bytes;
}

function attributeBytes(name: string, value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(name) + valueBytes(value);
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const number = numberText(value);
  if (number !== undefined) return numberBytes(number);
  if (typeof value !== 'object' || value === null) return 1;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (value instanceof Set) return sum([...value], valueBytes);
  if (Array.isArray(value)) return 3 + value.length + sum(value, valueBytes);
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return 3 + entries.length + sum(entries, ([name, child]) => Buffer.byteLength(name) + valueBytes(child));
}

/** The size of a number: one byte per two significant digits, one more, and one for a minus sign. At most 21. */
function numberBytes(text: string): number {
  const digits = significantDigits(text);
  return Math.min(21, Math.ceil(digits / 2) + 1 + (text.startsWith('-') ? 1 : 0));
}

/**
 * A number as text; undefined: it is none. Those that JavaScript has no number for are objects of the SDK (NumberValue),
 * which no map can be: none has functions.
 */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const isExact =
    typeof value === 'object' &&
    value !== null &&
    'toBigInt' in value &&
    typeof value.toBigInt === 'function';
  return isExact ? String(value) : undefined;
}

export function significantDigits(text: string): number {
  const mantissa = text.replace(/e[\s\S]*/i, '').replace(/[-.]/g, '');
  return withoutEnds(mantissa, '0').length || 1;
}

function sum<Element>(elements: readonly Element[], size: (element: Element) => number): number {
  return elements.reduce((total, element) => total + size(element), 0);
}
