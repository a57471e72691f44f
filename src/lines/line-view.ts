import { type BacklogRecord, isPending } from '../record/index.js';
import type { RecordStore } from '../store/store.js';
import { toIso } from '../support/clock.js';
import type { Line } from './line.js';
import type { LineItems } from './line-items.js';
import { type LineName, pageOf } from './names.js';

/** The line of a key: its head, and the records behind it. */
export interface RecordLine {
  /** The queue's name. */
  readonly queue: string;
  /** The key of its records. */
  readonly key: string;
  /** The first number whose turn has not come. */
  readonly next: number;
  /**
   * The reason for which the next record waits. `attempting`: its head is attempted, or waits for its first attempt. `retrying`: its head
   * has failed, and waits for its next attempt. `dead`: its head is dead; redrive or discard it. `missing`: a number has not come. `ending`:
   * an attempt of a record that was removed may go on. `starting`: the next record is about to have its turn; if that lasts, its change
   * was given up, and the sweep finds it within a day. `idle`: none waits.
   */
  readonly state: 'attempting' | 'retrying' | 'dead' | 'missing' | 'ending' | 'starting' | 'idle';
  /** The record whose turn it is. Absent: it is the turn of none. */
  readonly head?:
    | {
        /** The record's id. */
        readonly id: string;
        /** Its number. */
        readonly seq: number;
        /** The time of its next attempt, ISO-8601. Absent: it has none, or is attempted as it has come. */
        readonly dueAt?: string | undefined;
        /** The newest error of it. */
        readonly error?: string | undefined;
        /** The time of its death, ISO-8601. Absent: it is not dead. */
        readonly diedAt?: string | undefined;
      }
    | undefined;
  /** Records that wait behind the head, as far as they are known; of the first 1,600 numbers. */
  readonly waiting: number;
  /** More wait than `waiting` counts. */
  readonly hasMore: boolean;
  /** The number that has not come, and since when it was missed. */
  readonly missing?:
    | {
        /** The number. */
        readonly seq: number;
        /** ISO-8601. */
        readonly since: string;
      }
    | undefined;
  /** The latest numbers that were left out, as they had not come, and when that was. */
  readonly leftOut?:
    | {
        /** The first of them. */
        readonly from: number;
        /** The last of them. */
        readonly to: number;
        /** ISO-8601. */
        readonly at: string;
      }
    | undefined;
}

/** Pages whose entries are counted. */
const MAX_PAGES = 100;

/** Describes a line: one read of its head, and one for each page of 16 numbers that wait. */
export async function viewLine(
  name: LineName,
  line: Line,
  {
    items,
    records,
    now,
  }: { readonly items: LineItems; readonly records: Pick<RecordStore, 'get'>; readonly now: number },
): Promise<RecordLine> {
  const { head, next, last, gapSince, leftOut } = line;
  const record = head && (await records.get(head.id));
  const from = pageOf(Math.min(line.back ?? next, next));
  const numbers = Array.from({ length: Math.min(pageOf(last) - from + 1, MAX_PAGES) }, (_, at) => from + at);
  const pages = [...(await items.pages(numbers)).values()];
  const entries = pages.flatMap((page) => page.entries);
  const waits = entries.filter(({ id, seq }) => seq >= next && id !== head?.id);
  const lastError = record?.lastError;
  return {
    ...name,
    next,
    state: stateOf(line, record, waits.length, now),
    ...(head && {
      head: {
        id: head.id,
        seq: head.seq,
        ...(record && isPending(record) && record.dueAt !== undefined && { dueAt: record.dueAt }),
        ...(lastError && { error: `${lastError.name}: ${lastError.message}` }),
        ...(record?.status === 'DEAD' && record.dueAt !== undefined && { diedAt: record.dueAt }),
      },
    }),
    waiting: waits.length,
    hasMore: pageOf(last) - from + 1 > MAX_PAGES,
    ...(gapSince !== undefined && !head && { missing: { seq: next, since: toIso(gapSince) } }),
    ...(leftOut && { leftOut: { from: leftOut.from, to: leftOut.to, at: toIso(leftOut.at) } }),
  };
}

function stateOf(
  { head, gapSince, until = 0 }: Line,
  record: BacklogRecord | undefined,
  waiting: number,
  now: number,
): RecordLine['state'] {
  if (head) {
    if (record && !isPending(record)) return record.status === 'DEAD' ? 'dead' : 'attempting';
    return record && record.failures > 0 ? 'retrying' : 'attempting';
  }
  if (until > now && waiting > 0) return 'ending';
  if (gapSince !== undefined) return 'missing';
  return waiting > 0 ? 'starting' : 'idle';
}
