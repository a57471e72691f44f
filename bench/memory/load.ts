import type { NewRecord } from '../../src/index.js';
import { payloadOf } from '../payload.js';

/** Emulators take a quarter of a second for each write of an item that has thousands of values. */
const LINE_BYTES = 1000;

/** Records, and the outcomes of their attempts. */
export interface Load {
  readonly records: number;
  readonly kilobytes: number;
  /** Attempts of each record, if they fail. 0: the first one succeeds. */
  readonly failures: number;
}

/** The records. All share one payload here; a process that reads them has one for each. */
export function recordsOf({ records, kilobytes }: Load): NewRecord[] {
  const payload = payloadOf(kilobytes, LINE_BYTES);
  return Array.from({ length: records }, (_, i) => ({ id: `order-${i}`, payload }));
}
