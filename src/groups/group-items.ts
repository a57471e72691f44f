import type { Item } from '../record/index.js';
import { StoreUnavailableError } from '../store/errors.js';
import type { SharedItems } from '../store/shared-items.js';
import type { Clock } from '../support/clock.js';
import { type Random, randomToken } from '../support/random.js';
import { allDone } from './all-done.js';
import { type GroupHead, parseHead } from './head.js';
import { headKey, idsKey, pageKey } from './names.js';
import { GroupPage } from './page.js';

export interface GroupItemsDeps {
  readonly groups: SharedItems;
  readonly clock: Clock;
  readonly random: Random;
}

const MAX_TRIES = 10;
const BACKOFF_MS = 20;
/** Pages that are read at once: one BatchGetItem. */
const PAGES_AT_ONCE = 100;
const REMOVED_AT_ONCE = 10;

/** The items of groups: each change reads, decides and writes, and does so again where another process was quicker. */
export class GroupItems {
  constructor(private readonly deps: GroupItemsDeps) {}

  async head(id: string): Promise<GroupHead | undefined> {
    const key = headKey(id);
    return parseHead((await this.deps.groups.read([key])).get(key));
  }

  /** Makes the head of a new group. False: there is one. */
  create(id: string, attributes: Item): Promise<boolean> {
    return this.createItem(headKey(id), attributes);
  }

  /**
   * Changes the head.
   *
   * @param changeOf returns the attributes to write; undefined: it is to stay as it is
   * @returns the head as it was before its change, or as it is. Undefined: there is none
   */
  async changeHead(
    id: string,
    changeOf: (head: GroupHead) => Item | undefined,
  ): Promise<GroupHead | undefined> {
    return this.change(async () => {
      const head = await this.head(id);
      const attributes = head && changeOf(head);
      if (!head || !attributes) return { result: head };
      return (await this.write(headKey(id), attributes, head.rev)) && { result: head };
    });
  }

  /** Numbers a new page. Undefined: the group is sealed, full or not there. */
  async addPage(
    id: string,
    page: GroupPage,
    ids: readonly string[],
    maxPages: number,
  ): Promise<number | undefined> {
    const { clock } = this.deps;
    const head = await this.changeHead(id, ({ sealed, pages }) =>
      sealed || pages >= maxPages ? undefined : { pages: pages + 1, addedAt: clock.wall() },
    );
    if (!head || head.sealed || head.pages >= maxPages) return undefined;
    const number = head.pages;
    // The ids of another page, of a process that was held up until its group had ended, would belie this one.
    const isNew =
      (await this.createItem(idsKey(id, number), { ids })) &&
      (await this.createItem(pageKey(id, number), page.attributes()));
    // A look at the group has taken it for one of a process that was lost.
    if (!isNew) throw new StoreUnavailableError(`group ${id}: page ${number} was closed before it began`);
    return number;
  }

  /** Pages, by number. Undefined: it is not there, or damaged. */
  async pages(id: string, numbers: readonly number[]): Promise<(GroupPage | undefined)[]> {
    const pages: (GroupPage | undefined)[] = [];
    for (let start = 0; start < numbers.length; start += PAGES_AT_ONCE) {
      const keys = numbers.slice(start, start + PAGES_AT_ONCE).map((number) => pageKey(id, number));
      const items = await this.deps.groups.read(keys);
      pages.push(
        ...keys.map((key) => {
          const item = items.get(key);
          return item && GroupPage.parse(item);
        }),
      );
    }
    return pages;
  }

  /** All pages of a group. */
  allPages(id: string, { pages }: Pick<GroupHead, 'pages'>): Promise<(GroupPage | undefined)[]> {
    return this.pages(id, [...Array(pages).keys()]);
  }

  /**
   * Changes a page.
   *
   * @param changeOf returns the page as it is to be; undefined: it is to stay as it is
   * @returns the page before, and as it is now. Undefined: there is none
   */
  async changePage(
    id: string,
    number: number,
    changeOf: (page: GroupPage) => GroupPage | undefined,
  ): Promise<{ readonly before: GroupPage; readonly after: GroupPage } | undefined> {
    return this.change(async () => {
      const [before] = await this.pages(id, [number]);
      if (!before) return { result: undefined };
      const after = changeOf(before);
      if (!after) return { result: { before, after: before } };
      const isWritten = await this.write(pageKey(id, number), after.attributes(), before.rev);
      return isWritten && { result: { before, after } };
    });
  }

  /** Writes an empty page for a number that no process has written a page for. */
  async fillGap(id: string, number: number): Promise<void> {
    await this.createItem(pageKey(id, number), GroupPage.opened(0, 0).attributes());
  }

  /** The ids of a page's members, by their places. Empty: they are not there, or damaged. */
  async ids(id: string, number: number): Promise<readonly string[]> {
    const key = idsKey(id, number);
    const ids = (await this.deps.groups.read([key])).get(key)?.ids;
    return Array.isArray(ids) ? ids.map(String) : [];
  }

  /**
   * Removes all items of a group. A page goes before its ids, which are read for it, and the head last: what finds the head does the
   * rest.
   */
  async remove(id: string, { pages }: Pick<GroupHead, 'pages'>): Promise<void> {
    const { groups } = this.deps;
    const removePage = async (number: number) => {
      await groups.remove(pageKey(id, number));
      await groups.remove(idsKey(id, number));
    };
    const numbers = [...Array(pages).keys()];
    for (let start = 0; start < pages; start += REMOVED_AT_ONCE)
      await allDone(numbers.slice(start, start + REMOVED_AT_ONCE).map(removePage));
    await groups.remove(headKey(id));
  }

  private createItem(key: string, attributes: Item): Promise<boolean> {
    const { groups, random } = this.deps;
    return groups.create(key, { ...attributes, rev: randomToken(random) });
  }

  private write(key: string, attributes: Item, expected: string | undefined): Promise<boolean> {
    const { groups, random } = this.deps;
    return groups.write(key, { ...attributes, rev: randomToken(random) }, expected);
  }

  private async change<Result>(attempt: () => Promise<false | { readonly result: Result }>): Promise<Result> {
    const { clock, random } = this.deps;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await clock.sleep(BACKOFF_MS * 2 ** Math.min(tries, 6) * random());
      const done = await attempt();
      if (done) return done.result;
    }
    throw new StoreUnavailableError(
      `others change the same item all the time: ${MAX_TRIES} tries have failed`,
    );
  }
}
