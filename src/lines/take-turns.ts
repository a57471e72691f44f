import { MAX_RUN_MS } from '../record/not-before.js';
import { type BacklogRecord, isPending, isUnwanted } from '../record/record.js';
import { StoreUnavailableError } from '../store/errors.js';
import type { Head, Line } from './line.js';
import { LineItems, type LineItemsDeps } from './line-items.js';
import type { Entry } from './line-page.js';
import { type LineName, type Place, pageOf } from './names.js';
import { readRecord } from './read-record.js';
import { hasEnded, holdsLine, isAt, type OrderRules } from './rules.js';
import { type Found, MAX_PAGES, Search, type SearchDeps } from './search.js';

/** A change of a record, as the line that it belongs to sees it. */
export interface LineChange {
  /** The record's id. */
  readonly id: string;
  /** Its place before the change, or since it. */
  readonly place: Place;
  /** The record as it is now. Undefined: it was deleted, or has left this line. */
  readonly record: BacklogRecord | undefined;
  /** An attempt has ended the record by this change, and so is over itself. */
  readonly isOwnEnd?: boolean | undefined;
  /** A long attempt of it was under way before the change. */
  readonly goesOn?: boolean | undefined;
  /** It is no change: the line is only to be looked at. */
  readonly isLook?: boolean | undefined;
}

/** The state of a line after a look at it. */
export interface Turn {
  /** The record that is to be started, as it is its turn now. */
  readonly start?: BacklogRecord | undefined;
  /** A record that waits for a time to pass: after so many seconds of the backlog's time, the line must be looked at for it. */
  readonly later?: { readonly id: string; readonly seconds: number } | undefined;
  /** Numbers that were left out, as they have not come. */
  readonly skipped: number;
  /**
   * The line goes on only if an operator acts: its head is dead, or a number is missing that is not left out. `new`: it is so since this
   * change, as far as is known.
   */
  readonly held?: 'new' | 'known' | undefined;
}

export interface TurnDeps extends LineItemsDeps, SearchDeps {
  /** Tells whether a run may have an attempt of the record under way. */
  readonly isUnderAttempt: (id: string, queue: string) => Promise<boolean>;
  /** Reads the head, as its end may have been missed. Default: false. */
  readonly checksHead?: boolean | undefined;
}

const MAX_TRIES = 12;
const BACKOFF_MS = 15;

/**
 * Takes note of changes of the records of one line, and gives the next record its turn when the one before has ended. Two processes may
 * do so for the same line: a line is written only as it was read. One that waits is noted in its page *before* the line is read, and a
 * line without a head is searched *after* that was written. So one of the two always sees the other.
 *
 * May be repeated: the same change begins the same turn again.
 *
 * @throws StoreError
 */
export async function takeTurns(
  name: LineName,
  changes: readonly LineChange[],
  rules: OrderRules,
  deps: TurnDeps,
): Promise<Turn> {
  const items = new LineItems(name, deps);
  const look = new Look(name, lastOfEach(changes), items, rules, deps);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) await deps.clock.sleep(BACKOFF_MS * 2 ** Math.min(tries, 6) * deps.random());
    const line = await items.read();
    const step = await look.at(line);
    // Others may not have seen the entries that it has noted, as they took their look at the line.
    if (step === undefined) continue;
    const { after, ...turn } = step;
    if (after === line) return turn;
    if (!(await items.write(after))) continue;
    const passed = passedPages(line, after);
    if (passed.length > 0) await items.removePages(passed);
    // A process that has noted an entry while the line had a head has not seen that it has none.
    if (after.head !== undefined || line.head === undefined) return look.asItIs(turn);
  }
  throw new StoreUnavailableError('others change the same line all the time');
}

/** The last change of each record. A long attempt of it may have been under way before any of them. */
function lastOfEach(changes: readonly LineChange[]): Map<string, LineChange> {
  const byId = new Map<string, LineChange>();
  for (const change of changes) {
    const goesOn = change.goesOn || byId.get(change.id)?.goesOn;
    byId.set(change.id, goesOn ? { ...change, goesOn } : change);
  }
  return byId;
}

/** Pages whose numbers have all passed by this write. */
function passedPages(before: Line, { next, back }: Line): number[] {
  const end = Math.min(pageOf(next), pageOf(back ?? next));
  const all: number[] = [];
  for (let page = pageOf(before.next); page < end && all.length < MAX_PAGES; page++) all.push(page);
  return all;
}

interface Step extends Turn {
  /** The line as it is to be; the same object: as it is. */
  readonly after: Line;
}

/** Looks at a line with these changes. */
class Look {
  /** The records that are in their pages, by `notedAs`. */
  private readonly noted = new Set<string>();

  constructor(
    private readonly name: LineName,
    private readonly changes: ReadonlyMap<string, LineChange>,
    private readonly items: LineItems,
    private readonly rules: OrderRules,
    private readonly deps: TurnDeps,
  ) {}

  /** Undefined: the line must be read again. */
  async at(line: Line): Promise<Step | undefined> {
    const { head } = line;
    const end = head && (await this.endOf(head, line));
    const isFree = head === undefined || end !== undefined;
    const open: Line = isFree ? { ...line, ...end, head: undefined } : line;
    const all = await this.toNote(open);
    const hasLate = all.some(({ seq }) => seq < open.next);
    const inTurn = isFree && !hasLate ? this.firstInTurn(open) : undefined;
    const first = inTurn && head && (await this.hasTwin(head)) ? undefined : inTurn;
    const entries = all.filter(({ id }) => id !== first?.id);
    const unseen = entries.filter((entry) => !this.noted.has(notedAs(entry, open)));
    if (unseen.length > 0) {
      if (!(await this.items.note(unseen, open.next))) return undefined;
      for (const entry of unseen) this.noted.add(notedAs(entry, open));
      if (!isFree) return undefined;
    }
    const noted = withKnown(open, [...entries, ...(first ? [first.place] : [])]);
    if (!isFree) return this.held(head as Head, line, noted);
    if (first) return this.begun(noted, { id: first.id, seq: first.place.seq }, first.record);
    const search = new Search(this.name, noted, this.items, this.rules, this.deps);
    return this.afterSearch(line, noted, await search.findNext(head));
  }

  /**
   * The turn with its record as it is behind the write of the line. A run that had read the line before may have taken the record out of
   * the index since it was read here: then none would find it.
   */
  async asItIs(turn: Turn): Promise<Turn> {
    if (turn.start?.lane === undefined) return turn;
    const now = await readRecord(turn.start.id, this.deps);
    return { ...turn, start: now && isPending(now) ? now : undefined };
  }

  /** Tells whether another record that waits has the number of the head: its turn is the next. */
  private async hasTwin({ id, seq }: Head): Promise<boolean> {
    const page = (await this.items.pages([pageOf(seq)])).get(pageOf(seq));
    return page?.entries.some((entry) => entry.seq === seq && entry.id !== id) === true;
  }

  /** The changes in the line as its head has ended; undefined: it has not. */
  private async endOf(head: Head, line: Line): Promise<Partial<Line> | undefined> {
    const { clock, isUnderAttempt, checksHead } = this.deps;
    const change = this.changes.get(head.id);
    const isChange = change !== undefined && !change.isLook;
    // No event tells that it was moved as it waited for another attempt. It is read when its turn has lasted for long.
    const isOld = head.since + MAX_RUN_MS * (clock.speed ?? 1) < clock.now();
    if (!isChange && !checksHead && !isOld) return undefined;
    let [now, isOwnEnd] = [change?.record, change?.isOwnEnd === true];
    // One that has come back has ended before: this change may be that of its earlier end, which the stream brings again.
    if (!isChange || head.seq < line.next) {
      now = await readRecord(head.id, this.deps);
      isOwnEnd &&= now?.rev === change?.record?.rev;
    }
    const isHere = now !== undefined && isAt({ ...this.name, seq: head.seq }, now);
    if (isHere && !hasEnded(now, this.rules)) return undefined;
    const isOver = isOwnEnd || !(change?.goesOn || (await isUnderAttempt(head.id, this.name.queue)));
    // Its event brings its own end.
    if (!isOver && !isChange && !checksHead) return undefined;
    const cancels = this.rules.onDeadHead === 'cancel' && now?.status === 'DEAD' && !isUnwanted(now);
    return {
      next: Math.max(line.next, head.seq + 1),
      gapSince: undefined,
      until: isOver ? undefined : clock.now() + MAX_RUN_MS * (clock.speed ?? 1),
      ...(cancels ? { cancelTo: await this.items.highest(line) } : {}),
    };
  }

  /** The change that brings the very number whose turn it is: no page is read for it. */
  private firstInTurn({
    next,
    back,
    until = 0,
    cancelTo = 0,
  }: Line): (LineChange & { readonly record: BacklogRecord }) | undefined {
    if (back !== undefined || until > this.deps.clock.now() || cancelTo >= next) return undefined;
    for (const change of this.changes.values()) {
      const { place, record } = change;
      if (place.seq === next && record && isPending(record)) return { ...change, record };
    }
    return undefined;
  }

  /** The records that must be in their pages, unless it is their turn now. */
  private async toNote({ next, head }: Line): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const { id, place, record, isLook } of this.changes.values()) {
      if (isLook || id === head?.id) continue;
      const { seq } = place;
      if (seq < next) {
        // It has had its turn: an old change that comes again, or one that is to be attempted once more.
        const now = record && isPending(record) ? await readRecord(id, this.deps) : undefined;
        if (!now || !isPending(now) || !isAt(place, now)) continue;
      }
      entries.push({ id, seq });
    }
    return entries;
  }

  /** The head goes on. If it has its turn by one of these changes, it is started again: its start may have been lost. */
  private async held(head: Head, before: Line, noted: Line): Promise<Step> {
    const isAgain = this.changes.has(head.id) || this.changes.has(head.by);
    const record = isAgain ? await readRecord(head.id, this.deps) : undefined;
    const start = record && isPending(record) ? record : undefined;
    const isDead = record !== undefined && holdsLine(record);
    return { after: this.unlessSame(before, noted), start, skipped: 0, held: isDead ? 'new' : undefined };
  }

  private begun(line: Line, { id, seq }: Entry, record: BacklogRecord): Step {
    const by = [...this.changes.keys()].at(-1) ?? id;
    const next = Math.max(line.next, seq);
    const cancelTo = line.cancelTo !== undefined && next > line.cancelTo ? undefined : line.cancelTo;
    const ahead = line.ahead !== undefined && pageOf(line.ahead) > pageOf(next) ? line.ahead : undefined;
    const head = { id, seq, by, since: this.deps.clock.now() };
    const begun: Line = { ...line, next, head, ahead, gapSince: undefined, until: undefined, cancelTo };
    const start = isPending(record) ? record : undefined;
    const skipped = next - line.next;
    if (skipped === 0) return { after: begun, start, skipped };
    const leftOut = { from: line.next, to: next - 1, at: this.deps.clock.now() };
    return { after: { ...begun, leftOut }, start, skipped };
  }

  private afterSearch(before: Line, noted: Line, found: Found): Step {
    const { next, back, waiting, isUnfinished } = found;
    const { clock } = this.deps;
    const now = clock.now();
    const gap = next > noted.next ? undefined : noted.gapSince;
    // Other processes note entries, and do not write that into a line that has a head.
    const ahead = before.head === undefined ? found.ahead : noted.ahead;
    const moved: Line = {
      ...{ ...noted, next, back, gapSince: gap },
      backTo: back === undefined ? undefined : Math.max(noted.backTo ?? 0, back),
      ahead: ahead !== undefined && pageOf(ahead) > pageOf(next) ? ahead : undefined,
      cancelTo: next > (noted.cancelTo ?? 0) ? undefined : noted.cancelTo,
    };
    const later = (line: Line, id: string | undefined, seconds: number): Step => ({
      after: this.unlessSame(before, line),
      later: id === undefined ? undefined : { id, seconds: Math.max(0, seconds) },
      skipped: 0,
    });
    if (isUnfinished) return later(moved, found.unread ?? [...this.changes.keys()].at(-1), 0);
    if (!waiting) return later({ ...moved, gapSince: undefined, cancelTo: undefined }, undefined, 0);
    const { entry, record } = waiting;
    const { until = 0 } = moved;
    if (until > now) return later(moved, entry.id, (until - now) / 1000);
    if (entry.seq <= next) return this.begun(moved, entry, record);
    const { skipGapAfter } = this.rules;
    const gapSince = gap ?? now;
    const leftSeconds =
      skipGapAfter === undefined ? Number.POSITIVE_INFINITY : skipGapAfter - (now - gapSince) / 1000;
    if (leftSeconds <= 0) return this.begun(moved, entry, record);
    const missing = { ...moved, gapSince };
    if (leftSeconds < Number.POSITIVE_INFINITY) return later(missing, entry.id, leftSeconds);
    return { ...later(missing, undefined, 0), held: gap === undefined ? 'new' : 'known' };
  }

  /**
   * The line as it was, if nothing has changed in it. It is written in any case where another process may decide
   * by a record as it was before. That is so if a record that waited has ended, or one waits where the head is, or in a line without a head.
   */
  private unlessSame(before: Line, after: Line): Line {
    const { head, next, back = next } = before;
    const names = [
      'next',
      'last',
      'back',
      'backTo',
      'ahead',
      'gapSince',
      'until',
      'cancelTo',
      'head',
    ] as const;
    const isSame = names.every((name) => before[name] === after[name]);
    const matters = ({ id, place: { seq }, record, isLook }: LineChange) => {
      if (isLook || id === head?.id || seq < back) return false;
      const hasEnded = record === undefined || !isPending(record);
      return hasEnded || head === undefined || seq === head.seq;
    };
    return isSame && ![...this.changes.values()].some(matters) ? before : after;
  }
}

/** The name of an entry among those that are noted: one that comes back is written again. */
function notedAs({ id, seq }: Entry, { next }: Line): string {
  return `${seq < next ? 'back' : 'waits'} ${seq} ${id}`;
}

/** The line with numbers that have become known: the highest one as far as its page goes, and the lowest ones. */
function withKnown(line: Line, known: readonly { readonly seq: number }[]): Line {
  const numbers = known.map(({ seq }) => seq);
  const { next, last } = line;
  const highest = Math.max(last, ...numbers);
  const back = Math.min(line.back ?? next, ...numbers);
  const backTo = Math.max(line.backTo ?? 0, ...numbers.filter((seq) => seq < next));
  const lowest = Math.min(...numbers.filter((seq) => pageOf(seq) > pageOf(next)));
  // None was known beyond the page of `next`, and now one is that lies far beyond it.
  const isFar = pageOf(last) <= pageOf(next) && pageOf(lowest) - pageOf(next) > MAX_PAGES;
  const before = line.ahead ?? (isFar ? lowest : undefined);
  const ahead = before === undefined ? undefined : Math.min(before, lowest);
  return {
    ...line,
    last: pageOf(highest) > pageOf(last) ? highest : last,
    back: back < next ? back : undefined,
    backTo: back < next ? backTo : undefined,
    ahead: ahead !== undefined && Number.isFinite(ahead) ? ahead : undefined,
  };
}
