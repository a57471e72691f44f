import type { LineReader } from '../store/store.js';
import { type Line, parseLine } from './line.js';
import { type Entry, type LinePage, parsePage } from './line-page.js';
import { type LineName, lineKey, linePageKey, pageOf } from './names.js';

/** Pages that are looked through: a million numbers. A producer that leaves out very many could make it go on for ever. */
const MAX_PAGES = 62_500;
/** Pages that are read at once. */
export const PAGES_AT_ONCE = 25;

/** The items of one line, to be read. */
export class LineReads {
  constructor(
    protected readonly name: LineName,
    private readonly lines: LineReader,
  ) {}

  /** Reads the line, strongly. */
  async read(): Promise<Line> {
    const key = lineKey(this.name);
    return parseLine((await this.lines.getMany([key])).get(key));
  }

  /** The highest number that is noted. */
  async highest({ last }: Line): Promise<number> {
    const page = (await this.pages([pageOf(last)])).get(pageOf(last));
    return page?.entries.at(-1)?.seq ?? last;
  }

  /** Reads pages, strongly, by number. Those that are not there are left out. */
  async pages(numbers: readonly number[]): Promise<ReadonlyMap<number, LinePage>> {
    const found = new Map<number, LinePage>();
    const items = await this.lines.getMany(numbers.map((number) => linePageKey(this.name, number)));
    for (const number of numbers) {
      const item = items.get(linePageKey(this.name, number));
      if (item) found.set(number, parsePage(item));
    }
    return found;
  }

  /** The entries of all pages from the first number on whose turn has not come. */
  async *entriesFrom({ next, last, back = next }: Line): AsyncGenerator<Entry> {
    const end = Math.min(pageOf(last), pageOf(back) + MAX_PAGES);
    for (let from = pageOf(back); from <= end; from += PAGES_AT_ONCE) {
      const count = Math.min(PAGES_AT_ONCE, end - from + 1);
      const numbers = Array.from({ length: count }, (_, at) => from + at);
      const pages = await this.pages(numbers);
      for (const number of numbers) yield* pages.get(number)?.entries ?? [];
    }
  }
}
