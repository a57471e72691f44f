import type { BacklogRecord } from 'dynamo-backlog';
import { isNotIndexed, waitOf } from 'dynamo-backlog/engine';
import type { Difference } from './compare.js';

const SHOWN_IDS = 5;
const MAX_FAILURES = 1000;

export interface Group {
  /** Records that differ so. */
  count: number;
  /** Records that were changed; in a dry run, that would be. */
  written: number;
  /** Records that are already as the decision makes them. */
  already: number;
  /** The first few of their ids. */
  readonly ids: string[];
}

export interface QueueCounts {
  /** Records that wait for an attempt, once all is done. */
  waiting: number;
  /** Records that wait, and that a run would attempt at once. */
  due: number;
  /** Records that wait, and that no rule finds before they are indexed. */
  notIndexed: number;
}

/** Counts of a comparison so far. */
export class RestoreCounters {
  /** Items looked at, in both tables. */
  looked = 0;
  readonly groups: Partial<Record<Difference, Group>> = {};
  readonly queues = new Map<string, QueueCounts>();
  /** Records that another process keeps changing. */
  changedMeanwhile = 0;
  failed = 0;
  /** The first 1,000 failures. */
  readonly failures: { readonly id: string; readonly reason: string }[] = [];
  readUnits = 0;
  writeUnits = 0;

  group(difference: Difference): Group {
    this.groups[difference] ??= { count: 0, written: 0, already: 0, ids: [] };
    return this.groups[difference];
  }

  found(difference: Difference, id: string): void {
    const group = this.group(difference);
    group.count++;
    if (group.ids.length < SHOWN_IDS) group.ids.push(id);
  }

  /** A record that waits for an attempt. */
  waits(record: BacklogRecord, now: number): void {
    const counts = this.queues.get(record.queue) ?? { waiting: 0, due: 0, notIndexed: 0 };
    this.queues.set(record.queue, counts);
    counts.waiting++;
    if (isNotIndexed(record)) counts.notIndexed++;
    const due = Date.parse(record.dueAt ?? record.availableAt ?? record.insertedAt);
    if (Math.max(due, waitOf(record)) <= now) counts.due++;
  }

  refused(id: string, reason: string): void {
    this.failed++;
    if (this.failures.length < MAX_FAILURES) this.failures.push({ id, reason });
  }
}
