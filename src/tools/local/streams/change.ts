import type { AttributeMap, ItemWrite } from '../dynalite/whole-writes.js';

export type { AttributeMap };

/** One write to an item. */
export interface Change extends ItemWrite {
  /** When it was written, epoch milliseconds; just now if missing. */
  readonly at?: number | undefined;
}
