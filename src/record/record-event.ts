import { parseIso } from '../support/clock.js';
import { truncate } from './history.js';
import { httpStatusOf } from './http-status.js';
import { DEAD_LANE_ENDING } from './lanes.js';
import { type BacklogRecord, isReason, isUnwanted } from './record.js';

/**
 * The end of a record: `succeeded`, `dead` (given up), or `cancelled` (given up as its work was not wanted any more, by a
 * `cancel`, a `discard` or its handler).
 */
export type RecordEnd = 'succeeded' | 'dead' | 'cancelled';
/** All ends of a record. */
export const RECORD_ENDS = ['succeeded', 'dead', 'cancelled'] as const satisfies readonly RecordEnd[];

/**
 * A part of a record that its event has only if it is asked for, as it may hold what others must not see. `texts` are those of a
 * death: `deadReason`, and the message of the last error.
 */
export type EventPart = 'payload' | 'result' | 'texts';
/** All parts that have to be asked for. */
export const EVENT_PARTS = ['payload', 'result', 'texts'] as const satisfies readonly EventPart[];

/** Beginnings of the `deadReason` that the library writes by itself. */
const REASONS = ['maxAttempts', 'expired', 'quarantined', 'cancelled', 'discarded'] as const;

/** The detail of an event about the end of a record. `id`, `end` and `endedAt` together name that end: keep one event of each. */
export interface RecordEventDetail {
  /** The version of this form. */
  readonly version: 1;
  /** The record's id. */
  readonly id: string;
  /** The name of the table of records. */
  readonly table: string;
  /** Its queue. */
  readonly queue: string;
  /** Its task. Absent: none. */
  readonly task?: string | undefined;
  /** The customer or tenant whose work it is. Absent: it names none. */
  readonly key?: string | undefined;
  /** The end. */
  readonly end: RecordEnd;
  /** The time of the end, ISO-8601: the same whenever the event comes again. */
  readonly endedAt: string;
  /** The fence of the write that the event came with: another one if the record was changed after its end. */
  readonly rev: string;
  /** Attempts in all. */
  readonly attempts: number;
  /** The time at which its work arose, ISO-8601. */
  readonly insertedAt: string;
  /** The trace that its producer put it in. Absent: none. */
  readonly traceparent?: string | undefined;
  /** The reason why it was given up; `refused`: its handler or destination said so. Absent: it succeeded, or it is not known. */
  readonly reason?:
    | 'maxAttempts'
    | 'expired'
    | 'quarantined'
    | 'cancelled'
    | 'discarded'
    | 'refused'
    | undefined;
  /** The text of that reason, if that is asked for. */
  readonly deadReason?: string | undefined;
  /** Class and HTTP status of the last error of a record that is dead, and its message if that is asked for. */
  readonly error?:
    | {
        /** The error's class. */
        readonly name: string;
        /** The HTTP status. Absent: its message has none. */
        readonly status?: number | undefined;
        /** Its message, if that is asked for. */
        readonly message?: string | undefined;
      }
    | undefined;
  /** Its payload, if that is asked for. Absent also if it has none. */
  readonly payload?: unknown;
  /** The value that its success has kept, if that is asked for. Absent also if it kept none. */
  readonly result?: unknown;
  /** Parts that were asked for and are left out, as the event would be too large. */
  readonly omitted?: readonly EventPart[] | undefined;
}

/** The `source` of all events. */
export const EVENT_SOURCE = 'dynamo-backlog';

/** The `detail-type` of the event about an end. */
export function detailTypeOf(end: RecordEnd): string {
  return `Backlog record ${end}`;
}

/** The library writes 22 characters, and others what they like. */
const MAX_REV_BYTES = 128;

/** The detail of the event about a record's end. Undefined: it has not ended, or the library did not write it. */
export function recordEvent(
  record: BacklogRecord,
  { table, include }: { readonly table: string; readonly include: ReadonlySet<EventPart> },
): RecordEventDetail | undefined {
  const end = endOf(record);
  const { id, queue, task, key, rev, attempts, insertedAt, traceparent, payload, result } = record;
  if (end === undefined || rev === undefined) return undefined;
  return {
    version: 1,
    id,
    table,
    queue,
    ...(task !== undefined && { task }),
    ...(key !== undefined && { key }),
    end,
    endedAt: endedAt(record),
    rev: truncate(rev, MAX_REV_BYTES),
    attempts,
    insertedAt,
    ...(traceparent !== undefined && { traceparent }),
    ...(end !== 'succeeded' && reasonOf(record, include.has('texts'))),
    ...(end === 'dead' && errorOf(record, include.has('texts'))),
    ...(include.has('payload') && payload !== undefined && { payload }),
    ...(include.has('result') && result !== undefined && { result }),
  };
}

function reasonOf({ deadReason }: BacklogRecord, withText: boolean): Partial<RecordEventDetail> {
  if (deadReason === undefined) return {};
  const known = REASONS.find((one) => isReason(deadReason, one));
  return { reason: known ?? 'refused', ...(withText && { deadReason }) };
}

function endOf(record: BacklogRecord): RecordEnd | undefined {
  if (record.status === 'SUCCESS') return 'succeeded';
  // One that was set to `DEAD` by hand has its end once it is among the dead: its `dueAt` is then the time of that.
  if (record.status !== 'DEAD' || (record.lane !== undefined && !isAmongDead(record))) return undefined;
  return isUnwanted(record) ? 'cancelled' : 'dead';
}

/** The due time of a dead record is its death, which later changes leave as it is. */
function endedAt(record: BacklogRecord): string {
  const { dueAt, lastAttemptAt, insertedAt } = record;
  return (isAmongDead(record) ? parseIso(dueAt) : undefined) ?? lastAttemptAt ?? insertedAt;
}

/** Tells whether the record is listed with the dead: its `dueAt` is the time of its death then. */
export function isAmongDead({ lane }: Pick<BacklogRecord, 'lane'>): boolean {
  return lane?.endsWith(DEAD_LANE_ENDING) === true;
}

function errorOf({ lastError }: BacklogRecord, withMessage: boolean): Pick<RecordEventDetail, 'error'> {
  if (!lastError) return {};
  const { name, message } = lastError;
  const status = httpStatusOf(message);
  return { error: { name, ...(status !== undefined && { status }), ...(withMessage && { message }) } };
}
