import type { RecordLines } from '../lines/index.js';
import { isPending } from '../record/index.js';
import { nameOf, RECURRING_QUEUE } from '../recurring/index.js';
import { keyPausesNow } from '../store/key-pauses.js';
import { didYouMean } from '../support/nearest.js';
import { show } from '../support/validation.js';
import { lineNotes } from './line-notes.js';
import type { TestRecord } from './record.js';
import { describeRecord } from './words.js';
import type { World } from './world.js';

/** Records that an error describes. */
const MAX_DESCRIBED = 5;

/** Throws if a record waits in an unknown or paused queue: no rule would ever bring it to an end. */
export async function checkReachable({ queues, store, time }: World): Promise<void> {
  const known = queues.map(({ name }) => name);
  const states = await store.queues.readAll();
  for (const { id, queue, key } of store.parsed().filter(isPending)) {
    if (queue === RECURRING_QUEUE && !known.includes(queue)) {
      throw new Error(
        `runUntilSettled: nothing looks at the recurring record ${show(nameOf(id))}: add the option "recurring", {} at least`,
      );
    }
    if (!known.includes(queue)) {
      throw new Error(
        `runUntilSettled: no queue ${show(queue)}, which the record ${show(id)} waits in: add it to "queues"${didYouMean(queue, known, show)}`,
      );
    }
    if (states.get(queue)?.paused) {
      throw new Error(
        `runUntilSettled: the queue ${show(queue)} is paused, and the record ${show(id)} waits in it`,
      );
    }
    const pauses = keyPausesNow(states.get(queue)?.pausedKeys, time.now);
    if (pauses.some((pause) => pause.key === key && pause.until === undefined)) {
      throw new Error(
        `runUntilSettled: the key ${show(key)} of the queue ${show(queue)} is paused, and the record ${show(id)} waits for it`,
      );
    }
  }
}

/**
 * The text of the error for records that still wait at the limit of `runUntilSettled`.
 *
 * @param after the time that has passed, and how many of all records wait: `after 60 days, 2 of 5`
 */
export async function stillWaiting(
  records: readonly TestRecord[],
  after: string,
  lines: Pick<RecordLines, 'get'>,
): Promise<string> {
  const described = records.slice(0, MAX_DESCRIBED).map((record) => `  ${describeRecord(record)}`);
  const left = records.length - described.length;
  const more = left > 0 ? [`  and ${left} more`] : [];
  const notes = await lineNotes(records, lines);
  return [`runUntilSettled: ${after} records still wait:`, ...described, ...more, ...notes].join('\n');
}
