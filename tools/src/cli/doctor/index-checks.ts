import type { BacklogRecord } from 'dynamo-backlog';
import {
  type Item,
  indexChange,
  isLaneOf,
  isMisindexed,
  isNotIndexed,
  isPending,
  isRevived,
  type RecordChange,
  withoutDeadEnding,
} from 'dynamo-backlog/engine';

/** Something that is wrong with a record's index keys. */
export type PlaceProblem =
  | 'notIndexed'
  | 'noDueAt'
  | 'unfindable'
  | 'pendingInDeadLane'
  | 'deadInLane'
  | 'doneInLane'
  | 'otherLane';

/** Time ahead of now that no rule reads: a rule looks for what is due by now, and no clock is wrong by so much. */
const AHEAD_MS = 86_400_000;

export function placeProblem(item: Item, record: BacklogRecord, now: number): PlaceProblem | undefined {
  const { lane, status, queue } = record;
  if (status === 'SUCCESS') return lane === undefined ? undefined : 'doneInLane';
  if (isNotIndexed(record)) return 'notIndexed';
  if (isRevived(record)) return 'pendingInDeadLane';
  if (isMisindexed(record)) return 'noDueAt';
  const base = withoutDeadEnding(lane ?? '');
  if (status === 'DEAD' && base === lane) return 'deadInLane';
  if (isPending(record) && isUnfindable(item, record, now)) return 'unfindable';
  return isLaneOf(base, queue) ? undefined : 'otherLane';
}

/**
 * The change that repairs a record's index keys, if it is safe beside runs at work: none of them can have the record
 * under attempt. (For a record that is not indexed, the caller has to ensure that.)
 */
export function repairOf(
  item: Item,
  record: BacklogRecord,
  now: number,
): { readonly kind: PlaceProblem; readonly change: RecordChange } | undefined {
  const kind = placeProblem(item, record, now);
  switch (kind) {
    case undefined:
    case 'otherLane':
      return undefined;
    case 'doneInLane':
      return { kind, change: { set: {}, remove: ['lane', 'dueAt', 'notBefore'] } };
    case 'unfindable': {
      const { set, remove } = indexChange(record, now);
      const dueAt = record.dueAt === undefined ? {} : { dueAt: record.dueAt };
      return { kind, change: { set: { ...set, ...dueAt }, remove } };
    }
    default:
      return { kind, change: indexChange(record, now) };
  }
}

/**
 * The index sorts by text: a due time such as `soon` or `Fri, 20 Nov 2026` comes behind every moment that a rule looks
 * for, and so does one that is written years ahead of what it means.
 */
function isUnfindable({ dueAt: text }: Item, { dueAt }: BacklogRecord, now: number): boolean {
  if (typeof text !== 'string' || text <= new Date(now + AHEAD_MS).toISOString()) return false;
  return text > ':' || dueAt === undefined || Date.parse(dueAt) <= now;
}
