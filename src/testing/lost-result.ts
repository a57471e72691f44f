import { type AttemptOutcome, type BacklogRecord, withinRoom } from '../record/index.js';
import { show } from '../support/validation.js';
import type { Finding } from './findings.js';

/**
 * The finding about an attempt whose result the record does not keep. In production the record succeeds without it.
 *
 * @returns undefined: it gave none, or one that is kept
 */
export function lostResult(
  record: BacklogRecord,
  attempt: number,
  given: AttemptOutcome,
): Finding | undefined {
  const { id, queue } = record;
  const outcome = withinRoom(record, given);
  if (outcome.type !== 'success' || outcome.notKept === undefined) return undefined;
  return {
    type: 'lostResult',
    id,
    queue,
    attempt,
    message: `the result of attempt ${attempt} of the record ${show(id)} (queue ${show(queue)}) is not kept: ${outcome.notKept}`,
  };
}
