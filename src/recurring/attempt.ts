import { type BacklogRecord, Cancel, Dead, Done } from '../record/index.js';
import type { RecordStore } from '../store/index.js';
import { toIso } from '../support/clock.js';
import { InvalidRecordError } from '../support/errors.js';
import type { AttemptLogger } from '../support/logger.js';
import { dueOccurrences } from './due-occurrences.js';
import { NOT_IN_TEMPLATE } from './names.js';
import { type InsertionContext, occurrenceId, occurrenceItem } from './occurrence-record.js';
import { readSchedule, type Schedule } from './schedule-record.js';

/** Records under way at once. */
const CONCURRENCY = 25;

export interface RecurringDeps extends InsertionContext {
  readonly records: Pick<RecordStore, 'insert'>;
  readonly logger: AttemptLogger;
  readonly signal: AbortSignal;
  /** Tells whether the CDK app, which has written this schedule, has it no more. */
  readonly isTakenOut: (schedule: Schedule) => boolean;
}

/**
 * The attempt of a schedule: inserts the records of the occurrences that are due, and comes again at the next one. If the process
 * is lost in between, it does the same again, and the records are there already.
 *
 * @throws Dead if its definition cannot be read, Cancel if the CDK app has it no more, StoreError
 */
export async function attemptSchedule(record: BacklogRecord, deps: RecurringDeps): Promise<Done> {
  const { schedule, problem } = readSchedule(record);
  if (schedule === undefined) throw new Dead(problem);
  const { name, payload } = schedule;
  const { now, logger } = deps;
  if (payload.template !== undefined && deps.isTakenOut(schedule)) throw new Cancel(NOT_IN_TEMPLATE);
  const { due, missed, next } = dueOccurrences(schedule, now);
  if (missed !== undefined)
    logger.warn('occurrences were missed', { recurring: name, since: toIso(missed), inserted: due.length });
  for (let start = 0; start < due.length; start += CONCURRENCY) {
    const some = due.slice(start, start + CONCURRENCY);
    // Its time is up: the next attempt goes on here. From the start, a slow table would never let it come to the end.
    if (deps.signal.aborted) return new Done({ again: new Date(some[0] as number) });
    await Promise.all(some.map((at) => insert(schedule, at, deps)));
  }
  return new Done({ again: next === undefined ? undefined : new Date(next) });
}

async function insert({ name, payload }: Schedule, at: number, deps: RecurringDeps): Promise<void> {
  try {
    const answer = await deps.records.insert(occurrenceItem({ name, definition: payload, at }, deps));
    if (answer === 'duplicate')
      deps.logger.debug('the record of an occurrence is there already', { id: occurrenceId(name, at) });
  } catch (error) {
    // No later try would make it smaller, or of another type.
    if (error instanceof InvalidRecordError) throw new Dead(error.message);
    throw error;
  }
}
