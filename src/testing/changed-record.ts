import { isDeepStrictEqual } from 'node:util';
import type { BacklogRecord } from '../record/index.js';
import type { Finding } from './findings.js';

/**
 * The finding about an attempt that has changed the record that it got, beside its payload. The payload is the handler's own:
 * to sort it, or to put what a schema has made of it in its place, is no mistake.
 *
 * @param given the record as it was before the attempt
 * @returns undefined: it changed nothing
 */
export function changedRecord(
  given: BacklogRecord,
  after: BacklogRecord,
  attempt: number,
): Finding | undefined {
  const { id, queue } = given;
  const changed = changesOf(given, after);
  if (changed.length === 0) return undefined;
  return {
    type: 'changedRecord',
    id,
    queue,
    attempt,
    message:
      `attempt ${attempt} of the record "${id}" (queue "${queue}") changed ${changed.map((name) => `"${name}"`).join(', ')} ` +
      'of the record that it got. It is a copy, and no change of it is stored: use variables of your own',
  };
}

/** The names of the attributes that were changed, added or removed. */
function changesOf(given: BacklogRecord, after: BacklogRecord): string[] {
  const names = new Set([...Object.keys(given), ...Object.keys(after)]);
  names.delete('payload');
  return [...names].filter((name) => !isDeepStrictEqual(ownValue(given, name), ownValue(after, name)));
}

/** The value of an attribute, without a call of a getter: one that the handler has put there may throw. */
function ownValue(record: BacklogRecord, name: string): unknown {
  return Object.getOwnPropertyDescriptor(record, name)?.value;
}
