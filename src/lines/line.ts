import type { Item } from '../record/record.js';
import { isSeq } from '../record/seq.js';

/** The record whose turn it is: the only one of its line that may be attempted. */
export interface Head {
  /** The record's id. */
  readonly id: string;
  /** Its number. */
  readonly seq: number;
  /** The record whose change has given it its turn: if that change comes again, its turn is begun again. */
  readonly by: string;
  /** The time at which its turn has begun. */
  readonly since: number;
}

/** Numbers that were left out, as they had not come for so long. */
export interface LeftOut {
  readonly from: number;
  readonly to: number;
  /** The time at which they were. */
  readonly at: number;
}

/** A line as its item has it. Times are the backlog's, epoch milliseconds. */
export interface Line {
  /** New at each write. Undefined: there is no item yet, or it has none that is text. */
  readonly rev?: string | undefined;
  /** The first number whose turn has not come. */
  readonly next: number;
  /** The highest number that is known, as far as its page goes. */
  readonly last: number;
  /** Undefined: it is the turn of none. */
  readonly head?: Head | undefined;
  /** The lowest number before `next` at which a record waits again, as after a redrive. Undefined: none does. */
  readonly back?: number | undefined;
  /** The highest such number. Undefined: there is none. */
  readonly backTo?: number | undefined;
  /** No record waits in the pages between that of `next` and this number. Undefined: not known. */
  readonly ahead?: number | undefined;
  /** The time at which the number `next` was missed, although a higher one has come. Undefined: none is missed. */
  readonly gapSince?: number | undefined;
  /** The time before which no turn begins, as an attempt of the last head may be under way. Undefined: none is. */
  readonly until?: number | undefined;
  /** The highest number whose records are cancelled, as one before them has died. Undefined: none are. */
  readonly cancelTo?: number | undefined;
  /** The latest numbers that were left out. Undefined: none were. */
  readonly leftOut?: LeftOut | undefined;
}

/** A line that no record has come to. */
export const NEW_LINE: Line = { next: 1, last: 0 };

/** Reads a line. What is invalid counts as absent: the line then goes on where its records say. */
export function parseLine(item: Item | undefined): Line {
  if (item === undefined) return NEW_LINE;
  const { rev, last, head, back, backTo, ahead, gapSince, until, cancelTo, leftOut } = item;
  const next = isSeq(item.next) ? item.next : 1;
  return {
    rev: typeof rev === 'string' ? rev : undefined,
    next,
    last: isSeq(last) ? last : 0,
    head: headOf(head),
    ...(isSeq(back)
      ? { back, backTo: isSeq(backTo) ? backTo : next }
      : { back: undefined, backTo: undefined }),
    ahead: isSeq(ahead) ? ahead : undefined,
    gapSince: isTime(gapSince) ? gapSince : undefined,
    until: isTime(until) ? until : undefined,
    cancelTo: isSeq(cancelTo) ? cancelTo : undefined,
    leftOut: leftOutOf(leftOut),
  };
}

/** The attributes of a line's item; `null` for what it has not, as a write leaves alone what it does not name. */
export function attributesOf({ rev: _, ...line }: Line): Item {
  const { next, last, head = null, back = null, backTo = null, ahead = null } = line;
  const { gapSince = null, until = null, cancelTo = null, leftOut } = line;
  return {
    ...{ next, last, head: head && { ...head }, back, backTo, ahead, gapSince, until, cancelTo },
    ...(leftOut && { leftOut: { ...leftOut } }),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function leftOutOf(value: unknown): LeftOut | undefined {
  const { from, to, at } = (typeof value === 'object' && value !== null ? value : {}) as Item;
  return isSeq(from) && isSeq(to) && isTime(at) ? { from, to, at } : undefined;
}

function headOf(value: unknown): Head | undefined {
  const { id, seq, by, since } = (typeof value === 'object' && value !== null ? value : {}) as Item;
  if (typeof id !== 'string' || !isSeq(seq)) return undefined;
  return { id, seq, by: typeof by === 'string' ? by : '', since: isTime(since) ? since : 0 };
}
