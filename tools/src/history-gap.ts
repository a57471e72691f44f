import type { BacklogRecord } from 'dynamo-backlog';

type Attempted = Pick<BacklogRecord, 'attempts' | 'history' | 'notReady' | 'status'>;

const NOT_KEPT = 'older attempts are not kept (history.bytes, history.entries)';
const REPEATED = 'snoozes in a row for the same reason are one entry';

/** Text that says why attempts of a record have no entry in its history. Undefined: all of them have one. */
export function historyGap({ attempts, history, notReady = 0, status }: Attempted): string | undefined {
  const kept = history.filter(({ probe }) => !probe);
  if (attempts <= kept.length) return undefined;
  const [first] = kept;
  if (!first) {
    return status === 'SUCCESS' && attempts === 1
      ? 'an attempt that succeeds at once leaves no entry'
      : NOT_KEPT;
  }
  const before = first.attempt - 1;
  // A snooze takes the place of the one before it, if both have the same reason.
  if (before <= 0 || (first.outcome === 'snoozed' && before <= notReady)) return REPEATED;
  return first.outcome === 'snoozed' ? `${NOT_KEPT}, or ${REPEATED}` : NOT_KEPT;
}
