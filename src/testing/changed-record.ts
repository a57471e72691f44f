import { isDeepStrictEqual } from 'node:util';
import type { BacklogRecord } from '../record/index.js';

/**
 * The names of the attributes that a handler has changed on its record, added or removed. Its payload is its own: to sort it,
 * or to put what a schema has made of it in its place, is no mistake.
 */
export function changesOf(given: BacklogRecord, after: BacklogRecord): string[] {
  const names = new Set([...Object.keys(given), ...Object.keys(after)]);
  names.delete('payload');
  return [...names].filter((name) => !isDeepStrictEqual(ownValue(given, name), ownValue(after, name)));
}

/** A getter that the handler has put there may throw. */
function ownValue(record: BacklogRecord, name: string): unknown {
  return Object.getOwnPropertyDescriptor(record, name)?.value;
}
