import type { BacklogRecord } from '../record/index.js';
import { didYouMean } from '../support/nearest.js';
import { show } from '../support/validation.js';
import type { Finding } from './findings.js';

const MAX_NAMED = 20;

/**
 * The finding about a record that its handler leaves alone, as it has no task of that name. In production the record waits until
 * a function that has the task is deployed.
 *
 * @param taskNames the tasks that the handler has
 */
export function unknownTask(record: BacklogRecord, taskNames: readonly string[]): Finding {
  const { id, queue, task, attempts } = record;
  const why =
    task === undefined
      ? 'names no task, and the handler of its queue performs tasks only'
      : `is of the task ${show(task)}, which the handler of its queue does not have`;
  const named = taskNames.slice(0, MAX_NAMED).map(show).join(', ') || 'none';
  const more = taskNames.length > MAX_NAMED ? ` and ${taskNames.length - MAX_NAMED} more` : '';
  const hint = didYouMean(task ?? '', taskNames, show);
  return {
    type: 'unknownTask',
    id,
    queue,
    attempt: attempts + 1,
    message: `the record ${show(id)} (queue ${show(queue)}) ${why}: it was not attempted, and waits. The tasks there: ${named}${more}${hint}`,
  };
}
