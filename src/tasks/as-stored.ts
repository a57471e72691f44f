import { MAX_DEPTH, tooDeep } from '../record/depth.js';

/** Digits that every JavaScript number holds. */
const SAFE_DIGITS = 15;

/**
 * A payload as its handler will read it: without what is undefined, with small bigints as numbers. What DynamoDB does
 * not take at all is left as it is; the store refuses it.
 *
 * @throws InvalidRecordError for one that is nested too deep, or holds itself
 */
export function asStored(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return isSmall(value) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((element) => asStored(element, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.fromEntries(entries.map(([name, child]) => [name, asStored(child, depth + 1)]));
}

function isSmall(value: bigint): boolean {
  const text = String(value);
  return text.replace(/^-|0+$/g, '').length <= SAFE_DIGITS || String(Number(value)) === text;
}
