import { link } from '../parts.js';
import { type FilterText, readFilter } from './filter.js';

/** A list of records as an address has it: its filter, its order, and the page of it. */
export interface ListAddress {
  readonly text: FilterText;
  /** The latest due first, and the oldest of the dead ones. */
  readonly isReversed: boolean;
  /** The page behind this cursor. */
  readonly after?: string | undefined;
  /** The page before this cursor. */
  readonly before?: string | undefined;
}

/** Reads the address of a list. @param value gives a part of the query */
export function readAddress(value: (name: string) => string | undefined): ListAddress {
  const [after, before] = [value('after'), value('before')].map((cursor) => cursor || undefined);
  return { text: readFilter(value), isReversed: value('order') === 'reversed', after, before };
}

/** The address of a list: its first page, unless a cursor is given. */
export function listLink(
  { text }: Pick<ListAddress, 'text'>,
  { isReversed, after, before }: Partial<ListAddress>,
): string {
  return link('/records', { ...text, order: isReversed ? 'reversed' : '', after, before });
}
