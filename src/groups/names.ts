import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

/**
 * The items of a group in the control table:
 *
 *     group#<id>                  its head: see head.ts
 *     group-page#<number>#<id>    the states of up to 1,000 members: see page.ts
 *     group-ids#<number>#<id>     the ids of these members
 */
export const HEAD_PREFIX = 'group#';

/** An item of a page stays below 1 KB, so that a write of it is one unit. */
const MAX_ID_BYTES = 128;
/** The attribute of a record that makes it a member: `<number>#<id of the group>`. */
export const MEMBER_ATTRIBUTE = 'memberOf';
/** The attribute of the record that a group's end starts: the id of the group, which is its own. Payloads do not have it. */
export const END_ATTRIBUTE = 'endOf';
/** Members of one page. */
export const PAGE_MEMBERS = 1_000;
/** Pages of one group: a million members. */
export const MAX_PAGES = 1_000;

export function headKey(id: string): string {
  return HEAD_PREFIX + id;
}

export function pageKey(id: string, page: number): string {
  return `group-page#${page}#${id}`;
}

export function idsKey(id: string, page: number): string {
  return `group-ids#${page}#${id}`;
}

/** A member's place in its group. */
export interface Place {
  /** The id of the group. */
  readonly group: string;
  /** The page's number, from 0. */
  readonly page: number;
  /** The place in the page, from 0. */
  readonly index: number;
}

/** The value of `memberOf` of the member at a place. */
export function memberText({ group, page, index }: Place): string {
  return `${page * PAGE_MEMBERS + index}#${group}`;
}

/** Reads `memberOf`. Undefined: the record is no member. Any service may have written the attribute. */
export function placeOf(memberOf: unknown): Place | undefined {
  const [, digits = '', group = ''] =
    typeof memberOf === 'string' ? (/^(\d{1,7})#(.{1,128})$/s.exec(memberOf) ?? []) : [];
  const number = Number(digits);
  if (group === '' || number >= MAX_PAGES * PAGE_MEMBERS) return undefined;
  return { group, page: Math.floor(number / PAGE_MEMBERS), index: number % PAGE_MEMBERS };
}

/**
 * Checks the id of a group, which is also the id of the record that its end starts.
 *
 * @throws ConfigurationError for what is none
 */
export function checkGroupId(id: unknown, path: string): asserts id is string {
  if (typeof id === 'string' && id !== '' && Buffer.byteLength(id) <= MAX_ID_BYTES) return;
  throw new ConfigurationError(`${path}: expected text of 1 to ${MAX_ID_BYTES} bytes, got ${show(id)}`);
}
