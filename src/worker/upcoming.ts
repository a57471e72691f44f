import { isExact } from '../policies/index.js';
import type { BacklogRecord, RecordChange } from '../record/index.js';
import type { IndexKey } from '../store/store.js';
import { toIso } from '../support/clock.js';

/** The most times that are kept for one lane: more than there are seconds in a tick. */
const MOST_TIMES = 1_000;

/** What a run knows of due times to come that are kept to the second, lane by lane. Epoch milliseconds. */
export class Upcoming {
  private readonly timesOf = new Map<string, Set<number>>();

  /** No due time is known. */
  get isEmpty(): boolean {
    return this.timesOf.size === 0;
  }

  /** Notes a due time, if it is kept to the second and still to come. */
  note(lane: string, { dueAt }: Pick<IndexKey, 'dueAt'>, now: number): void {
    if (!isExact(dueAt) || dueAt <= toIso(now)) return;
    const times = this.timesOf.get(lane) ?? new Set();
    if (times.size < MOST_TIMES) times.add(Date.parse(dueAt));
    this.timesOf.set(lane, times);
  }

  /** Notes the due time that a settled record has got. */
  settled(record: BacklogRecord, { set }: RecordChange, now: number): void {
    const { lane = record.lane, dueAt } = set;
    if (lane !== undefined && dueAt !== undefined) this.note(lane, { dueAt }, now);
  }

  /** The first one in a lane; infinite if none is known. */
  next(lane: string): number {
    return Math.min(...(this.timesOf.get(lane) ?? []));
  }

  /** Those in which a record comes due until then. */
  lanes(until: number): string[] {
    return [...this.timesOf.keys()].filter((lane) => this.next(lane) <= until);
  }

  /** Whether one of these places was kept to the second, and has come. */
  hasCome(keys: readonly IndexKey[], now: number): boolean {
    const until = toIso(now);
    return keys.some(({ dueAt }) => isExact(dueAt) && dueAt <= until);
  }

  /** What has come is no longer to come. */
  pass(lane: string, now: number): void {
    for (const time of this.timesOf.get(lane) ?? []) if (time <= now) this.timesOf.get(lane)?.delete(time);
  }
}
