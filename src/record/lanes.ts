import { hash32 } from '../support/hash.js';
import type { BacklogRecord } from './record.js';

type Place = Pick<BacklogRecord, 'id' | 'queue' | 'lane' | 'key'>;

/** The most lanes of a queue: one, or one for each of its shards. */
export const MAX_SHARDS = 32;

/** The first of the lanes that keys may have as their own, where they are none of a shard. */
export const FIRST_BUSY_SHARD = 8;

/** The ending of the lanes of the dead. No queue's name can have it. */
export const DEAD_LANE_ENDING = '/dead';

/** The lane of a queue, or of one of its shards: a partition of the index. The first shard's is the queue's own. */
export function laneOf(queue: string, shard = 0): string {
  return shard === 0 ? queue : `${queue}#${shard}`;
}

/** The lane that a record belongs in, in a queue of so many shards. An id keeps its shard as long as their number is the same. */
export function laneFor({ queue, id }: { readonly queue: string; readonly id: string }, shards = 1): string {
  // Not the hash that its phase is made of: records of one shard would come due together.
  return laneOf(queue, shards === 1 ? 0 : hash32(`shard:${id}`) % shards);
}

/** The lane of the dead records of a lane. It lists them in the order of their death. */
export function deadLane(lane: string): string {
  return `${lane}${DEAD_LANE_ENDING}`;
}

/** The lanes of the shards from one number on up to another, exclusive. */
export function lanesOf(queue: string, from = 0, until = MAX_SHARDS): string[] {
  return Array.from({ length: Math.max(0, until - from) }, (_, i) => laneOf(queue, from + i));
}

/** The lane of a shard, whether it is one of the dead or not. */
export function withoutDeadEnding(lane: string): string {
  return lane.endsWith(DEAD_LANE_ENDING) ? lane.slice(0, -DEAD_LANE_ENDING.length) : lane;
}

/** Tells whether it is a lane of the queue, of whatever number of shards. The lanes of its dead are none. */
export function isLaneOf(lane: string, queue: string): boolean {
  if (lane === queue) return true;
  const shard = lane.startsWith(`${queue}#`) ? lane.slice(queue.length + 1) : '';
  return /^[1-9]\d?$/.test(shard) && Number(shard) < MAX_SHARDS;
}

/**
 * The lane that it is, or was, in, if that is one of its queue's; otherwise the one that it belongs in. A dead one with a key may
 * have been in the lane of that key, which is not busy any more.
 */
export function ownLaneOf(record: Place, shards = 1): string {
  const { queue, key } = record;
  const lane = withoutDeadEnding(record.lane ?? '');
  const wasBusy = key !== undefined && Number(lane.slice(queue.length + 1)) >= FIRST_BUSY_SHARD;
  return isLaneOf(lane, queue) && !(wasBusy && lane !== record.lane) ? lane : laneFor(record, shards);
}
