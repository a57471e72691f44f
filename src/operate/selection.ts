import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import {
  type BacklogRecord,
  isKey,
  KEY_FORM,
  QUEUE_NAME,
  QUEUE_PATTERN,
  STATUSES,
  type Status,
} from '../record/index.js';
import { isPutOffByPause } from '../record/put-off-by-pause.js';
import { parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions } from '../support/validation.js';
import { hasCause } from './cause.js';
import { hasPattern } from './message-pattern.js';

/** Filters that select records: all of them must hold. At least one must be given; `all: true` takes every record. */
export interface Selection {
  /** The queue of the records, or several. Default: any. */
  readonly queue?: string | readonly string[] | undefined;
  /** One status, or several. Default: those that the action is for; of `discard` only `DEAD`, of `move` only `NEW` and `ERROR`. */
  readonly status?: Status | readonly Status[] | undefined;
  /** Cause of the last failure: the error's class, also with HTTP status and host, as `HttpError`, `HttpError 503` or `HttpError 503 erp.example.com`. */
  readonly errorName?: string | undefined;
  /** Text within class and message of the last error, or within the reason of the death; upper and lower case are the same. */
  readonly errorContains?: string | undefined;
  /** Pattern of the last error's message, as `backlog failures` shows it: `order {id} is locked by {word}`. */
  readonly messagePattern?: string | undefined;
  /** Beginning of the reason why a record was given up, such as `expired`. */
  readonly deadReason?: string | undefined;
  /** Beginning of the id. */
  readonly idPrefix?: string | undefined;
  /** The key, a customer or tenant: the whole of it. */
  readonly key?: string | undefined;
  /** Records that a run has put off, as their key was paused, and that are not due yet. */
  readonly keyPaused?: boolean | undefined;
  /** Lower bound of the time since the insertion: seconds as a number, or text such as `"90m"`, `"2h"`, `"7d"`. */
  readonly olderThan?: number | string | undefined;
  /** Upper bound of the time since the insertion, in the same form. */
  readonly youngerThan?: number | string | undefined;
  /** Upper bound of the time since the last failure, in the same form. */
  readonly failedWithin?: number | string | undefined;
  /** Lower bound of the time since the last failure, in the same form. */
  readonly failedBefore?: number | string | undefined;
  /**
   * Values at places of the payload. Path: names and places in lists, as `"customer.id"` or `["items", "0", "a.b"]`.
   */
  readonly payload?: PayloadMatch | readonly PayloadMatch[] | undefined;
  /** Attributes of the producer's own that have these values. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Selects every record that the action is for. */
  readonly all?: boolean | undefined;
}

/**
 * A value at a place of the payload.
 *
 * @inline
 */
export interface PayloadMatch {
  /** The path: names and places in lists. */
  readonly path: string | readonly string[];
  /** The value there, compared in depth. */
  readonly equals: unknown;
}

/** A selection that was checked. */
export interface Selected {
  /** The queues; undefined: any. */
  readonly queues: readonly string[] | undefined;
  /** The key; undefined: any, and none. */
  readonly key: string | undefined;
  /** The statuses. */
  readonly statuses: readonly Status[];
  /** Tells whether a record fits the filters, at a time in epoch milliseconds. */
  readonly matches: (record: BacklogRecord, now: number) => boolean;
  /** It filters by `deadReason`: then a redrive also takes records that are not wanted any more. */
  readonly namesReason: boolean;
}

/** @inline */
interface StatusesOfAction {
  /** The statuses that the action is for. */
  readonly actsOn: readonly Status[];
  /** The statuses that are meant where none is named. Default: all of them. */
  readonly byDefault?: readonly Status[] | undefined;
}

const statusSchema = z.enum(STATUSES);
/** Refuses `undefined`: a filter that lost its value would select all records without the attribute. */
const value = z.unknown().check(z.refine((given) => given !== undefined, 'expected a value'));
const matchSchema = z.strictObject({
  path: z.union([z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))]),
  equals: value,
});
export const queueName = z.string().check(z.regex(QUEUE_PATTERN, `expected ${QUEUE_NAME}`));

const text = z.optional(z.string().check(z.minLength(1)));

const selectionSchema = z.strictObject({
  queue: z.optional(z.union([queueName, z.array(queueName).check(z.minLength(1))])),
  status: z.optional(z.union([statusSchema, z.array(statusSchema).check(z.minLength(1))])),
  errorName: text,
  errorContains: text,
  messagePattern: text,
  deadReason: text,
  idPrefix: text,
  key: z.optional(z.custom<string>(isKey, `expected ${KEY_FORM}`)),
  keyPaused: z.optional(z.boolean()),
  olderThan: z.optional(z.unknown()),
  youngerThan: z.optional(z.unknown()),
  failedWithin: z.optional(z.unknown()),
  failedBefore: z.optional(z.unknown()),
  payload: z.optional(z.union([matchSchema, z.array(matchSchema).check(z.minLength(1))])),
  attributes: z.optional(
    z
      .record(z.string(), value)
      .check(z.refine((given) => Object.keys(given).length > 0, 'expected at least one attribute')),
  ),
  all: z.optional(z.boolean()),
});

/**
 * Checks a selection.
 *
 * @param actsOn the statuses that the action is for; `byDefault`: those that are meant where none is named
 * @throws ConfigurationError for an invalid filter, a status that the action is not for, or none at all
 */
export function parseSelection(
  input: unknown,
  { actsOn, byDefault = actsOn }: StatusesOfAction,
  name: string,
): Selected {
  const selection = parseOptions(selectionSchema, input, name);
  const { all = false, ...filters } = selection;
  const given = Object.values(filters).filter((value) => value !== undefined);
  if (given.length === 0 && !all) {
    throw new ConfigurationError(`${name}: expected ids, a filter such as "queue", or "all": true for all`);
  }
  const statuses = selection.status === undefined ? byDefault : [selection.status].flat();
  const other = statuses.find((status) => !actsOn.includes(status));
  if (other) {
    throw new ConfigurationError(`${name}.status: expected ${actsOn.join(', ')}, got "${other}"`);
  }
  const { queue, errorName, messagePattern, deadReason, idPrefix = '', key, attributes = {} } = selection;
  const { keyPaused } = selection;
  const queues = queue === undefined ? undefined : [queue].flat();
  const errorContains = selection.errorContains?.toLowerCase();
  const payload = [selection.payload ?? []].flat();
  const ageLimits = limitsOf(selection, ['youngerThan', 'olderThan'], name);
  const failureLimits = limitsOf(selection, ['failedWithin', 'failedBefore'], name);
  const matches = (record: BacklogRecord, now: number): boolean =>
    statuses.includes(record.status) &&
    (queues === undefined || queues.includes(record.queue)) &&
    record.id.startsWith(idPrefix) &&
    (key === undefined || record.key === key) &&
    (keyPaused === undefined || isPutOffByPause(record, now) === keyPaused) &&
    (errorName === undefined || hasCause(record.lastError, errorName)) &&
    (errorContains === undefined || failureText(record).includes(errorContains)) &&
    (messagePattern === undefined || hasPattern(record.lastError?.message ?? '', messagePattern)) &&
    (deadReason === undefined || record.deadReason?.startsWith(deadReason) === true) &&
    ageLimits(now - Date.parse(record.insertedAt)) &&
    failureLimits(now - Date.parse(record.lastFailureAt ?? record.lastError?.at ?? '')) &&
    payload.every(({ path, equals }) => isDeepStrictEqual(valueAt(record.payload, path), equals)) &&
    Object.entries(attributes).every(([name, value]) => isDeepStrictEqual(record.attributes[name], value));
  return { queues, key, statuses, matches, namesReason: deadReason !== undefined };
}

type AgeLimit = 'youngerThan' | 'olderThan' | 'failedWithin' | 'failedBefore';

/** A check of a time against two durations of a selection: it is shorter than the one, and not shorter than the other. */
function limitsOf(
  selection: Readonly<Partial<Record<AgeLimit, unknown>>>,
  names: readonly [most: AgeLimit, least: AgeLimit],
  path: string,
): (ms: number) => boolean {
  const [most, least] = names.map((name) => ageMs(selection[name], `${path}.${name}`));
  return (ms) => (most === undefined || ms < most) && (least === undefined || ms >= least);
}

/** `HttpError: HTTP 503 from ... maxAttempts`, in lower case. */
function failureText({ lastError, deadReason = '' }: BacklogRecord): string {
  return `${lastError?.name ?? ''}: ${lastError?.message ?? ''} ${deadReason}`.toLowerCase();
}

function ageMs(value: unknown, name: string): number | undefined {
  return value === undefined ? undefined : parseDuration(value, name) * 1000;
}

function valueAt(payload: unknown, path: string | readonly string[]): unknown {
  let value = payload;
  for (const step of typeof path === 'string' ? path.split('.') : path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isPlainObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/** Tells whether a value is an object of names and values, such as JSON has. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
