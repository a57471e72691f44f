import type { BacklogRecord } from '../record/index.js';
import { toIso } from '../support/clock.js';
import { type GroupEnd, groupEndOf } from './end-record.js';
import { sumOf } from './finish.js';
import type { GroupHead } from './head.js';
import type { GroupPage } from './page.js';

/** A group of records, with the number of its members in each state. */
export interface Group {
  /** Its id; also that of the record of its end. */
  readonly id: string;
  /** `open`: it takes more members. `sealed`: it takes no more. `ended`: the record of its end has been started. */
  readonly state: 'open' | 'sealed' | 'ended';
  /** The time at which it was begun, ISO-8601. Absent: it has ended. */
  readonly createdAt?: string | undefined;
  /** Members in all. */
  readonly members: number;
  /** Members that have not ended. */
  readonly waiting: number;
  /** Members that succeeded. */
  readonly succeeded: number;
  /** Members that were given up. */
  readonly dead: number;
  /** Members that were given up as their work was not wanted any more. */
  readonly cancelled: number;
  /** Members whose record was deleted, or replaced, before its end. */
  readonly removed: number;
  /** Members that are not in the table, and whose end was not seen. */
  readonly lost: number;
}

/** A group that goes on. */
export function describeGroup(
  id: string,
  { createdAt, sealed }: GroupHead,
  pages: readonly (GroupPage | undefined)[],
): Group {
  const { unused: _, ...counts } = sumOf(pages);
  const members = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { id, state: sealed ? 'sealed' : 'open', createdAt: toIso(createdAt), members, ...counts };
}

/** A group without a head, by its record. Undefined: that is no record of a group, or has begun without the end of the group. */
export function endedGroup(id: string, record: BacklogRecord): Group | undefined {
  const end = groupEndOf(id, record);
  if (!end?.complete) return undefined;
  const of = (name: keyof GroupEnd) => countOf(end[name]);
  const ends = { succeeded: of('succeeded'), dead: of('dead'), cancelled: of('cancelled') };
  return {
    id,
    state: 'ended',
    members: of('members'),
    waiting: 0,
    ...ends,
    removed: of('removed'),
    lost: of('lost'),
  };
}

/** A number of members. Anyone may have edited the payload. */
function countOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0;
}
