import type { RecordChange } from '../record/change.js';
import { deadLane, ownLaneOf } from '../record/lanes.js';
import { type BacklogRecord, CANCELLED, isPending } from '../record/record.js';
import { isOfOneRecord } from '../store/errors.js';
import type { RecordStore } from '../store/store.js';
import { type Clock, toIso } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';
import type { Line } from './line.js';
import type { LineItems } from './line-items.js';
import type { Entry } from './line-page.js';
import { PAGES_AT_ONCE } from './line-reads.js';
import { firstOf, type LineName, pageOf } from './names.js';
import { readRecord } from './read-record.js';
import { hasEnded, isAt, type OrderRules } from './rules.js';

export interface SearchDeps {
  readonly records: Pick<RecordStore, 'get' | 'settle'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: AttemptLogger;
}

/** The record that comes next in a line. */
export interface Found {
  /** The first number whose turn has not come: those of records that have ended are passed. */
  readonly next: number;
  /** See `Line`. */
  readonly back: number | undefined;
  /** See `Line`. */
  readonly ahead?: number | undefined;
  /** The lowest record that waits. Undefined: none does, or the search goes on at another look. */
  readonly waiting?: { readonly entry: Entry; readonly record: BacklogRecord } | undefined;
  /** There was more to read than one look takes. */
  readonly isUnfinished?: boolean | undefined;
  /** The id with which it goes on. Undefined: not known. */
  readonly unread?: string | undefined;
}

/** Pages that one look reads from one place on: 1,600 numbers. */
export const MAX_PAGES = 100;
/** Records that one look reads. */
const MAX_LOOKS = 200;
/** A page with more entries has many of one number: those of records that have ended are removed. */
const MAX_NEAT = 48;

/**
 * Finds the lowest record of a line that waits: first among those that have come back, then from `next` on. Where no page is near, as a
 * producer has left out very many numbers, it looks near the highest one. On the way it cancels what is to be cancelled.
 */
export class Search {
  private looks = 0;
  private next: number;

  constructor(
    private readonly name: LineName,
    private readonly line: Line,
    private readonly items: LineItems,
    private readonly rules: OrderRules,
    private readonly deps: SearchDeps,
  ) {
    this.next = line.next;
  }

  /** @param head the record that has just had its turn: others may have its number */
  async findNext(head: Entry | undefined): Promise<Found> {
    const { next: start, last, back = start, backTo = 0, ahead } = this.line;
    const from = Math.min(back, head?.seq ?? start);
    const to = Math.max(backTo, head?.seq ?? 0);
    const lateEnd = Math.min(pageOf(to) + 1, pageOf(start));
    for (let page = pageOf(from); page < lateEnd; page += PAGES_AT_ONCE) {
      if (page >= pageOf(from) + MAX_PAGES) return this.found({ back: firstOf(page), isUnfinished: true });
      const end = Math.min(page + PAGES_AT_ONCE, lateEnd);
      const found = await this.lookInto(range(page, end), from, head);
      if (found) return found;
    }
    let isNear = true;
    let page = pageOf(start);
    for (let read = 0; page <= pageOf(last) && read < MAX_PAGES; ) {
      // Most often the next one is in the first page.
      const end = Math.min(page + (read === 0 ? 1 : PAGES_AT_ONCE), pageOf(last) + 1);
      const numbers = range(page, end);
      const found = await this.lookInto(numbers, from, head);
      if (found) return found;
      read += numbers.length;
      isNear = this.hasRead;
      page = ahead !== undefined && pageOf(this.next) < end ? Math.max(end, pageOf(ahead)) : end;
    }
    if (page > pageOf(last)) return this.found({ ahead: undefined });
    if (isNear) return this.found({ ahead: firstOf(page), isUnfinished: true });
    const far = range(Math.max(page, pageOf(last) - MAX_PAGES), pageOf(last) + 1);
    return (await this.lookInto(far, from, head)) ?? this.found({ ahead: undefined });
  }

  /** There was a page among those that were read last. */
  private hasRead = false;

  /** Looks into pages; undefined: none of their records waits. */
  private async lookInto(
    numbers: readonly number[],
    from: number,
    head: Entry | undefined,
  ): Promise<Found | undefined> {
    const pages = await this.items.pages(numbers);
    this.hasRead = pages.size > 0;
    for (const [number, page] of pages) {
      const over = new Set<Entry>();
      const found = await this.lookAt(page.entries, { from, head, over });
      if (over.size > 0 && page.entries.length > MAX_NEAT) await this.items.removeEntries(number, page, over);
      if (found) return found;
    }
    return undefined;
  }

  private async lookAt(
    entries: readonly Entry[],
    { from, head, over }: { from: number; head: Entry | undefined; over: Set<Entry> },
  ): Promise<Found | undefined> {
    const { next: start, ahead = 0 } = this.line;
    for (const entry of entries) {
      const { id, seq } = entry;
      if (seq < from) continue;
      const isHead = id === head?.id && seq === head.seq;
      const isKnown = isHead || (seq < ahead && pageOf(seq) > pageOf(start));
      const record = isKnown ? undefined : await this.waitingAt(entry);
      const isBeyond = pageOf(seq) > pageOf(start);
      const place = seq < this.next ? { back: seq } : isBeyond ? { ahead: seq } : {};
      if (record === 'unknown') return this.found({ ...place, isUnfinished: true, unread: id });
      if (record) return this.found({ ...place, waiting: { entry, record } });
      if (seq < start) over.add(entry);
      if (seq === this.next) this.next++;
    }
    return undefined;
  }

  private found(found: Partial<Found>): Found {
    return { back: undefined, ahead: this.line.ahead, ...found, next: this.next };
  }

  /** Reads the record of an entry. Undefined: its turn is over. `unknown`: this look has read enough. */
  private async waitingAt({ id, seq }: Entry): Promise<BacklogRecord | 'unknown' | undefined> {
    for (;;) {
      if (++this.looks > MAX_LOOKS) return 'unknown';
      const record = await readRecord(id, this.deps);
      if (!record || !isAt({ ...this.name, seq }, record)) return undefined;
      // A record that has had its turn waits again only if it is to be attempted.
      if (seq < this.next ? !isPending(record) : hasEnded(record, this.rules)) return undefined;
      const { next, cancelTo = 0 } = this.line;
      if (seq > cancelTo || seq < next || !isPending(record)) return record;
      const answer = await this.cancel(record);
      if (answer === 'settled') return undefined;
      if (answer === 'refused') return record;
    }
  }

  /** Cancels a record, unless it was changed meanwhile, or DynamoDB refuses what that writes. */
  private async cancel(record: BacklogRecord): Promise<'settled' | 'changed' | 'refused'> {
    const { records, clock, random, logger } = this.deps;
    const { id } = record;
    const place = { lane: deadLane(ownLaneOf(record)), dueAt: toIso(clock.now()) };
    const deadReason = `${CANCELLED}a record before it in its line has died`;
    const change: RecordChange = {
      set: { status: 'DEAD', insertedAt: record.insertedAt, ...place, deadReason },
      remove: ['notBefore', 'unknownTaskSince', 'expiresAt'],
    };
    const answer = await records.settle(record, change, randomToken(random)).catch((error: unknown) => {
      if (isOfOneRecord(error)) return 'refused' as const;
      throw error;
    });
    if (answer === 'refused')
      logger.error('has no room for the mark that it is cancelled, and has its turn', { id });
    if (answer === 'settled') logger.info('cancelled, as a record before it has died', { id });
    return answer;
  }
}

function range(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at);
}
