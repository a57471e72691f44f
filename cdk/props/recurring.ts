import { Annotations, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import * as z from 'zod';
import { parseQueues } from '../../functions/settings.js';
import { type Definition, occurrencesOf, parseDefinition, queueOf } from '../../src/recurring/definition.js';
import { checkName, RECURRING_QUEUE, SCHEDULE_RETRY, scheduleId } from '../../src/recurring/names.js';
import { occurrenceItem } from '../../src/recurring/occurrence-record.js';
import { checkItem } from '../../src/store/item-limits.js';
import { ConfigurationError, InvalidRecordError } from '../../src/support/errors.js';
import { nearest } from '../../src/support/nearest.js';
import { refuseProtoName } from '../../src/support/own-names.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { QUEUE_DEFAULTS } from '../../src/worker/index.js';
import { duration } from '../support/values.js';
import { ownAlarms, readQueueAlarms } from './alarm-settings.js';
import type { Queue } from './queue.js';
import { type Definitions, scheduleOf } from './recurring-schedule.js';

const PATH = 'Backlog.recurring';
/** Most recurring records of a Backlog. CloudFormation takes 1 MB of a template, which describes each. */
const MAX_NAMES = 1_000;
/** Most bytes of all definitions: the function reads them when it starts. */
const MAX_BYTES = 4_000_000;
/** A fingerprint as long as the function writes it into a schedule. */
const FINGERPRINT = 'x'.repeat(22);

/** The props of a recurring record. `parseDefinition` checks the unknown ones. */
const shape = z.strictObject({
  schedule: z.unknown().optional(),
  timeZone: z.unknown().optional(),
  queue: z.unknown().optional(),
  task: z.unknown().optional(),
  key: z.unknown().optional(),
  payload: z.unknown().optional(),
  retry: z.unknown().optional(),
  missed: z.unknown().optional(),
  startAt: z.unknown().optional(),
  endAt: z.unknown().optional(),
  jitter: duration.optional(),
});

/** The prop `recurring`. */
export const recurringProp = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object of recurring records by name',
);

/**
 * Adds the queue whose records are the schedules to the queues of a Backlog. Warns of definitions that may be mistakes.
 *
 * @param now epoch milliseconds
 * @throws ConfigurationError naming the recurring record and the option
 */
export function withRecurring(
  scope: Construct,
  queues: readonly Queue[],
  recurring: Readonly<Record<string, unknown>> | undefined,
  now = Date.now(),
): readonly Queue[] {
  if (!recurring) return queues;
  const names = queues.map(({ name }) => name);
  if (names.includes(RECURRING_QUEUE)) {
    throw new ConfigurationError(
      `queues.${RECURRING_QUEUE}: expected another name, as ${show(RECURRING_QUEUE)} has the schedules of the prop "recurring"`,
    );
  }
  const definitions = readDefinitions(recurring);
  for (const [name, definition] of Object.entries(definitions)) {
    warnOfQueue(scope, name, queueOf(definition), names);
    warnOfEnd(scope, name, definition, now);
  }
  return [...queues, recurringQueue(definitions)];
}

function readDefinitions(recurring: Readonly<Record<string, unknown>>): Definitions {
  refuseProtoName(recurring, PATH);
  const entries = Object.entries(recurring);
  if (entries.length > MAX_NAMES) {
    throw new ConfigurationError(
      `${PATH}: expected at most ${MAX_NAMES} recurring records, got ${entries.length}: an application can put any number with RecurringRecords`,
    );
  }
  const definitions = Object.fromEntries(
    entries.map(([name, input]) => {
      checkName(name, PATH);
      return [name, readDefinition(name, input)];
    }),
  );
  const bytes = Buffer.byteLength(JSON.stringify(definitions));
  if (bytes > MAX_BYTES) {
    throw new ConfigurationError(
      `${PATH}: expected at most ${MAX_BYTES} bytes in all, which the function reads when it starts, got ${bytes}: store large ` +
        'payloads in S3, and put their keys into the payloads',
    );
  }
  return definitions;
}

function readDefinition(name: string, input: unknown): Definition {
  const path = `${PATH}.${name}`;
  const { payload, jitter, schedule, timeZone, ...rest } = parseOptions(shape, input, path);
  const given = {
    ...rest,
    ...scheduleOf({ schedule, timeZone }, path),
    ...(jitter && { jitter: jitter.toSeconds() }),
  };
  refuseTokens(given, path);
  const definition = parseDefinition(
    { ...given, ...(payload !== undefined && { payload: jsonOf(payload, `${path}.payload`) }) },
    path,
  );
  checkSize(name, definition, path);
  return definition;
}

/** Refuses texts that are known at deployment only: what they are checked for here could not be checked. */
function refuseTokens(value: unknown, path: string): void {
  if (Token.isUnresolved(value)) {
    throw new ConfigurationError(
      `${path}: expected a text that is known at synthesis, got a token, which is known at deployment only: "payload" alone may have such`,
    );
  }
  if (!isPlain(value) && !Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) refuseTokens(inner, `${path}.${name}`);
}

/** The value as JSON has it, with tokens as texts. */
function jsonOf(value: unknown, path: string): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value) && !Token.isUnresolved(value))
    return value.map((one, i) => jsonOf(one, `${path}.${i}`));
  if (isPlain(value)) return Object.fromEntries(Object.entries(value).flatMap((one) => entryOf(one, path)));
  if (typeof value === 'object' && !Array.isArray(value) && Token.isUnresolved(value))
    return Token.asString(value);
  const got = Array.isArray(value) ? 'a list that is known at deployment only' : show(value);
  throw new ConfigurationError(
    `${path}: expected texts, finite numbers, true, false, null, lists and plain objects, as JSON has them, got ${got}`,
  );
}

function entryOf([name, value]: [string, unknown], path: string): [string, unknown][] {
  if (value === undefined) return [];
  if (Token.isUnresolved(name)) {
    throw new ConfigurationError(
      `${path}: expected names that are known at synthesis, got a token as a name`,
    );
  }
  if (name === '$join' && Array.isArray(value)) {
    throw new ConfigurationError(
      `${path}: expected no list of the name "$join", which files of settings have for texts known at deployment`,
    );
  }
  return [[name, jsonOf(value, `${path}.${name}`)]];
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** @throws ConfigurationError for a definition whose schedule, or whose records, DynamoDB would refuse */
function checkSize(name: string, definition: Definition, path: string): void {
  try {
    checkItem({ id: scheduleId(name), payload: { ...definition, template: FINGERPRINT } });
    checkItem(
      occurrenceItem({ name, definition, at: 0 }, { now: 0, random: Math.random, indexesAtOnce: true }),
    );
  } catch (error) {
    if (error instanceof InvalidRecordError)
      throw new ConfigurationError(`${path}.payload: ${error.message}`, { cause: error });
    throw error;
  }
}

function warnOfQueue(scope: Construct, name: string, queue: string, known: readonly string[]): void {
  if (known.includes(queue)) return;
  const meant = nearest(queue, known);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  Annotations.of(scope).addWarningV2(
    `dynamo-backlog:recurring-queue:${name}`,
    `recurring.${name}.queue: ${show(queue)} is no queue of this Backlog. Unless another stack on its tables has it, no run attempts the records.${hint}`,
  );
}

/** Warns of a definition that does nothing. It is no error: a deployment must not begin to fail as time passes. */
function warnOfEnd(scope: Construct, name: string, definition: Definition, now: number): void {
  if (occurrencesOf(definition, now).next(now) !== undefined) return;
  Annotations.of(scope).addWarningV2(
    `dynamo-backlog:recurring-end:${name}`,
    `recurring.${name}: ${definition.schedule} has no occurrence to come: remove it, or give it another "schedule" or "endAt"`,
  );
}

/** The queue of the schedules. */
function recurringQueue(definitions: Definitions): Queue {
  const { attemptTimeout } = QUEUE_DEFAULTS;
  const alarms = { ...readQueueAlarms(undefined, attemptTimeout, PATH), unknownTask: false };
  const own = ownAlarms(alarms, { enabled: true, hasOrder: false });
  const settings = { retryMode: 'perRecord', retry: SCHEDULE_RETRY, ...(own && { ownAlarms: own }) } as const;
  return {
    name: RECURRING_QUEUE,
    retryMode: 'perRecord',
    settings: parseQueues({ [RECURRING_QUEUE]: settings })[RECURRING_QUEUE] ?? settings,
    tiers: [],
    work: { type: 'recurring', definitions },
    weight: 1,
    enabled: true,
    attemptTimeout,
    metricsPerKey: false,
    alarms,
    firstAttempt: 'scheduled',
  };
}
