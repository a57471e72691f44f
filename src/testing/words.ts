import { outsideWaitOf } from '../record/completion.js';
import { isNumbered } from '../record/seq.js';
import { age } from '../support/duration.js';
import { show } from '../support/validation.js';
import type { TestRecord } from './record.js';

/** Describes a record in a sentence, for a failed assertion. */
export function describeRecord(record: TestRecord): string {
  const { id, queue, status, attempts, failures, lastError, deadReason, task, notReady, unknownTaskSince } =
    record;
  const of = task === undefined ? '' : `, task ${show(task)}`;
  const parts = [
    `record ${show(id)} (queue ${show(queue)}${of}): ${status}`,
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, ${failures} ${failures === 1 ? 'failure' : 'failures'}`,
    ...(notReady ? [`${notReady} times not ready`] : []),
    ...(deadReason === undefined ? [] : [`reason ${show(deadReason)}`]),
    ...(lastError === undefined ? [] : [`last error ${lastError.name}: ${lastError.message}`]),
    ...(unknownTaskSince === undefined ? [] : ['no handler of its queue has its task']),
    ...(waitText(record) ?? dueText(record) ?? []),
  ];
  return parts.join(', ');
}

function waitText(record: TestRecord): string[] | undefined {
  const wait = outsideWaitOf(record);
  return wait && [`waits for its end from outside until ${wait.until}`];
}

function dueText(record: TestRecord): string[] | undefined {
  const { status, nextAttemptAt, readAt, seq } = record;
  if (status === 'SUCCESS' || status === 'DEAD') return undefined;
  if (!nextAttemptAt)
    return [isNumbered(record) ? `waits for its turn, as number ${seq} of its key` : 'no rule attempts it'];
  const wait = nextAttemptAt.getTime() - readAt.getTime();
  const when = wait <= 0 ? 'now' : `in ${age(wait)}`;
  return [`due ${when} (${nextAttemptAt.toISOString()})`];
}
