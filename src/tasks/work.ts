import { resolvePolicy } from '../policies/index.js';
import { type BacklogRecord, Refused } from '../record/index.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import {
  type AttemptContext,
  type Process,
  type RecordChoices,
  type RunOptions,
  retryDecider,
} from '../worker/index.js';
import { checkPayload } from './payload.js';
import type { Task, TaskContext } from './task.js';

/** The tasks of a handler, as a run needs them. */
export interface TaskWork
  extends Required<Pick<RunOptions, 'process' | 'knows' | 'taskNames' | 'decisionsFor'>> {
  /** Tasks with a time limit of their own. */
  readonly timeouts: readonly { readonly name: string; readonly attemptTimeout: number }[];
}

/** The work of a task, or of records without one, that may be made ready before a run. */
type Prepared = { prepare?(run: RunOptions): unknown } | undefined;

/** The refusal of a payload, with its reason. */
class InvalidPayload extends Error {
  override readonly name = 'InvalidPayload';
}

/**
 * Puts the work of several tasks together.
 *
 * @param process of records without a task. Default: they wait, as those of an unknown one do
 * @throws ConfigurationError for two tasks of one name
 */
export function workOf(tasks: readonly Task[], process: Process | undefined, name: string): TaskWork {
  const byName = new Map<string, Task>();
  const choices = new Map<string, RecordChoices>();
  for (const task of tasks) {
    for (const one of [task.name, ...(task.previousNames ?? [])]) {
      if (byName.has(one)) {
        throw new ConfigurationError(`${name}: expected tasks with different names, got two of ${show(one)}`);
      }
      byName.set(one, task);
      choices.set(one, choicesOf(task));
    }
  }
  const taskOf = ({ task }: BacklogRecord) => (task === undefined ? undefined : byName.get(task));
  const work: Process = (record, context) => {
    const task = taskOf(record);
    if (task) return perform(task, record, context);
    if (process) return process(record, context);
    throw new TypeError(`no task of the name ${show(record.task)}`);
  };
  return {
    process: Object.assign(work, {
      prepare: async (run: RunOptions) => {
        for (const one of [process, ...tasks.map((task) => task.perform)] as readonly Prepared[])
          await one?.prepare?.(run);
      },
    }),
    knows: (record) => (record.task === undefined ? process !== undefined : byName.has(record.task)),
    taskNames: [...byName.keys()],
    decisionsFor: ({ task }) => (task === undefined ? undefined : choices.get(task)),
    timeouts: tasks.flatMap(({ name: one, attemptTimeout }) =>
      attemptTimeout === undefined ? [] : [{ name: one, attemptTimeout }],
    ),
  };
}

function choicesOf({ retry, retryQueue, deadOn, attemptTimeout }: Task): RecordChoices {
  return {
    ...(typeof retry === 'function' ? { retryDecider: retryDecider(retry) } : {}),
    ...(typeof retry === 'object' ? { policy: resolvePolicy(retry) } : {}),
    retryQueue,
    deadOn,
    attemptTimeout,
  };
}

async function perform(task: Task, record: BacklogRecord, given: AttemptContext) {
  const context: TaskContext = {
    record,
    get signal() {
      return given.signal;
    },
    get token() {
      return given.token;
    },
    attempt: given.attempt,
    logger: given.logger,
    traceparent: given.traceparent,
  };
  if (!task.schema) return task.perform(record.payload, context);
  const checking = checkPayload(task.schema, record.payload);
  const checked = await checking;
  if ('problem' in checked) {
    const cause = new InvalidPayload(checked.problem);
    throw new Refused(`invalid payload: ${checked.problem}`, { cause });
  }
  if (checking instanceof Promise) given.signal.throwIfAborted();
  return task.perform(checked.value, context);
}
