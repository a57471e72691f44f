import * as z from 'zod/mini';
import { parseTime } from '../client/delay.js';
import {
  isLimitsOnly,
  parseLimits,
  type RetryLimits,
  type RetryPolicy,
  resolvePolicy,
} from '../policies/index.js';
import { DEFAULT_QUEUE, isKey, KEY_FORM, QUEUE_NAME, QUEUE_PATTERN } from '../record/index.js';
import { type Occurrences, parseOccurrences } from '../schedules/index.js';
import { toIso } from '../support/clock.js';
import { type Duration, duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { parseOptions, show } from '../support/validation.js';
import { RECURRING_QUEUE } from './names.js';

const MAX_JITTER_SECONDS = 86_400;

/** The ways to make up for occurrences that could not be inserted at their time. */
export const MISSED = ['skip', 'one', 'all'] as const;
/** The way to make up for occurrences that could not be inserted at their time. */
export type Missed = (typeof MISSED)[number];

/** A recurring record. Only `schedule` is required. */
export interface RecurringOptions<Payload = unknown> {
  /**
   * `cron(0 3 * * ? *)` or `rate(1 hour)`, in the syntax of EventBridge, once a minute at most. A rate counts from `startAt`,
   * else from the creation.
   */
  readonly schedule: string;
  /** The IANA time zone of a cron, such as `Europe/Berlin`. Default: `UTC`. */
  readonly timeZone?: string | undefined;
  /** The payload of each record. Default: `{}`. */
  readonly payload?: Payload | undefined;
  /** The queue of the records. Default: `default`. */
  readonly queue?: string | undefined;
  /** The task of the records. Default: none. */
  readonly task?: string | undefined;
  /** The customer or tenant whose work the records are: text of 1 to 256 bytes. Default: none. */
  readonly key?: string | undefined;
  /** The policy or the limits of the records. Default: those of their queue. */
  readonly retry?: RetryPolicy | RetryLimits | undefined;
  /**
   * The occurrences that are made up for, of those whose records could not be inserted within 5 minutes: `all`, none (`skip`), or
   * the newest `one`, unless a later one is in time. Default: `one`.
   */
  readonly missed?: Missed | undefined;
  /** The time before which there is no occurrence: a `Date`, or ISO-8601 with its zone. Default: none. */
  readonly startAt?: Date | string | undefined;
  /** The time after which there is no occurrence. Default: none. */
  readonly endAt?: Date | string | undefined;
  /** The longest time by which records are put off, so that not all begin at once; up to a day. Default: 0. */
  readonly jitter?: Duration | undefined;
}

/** A recurring record as it is stored: what is absent has its default, and values are plain. */
export interface Definition extends Omit<RecurringOptions, 'startAt' | 'endAt' | 'jitter'> {
  /** The time before which there is no occurrence, ISO-8601. */
  readonly startAt?: string | undefined;
  /** The time after which there is no occurrence, ISO-8601. */
  readonly endAt?: string | undefined;
  /** The longest time by which records are put off, in seconds. */
  readonly jitter?: number | undefined;
}

const anything = z.optional(z.unknown());
const shape = {
  schedule: z.string(),
  timeZone: z.optional(z.string()),
  payload: anything,
  queue: z.optional(z.string().check(z.regex(QUEUE_PATTERN, `expected ${QUEUE_NAME}`))),
  task: z.optional(z.string().check(z.minLength(1))),
  key: z.optional(z.custom<string>(isKey, `expected ${KEY_FORM}`)),
  retry: anything,
  missed: z.optional(z.enum(MISSED)),
  startAt: anything,
  endAt: anything,
  jitter: z.optional(duration({ most: MAX_JITTER_SECONDS })),
};
const optionsSchema = z.strictObject(shape);

/** The names of its options. */
export const RECURRING_OPTIONS = Object.keys(shape) as (keyof Definition)[];

/**
 * Checks a recurring record as it is given.
 *
 * @param path of the options, for errors
 * @throws ConfigurationError naming the option
 */
export function parseDefinition(input: unknown, path: string): Definition {
  const { payload, retry, startAt, endAt, ...given } = parseOptions(optionsSchema, input, path);
  if (given.queue === RECURRING_QUEUE) {
    throw new ConfigurationError(
      `${path}.queue: expected another queue than ${show(RECURRING_QUEUE)}, which has the schedules themselves`,
    );
  }
  if (retry !== undefined) checkRetry(retry as RetryPolicy | RetryLimits, `${path}.retry`);
  const times = { startAt: timeOf(startAt, `${path}.startAt`), endAt: timeOf(endAt, `${path}.endAt`) };
  const definition = compact({ ...given, payload, retry, ...times }) as Definition;
  try {
    occurrencesOf(definition, 0);
  } catch (error) {
    // The message begins with the option.
    throw new ConfigurationError(`${path}.${(error as Error).message}`);
  }
  return definition;
}

/**
 * The occurrences of a definition.
 *
 * @param createdAt the time that a rate without `startAt` counts from, epoch milliseconds
 * @throws ConfigurationError naming what cannot be read
 */
export function occurrencesOf(definition: Definition, createdAt: number): Occurrences {
  const { schedule, timeZone, startAt, endAt } = definition;
  const ms = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));
  return parseOccurrences({ schedule, timeZone, startAt: ms(startAt), endAt: ms(endAt), createdAt });
}

/** The queue that its records are in. */
export function queueOf({ queue = DEFAULT_QUEUE }: Definition): string {
  return queue;
}

function checkRetry(retry: RetryPolicy | RetryLimits, path: string): void {
  if (isLimitsOnly(retry)) parseLimits(retry, path);
  else resolvePolicy(retry, path);
}

function timeOf(time: unknown, path: string): string | undefined {
  return time === undefined ? undefined : toIso(parseTime(time, path));
}

function compact<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
