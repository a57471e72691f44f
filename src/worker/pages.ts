import { isExact, type TierBand } from '../policies/index.js';
import type { BacklogStore, Cursor, DuePage, DueQuery, IndexKey } from '../store/store.js';
import { MAX_PAGE_ID_BYTES } from './capacity.js';

/** The source of a run's pages, which determines their order. */
export interface PageSource {
  /** The first page, before the lease is taken; empty if nothing is due. */
  first(limit: number): Promise<IndexKey[]>;
  /**
   * The lease told where the last run stopped: returns what of the first page is to be attempted now.
   *
   * @param freshLimit how many records that came since then may be attempted before the older ones' turn
   */
  begin(cursor: Cursor | undefined, freshLimit: number): IndexKey[];
  /** The next page; `undefined` when nothing is left. */
  next(limit: number, freshLimit: number): Promise<IndexKey[] | undefined>;
  /** Notes the last key that was dealt with. */
  reached(key: IndexKey): void;
  /** The place at which the next run should continue if this one ends here. */
  cursor(): Cursor | undefined;
}

/**
 * Per-record policies: the longest overdue first. A failure moves a record behind all that are due now, so the order
 * is fair by itself, whatever the limit: no record waits longer than the pile before it takes.
 */
export class DueTimePages implements PageSource {
  private after: IndexKey | undefined;
  private page: IndexKey[] = [];
  private more = true;

  constructor(
    private readonly store: BacklogStore,
    private readonly lane: string,
    private readonly now: number,
    /** Only records whose due time is kept to the second, and that have come due since then: the tick handles the rest. */
    private readonly exactSince?: number | undefined,
  ) {}

  async first(limit: number): Promise<IndexKey[]> {
    this.page = (await this.next(limit)) ?? [];
    return this.page;
  }

  begin(): IndexKey[] {
    return this.page;
  }

  async next(limit: number): Promise<IndexKey[] | undefined> {
    const { lane, now: until, exactSince: from } = this;
    while (this.more) {
      const query = { lane, from, until, after: this.after, limit };
      const page = pageOf(await this.store.pages.query({ ...query, order: 'oldestFirst' }));
      this.more = page.more;
      this.after = page.keys.at(-1) ?? this.after;
      const wanted = from === undefined ? page.keys : page.keys.filter(({ dueAt }) => isExact(dueAt));
      if (wanted.length > 0) return wanted;
    }
    return undefined;
  }

  reached(): void {}

  cursor(): undefined {
    return undefined;
  }
}

/**
 * Progressive tiers: the newest first. A failure does not move a record in the index, so a run that ends at a
 * limit leaves a cursor, and the next one divides its limit:
 *
 *     newest |--fresh--|head ............ |at ------- sweep ------> oldest
 *            |------------- wrap -------->|
 *
 * first what has come since (`fresh`, at most half the limit), then on from where the last run stopped (`sweep`), then
 * from the newest down to that place (`wrap`). Neither a stream of new records nor a pile of old ones starves the rest.
 */
export class AgeBandPages implements PageSource {
  private readonly range: Pick<DueQuery, 'lane' | 'from' | 'until' | 'order'>;
  private readonly seen = new Set<string>();
  private firstPage: DuePage = { keys: [], more: false };
  private phase: 'fresh' | 'sweep' | 'wrap' = 'wrap';
  private resumed: Cursor | undefined;
  private after: IndexKey | undefined;
  private more = true;
  private sweptTo: IndexKey | undefined;

  constructor(
    private readonly store: BacklogStore,
    lane: string,
    band: TierBand,
    now: number,
  ) {
    this.range = {
      lane,
      from: band.last ? undefined : now - band.untilAge * 1000,
      until: now - band.fromAge * 1000,
      order: 'newestFirst',
    };
  }

  async first(limit: number): Promise<IndexKey[]> {
    this.firstPage = pageOf(await this.store.pages.query({ ...this.range, limit }));
    return this.firstPage.keys;
  }

  begin(cursor: Cursor | undefined, freshLimit: number): IndexKey[] {
    const { keys, more } = this.firstPage;
    this.resumed = cursor;
    this.phase = cursor ? 'fresh' : 'wrap';
    this.after = keys.at(-1);
    this.more = more;
    return this.take(cursor ? this.freshOnly(keys).slice(0, freshLimit) : keys);
  }

  async next(pageLimit: number, freshLimit: number): Promise<IndexKey[] | undefined> {
    if (this.phase === 'fresh' && freshLimit === 0) this.more = false;
    for (;;) {
      while (!this.more) if (!this.enterNextPhase()) return undefined;
      const limit = this.phase === 'fresh' ? Math.min(pageLimit, freshLimit) : pageLimit;
      const page = pageOf(await this.store.pages.query({ ...this.range, after: this.after, limit }));
      this.after = page.keys.at(-1) ?? this.after;
      this.more = page.more && page.keys.length > 0;
      const keys = this.take(this.inPhase(page.keys));
      if (keys.length > 0) return keys;
    }
  }

  reached(key: IndexKey): void {
    if (this.phase !== 'fresh') this.sweptTo = key;
  }

  cursor(): Cursor | undefined {
    const head = this.firstPage.keys[0] ?? this.resumed?.head;
    const at = this.sweptTo ?? this.resumed?.at;
    return head && at ? { head, at } : undefined;
  }

  private enterNextPhase(): boolean {
    if (this.resumed && this.phase === 'fresh') {
      this.phase = 'sweep';
      this.after = this.resumed.at;
    } else if (this.phase === 'sweep') {
      this.phase = 'wrap';
      this.after = undefined;
    } else {
      return false;
    }
    this.more = true;
    return true;
  }

  private inPhase(keys: IndexKey[]): IndexKey[] {
    if (this.phase === 'fresh') return this.freshOnly(keys);
    if (this.phase === 'sweep' || !this.resumed) return keys;
    const { at } = this.resumed;
    const wanted = keys.filter((key) => key.dueAt >= at.dueAt);
    if (wanted.length < keys.length) this.more = false;
    return wanted;
  }

  private freshOnly(keys: IndexKey[]): IndexKey[] {
    const head = this.resumed?.head.dueAt ?? '';
    const fresh = keys.filter((key) => key.dueAt > head);
    if (fresh.length < keys.length) this.more = false;
    return fresh;
  }

  private take(keys: IndexKey[]): IndexKey[] {
    const fresh = keys.filter((key) => !this.seen.has(key.id));
    for (const key of fresh) this.seen.add(key.id);
    return fresh;
  }
}

/**
 * A page of no more ids than a journal holds, each once: the index is eventually consistent, and names a record twice
 * that moves while it is queried. The last one of it is the one that counts.
 */
function pageOf({ keys, more }: DuePage): DuePage {
  let bytes = 0;
  const end = keys.findIndex(({ id }) => {
    bytes += Buffer.byteLength(id);
    return bytes > MAX_PAGE_ID_BYTES;
  });
  const fits = end <= 0 ? keys : keys.slice(0, end);
  const last = new Map(fits.map((key) => [key.id, key]));
  return { keys: fits.filter((key) => last.get(key.id) === key), more: more || end > 0 };
}
