import type { Item } from '../record/index.js';
import type { SharedItems } from '../store/shared-items.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';
import { attributesOf, type Line } from './line.js';
import { type Entry, isFull, type LinePage, withEntries, withoutEntries } from './line-page.js';
import { LineReads, PAGES_AT_ONCE } from './line-reads.js';
import { firstOf, type LineName, lineKey, linePageKey, pageOf } from './names.js';

export interface LineItemsDeps {
  /** The items of lines in the control table. */
  readonly lines: SharedItems;
  readonly random: Random;
}

/** The items of one line, to be changed. Each write takes effect only if its item is as it was read. */
export class LineItems extends LineReads {
  constructor(
    name: LineName,
    private readonly deps: LineItemsDeps & {
      readonly logger?: { readonly error: AttemptLogger['error'] } | undefined;
    },
  ) {
    super(name, { getMany: (keys) => deps.lines.read(keys) });
  }

  /** Writes the line. False: it is no longer as it was read. */
  write(line: Line): Promise<boolean> {
    return this.put(lineKey(this.name), attributesOf(line), line.rev);
  }

  /**
   * Adds entries to their pages. False: another process has changed one of these meanwhile.
   *
   * @param next the first number whose turn has not come
   */
  async note(entries: readonly Entry[], next: number): Promise<boolean> {
    const numbers = [...new Set(entries.map(({ seq }) => pageOf(seq)))];
    for (let start = 0; start < numbers.length; start += PAGES_AT_ONCE) {
      const some = numbers.slice(start, start + PAGES_AT_ONCE);
      const pages = await this.pages(some);
      const written = await Promise.all(
        some.map((number) => {
          const page = pages.get(number) ?? { entries: [] };
          if (isFull(page)) this.warnOf(number);
          const attributes = withEntries(
            page,
            entries.filter(({ seq }) => pageOf(seq) === number),
            next,
          );
          return attributes === undefined || this.put(linePageKey(this.name, number), attributes, page.rev);
        }),
      );
      if (written.includes(false)) return false;
    }
    return true;
  }

  /** Removes pages whose numbers have all had their turn, unless a record has come back to one of them. Damaged ones stay. */
  async removePages(numbers: readonly number[]): Promise<void> {
    // A page without a `rev` may have been changed since: its removal could take an entry that has come back.
    const isPassed = ({ hasBack, rev }: LinePage) => !hasBack && rev !== undefined;
    const passed = [...(await this.pages(numbers))].filter(([, page]) => isPassed(page));
    for (let at = 0; at < passed.length; at += PAGES_AT_ONCE) {
      const some = passed.slice(at, at + PAGES_AT_ONCE);
      await Promise.all(
        some.map(([number, { rev }]) => this.deps.lines.remove(linePageKey(this.name, number), rev)),
      );
    }
  }

  /** Removes entries of records that have ended from a page, unless it was changed since it was read. */
  async removeEntries(number: number, page: LinePage, over: ReadonlySet<Entry>): Promise<void> {
    await this.put(linePageKey(this.name, number), withoutEntries(page, over), page.rev);
  }

  private warnOf(page: number): void {
    const { queue, key } = this.name;
    this.deps.logger?.error('so many records have one number that their line leaves others to the sweep', {
      ...{ queue, key, from: firstOf(page) },
    });
  }

  private put(key: string, attributes: Item, expected: string | undefined): Promise<boolean> {
    const { lines, random } = this.deps;
    return lines.write(key, { ...attributes, rev: randomToken(random) }, expected);
  }
}
