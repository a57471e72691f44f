import type { BacklogRecord } from './record.js';

/**
 * The version of the items that this code reads and writes. Items that have an attribute more are of the same
 * version, as long as code that does not know it does no harm; docs/protocol.md, "Upgrades", says when there must be
 * a new one.
 */
export const RECORD_FORMAT = 1;

/** It was written by a later version of this library, which alone knows what to make of it. */
export function isNewer({ format = 1 }: Pick<BacklogRecord, 'format'>): boolean {
  return format > RECORD_FORMAT;
}
