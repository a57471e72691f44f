import {
  isLimitsOnly,
  parseLimits,
  type RetryLimits,
  type RetryPolicy,
  resolvePolicy,
} from '../policies/index.js';
import {
  CONTRACT_ATTRIBUTES,
  DEFAULT_QUEUE,
  deadLane,
  type Item,
  isKey,
  isTraceparent,
  KEY_FORM,
  laneOf,
  QUEUE_NAME,
  QUEUE_PATTERN,
  TRACEPARENT_FORM,
} from '../record/index.js';
import { isSeq, SEQ_FORM } from '../record/seq.js';
import { hopsOfAttempt } from '../support/attempt-scope.js';
import { CLOCK_TOLERANCE_MS, toIso } from '../support/clock.js';
import { ConfigurationError, InvalidRecordError } from '../support/errors.js';
import { type Random, randomToken } from '../support/random.js';
import { show } from '../support/validation.js';
import { parseTime } from './delay.js';

/** A record as a producer gives it. Only `payload` is required. */
export interface NewRecord<Payload = unknown> {
  /** Unique, at most 2,048 bytes in UTF-8; also the idempotency key of the attempts. Default: a random UUID. */
  readonly id?: string | undefined;
  /**
   * The work: anything that JSON can hold, and sets, bytes and bigints. Keep it small: every write is billed by size.
   */
  readonly payload: Payload;
  /** The queue: letters, digits, "_", "." and "-", at most 128. Default: `default`. */
  readonly queue?: string | undefined;
  /** The name of the task whose work it is, for a handler with `tasks`. */
  readonly task?: string | undefined;
  /** The customer or tenant whose work it is: text of 1 to 256 bytes. Default: none. */
  readonly key?: string | undefined;
  /**
   * Its number among the records of its `key`, in a queue with `order`: from 1, without gaps. `RecordLines` gives numbers by itself.
   * Default: none.
   */
  readonly seq?: number | undefined;
  /**
   * The time at which the work arose, if that was earlier: its age counts from here. A `Date`, or ISO-8601 with its zone; at
   * most 5 minutes ahead. Default: now.
   */
  readonly insertedAt?: Date | string | undefined;
  /** The time before which it is not attempted; its age counts from here. In place of a delay in the options. Default: none. */
  readonly availableAt?: Date | string | undefined;
  /** A policy, which comes before the queue's own; or limits alone, `{ maxAttempts: 3 }`, which hold under that one. */
  readonly retry?: RetryPolicy | RetryLimits | undefined;
  /** The trace that it belongs to: a header `traceparent` of W3C Trace Context. Default: none. */
  readonly traceparent?: string | undefined;
  /** Attributes of your own, stored beside the payload. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

export interface ItemContext {
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
  readonly availableAt: number | undefined;
  readonly random: Random;
  /** Limit of the hops, above which a record is dead from the start. Default: 16. */
  readonly maxHops?: number | undefined;
  /** Tells whether records of a queue are indexed with their insertion. */
  readonly indexesAtOnce: (queue: string) => boolean;
}

export const DEFAULT_MAX_HOPS = 16;
/** A record that waits for so long cannot fill a queue: to insert the next one of a series so is no loop. */
const AGAIN_AFTER_MS = 60_000;

const NAMES = new Set([
  'id',
  'payload',
  'queue',
  'task',
  'key',
  'seq',
  'insertedAt',
  'availableAt',
  'retry',
  'traceparent',
  'attributes',
]);

/**
 * The item of a new record. One that is delayed is indexed at once: no run is to attempt it on insertion.
 *
 * @throws InvalidRecordError naming the record, the attribute and the reason
 */
export function itemOf(record: NewRecord, context: ItemContext): Item & { id: string } {
  const { now, random, indexesAtOnce, maxHops = DEFAULT_MAX_HOPS } = context;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new InvalidRecordError(`record: expected { payload, ... }, got ${show(record)}`);
  }
  const { id = randomUuid(random), payload, queue = DEFAULT_QUEUE, task, key, retry } = record;
  const { seq, traceparent, attributes = {} } = record;
  const fail = (reason: string): never => {
    throw new InvalidRecordError(`record ${show(id)}: ${reason}`);
  };
  for (const name of Object.keys(record)) {
    if (!NAMES.has(name)) fail(`unknown attribute "${name}"; those of your own belong below "attributes"`);
  }
  if (typeof id !== 'string') fail('id: expected a string');
  if (payload === undefined) fail('payload: expected a value, got nothing');
  if (typeof queue !== 'string' || !QUEUE_PATTERN.test(queue)) {
    fail(`queue: expected ${QUEUE_NAME}, got ${show(queue)}`);
  }
  if (task !== undefined && (typeof task !== 'string' || task === '')) {
    fail(`task: expected the name of a task, got ${show(task)}`);
  }
  if (key !== undefined && !isKey(key)) fail(`key: expected ${KEY_FORM}, got ${show(key)}`);
  if (seq !== undefined && (!isSeq(seq) || key === undefined)) {
    fail(
      `seq: expected ${SEQ_FORM}, beside a "key", got ${show(seq)}${key === undefined ? ' without a key' : ''}`,
    );
  }
  if (retry !== undefined)
    orFail(() => (isLimitsOnly(retry) ? parseLimits(retry) : resolvePolicy(retry)), fail);
  if (traceparent !== undefined && !isTraceparent(traceparent)) {
    fail(`traceparent: expected ${TRACEPARENT_FORM}, got ${show(traceparent)}`);
  }
  checkAttributes(attributes, fail);
  const born =
    record.insertedAt === undefined ? now : orFail(() => parseTime(record.insertedAt, 'insertedAt'), fail);
  if (born > now + CLOCK_TOLERANCE_MS) fail(`insertedAt: expected a time that has come, got ${toIso(born)}`);
  const insertedAt = toIso(born);
  const availableAt =
    record.availableAt === undefined
      ? context.availableAt
      : orFail(() => parseTime(record.availableAt, 'availableAt'), fail);
  const available = availableAt === undefined ? undefined : toIso(availableAt);
  // One that may have to wait for its turn is indexed when that comes.
  const isIndexed =
    seq === undefined && (indexesAtOnce(queue) || (availableAt !== undefined && availableAt > now));
  return {
    ...attributes,
    id,
    status: 'NEW',
    payload,
    queue,
    ...(task === undefined ? {} : { task }),
    ...(key === undefined ? {} : { key }),
    ...(seq === undefined ? {} : { seq }),
    insertedAt,
    ...(available === undefined ? {} : { availableAt: available }),
    ...(isIndexed ? { lane: laneOf(queue), dueAt: available ?? insertedAt } : {}),
    rev: randomToken(random),
    ...(retry === undefined ? {} : { retry }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...hopsFor(queue, availableAt, now, maxHops),
  };
}

function orFail<T>(parse: () => T, fail: (reason: string) => never): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ConfigurationError) fail(error.message);
    throw error;
  }
}

function checkAttributes(attributes: unknown, fail: (reason: string) => never): void {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) {
    fail(`attributes: expected an object, got ${show(attributes)}`);
  }
  for (const name of Object.keys(attributes as object)) {
    if (CONTRACT_ATTRIBUTES.has(name)) fail(`attributes.${name}: the name belongs to the library`);
  }
}

/** A UUID of version 4 from the randomness that was handed in. */
function randomUuid(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
    const digit = Math.floor(random() * 16);
    return (place === 'x' ? digit : (digit & 0x3) | 0x8).toString(16);
  });
}

/**
 * The attributes of a record that a handler inserts: the number of records that came one out of the other before it. A
 * handler that inserts into its own queue would never end, and no service notices that. The record above the limit is dead
 * from the start: it is in the table with its payload, and a redrive starts the count again.
 *
 * @param availableAt when it may be attempted first, epoch milliseconds; undefined: at once
 */
function hopsFor(queue: string, availableAt: number | undefined, now: number, maxHops: number) {
  const before = hopsOfAttempt();
  if (before === undefined || (availableAt !== undefined && availableAt - now >= AGAIN_AFTER_MS)) return {};
  const hops = before + 1;
  if (hops <= maxHops) return { hops };
  const deadReason = `${maxHops} hops: it was inserted by an attempt of a record that ${maxHops} others came before`;
  return { status: 'DEAD', lane: deadLane(laneOf(queue)), dueAt: toIso(now), deadReason };
}
