import type { Item } from '../record/index.js';
import { PAGE_MEMBERS } from './names.js';

/**
 * The states of a member: their places in this list are stored. `removed`: the record was deleted or replaced before its end. `lost`:
 * it is not in the table, and its end was not seen. `unused`: the place has no member, as its record could not be inserted or was
 * there before.
 */
export const MEMBER_STATES = [
  'waiting',
  'succeeded',
  'dead',
  'cancelled',
  'removed',
  'lost',
  'unused',
] as const;
/** The state of a member. */
export type MemberState = (typeof MEMBER_STATES)[number];

/** The number of members in each state. */
export type StateCounts = Readonly<Record<MemberState, number>>;

/**
 * A page of a group: the states of up to 1,000 members, four bits each, so that a write is one unit.
 *
 *     states  bytes: of each two members, the state of the first in the upper four bits
 *     size    members, as each has its place
 *     until   real time, epoch milliseconds, until which a process inserts its members; 0: all are inserted
 *     rev     renewed by each write
 */
export class GroupPage {
  private constructor(
    private readonly bytes: Uint8Array,
    /** The number of its places. */
    readonly size: number,
    /** The time until which its members are inserted, real time, epoch milliseconds. Undefined: all are. */
    readonly until: number | undefined,
    /** The `rev` as it was read. Undefined: it is new, or has none that is text. */
    readonly rev: string | undefined,
  ) {}

  /** A page whose members are about to be inserted. */
  static opened(size: number, until: number): GroupPage {
    return new GroupPage(new Uint8Array(Math.ceil(size / 2)), size, until, undefined);
  }

  /** Reads a page. Undefined: it is damaged. */
  static parse({ states, size, until, rev }: Item): GroupPage | undefined {
    if (!(states instanceof Uint8Array)) return undefined;
    if (!Number.isInteger(size) || Number(size) < 0 || Number(size) > PAGE_MEMBERS) return undefined;
    if (states.length !== Math.ceil(Number(size) / 2)) return undefined;
    const end = typeof until === 'number' && Number.isFinite(until) && until > 0 ? until : undefined;
    const known = typeof rev === 'string' ? rev : undefined;
    return new GroupPage(Uint8Array.from(states), Number(size), end, known);
  }

  /** The attributes to write. */
  attributes(): Item {
    // An attribute that is not named would stay.
    return { states: this.bytes, size: this.size, until: this.until ?? 0 };
  }

  /** The page with these states. Undefined: it has them already. Places that it does not have are left out. */
  with(states: ReadonlyMap<number, MemberState>): GroupPage | undefined {
    const bytes = Uint8Array.from(this.bytes);
    let isChanged = false;
    for (const [index, state] of states) {
      if (index >= this.size || this.stateAt(index) === state) continue;
      const shift = index % 2 === 0 ? 4 : 0;
      const at = index >> 1;
      bytes[at] = ((bytes[at] ?? 0) & (0xf0 >> shift)) | (MEMBER_STATES.indexOf(state) << shift);
      isChanged = true;
    }
    return isChanged ? new GroupPage(bytes, this.size, this.until, this.rev) : undefined;
  }

  /** The page when all its members are inserted. */
  closed(): GroupPage {
    return new GroupPage(this.bytes, this.size, undefined, this.rev);
  }

  /** The state of a member. One that this version does not know counts as `waiting`: nothing ends for it. */
  stateAt(index: number): MemberState {
    const byte = this.bytes[index >> 1] ?? 0;
    return MEMBER_STATES[index % 2 === 0 ? byte >> 4 : byte & 0xf] ?? 'waiting';
  }

  /** Places of members in one of these states, from 0. */
  places(...states: readonly MemberState[]): number[] {
    return [...Array(this.size).keys()].filter((index) => states.includes(this.stateAt(index)));
  }

  /** The number of members in each state. */
  counts(): StateCounts {
    const counts = Object.fromEntries(MEMBER_STATES.map((state) => [state, 0])) as Record<
      MemberState,
      number
    >;
    for (let index = 0; index < this.size; index++) counts[this.stateAt(index)]++;
    return counts;
  }
}
