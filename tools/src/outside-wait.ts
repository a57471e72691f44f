import type { BacklogRecord } from 'dynamo-backlog';
import { age, completionOf, isPending, outsideWaitOf } from 'dynamo-backlog/engine';
import { fullClock } from 'dynamo-backlog/overview';

/** The wait of a record for its end from outside. Undefined: it does not wait, or waits for something else. */
export function outsideWait(record: BacklogRecord): ReturnType<typeof outsideWaitOf> {
  return isPending(record) ? outsideWaitOf(record) : undefined;
}

/**
 * Text for what such a record waits for, behind `waits`: `for its end from outside until 2026-12-01 13:00:00 UTC (2 d left): waits
 * for approval`. It has no token, with which any program could end the attempt. Undefined: the record has no such wait.
 */
export function outsideWaitText(record: BacklogRecord, now: number): string | undefined {
  const wait = outsideWait(record);
  if (!wait) return undefined;
  const until = Date.parse(wait.until);
  const because = wait.reason === undefined ? '' : `: ${wait.reason}`;
  if (completionOf(record)?.error) return FAILED;
  if (wait.until !== record.dueAt) return `for its end from outside, or for its next attempt${because}`;
  if (until <= now) return `for the next run, as its end from outside did not come in time${because}`;
  return `for its end from outside until ${fullClock(until)} UTC (${age(until - now)} left)${because}`;
}

const FAILED = 'for the next run, which writes the failure that came from outside';

/** The same without times, for a line of a list. */
export function outsideReason(record: BacklogRecord): string | undefined {
  const wait = outsideWait(record);
  if (wait && completionOf(record)?.error) return `waits ${FAILED}`;
  return wait && `waits for its end from outside${wait.reason === undefined ? '' : `: ${wait.reason}`}`;
}

/** The record without the tokens of its attempts, and without the `rev` that one is computed of, for what shows the rest. */
export function withoutToken({ completion: _, ...record }: BacklogRecord): BacklogRecord {
  const { notBefore } = record;
  if (typeof notBefore !== 'object' || typeof notBefore.pending !== 'object') return record;
  const { token: __, ...pending } = (notBefore.pending ?? {}) as Readonly<Record<string, unknown>>;
  return { ...record, rev: undefined, notBefore: { ...notBefore, pending } };
}
