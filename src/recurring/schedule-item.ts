import { isDeepStrictEqual } from 'node:util';
import { type BacklogRecord, type Item, isPending, laneOf, ownLaneOf, restart } from '../record/index.js';
import { toAttributeValue, toValue } from '../store/dynamodb/attribute-values.js';
import type { OperatorChange } from '../store/operator-store.js';
import { toIso } from '../support/clock.js';
import { type Random, randomToken } from '../support/random.js';
import { occurrencesOf } from './definition.js';
import { RECURRING_QUEUE, scheduleId } from './names.js';
import { readSchedule, type SchedulePayload } from './schedule-record.js';

/** The item of a new schedule. Undefined: it has no occurrence any more. */
export function scheduleItem(
  name: string,
  payload: SchedulePayload,
  { now, random }: { readonly now: number; readonly random: Random },
): Item | undefined {
  const next = occurrencesOf(payload, now).next(now);
  if (next === undefined) return undefined;
  return {
    id: scheduleId(name),
    status: 'NEW',
    queue: RECURRING_QUEUE,
    payload,
    insertedAt: toIso(now),
    availableAt: toIso(next),
    lane: laneOf(RECURRING_QUEUE),
    dueAt: toIso(next),
    rev: randomToken(random),
  };
}

/**
 * The change that gives a schedule another definition. An occurrence that is due and was not inserted yet is still to come; one
 * that has ended, or is dead, begins again. Undefined: it has no occurrence any more.
 */
export function redefine(
  record: BacklogRecord,
  payload: SchedulePayload,
  now: number,
): OperatorChange | undefined {
  const next = occurrencesOf(payload, Date.parse(record.insertedAt)).next(now);
  if (next === undefined) return undefined;
  const { availableAt = record.insertedAt } = record;
  if (isPending(record) && Date.parse(availableAt) <= now) return { set: { payload }, remove: [] };
  const { set, remove } = restart(ownLaneOf(record), next);
  return { set: { ...set, status: 'NEW', payload }, remove };
}

/** Tells whether a schedule is as it is wanted: it waits, and its payload is this one. */
export function isDefinedAs(record: BacklogRecord, payload: SchedulePayload): boolean {
  if (!isPending(record)) return false;
  const { schedule } = readSchedule(record);
  return schedule !== undefined && isDeepStrictEqual(asStored(schedule.payload), asStored(payload));
}

/** A payload as it is read from the table: it may hold sets, bytes and bigints, and parts that are `undefined`. */
function asStored(payload: SchedulePayload): unknown {
  return toValue(toAttributeValue(payload));
}
