import type { IndexKey } from '../../store/store.js';
import { MAX_PAGE_ID_BYTES } from '../capacity.js';
import type { PageSource } from '../pages.js';

/** Pages of a lane that are made of parts of its pages in the index: of several, if little of each is to be read. */
export class PartOfPages implements PageSource {
  private page: IndexKey[] = [];
  /** Keys of the index that the page before had no room for. */
  private rest: readonly IndexKey[] = [];

  /**
   * @param toRead the keys of a page that are to be read
   * @param atLeast the least limit of a page: some records of each key are to be in it
   */
  constructor(
    private readonly pages: PageSource,
    private readonly toRead: (page: readonly IndexKey[]) => readonly IndexKey[],
    private readonly atLeast: () => number,
  ) {}

  async first(limit: number): Promise<IndexKey[]> {
    this.rest = this.toRead(await this.pages.first(limit));
    this.page = (await this.next(limit)) ?? [];
    return this.page;
  }

  begin(): IndexKey[] {
    return this.page;
  }

  async next(asked: number, freshLimit = Number.POSITIVE_INFINITY): Promise<IndexKey[] | undefined> {
    const limit = Math.max(asked, this.atLeast());
    const page = this.takeOfRest(limit);
    while (this.rest.length === 0 && page.length < limit) {
      const more = await this.pages.next(limit, freshLimit);
      if (!more) break;
      this.rest = this.toRead(more);
      page.push(...this.takeOfRest(limit - page.length, bytesOf(page)));
    }
    return page.length > 0 ? page : undefined;
  }

  reached(key: IndexKey): void {
    this.pages.reached(key);
  }

  cursor() {
    return this.pages.cursor();
  }

  /** Takes so many keys of the rest, and no more than a journal names. A single one always fits. */
  private takeOfRest(limit: number, bytes = 0): IndexKey[] {
    let sum = bytes;
    const end = this.rest.findIndex((key, i) => {
      sum += bytesOf([key]);
      return i >= limit || (sum > MAX_PAGE_ID_BYTES && bytes + i > 0);
    });
    const taken = this.rest.slice(0, end < 0 ? this.rest.length : end);
    this.rest = this.rest.slice(taken.length);
    return taken;
  }
}

function bytesOf(keys: readonly IndexKey[]): number {
  return keys.reduce((sum, { id }) => sum + Buffer.byteLength(id), 0);
}
