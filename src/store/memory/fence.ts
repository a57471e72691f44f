import { isDeepStrictEqual } from 'node:util';
import { AsRead, attributesToFence, type BacklogRecord, type Item } from '../../record/index.js';
import type { OperatorChange } from '../operator-store.js';

/** It is still as it was read. */
export function isAsRead(item: Item, record: BacklogRecord): boolean {
  if (record.rev !== undefined) return item.rev === record.rev;
  const read = AsRead.of(record) as Item;
  return attributesToFence(read).every(
    (name) => item[name] === read[name] || isDeepStrictEqual(item[name], read[name]),
  );
}

export function isAsReadWithStatus(item: Item, record: BacklogRecord): boolean {
  return isAsRead(item, record) && (record.problems.length > 0 || item.status === record.status);
}

export function changed(item: Item, { set, remove }: OperatorChange): Item {
  const next: Record<string, unknown> = { ...item };
  for (const [name, value] of Object.entries(set)) if (value !== undefined) next[name] = value;
  // Absent for the store; quicker than to delete it.
  for (const name of remove) next[name] = undefined;
  return next;
}
