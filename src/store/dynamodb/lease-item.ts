import type { Item } from '../../record/index.js';
import type { Cursor, LeaseHold, LeaseState } from '../store.js';
import { isId, isText, isTimeUntil } from './control-values.js';

export const LEASE_PREFIX = 'lease#';
/** The longest time that a lease may last. No function lives longer, with a minute for clocks that differ. */
export const MAX_LEASE_MS = 16 * 60_000;

/**
 * A lease as it is stored. The whole item is billed at every write, in units of 1 KB: 100 ids in UUID form must stay
 * below 4,096 bytes, so the names are short and the cursor is a list.
 *
 *     key       lease#<lane, and tier>
 *     holder    who has it; absent when it is free
 *     until     real time, epoch milliseconds
 *     rev       what the settles of the ids below write
 *     ids       the in-flight journal: ids under attempt, or about to be
 *     begun     true when all of them were read, and their attempts have begun
 *     suspects  ids of a crashed run that wait for their attempt alone; absent when there are none
 *     cursor    [head id, head dueAt, at id, at dueAt]: where the last run stopped at a limit; absent if it did not
 *     woken     true when somebody asked the holder to look once more
 *     succeededAt  the latest success of its runs, the backlog's time, epoch milliseconds
 *     lost      how many holders were reported dead since one gave it back; absent when none was
 */
export function leaseKey(key: string): string {
  return `${LEASE_PREFIX}${key}`;
}

/** The attributes that a hold sets, and those that it removes. It leaves cursor and wake mark alone. */
export function holdAttributes(hold: LeaseHold): { set: Record<string, unknown>; remove: string[] } {
  const { holder, until, rev, ids, begun, suspects, succeededAt } = hold;
  return {
    set: {
      ...{ holder, until, rev, ids, begun },
      ...(suspects?.length ? { suspects } : {}),
      ...(succeededAt === undefined ? {} : { succeededAt }),
    },
    remove: [...(begun ? [] : ['begun']), ...(suspects?.length === 0 ? ['suspects'] : [])],
  };
}

/** A lease that a run holds; undefined if it is free. Damaged attributes are left out. */
export function parseLease(item: Item | undefined): LeaseState | undefined {
  if (!isHeld(item)) return undefined;
  const { holder, until, rev, begun, woken } = item;
  return {
    holder: isText(holder) ? holder : '',
    until: isTimeUntil(until, Number.MAX_SAFE_INTEGER) ? until : 0,
    rev: isText(rev) ? rev : '',
    ids: idsOf(item.ids),
    ...(begun === true ? { begun } : {}),
    suspects: idsOf(item.suspects),
    cursor: parseCursor(item.cursor),
    woken: woken === true,
  };
}

/** The attributes of a held lease that are so damaged that no run could take it over. */
export function damageOf(item: Item | undefined, now: number): string[] {
  if (!isHeld(item)) return [];
  const isSound = {
    holder: isText(item.holder),
    until: isTimeUntil(item.until, now + MAX_LEASE_MS),
    rev: isText(item.rev),
  };
  return Object.entries(isSound).flatMap(([name, sound]) => (sound ? [] : [name]));
}

function isHeld(item: Item | undefined): item is Item {
  return item !== undefined && (item.holder !== undefined || item.ids !== undefined);
}

export function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.filter(isId))] : [];
}

export function formatCursor({ head, at }: Cursor): string[] {
  return [head.id, head.dueAt, at.id, at.dueAt];
}

export function parseCursor(value: unknown): Cursor | undefined {
  if (!Array.isArray(value) || value.length !== 4) return undefined;
  const [headId, headDueAt, atId, atDueAt] = value;
  const isSound = isId(headId) && isId(atId) && isText(headDueAt) && isText(atDueAt);
  return isSound ? { head: { id: headId, dueAt: headDueAt }, at: { id: atId, dueAt: atDueAt } } : undefined;
}
