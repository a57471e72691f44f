import type { AttributeMap, ItemWrite } from '../dynalite/whole-writes.js';

export type { AttributeMap };

/** One write to an item. */
export interface Change extends ItemWrite {
  /** Time of the write, epoch milliseconds. Default: just now. */
  readonly at?: number | undefined;
}
