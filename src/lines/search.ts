import type { RecordChange } from '../record/change.js';
import { deadLane, ownLaneOf } from '../record/lanes.js';
import { type BacklogRecord, CANCELLED, isPending } from '../record/record.js';
import type { RecordStore } from '../store/store.js';
import { type Clock, toIso } from '../support/clock.js';
import type { AttemptLogger } from '../support/logger.js';
import { type Random, randomToken } from '../support/random.js';
import type { Line } from './line.js';
import type { LineItems } from './line-items.js';
import type { Entry } from './line-page.js';
import { firstOf, type LineName, pageOf } from './names.js';
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
  /** The lowest record that waits. Undefined: none does, or the search goes on at another look. */
  readonly waiting?: { readonly entry: Entry; readonly record: BacklogRecord } | undefined;
  /** There was more to read than one look takes. */
  readonly isUnfinished?: boolean | undefined;
}

/** Pages that one look reads from one place on: 1,600 numbers. */
const MAX_PAGES = 100;
const PAGES_AT_ONCE = 25;
/** Records that one look reads. */
const MAX_LOOKS = 200;

/**
 * Finds the lowest record of a line that waits: first among those that have come back, then from `next` on. Where no page is near, as a
 * producer has left out very many numbers, it looks near the highest one. On the way it cancels what is to be cancelled.
 *
 * @param from the first number to look at
 * @param except the record that has just had its turn
 */
export class Search {
  private looks = 0;

  constructor(
    private readonly name: LineName,
    private readonly line: Line,
    private readonly items: LineItems,
    private readonly rules: OrderRules,
    private readonly deps: SearchDeps,
  ) {}

  async findNext(from: number, except: string | undefined): Promise<Found> {
    const { next: start, last } = this.line;
    let next = start;
    const backEnd = Math.min(pageOf(start), pageOf(from) + MAX_PAGES);
    const isLong = backEnd < pageOf(start);
    const numbers = isLong ? range(pageOf(from), backEnd) : this.pagesFrom(from);
    for (let at = 0; at < numbers.length; at += PAGES_AT_ONCE) {
      const some = numbers.slice(at, at + PAGES_AT_ONCE);
      const pages = await this.items.pages(some);
      for (const number of some) {
        for (const entry of pages.get(number)?.entries ?? []) {
          const { id, seq } = entry;
          if (seq < from || id === except || (seq > last && pageOf(seq) > pageOf(last))) continue;
          const record = await this.waitingAt(entry, next);
          if (record === 'unknown') return { next, back: seq < start ? seq : undefined, isUnfinished: true };
          if (record) return { next, back: seq < next ? seq : undefined, waiting: { entry, record } };
          if (seq === next) next++;
        }
      }
    }
    return isLong ? { next, back: firstOf(backEnd), isUnfinished: true } : { next, back: undefined };
  }

  private pagesFrom(from: number): number[] {
    const { next, last } = this.line;
    const near = range(pageOf(from), Math.min(pageOf(last), pageOf(next) + MAX_PAGES) + 1);
    const far = range(Math.max(pageOf(next) + MAX_PAGES + 1, pageOf(last) - MAX_PAGES), pageOf(last) + 1);
    return [...near, ...far];
  }

  /** Reads the record of an entry. Undefined: its turn is over. `unknown`: this look has read enough. */
  private async waitingAt({ id, seq }: Entry, next: number): Promise<BacklogRecord | 'unknown' | undefined> {
    const { records } = this.deps;
    for (;;) {
      if (++this.looks > MAX_LOOKS) return 'unknown';
      const record = await records.get(id);
      if (!record || !isAt({ ...this.name, seq }, record)) return undefined;
      // What has had its turn waits again only if it is to be attempted.
      if (seq < next ? !isPending(record) : hasEnded(record, this.rules)) return undefined;
      if (seq > (this.line.cancelTo ?? 0) || !isPending(record)) return record;
      if (await this.cancel(record)) return undefined;
    }
  }

  /** False: it was changed meanwhile. */
  private async cancel(record: BacklogRecord): Promise<boolean> {
    const { records, clock, random, logger } = this.deps;
    const place = { lane: deadLane(ownLaneOf(record)), dueAt: toIso(clock.now()) };
    const deadReason = `${CANCELLED}a record before it in its line has died`;
    const change: RecordChange = {
      set: { status: 'DEAD', insertedAt: record.insertedAt, ...place, deadReason },
      remove: ['notBefore', 'unknownTaskSince', 'expiresAt'],
    };
    const answer = await records.settle(record, change, randomToken(random));
    if (answer === 'settled') logger.info('cancelled, as a record before it has died', { id: record.id });
    return answer === 'settled';
  }
}

function range(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at);
}
