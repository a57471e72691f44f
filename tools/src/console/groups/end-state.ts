import type { BacklogRecord } from 'dynamo-backlog';
import { groupEndOf, isHeldByGroup } from 'dynamo-backlog/engine';

/**
 * The state of the record of a group's end. `early`: it was started before its time, by hand. `other`: it is a record, and does not
 * wait for the group any more, as its payload was edited. `gone`: there is none.
 */
export type EndState = 'waits' | 'timedOut' | 'early' | 'started' | 'other' | 'gone';

/** The record of a group's end. */
export interface GroupEndRecord {
  readonly state: EndState;
  /** The time at which it is attempted whatever waits, epoch milliseconds. Undefined: it does not wait, or it cannot be read. */
  readonly timeoutAt?: number | undefined;
}

/** @param record undefined: it is not in the table */
export function endRecordOf(id: string, record: BacklogRecord | undefined, now: number): GroupEndRecord {
  if (record === undefined) return { state: 'gone' };
  const end = groupEndOf(id, record);
  if (end === undefined) return { state: 'other' };
  if (end.complete) return { state: 'started' };
  const at = Date.parse(record.availableAt ?? '');
  const timeoutAt = Number.isFinite(at) ? at : undefined;
  if (timeoutAt !== undefined && timeoutAt <= now) return { state: 'timedOut', timeoutAt };
  return isHeldByGroup(id, record) ? { state: 'waits', timeoutAt } : { state: 'early' };
}
