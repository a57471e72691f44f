import { toIso } from '../support/clock.js';
import type { RecordChange } from './change.js';
import { DEAD_LANE_ENDING, deadLane, ownLaneOf } from './lanes.js';
import { leftLane, previousLaneOf } from './not-before.js';
import { type BacklogRecord, isPending } from './record.js';

interface GivingUp {
  readonly deadReason: string;
  /** Seconds for which the record is kept. `undefined`: for ever. */
  readonly retention: number | undefined;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  /** The backlog's time at which every attempt that is under way now is over: no function lives longer. */
  readonly allOverAt: number;
}

/** The attributes that are written and removed as a record is given up. */
interface GivenUp {
  readonly set: RecordChange['set'];
  readonly remove: readonly RecordChange['remove'][number][];
}

/**
 * A record whose work is not wanted any more: dead with that reason, and visible for a while. A run that attempts it
 * finds that this write was quicker, and its outcome is not written.
 */
export function giveUp(record: BacklogRecord, { deadReason, retention, now, allOverAt }: GivingUp): GivenUp {
  const lane = deadLane(ownLaneOf(record));
  const isDeadAlready = record.status === 'DEAD' && record.lane === lane && record.dueAt !== undefined;
  const hasLeft = previousLaneOf(record, now) !== undefined;
  // One that was set to `DEAD` by hand in the lane where it waited may be under attempt there, too.
  const isAmongDead = record.lane?.endsWith(DEAD_LANE_ENDING) === true;
  const leaves = !hasLeft && (isPending(record) || (record.lane !== undefined && !isAmongDead));
  return {
    set: {
      ...contractOf(record),
      status: 'DEAD',
      ...(isDeadAlready ? {} : { lane, dueAt: toIso(now) }),
      deadReason,
      ...(retention === undefined ? {} : { expiresAt: Math.floor(now / 1000 + retention) }),
      ...(leaves ? { notBefore: leftLane(record, allOverAt) } : {}),
    },
    remove: [
      ...(leaves || hasLeft ? [] : (['notBefore'] as const)),
      'unknownTaskSince',
      ...(retention === undefined ? (['expiresAt'] as const) : []),
    ],
  };
}

/** Attributes of the contract that could not be read get their defaults, as in any record that is indexed. */
function contractOf(record: BacklogRecord): Pick<RecordChange['set'], 'insertedAt' | 'queue'> {
  if (record.lane !== undefined) return {};
  const { queue, insertedAt, problems } = record;
  return { insertedAt, ...(problems.length > 0 ? { queue } : {}) };
}
