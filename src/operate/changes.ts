import { isDeepStrictEqual } from 'node:util';
import type { RetryPolicy } from '../policies/index.js';
import { outsideWaitOf } from '../record/completion.js';
import { truncate } from '../record/history.js';
import {
  type BacklogRecord,
  bornAt,
  DEAD_LANE_ENDING,
  DISCARDED,
  deadLane,
  giveUp,
  indexChange,
  isLaneOf,
  isMisindexed,
  isNewer,
  isPending,
  isQuarantined,
  isReason,
  isUnwanted,
  laneOf,
  leftLane,
  ownLaneOf,
  previousLaneOf,
  type RetryMode,
  restart,
  waitOf,
  whyUnfit,
  withoutDeadEnding,
} from '../record/index.js';
import { isNumbered } from '../record/seq.js';
import { checkItem } from '../store/item-limits.js';
import type { Found, OperatorChange } from '../store/operator-store.js';
import { toIso } from '../support/clock.js';
import { InvalidRecordError } from '../support/errors.js';

/** Reasons why a record that was named, or matched, is left as it is. */
export type SkipReason =
  /** It is already as the action would make it. */
  | 'asWanted'
  /** It has another status than the action is for. */
  | 'otherStatus'
  /** It is, or may be, under attempt where no lease guards it. Try again in a minute. */
  | 'inFlight'
  /** Its long attempt is asked to end. At that end it is cancelled, unless the attempt succeeds. */
  | 'cancelRequested'
  /** Others changed it all the time, or it is not what was `expected`. */
  | 'changedMeanwhile'
  /** It has a number among the records of its key, and would leave their line: those behind it would be attempted without it. */
  | 'numbered'
  | 'notFound'
  /** Written by a newer version of this library. */
  | 'newer';

/** The decision of an action about one record. */
export type Decision =
  | Change
  | { readonly do: 'remove' }
  /** Ask its long attempt to end. */
  | { readonly do: 'requestCancel'; readonly reason: string }
  | { readonly do: 'skip'; readonly reason: SkipReason }
  | { readonly do: 'refuse'; readonly reason: string };

/** @inline */
interface Change {
  /** The decision. */
  readonly do: 'change';
  /** The write that it takes. */
  readonly change: OperatorChange;
  /** A second change, written if no run is attempting the record in its previous lane. */
  readonly ifFree?: OperatorChange;
}

export interface DecisionContext {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The backlog's time at which every attempt that is under way now is over: no function lives longer. */
  readonly allOverAt: number;
  /** The retry mode of the record's queue; undefined where no run has noted it yet. */
  readonly retryMode: RetryMode | undefined;
}

const MAX_REASON_BYTES = 200;
const AS_WANTED: Decision = { do: 'skip', reason: 'asWanted' };
const NUMBERED: Decision = { do: 'skip', reason: 'numbered' };

/** Tells whether a record is left to a newer version of this library. Records that this version has given up are not. */
export function isLeftToNewer(record: BacklogRecord): boolean {
  return isNewer(record) && !isQuarantined(record) && !isUnwanted(record);
}

/** @inline */
export interface RedriveWishes {
  /** The queue that it goes into. Default: its own. */
  readonly queue?: string | undefined;
  /** The record's own policy; `null`: none, that of its queue holds. */
  readonly retry?: RetryPolicy | null | undefined;
}

/** Makes a dead record wait again, unless its number keeps it in its queue. */
export function redriveInto(found: Found, wishes: RedriveWishes, now: number): Decision {
  const { queue = found.record.queue } = wishes;
  if (queue !== found.record.queue && isNumbered(found.record)) return NUMBERED;
  return redrive(found, wishes, now);
}

/** Makes a dead record wait again: due now, with no failure counted and its history kept. */
export function redrive({ record }: Found, { queue, retry }: RedriveWishes, now: number): Change {
  const lane = queue === undefined || queue === record.queue ? ownLaneOf(record) : laneOf(queue);
  const { set, remove } = restart(lane, now);
  return changing(
    {
      ...set,
      status: 'NEW',
      ...(queue === undefined || queue === record.queue ? {} : { queue }),
      ...(retry ? { retry } : {}),
    },
    [...remove, ...(retry === null ? (['retry'] as const) : [])],
  );
}

export interface DiscardWishes {
  readonly reason?: string | undefined;
  /** Seconds that the record stays visible. `undefined`: for ever. */
  readonly retention: number | undefined;
  readonly delete: boolean;
}

/** Gives up work that is not wanted any more: the record is dead with that reason and visible for a while, or removed. */
export function discard({ record }: Found, wishes: DiscardWishes, context: DecisionContext): Decision {
  if (wishes.delete) return { do: 'remove' };
  const { now, allOverAt } = context;
  const { reason, retention } = wishes;
  const deadReason = truncate(reason === undefined ? DISCARDED : `${DISCARDED}: ${reason}`, MAX_REASON_BYTES);
  const said = record.status === 'DEAD' ? record.deadReason : undefined;
  if (reason === undefined ? isReason(said ?? '', DISCARDED) : said === deadReason) return AS_WANTED;
  const { set, remove } = giveUp(record, { deadReason, retention, now, allOverAt });
  return changing(set, remove);
}

/** Puts the next attempt off until then. Never brings an attempt forward. */
export function snooze({ record }: Found, until: number, { now, retryMode }: DecisionContext): Decision {
  const isByAge = retryMode === 'progressive' && hasKnownAge(record);
  const notBefore = waitOf(record);
  const waitsUntil = isByAge ? notBefore : dueTime(record);
  if (waitsUntil >= until && !isMisindexed(record)) return AS_WANTED;
  const time = toIso(Math.max(until, waitsUntil, notBefore));
  return withIndexing(record, isByAge ? { notBefore: time } : { dueAt: time }, [], now);
}

/**
 * Tells whether the due time is the insertion, as a run of the progressive schedule leaves it. Then a per-record run decides
 * by the policy and `notBefore`. Any other due time is a real due time, under either retry mode.
 */
function hasKnownAge(record: BacklogRecord): boolean {
  return record.failures > 0 && !isMisindexed(record) && dueTime(record) === bornAt(record);
}

/** Makes a record due now; on a progressive queue at the next turn of its tier. */
export function runNow({ record, item }: Found, { now, retryMode }: DecisionContext): Decision {
  // The index sorts by the text: one in another form (`+14:00`, `soon`) may come later than the time that it means.
  const waits = dueTime(record) > now || (typeof item.dueAt === 'string' && item.dueAt > toIso(now));
  const isPutOff = waitOf(record) > now || previousLaneOf(record, now) !== undefined;
  if (!waits && !isPutOff && !isMisindexed(record)) return AS_WANTED;
  // One that its producer delayed has its turn now, and its age counts from here.
  const isDelayed = timeOf(record.availableAt) > now && record.failures === 0;
  const availableAt = isDelayed ? { availableAt: toIso(now) } : {};
  const born = isDelayed ? now : bornAt(record);
  const dueAt = retryMode === 'progressive' ? Math.min(born, now) : now;
  const set = { ...availableAt, ...(waits ? { dueAt: toIso(dueAt) } : {}) };
  return withIndexing(record, set, ['notBefore'], now);
}

/** Gives a record another payload, within the limits of an item. With `again`, a dead record waits again as well. */
export function editPayload(
  found: Found,
  payload: unknown,
  { again, now }: { readonly again: boolean; readonly now: number },
): Decision {
  const { record, item } = found;
  const isDead = !isPending(record);
  const redriven = again && isDead ? redrive(found, {}, now) : undefined;
  if (isDeepStrictEqual(payload, item.payload) && !redriven) return AS_WANTED;
  try {
    checkItem({ ...item, payload });
  } catch (error) {
    if (!(error instanceof InvalidRecordError)) throw error;
    return { do: 'refuse', reason: error.message };
  }
  if (redriven) return changing({ ...redriven.change.set, payload }, redriven.change.remove);
  if (isDead) return changing({ payload }, []);
  // A wait for an end from outside is over: the work that goes on there is that of the payload before.
  const set = { payload, ...(outsideWaitOf(record) && { dueAt: toIso(now) }) };
  // The payload leaves room for the outcome of an attempt, also where the one before did not.
  return withIndexing({ ...record, isFull: undefined }, set, [], now);
}

/** Gives a record another policy of its own, or with `null` none. Its present wait stays; the next failure goes by it. */
export function changePolicy({ record, item }: Found, retry: RetryPolicy | null, now: number): Decision {
  const isAsWanted = retry === null ? item.retry === undefined : isDeepStrictEqual(item.retry, retry);
  if (isAsWanted) return AS_WANTED;
  const set = retry === null ? {} : { retry };
  const remove = retry === null ? (['retry'] as const) : [];
  return isPending(record) ? withIndexing(record, set, remove, now) : changing(set, remove);
}

/**
 * Moves a record into another queue. A waiting record is not due there before all attempts that are under way now are over:
 * one of them may be its own. If none is, it is due as it was.
 */
export function move({ record }: Found, queue: string, context: DecisionContext): Decision {
  const { now, allOverAt } = context;
  const isDead = !isPending(record);
  const lane = isDead ? deadLane(laneOf(queue)) : laneOf(queue);
  const isThere = record.queue === queue && isLaneOf(withoutDeadEnding(record.lane ?? ''), queue);
  if (isThere && !isMisindexed(record) && record.lane?.endsWith(DEAD_LANE_ENDING) === isDead)
    return AS_WANTED;
  if (record.queue !== queue && isNumbered(record)) return NUMBERED;
  if (isDead) return changing({ queue, lane, dueAt: record.dueAt ?? toIso(now) }, []);
  // While a record that is not indexed is claimed, no run attempts it.
  if (record.lane === undefined) return withIndexing(record, { queue, lane }, [], now);
  const dueAt = Math.max(dueTime(record), waitOf(record), allOverAt);
  const { notBefore } = record;
  const before = { dueAt: record.dueAt ?? toIso(bornAt(record)), ...(notBefore && { notBefore }) };
  const set = { queue, lane, dueAt: toIso(dueAt), notBefore: leftLane(record, allOverAt) };
  const moved = withIndexing(record, set, [], now);
  if (moved.do !== 'change') return moved;
  return { ...moved, ifFree: { set: before, remove: notBefore ? [] : ['notBefore'] } };
}

/** Changes a record that waits, and indexes it if it is not indexed. One that would be quarantined by that is left to the intake. */
function withIndexing(
  record: BacklogRecord,
  set: OperatorChange['set'],
  remove: OperatorChange['remove'],
  now: number,
): Decision {
  if (!isMisindexed(record)) return changing(set, remove);
  const why = whyUnfit(record);
  if (why !== undefined) return { do: 'refuse', reason: why };
  const indexed = indexChange(record, now);
  return changing({ ...indexed.set, ...set }, [...indexed.remove, ...remove]);
}

/** Makes a change that removes no attribute that it sets. */
function changing(set: OperatorChange['set'], remove: OperatorChange['remove']): Change {
  const kept = new Set(Object.keys(set));
  return { do: 'change', change: { set, remove: [...new Set(remove)].filter((name) => !kept.has(name)) } };
}

function dueTime(record: BacklogRecord): number {
  return record.dueAt === undefined ? bornAt(record) : Date.parse(record.dueAt);
}

function timeOf(time: string | undefined): number {
  return time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time);
}
