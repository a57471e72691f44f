import { withoutEnds } from '../trailing.js';
import type { Item } from './record.js';

/** DynamoDB's limit for an item, attribute names included. */
export const MAX_ITEM_BYTES = 400 * 1024;
/** What a failure adds at the most, without its history: counts, times, the fence and the keys of the index. */
const OUTCOME_BYTES = 512;

/** Without it an attempt could be made, and its outcome not be written. */
export function hasRoomForOutcome(item: Item): boolean {
  return itemBytes(item) <= MAX_ITEM_BYTES - OUTCOME_BYTES;
}

/** The size of an item as DynamoDB counts it: names and values, 3 bytes and 1 per element for maps and lists. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) bytes += byteLength(name) + valueBytes(value);
  }
  return bytes;
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return byteLength(value);
  const number = numberText(value);
  if (number !== undefined) return numberBytes(number);
  if (typeof value !== 'object' || value === null) return 1;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (value instanceof Set) return sum([...value], valueBytes);
  if (Array.isArray(value)) return 3 + value.length + sum(value, valueBytes);
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return 3 + entries.length + sum(entries, ([name, child]) => byteLength(name) + valueBytes(child));
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

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function sum<Element>(elements: readonly Element[], size: (element: Element) => number): number {
  return elements.reduce((total, element) => total + size(element), 0);
}
