import type { Item } from '../../record/index.js';
import type { Cursor, LeaseHold, LeaseState } from '../store.js';

export const LEASE_PREFIX = 'lease#';

/**
 * A lease as it is stored. The whole item is billed at every write, in units of 1 KB: 100 ids in UUID form must stay
 * below 4,096 bytes, so the names are short and the cursor is a list.
 *
 *     key       lease#<lane, and tier>
 *     holder    who has it; absent when it is free
 *     until     real time, epoch milliseconds
 *     ends      real time at which its holder will have ended; absent where nobody has said so
 *     rev       what the settles of the ids below write
 *     ids       the in-flight journal: ids under attempt, or about to be
 *     begun     true when all of them were read, and their attempts have begun
 *     suspects  ids of a crashed run that wait for their attempt alone; absent when there are none
 *     cursor    [head id, head dueAt, at id, at dueAt]: where the last run stopped at a limit; absent if it did not
 *     woken     true when somebody asked the holder to look once more
 */
export function leaseKey(key: string): string {
  return `${LEASE_PREFIX}${key}`;
}

/** The attributes that a hold sets, and those it removes. Cursor and wake mark are not its business. */
export function holdAttributes(hold: LeaseHold): { set: Record<string, unknown>; remove: string[] } {
  const { holder, until, ends, rev, ids, begun, suspects } = hold;
  return {
    set: { holder, until, ends, rev, ids, begun, ...(suspects?.length ? { suspects } : {}) },
    remove: [...(begun ? [] : ['begun']), ...(suspects?.length === 0 ? ['suspects'] : [])],
  };
}

/** A lease that somebody holds; undefined if it is free. */
export function parseLease(item: Item | undefined): LeaseState | undefined {
  if (item === undefined || (item.holder === undefined && item.ids === undefined)) return undefined;
  return {
    holder: String(item.holder ?? ''),
    until: Number(item.until ?? 0),
    ...(item.ends === undefined ? {} : { ends: Number(item.ends) }),
    rev: String(item.rev ?? ''),
    ids: strings(item.ids),
    ...(item.begun === true ? { begun: true } : {}),
    suspects: strings(item.suspects),
    cursor: parseCursor(item.cursor),
    woken: item.woken === true,
  };
}

export function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function formatCursor({ head, at }: Cursor): string[] {
  return [head.id, head.dueAt, at.id, at.dueAt];
}

export function parseCursor(value: unknown): Cursor | undefined {
  const [headId, headDueAt, atId, atDueAt] = strings(value);
  if (headId === undefined || headDueAt === undefined || atId === undefined || atDueAt === undefined) {
    return undefined;
  }
  return { head: { id: headId, dueAt: headDueAt }, at: { id: atId, dueAt: atDueAt } };
}
