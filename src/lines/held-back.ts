import type { Verdict } from '../record/due.js';
import { type BacklogRecord, type Item, isNotIndexed, isPending } from '../record/record.js';
import { parseLine } from './line.js';
import { lineKey, placeOf } from './names.js';

/** The records of a page whose turn it is not. */
export class HeldBack {
  /** The records of the page without those that wait outside of the index, as they have come: there is nothing to do about them. */
  readonly others: readonly BacklogRecord[];

  constructor(
    records: readonly BacklogRecord[],
    private readonly ids: ReadonlySet<string>,
  ) {
    this.others = records.filter((record) => !(ids.has(record.id) && isNotIndexed(record)));
  }

  /**
   * The verdict on a record that a lane names: where it is not its turn, it leaves the index without an attempt. The intake then takes
   * note of it, and starts it in its turn. One that may be under attempt stays.
   */
  verdictOf(record: BacklogRecord, verdict: Verdict): Verdict {
    const { do: what } = verdict;
    const waits =
      what === 'attempt' ||
      what === 'expire' ||
      what === 'reschedule' ||
      (what === 'skip' && verdict.reason !== 'moved' && typeof record.notBefore !== 'object');
    if (!waits || !this.ids.has(record.id)) return verdict;
    return { do: 'correct', change: { set: {}, remove: ['lane', 'dueAt', 'exact'] } };
  }
}

/**
 * Finds the records whose turn it is not: their lines have another head, or none. Read behind the journal or the claim that names them,
 * a line tells this for certain: no record loses its turn while one of these has it.
 *
 * @param lines the items of lines: one strong read for each key
 */
export async function heldBack(
  records: readonly BacklogRecord[],
  lines: { getMany(keys: readonly string[]): Promise<ReadonlyMap<string, Item>> },
): Promise<HeldBack> {
  const ordered = records.flatMap((record) => {
    const place = isPending(record) ? placeOf(record) : undefined;
    return place ? [{ id: record.id, seq: place.seq, line: lineKey(place) }] : [];
  });
  const keys = [...new Set(ordered.map(({ line }) => line))];
  const items = keys.length === 0 ? new Map<string, Item>() : await lines.getMany(keys);
  const isHeld = ({ id, seq, line }: (typeof ordered)[number]) => {
    const { head } = parseLine(items.get(line));
    return head?.id !== id || head.seq !== seq;
  };
  return new HeldBack(records, new Set(ordered.filter(isHeld).map(({ id }) => id)));
}
