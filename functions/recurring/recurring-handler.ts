import type { attemptSchedule } from '../../src/recurring/attempt.js';
import { RECURRING_QUEUE } from '../../src/recurring/names.js';
import { isOfLaterDeployment, outdatedOf } from '../../src/recurring/template.js';
import type { OperatorRecordStore } from '../../src/store/operator-store.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';
import { type Process, type RunDeps, run as runQueue } from '../../src/worker/index.js';
import type { BacklogLambdaHandler } from '../backlog-lambda-handler.js';
import { once } from '../lambda-handler.js';
import { makeHandler } from '../make-handler.js';
import type { HandlerSeams } from '../seams.js';
import { type RecurringSettings, readRecurringSettings } from './settings.js';

/** Real time between two looks whether the schedules are as the template has them. */
const APPLIED_FOR_MS = 3_600_000;

/** The looks of a sandbox at the schedules of its template. */
interface Look {
  /** The start of the sandbox, the backlog's time. */
  readonly startedAt: number;
  /** The last look, real time. */
  appliedAt: number;
}

/** A store can write the schedules of the template; no run of a queue needs that. */
type Records = Pick<OperatorRecordStore, 'insert' | 'change'>;

/** The parts of the handler that tests replace. */
export interface RecurringSeams extends HandlerSeams {
  /** The attempt of a schedule. Default: it is loaded once there is one, so that a poll without occurrences does not load it. */
  readonly attempt?: typeof attemptSchedule | undefined;
}

/** The built-in handler of the queue `recurring`: inserts the records of occurrences, and writes the schedules of the template. */
export function recurringHandler({
  attempt = loadedAttempt,
  ...overrides
}: RecurringSeams = {}): BacklogLambdaHandler {
  const { env = process.env, run: given = runQueue } = overrides;
  const settings = once(() => readRecurringSettings(env));
  const looks = new WeakMap<object, Look>();

  const run: typeof runQueue = async (options, deps) => {
    const { store, clock } = deps;
    const look = looks.get(store) ?? { startedAt: clock.now(), appliedAt: Number.NEGATIVE_INFINITY };
    looks.set(store, look);
    const isApplied = clock.wall() - look.appliedAt < APPLIED_FOR_MS;
    // Neither a standby nor a passive region writes anything.
    if (!isApplied && (await options.ownershipConflict?.()) === undefined) {
      if (await isWritten(settings(), look, deps)) look.appliedAt = clock.wall();
    }
    return given({ ...options, process: processOf(settings(), look, deps, attempt) }, deps);
  };
  return makeHandler(
    ({ queue }) => {
      if (queue !== RECURRING_QUEUE) {
        throw new ConfigurationError(`event.queue: expected ${show(RECURRING_QUEUE)}, got ${show(queue)}`);
      }
      settings();
      return noProcess;
    },
    {},
    { ...overrides, run },
  );
}

/** Stands in until a run has its store. */
const noProcess: Process = () => {
  throw new Error('the run has no store');
};

/** Writes the schedules of the template. If that fails, those that are there go on, and the next run tries again. */
async function isWritten(
  { template }: RecurringSettings,
  { startedAt }: Look,
  deps: RunDeps,
): Promise<boolean> {
  const { store, clock, random, logger } = deps;
  const records = store.records as unknown as Records;
  try {
    const outdated = await outdatedOf(template, store.records, startedAt);
    if (outdated.length === 0) return true;
    // Few sandboxes have anything to write.
    const { writeSchedules } = await import('../../src/recurring/template-writes.js');
    return await writeSchedules(outdated, { records, now: clock.now(), random, logger });
  } catch (error) {
    logger.error('the recurring records of the template could not be written', {
      reason: (error as Error).message,
    });
    return false;
  }
}

function processOf(
  { template, indexesAtOnce }: RecurringSettings,
  { startedAt }: Look,
  { store, clock, random }: RunDeps,
  attempt: typeof attemptSchedule,
): Process {
  return (record, { logger, signal }) =>
    attempt(record, {
      records: store.records,
      now: clock.now(),
      random,
      logger,
      signal,
      indexesAtOnce,
      isTakenOut: ({ name, payload }) => !template.has(name) && !isOfLaterDeployment(payload, startedAt),
    });
}

const loadedAttempt: typeof attemptSchedule = async (...given) => {
  const { attemptSchedule } = await import('../../src/recurring/attempt.js');
  return attemptSchedule(...given);
};
