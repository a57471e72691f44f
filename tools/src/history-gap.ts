import type { BacklogRecord } from 'dynamo-backlog';
import { isCancelled } from 'dynamo-backlog/engine';

/** The attributes that tell why an attempt has no entry. */
export type Attempted = Pick<BacklogRecord, 'attempts' | 'deadReason' | 'history' | 'notReady' | 'status'>;

const NOT_KEPT = 'older attempts are not kept (history.bytes, history.entries)';
const REPEATED = 'snoozes in a row for the same reason are one entry';

/** Text that says why attempts of a record have no entry in its history. Undefined: all of them have one. */
export function historyGap(record: Attempted): string | undefined {
  const { attempts, history, notReady = 0, status } = record;
  const kept = history.filter(({ probe }) => !probe);
  if (attempts <= kept.length) return undefined;
  const [first] = kept;
  if (!first) {
    const isAlone = attempts === 1 && (status === 'SUCCESS' || isCancelled(record));
    return isAlone ? 'a first attempt that succeeds, or is cancelled, leaves no entry' : NOT_KEPT;
  }
  const before = first.attempt - 1;
  // A snooze takes the place of the one before it, if both have the same reason.
  if (before <= 0 || (first.outcome === 'snoozed' && before <= notReady)) return REPEATED;
  return first.outcome === 'snoozed' ? `${NOT_KEPT}, or ${REPEATED}` : NOT_KEPT;
}
