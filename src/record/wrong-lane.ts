import type { RecordChange } from './change.js';
import { indexChange, isMisindexed, isRevived } from './index-change.js';
import { isLaneOf, lanesOf, MAX_SHARDS, withoutDeadEnding } from './lanes.js';
import type { Item } from './record.js';
import { type BacklogRecord, DEFAULT_QUEUE, isPending } from './record.js';

export interface KnownQueues {
  /** Tells whether a rule looks for records of the queue. Default: each is served. */
  readonly serves?: ((queue: string) => boolean) | undefined;
  /** The number of a queue's shards. Default: not known. */
  readonly shardsOf?: ((queue: string) => number) | undefined;
}

/**
 * Tells whether it has a lane in which no rule looks for it: the lane is not one of its queue's, or not of its status. If
 * the library has never written the record, the producer chose its lane and due time. Then no rule may reach that time, the
 * lane may be a shard that the queue does not have, and DynamoDB may remove the record before its turn (`expiresAt`).
 *
 * A record that names no queue is attempted in any lane in which a rule looks.
 */
export function isInWrongLane(record: BacklogRecord, known: KnownQueues = {}): boolean {
  const { lane, queue, status, rev, expiresAt, problems } = record;
  if (lane === undefined || status === 'SUCCESS') return false;
  const base = withoutDeadEnding(lane);
  if (!isPending(record)) return base === lane || !isLaneOf(base, queue);
  const isWritten = rev !== undefined;
  const isUnreachable = problems.some((problem) => problem.startsWith('dueAt:'));
  if (!isWritten && (isUnreachable || expiresAt !== undefined)) return true;
  if (!isLaneOf(base, queue)) return !isLeftToRules(record, base, known);
  return !isWritten && !isCurrent(base, queue, known);
}

/**
 * Tells whether a rule looks in the lane of another queue that a pending record is in. A record that names no queue belongs
 * there. For any other, the producer has changed the queue since it was written there, perhaps during an attempt: the rule
 * of that lane moves it, under the lane's lease.
 */
function isLeftToRules({ queue, lane, rev }: BacklogRecord, base: string, known: KnownQueues): boolean {
  const isWritten = rev !== undefined;
  const mayBeInFlight = isWritten && base === lane;
  return (queue === DEFAULT_QUEUE || mayBeInFlight) && isLookedInto(base, isWritten, known);
}

/** Tells whether a rule looks into a lane; for records that the library wrote, into earlier shards of the queue, too. */
function isLookedInto(
  lane: string,
  isPrevious: boolean,
  { serves = () => true, shardsOf }: KnownQueues,
): boolean {
  const queue = lane.replace(/#[\s\S]*/, '');
  return serves(queue) && isCurrent(lane, queue, isPrevious ? {} : { shardsOf });
}

/** Moves it back to its queue, due when it was. A lane of a shard that the queue does not have is ignored. */
export function moveToOwnLane(record: BacklogRecord, now: number, known: KnownQueues = {}): RecordChange {
  const { lane, queue, dueAt, rev } = record;
  const shards = known.shardsOf?.(queue);
  const isItsOwn = rev !== undefined || isCurrent(withoutDeadEnding(lane ?? ''), queue, known);
  const change = indexChange(isItsOwn ? record : { ...record, lane: undefined }, now, shards);
  const waits = isPending(record) && change.set.status !== 'DEAD' && !isRevived(record);
  return waits && dueAt !== undefined ? { ...change, set: { ...change.set, dueAt } } : change;
}

function isCurrent(lane: string, queue: string, { shardsOf }: KnownQueues): boolean {
  return lanesOf(queue, 0, shardsOf?.(queue) ?? MAX_SHARDS).includes(lane);
}

/** Tells whether it is misindexed or in a wrong lane, as far as a filter of DynamoDB can tell by the item alone. */
export function mayNeedIndexing({ lane, queue = DEFAULT_QUEUE }: Item, record: BacklogRecord): boolean {
  const isInOther = typeof lane === 'string' && lane !== queue && !lane.includes('#');
  return isMisindexed(record) || (isPending(record) && isInOther);
}
