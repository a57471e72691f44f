import { type BacklogRecord, isPending } from '../record/index.js';
import { toIso } from '../support/clock.js';
import type { Definition } from './definition.js';
import { nameOf } from './names.js';
import { nextFrom } from './near-occurrences.js';
import { isPausedAt, type RecurringPause, readSchedule } from './schedule-record.js';

/** A recurring record as it is. */
export interface RecurringRecord {
  /** The name. */
  readonly name: string;
  /** The id of its schedule, which is a record of the queue `recurring`. */
  readonly id: string;
  /**
   * `waiting`: for its next occurrence. `paused`. `failing`: its occurrences could not be inserted, and will be. `ended`: it has
   * no occurrence any more. `dead`: it was given up, see `problem`.
   */
  readonly state: 'waiting' | 'paused' | 'failing' | 'ended' | 'dead';
  /** Written by the CDK app, or put by an application. */
  readonly origin: 'template' | 'application';
  /** Its definition; undefined: it cannot be read, see `problem`. */
  readonly definition?: Definition | undefined;
  /** The next occurrence that will be inserted, ISO-8601. Undefined: none, as long as it stays as it is. */
  readonly next?: string | undefined;
  /** The last look at it, which is usually at an occurrence, ISO-8601. Undefined: none yet. */
  readonly lastAttemptAt?: string | undefined;
  /** Its pause, if that is not over. */
  readonly paused?: RecurringPause | undefined;
  /** The reason why it is dead or fails. */
  readonly problem?: string | undefined;
}

/** Describes the schedule of a recurring record. */
export function describeSchedule(record: BacklogRecord, now: number): RecurringRecord {
  const { id, lastAttemptAt, lastError, deadReason, status, failures } = record;
  const facts = { name: nameOf(id), id, ...(lastAttemptAt !== undefined && { lastAttemptAt }) };
  const ended = status === 'DEAD' ? ('dead' as const) : status === 'SUCCESS' ? ('ended' as const) : undefined;
  const isFailing = isPending(record) && failures > 0;
  const why = status === 'DEAD' ? deadReason : isFailing ? lastError?.message : undefined;
  const { schedule, problem } = readSchedule(record);
  if (schedule === undefined)
    return { ...facts, state: ended ?? 'failing', origin: 'application', problem: why ?? problem };
  const { template, templateAt: _, paused, ...definition } = schedule.payload;
  const isPaused = isPausedAt(schedule.payload, now);
  const next = ended ? undefined : nextFrom(schedule, Math.max(schedule.doneUntil, now));
  return {
    ...facts,
    state: ended ?? (isPaused ? 'paused' : isFailing ? 'failing' : 'waiting'),
    origin: template === undefined ? 'application' : 'template',
    definition,
    ...(next !== undefined && { next: toIso(next) }),
    ...(paused && isPaused && { paused }),
    ...(why !== undefined && { problem: why }),
  };
}
