import type { Item } from '../record/index.js';
import type { SharedScan } from '../store/shared-items.js';
import { type GroupHead, parseHead } from './head.js';
import { HEAD_PREFIX } from './names.js';
import { GroupPage } from './page.js';

/** The scan that brings the heads and the pages of all groups, without the ids of members. */
export const GROUPS_SCAN: Omit<SharedScan, 'after'> = {
  prefix: 'group',
  attributes: [
    ...['createdAt', 'pages', 'addedAt', 'sealed', 'holdsDead', 'rev'],
    ...['states', 'size', 'until'],
  ],
};

/**
 * An item of a group: its head, or one of its pages.
 *
 * @inline
 */
export interface ScannedItem {
  /** The id of the group. */
  readonly id: string;
  /** Undefined: it is a page. Whether there is a record of a first death is not read. */
  readonly head?: GroupHead | undefined;
  /** Undefined: it is the head. */
  readonly page?: GroupPage | undefined;
}

/** Reads an item of that scan. Undefined: it is another one, or damaged. */
export function scannedItem(item: Item): ScannedItem | undefined {
  const { key } = item;
  if (typeof key !== 'string') return undefined;
  if (key.startsWith(HEAD_PREFIX)) {
    const head = parseHead(item);
    return head && { id: key.slice(HEAD_PREFIX.length), head };
  }
  const [, id] = /^group-page#\d{1,3}#(.+)$/s.exec(key) ?? [];
  const page = id === undefined ? undefined : GroupPage.parse(item);
  return id === undefined || page === undefined ? undefined : { id, page };
}
