import { type BacklogRecord, bornAt } from '../record/index.js';
import type { Occurrences } from '../schedules/index.js';
import { parseIso } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import { type Definition, occurrencesOf, parseDefinition, RECURRING_OPTIONS } from './definition.js';
import { checkName, nameOf, scheduleId } from './names.js';

/** A time in which a recurring record has no occurrences. */
export interface RecurringPause {
  /** ISO-8601. */
  readonly since: string;
  /** The time at which it goes on by itself, ISO-8601. Absent: it does not. */
  readonly until?: string | undefined;
  /** The reason in a few words. */
  readonly reason?: string | undefined;
  /** The name of the operator. */
  readonly by?: string | undefined;
}

/** The payload of a schedule: the definition, and what belongs to it. */
export interface SchedulePayload extends Definition {
  /** The fingerprint of the definition in the CDK app. Absent: the application has put it. */
  readonly template?: string | undefined;
  /** The time at which that definition was written, ISO-8601. */
  readonly templateAt?: string | undefined;
  readonly paused?: RecurringPause | undefined;
}

/** A schedule: the record of the queue `recurring` whose payload says what recurs. */
export interface Schedule {
  readonly name: string;
  readonly payload: SchedulePayload;
  readonly occurrences: Occurrences;
  /** The time up to which all occurrences were inserted, passed over or skipped, epoch milliseconds, exclusive. */
  readonly doneUntil: number;
}

/** @throws ConfigurationError naming what cannot be read */
function parseSchedule(record: BacklogRecord): Schedule {
  const { id, payload, insertedAt } = record;
  if (!isObject(payload)) {
    throw new ConfigurationError(
      `payload: expected the definition of a recurring record, got ${kindOf(payload)}`,
    );
  }
  const name = nameOf(id);
  checkName(name, 'id');
  // Two schedules of one name would take each other's occurrences.
  if (id !== scheduleId(name)) {
    throw new ConfigurationError(`id: expected ${show(scheduleId(name))} for a schedule, got ${show(id)}`);
  }
  // Later versions may know more.
  const known = RECURRING_OPTIONS.filter((option) => Object.hasOwn(payload, option));
  const definition = parseDefinition(
    Object.fromEntries(known.map((option) => [option, payload[option]])),
    'payload',
  );
  const { template } = payload;
  const templateAt = parseIso(payload.templateAt);
  return {
    name,
    payload: {
      ...definition,
      ...(typeof template === 'string' && { template }),
      ...(templateAt !== undefined && { templateAt }),
      ...(isObject(payload.paused) && { paused: parsePaused(payload.paused) }),
    },
    occurrences: occurrencesOf(definition, Date.parse(insertedAt)),
    doneUntil: bornAt(record),
  };
}

/** A schedule, or the reason why it cannot be read. */
export type ReadSchedule =
  | { readonly schedule: Schedule; readonly problem?: undefined }
  | { readonly schedule?: undefined; readonly problem: string };

/** Reads a schedule. Anyone may have written it. */
export function readSchedule(record: BacklogRecord): ReadSchedule {
  try {
    return { schedule: parseSchedule(record) };
  } catch (error) {
    if (error instanceof ConfigurationError) return { problem: error.message };
    throw error;
  }
}

/** The payload of a schedule as it is. One that cannot be read is to be replaced: nothing is known of it. */
export function payloadOf(record: BacklogRecord): Partial<SchedulePayload> {
  return readSchedule(record).schedule?.payload ?? {};
}

/** A pause whose beginning cannot be read has always been. */
function parsePaused({ since, until, reason, by }: Readonly<Record<string, unknown>>): RecurringPause {
  return {
    since: parseIso(since) ?? new Date(0).toISOString(),
    ...(parseIso(until) !== undefined && { until: parseIso(until) }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof by === 'string' && { by }),
  };
}

/** The part of a pause in which there are no occurrences, epoch milliseconds, without its end. */
export function pausedTime({ paused }: SchedulePayload): { readonly from: number; readonly until: number } {
  if (!paused) return { from: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  const { since, until } = paused;
  return {
    from: Date.parse(since),
    until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
  };
}

/** Tells whether a schedule has no occurrence at a time, as it is paused. */
export function isPausedAt(payload: SchedulePayload, at: number): boolean {
  const { from, until } = pausedTime(payload);
  return at >= from && at < until;
}

/** The kind of a payload. What it is itself is no reason to be logged: the record may have been meant for another queue. */
function kindOf(payload: unknown): string {
  if (payload === undefined) return 'nothing';
  if (payload === null) return 'null';
  return Array.isArray(payload) ? 'a list' : `a ${typeof payload}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
