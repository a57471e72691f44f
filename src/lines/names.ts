import type { BacklogRecord } from '../record/record.js';

/** Numbers of one page of a line: its item stays below 1 KB with ids of 40 bytes. */
const PAGE_NUMBERS = 16;

/**
 * The items of a line in the control table:
 *
 *     line#<queue>#<key>                  the line: see line.ts
 *     line-page#<number>#<queue>#<key>    the ids of those that wait, by 16 numbers: see line-page.ts
 *     line-number#<queue>#<key>           the number that was given last: see number-records.ts
 *     held-lines#<queue>                  the keys of lines that may be held: see note-held.ts
 */
export const LINE_PREFIX = 'line#';
export const HELD_LINES_PREFIX = 'held-lines#';

/** The name of a line: records of one key in one queue with `order: 'key'`. */
export interface LineName {
  /** The queue's name. */
  readonly queue: string;
  /** The key of its records. */
  readonly key: string;
}

/** A record's place in its line. */
export interface Place extends LineName {
  /** The record's number, from 1. */
  readonly seq: number;
}

export function lineKey({ queue, key }: LineName): string {
  return `${LINE_PREFIX}${queue}#${key}`;
}

export function linePageKey({ queue, key }: LineName, page: number): string {
  return `line-page#${page}#${queue}#${key}`;
}

export function lineNumberKey({ queue, key }: LineName): string {
  return `line-number#${queue}#${key}`;
}

export function heldLinesKey(queue: string): string {
  return `${HELD_LINES_PREFIX}${queue}`;
}

/** The page that has a number. */
export function pageOf(seq: number): number {
  return Math.floor(seq / PAGE_NUMBERS);
}

/** The first number of a page. */
export function firstOf(page: number): number {
  return page * PAGE_NUMBERS;
}

/** A record's place, from its attributes `key` and `seq`. Undefined: it lacks one of them, and has no order. */
export function placeOf({
  queue,
  key,
  seq,
}: Pick<BacklogRecord, 'queue' | 'key' | 'seq'>): Place | undefined {
  return key === undefined || seq === undefined ? undefined : { queue, key, seq };
}

/** Tells whether two names are those of one line. */
export function isSameLine(a: LineName | undefined, b: LineName | undefined): boolean {
  return a !== undefined && b !== undefined && a.queue === b.queue && a.key === b.key;
}
