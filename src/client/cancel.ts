import {
  allOverAt,
  type BacklogRecord,
  CANCELLED,
  cancelMark,
  cancelReasonOf,
  giveUp,
  isCancelled,
  isNewer,
  isPending,
  isUnderAttempt,
  truncate,
} from '../record/index.js';
import type { OperatorRecordStore } from '../store/operator-store.js';
import type { Clock } from '../support/clock.js';
import { type Random, randomToken } from '../support/random.js';

/** The result of a cancellation. */
export interface CancelResult {
  /** The record's id. */
  readonly id: string;
  /** The record was cancelled, by this call or before. No attempt begins any more. */
  readonly cancelled: boolean;
  /**
   * The reason why it was not cancelled; absent if it is. `notFound`: there is no record of that id. `succeeded`: its work is
   * done. `dead`: it was given up before. `cancelRequested`: a long attempt is under way, whose signal is aborted within 30
   * seconds. It is cancelled at the end of that attempt, unless that succeeds. `changedMeanwhile`: others change it all the time.
   * `newer`: a newer version of this library wrote it.
   */
  readonly reason?:
    | 'notFound'
    | 'succeeded'
    | 'dead'
    | 'cancelRequested'
    | 'changedMeanwhile'
    | 'newer'
    | undefined;
}

export interface CancelDeps {
  readonly records: Pick<OperatorRecordStore, 'get' | 'change' | 'note'>;
  readonly clock: Clock;
  readonly random: Random;
}

const MAX_TRIES = 4;
const MAX_REASON_BYTES = 200;
const RETENTION_SECONDS = 30 * 86_400;

/**
 * Gives a record up, unless it has ended, or asks its long attempt to end. Decides again if another process was quicker.
 */
export async function cancelRecord(id: string, reason: string, deps: CancelDeps): Promise<CancelResult> {
  const { records, clock, random } = deps;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const record = await records.get(id);
    const now = clock.now();
    if (record && isCancelled(record)) return { id, cancelled: true };
    const why = obstacle(record);
    if (!record || why !== undefined) return { id, cancelled: false, reason: why ?? 'notFound' };
    if (isUnderAttempt(record, now, clock.speed)) {
      const isAsked = cancelReasonOf(record) !== undefined;
      if (isAsked || (await records.note(record, { notBefore: cancelMark(record, reason) })) === 'settled')
        return { id, cancelled: false, reason: 'cancelRequested' };
      continue;
    }
    const deadReason = truncate(`${CANCELLED}${reason}`, MAX_REASON_BYTES);
    const overAt = allOverAt(now, clock.speed);
    const wishes = { deadReason, retention: RETENTION_SECONDS, now, allOverAt: overAt };
    const { set, remove } = giveUp(record, wishes);
    const answer = await records.change(record, { set, remove }, randomToken(random));
    if (answer === 'settled') return { id, cancelled: true };
  }
  return { id, cancelled: false, reason: 'changedMeanwhile' };
}

function obstacle(record: BacklogRecord | undefined) {
  if (!record) return 'notFound';
  if (record.status === 'SUCCESS') return 'succeeded';
  if (!isPending(record)) return 'dead';
  return isNewer(record) ? 'newer' : undefined;
}
