import type { BacklogRecord } from 'dynamo-backlog';
import { deadLane, isPending, ownLaneOf, redrive, type StoreTypes, toIso } from 'dynamo-backlog/engine';
import type { StoredItem } from '../../../../src/store/dynamodb/stored-items.js';
import { type Difference, HELD, isHeld } from './compare.js';

/** The operator's decisions on the records that differ. */
export interface Decisions {
  readonly succeeded: 'mark' | 'attempt' | 'hold';
  readonly dead: 'mark' | 'attempt';
  readonly gone: 'attempt' | 'hold';
  readonly missing: 'copy' | 'leave';
  readonly changed: 'restored' | 'old';
}

/** Decisions that attempt no record twice that the old table knows as done, and that overwrite no record. */
export const DEFAULT_DECISIONS: Decisions = {
  succeeded: 'hold',
  dead: 'mark',
  gone: 'attempt',
  missing: 'leave',
  changed: 'restored',
};

/** Action on one record of the restored table. */
export type Act =
  | { readonly do: 'keep' }
  /** It is already as the decision makes it. */
  | { readonly do: 'nothing' }
  | { readonly do: 'change'; readonly change: StoreTypes.OperatorChange }
  /** The old table's item takes its place. */
  | { readonly do: 'replace' };

const KEEP: Act = { do: 'keep' };
const NOTHING: Act = { do: 'nothing' };
const HELD_SUCCEEDED = `${HELD}succeeded after the restore point`;
const HELD_GONE = `${HELD}not in the old table`;

/** @param now the backlog's time, epoch milliseconds */
export function decide(
  difference: Exclude<Difference, 'missing'>,
  { restored, old }: { readonly restored: StoredItem; readonly old: StoredItem | undefined | null },
  decisions: Decisions,
  now: number,
): Act {
  const { record } = restored;
  switch (difference) {
    case 'succeeded':
      if (decisions.succeeded === 'attempt') return attempt(restored, now);
      return decisions.succeeded === 'mark'
        ? changing(succeed(old?.record.status === 'SUCCESS' ? old.record : undefined))
        : hold(record, HELD_SUCCEEDED, now);
    case 'dead':
      return decisions.dead === 'attempt' || !old
        ? KEEP
        : changing(bury(record, old.record.deadReason, now, old.record.expiresAt));
    case 'gone':
      return decisions.gone === 'hold' ? hold(record, HELD_GONE, now) : attempt(restored, now);
    case 'changed':
      return decisions.changed === 'old' ? { do: 'replace' } : KEEP;
    default:
      return KEEP;
  }
}

/** Tells whether the record waits for an attempt afterwards. */
export function waitsAfter(
  act: Act,
  { restored, old }: { restored: StoredItem; old: StoredItem | undefined | null },
) {
  if (act.do === 'replace') return old ? isPending(old.record) : false;
  if (act.do !== 'change') return isPending(restored.record);
  return act.change.set.status === 'NEW';
}

/** Has a record attempted. One that waits stays as it is; one that an earlier run of the command has held waits again. */
function attempt(restored: StoredItem, now: number): Act {
  return isHeld(restored.record) ? changing(redrive(restored, {}, now).change) : KEEP;
}

function hold(record: BacklogRecord, reason: string, now: number): Act {
  return isHeld(record) ? NOTHING : changing(bury(record, reason, now));
}

/** Marks a record as succeeded, as its run would have done. Only the old table's record has its result, and how long it is kept. */
function succeed(old: BacklogRecord | undefined): StoreTypes.OperatorChange {
  const { attempts, lastAttemptAt, result, expiresAt } = old ?? {};
  return {
    set: {
      status: 'SUCCESS',
      ...(attempts === undefined ? {} : { attempts }),
      ...(lastAttemptAt === undefined ? {} : { lastAttemptAt }),
      ...(result === undefined ? {} : { result: JSON.stringify(result) }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
    remove: [
      ...(['lane', 'dueAt', 'notBefore', 'deadReason', 'unknownTaskSince'] as const),
      ...(result === undefined ? (['result'] as const) : []),
    ],
  };
}

/** Dead, and listed among the dead of its queue: no run attempts it before a redrive. */
function bury(
  record: BacklogRecord,
  deadReason = 'dead in the old table',
  now: number,
  expiresAt?: number,
): StoreTypes.OperatorChange {
  const lane = deadLane(ownLaneOf(record));
  const isListed = record.status === 'DEAD' && record.lane === lane && record.dueAt !== undefined;
  return {
    set: {
      status: 'DEAD',
      deadReason,
      insertedAt: record.insertedAt,
      ...(isListed ? {} : { lane, dueAt: toIso(now) }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
    remove: ['notBefore', 'unknownTaskSince', ...(expiresAt === undefined ? (['expiresAt'] as const) : [])],
  };
}

function changing(change: StoreTypes.OperatorChange): Act {
  return { do: 'change', change };
}
