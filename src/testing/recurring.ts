import { recurringHandler } from '../../functions/recurring/recurring-handler.js';
import { attemptSchedule } from '../recurring/attempt.js';
import { checkName, type Definition, parseDefinition, RECURRING_QUEUE } from '../recurring/index.js';
// The function loads it at its first attempt. Virtual time would not wait for that on a busy machine.
import '../recurring/attempt.js';
import { SCHEDULE_RETRY } from '../recurring/names.js';
import { ConfigurationError } from '../support/errors.js';
import { keepingLogger } from './logs.js';
import type { Queue } from './queues.js';

const PATH = 'testBacklog.recurring';

/** The recurring records of a backlog under test, and the queue of their schedules. */
export interface TestRecurring {
  readonly template: ReadonlyMap<string, Definition>;
  readonly queue: Queue;
}

/**
 * Reads recurring records as the function reads them. Undefined: there are none.
 *
 * @throws ConfigurationError naming the recurring record and the option
 */
export function readRecurring(
  input: Readonly<Record<string, unknown>> | undefined,
  queues: Readonly<Record<string, unknown>>,
): TestRecurring | undefined {
  if (input === undefined) return undefined;
  if (Object.hasOwn(queues, RECURRING_QUEUE)) {
    throw new ConfigurationError(
      `testBacklog.queues.${RECURRING_QUEUE}: expected another name, as this queue has the schedules of "recurring"`,
    );
  }
  const template = Object.entries(input).map(([name, options]) => {
    checkName(name, PATH);
    return [name, parseDefinition(options, `${PATH}.${name}`)] as const;
  });
  const env = { BACKLOG_RECURRING: JSON.stringify(Object.fromEntries(template)) };
  return {
    template: new Map(template),
    queue: {
      name: RECURRING_QUEUE,
      settings: { retryMode: 'perRecord', retry: SCHEDULE_RETRY },
      isOnInsert: false,
      weight: 1,
      // Its own logger would print.
      handler: recurringHandler({ env, logger: keepingLogger([], undefined), attempt: attemptSchedule }),
    },
  };
}
