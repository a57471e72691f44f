import { CONTRACT_ATTRIBUTES } from './contract-attributes.js';
import { AS_READ, AsRead, type BacklogRecord, type Item } from './record.js';

/**
 * The fence of a record that has a `rev`, beside that: what a producer or an operator writes by an `UpdateItem` that
 * leaves `rev` as it is. Its attempt depended on the first eight; the others are lost if an outcome takes their place.
 * Attributes of the producer's own are not among them, because a handler may keep its progress in one.
 */
export const FENCED = [
  'status',
  'payload',
  'queue',
  'task',
  'retry',
  'insertedAt',
  'availableAt',
  'traceparent',
  'lane',
  'dueAt',
  'notBefore',
  'completion',
  'failures',
  'expiresAt',
] as const;

const FENCED_WITH_REV: readonly string[] = ['rev', ...FENCED];

/**
 * The names of all that has to be as it was read when a record is written. A producer that overwrites a record removes
 * its `rev`; so a record without one is fenced by all that it has, and by what of the contract it has not.
 *
 * @param hasRev the library has written it before, or `BacklogClient` has
 */
export function attributesToFence(item: Item, hasRev: boolean): readonly string[] {
  return hasRev ? FENCED_WITH_REV : [...new Set([...Object.keys(item), ...CONTRACT_ATTRIBUTES])];
}

/** A record that the library has just written, fenced by what it is now. All else of it is as it was read. */
export function asWritten(
  record: BacklogRecord,
  { set, remove }: { readonly set: Readonly<Record<string, unknown>>; readonly remove: readonly string[] },
  rev: string,
): BacklogRecord {
  const removed = Object.fromEntries(remove.map((name) => [name, undefined]));
  return { ...record, rev, [AS_READ]: AsRead.after(record, { ...removed, ...set, rev }) };
}
