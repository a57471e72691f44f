import type { BacklogRecord } from 'dynamo-backlog';
import { isPending, isSameValue } from 'dynamo-backlog/engine';
import type { StoredItem } from '../../../../src/store/dynamodb/stored-items.js';

/** Difference between a record of the restored table and the one in the old table. */
export type Difference =
  /** Nothing to decide: equal, or done in both. */
  | 'same'
  /** It has succeeded since the restore point, as the old table or a list says. */
  | 'succeeded'
  /** It waits in the restored table, and was given up or discarded since. */
  | 'dead'
  /** It waits in the restored table, and the old table does not have it. */
  | 'gone'
  /** The old table alone has it. */
  | 'missing'
  /** Its payload, its queue or another attribute of its producer differs, or it waits in the old table alone. */
  | 'changed'
  /** It waits in both, and was attempted or put off since. */
  | 'retried'
  /** Its status in the old table cannot be read. */
  | 'unreadable';

/** Start of the `deadReason` of a record that waits for an operator's decision. */
export const HELD = 'held: ';

/** Attributes that a run writes when it settles a record; `insertedAt` as well, if the producer has left it out. */
const WRITTEN_BY_RUNS: readonly string[] = [
  ...['status', 'availableAt', 'lane', 'dueAt', 'exact', 'notBefore', 'rev', 'attempts', 'failures'],
  ...['notReady', 'firstFailureAt', 'lastFailureAt', 'lastAttemptAt', 'lastError', 'history', 'result'],
  'unknownTaskSince',
];
const WRITTEN_WHILE_WAITING = new Set([...WRITTEN_BY_RUNS, 'insertedAt']);
/** Attributes that a successful run writes. `insertedAt` is none: a producer that inserts a record again gives it another one. */
const WRITTEN_AT_SUCCESS = new Set([...WRITTEN_BY_RUNS, 'expiresAt', 'deadReason']);

export function isHeld({ status, deadReason }: BacklogRecord): boolean {
  return status === 'DEAD' && deadReason?.startsWith(HELD) === true;
}

/**
 * Compares a record of the restored table with the old table's.
 *
 * @param old undefined: the old table does not have it; `null`: there is no old table
 * @param isListed it is named as one that has succeeded
 */
export function compare(
  restored: StoredItem,
  old: StoredItem | undefined | null,
  isListed: boolean,
): Exclude<Difference, 'missing'> {
  const { status } = restored.record;
  if (isListed && status !== 'SUCCESS') return 'succeeded';
  if (old === null) return 'same';
  const waits = isPending(restored.record);
  if (old === undefined) return waits || isHeld(restored.record) ? 'gone' : 'same';
  if (isSameBut(restored, old, new Set())) return 'same';
  if (old.record.problems.some((problem) => problem.startsWith('status'))) return 'unreadable';
  if (old.record.status === 'SUCCESS') return status === 'SUCCESS' ? 'same' : 'succeeded';
  if (old.record.status === 'DEAD') {
    if (waits) return 'dead';
    return status === 'DEAD' ? 'same' : 'changed';
  }
  // It has succeeded in the restored table, since that is at work: the old table must not bring it back.
  if (status === 'SUCCESS' && isSameBut(restored, old, WRITTEN_AT_SUCCESS)) return 'same';
  return waits && isSameBut(restored, old, WRITTEN_WHILE_WAITING) ? 'retried' : 'changed';
}

function isSameBut({ stored: one }: StoredItem, { stored: other }: StoredItem, without: ReadonlySet<string>) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => {
    if (without.has(name)) return true;
    const [mine, yours] = [own(one, name), own(other, name)];
    return mine !== undefined && yours !== undefined && isSameValue(mine, yours);
  });
}

/** An attribute may have any name, `constructor` included. */
function own(attributes: StoredItem['stored'], name: string) {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}
