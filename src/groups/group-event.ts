import type { BacklogRecord } from '../record/index.js';
import { isAmongDead } from '../record/record-event.js';
import { isHeld } from './end-record.js';
import { endedGroup, type Group } from './group.js';
import { END_ATTRIBUTE } from './names.js';

/** The detail of the event about the end of a group. `id`, `createdAt` and `complete` name that end: keep one event of each. */
export interface GroupEventDetail extends Partial<Omit<Group, 'id' | 'state' | 'createdAt' | 'waiting'>> {
  /** The version of this form. */
  readonly version: 1;
  /** The id of the group; also that of the record of its end. */
  readonly id: string;
  /** The name of the table of records. */
  readonly table: string;
  /** The queue of the record of its end. */
  readonly queue: string;
  /** The time at which it was begun, ISO-8601. */
  readonly createdAt: string;
  /** The time of the end, ISO-8601. */
  readonly endedAt: string;
  /** All members have ended, and the counts are there. False: the wait is over, and some members have not ended. */
  readonly complete: boolean;
}

/** The `detail-type` of the event about the end of a group. */
export const GROUP_EVENT_TYPE = 'Backlog group ended';

/** Tells whether it is the record of a group's end, and waits for that. */
export function waitsForGroup(record: BacklogRecord): boolean {
  return isOfEnd(record) && isHeld(record.id, record);
}

/** The record has an attribute of its own for it, as anything may be in a payload. */
function isOfEnd({ id, attributes }: BacklogRecord): boolean {
  return attributes[END_ATTRIBUTE] === id;
}

/**
 * The detail of the event about the end of a group, by the record that its end starts. Undefined: it is no such record, or it still
 * waits.
 */
export function groupEvent(
  record: BacklogRecord,
  { table }: { readonly table: string },
): GroupEventDetail | undefined {
  const { id, queue, insertedAt } = record;
  if (!isOfEnd(record) || isHeld(id, record)) return undefined;
  const { state, waiting: _, createdAt: __, ...counts } = endedGroup(id, record) ?? {};
  const times = { createdAt: insertedAt, endedAt: endOfWait(record) };
  return { version: 1, table, queue, ...times, complete: state === 'ended', ...counts, id };
}

/** The end of the wait. A record that was discarded before is among the dead since then. */
function endOfWait({ availableAt, dueAt, insertedAt, lane }: BacklogRecord): string {
  const over = availableAt ?? insertedAt;
  return isAmongDead({ lane }) && dueAt !== undefined && Date.parse(dueAt) < Date.parse(over) ? dueAt : over;
}
