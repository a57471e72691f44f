import { isLimitsOnly, parseLimits, type RetryPolicy, resolvePolicy } from '../policies/index.js';
import { CLOCK_TOLERANCE_MS, isSortable, parseIso, toIso } from '../support/clock.js';
import { CONTRACT_ATTRIBUTES } from './contract-attributes.js';
import { truncate } from './history.js';
import { roomIn } from './item-size.js';
import { keyOf } from './key.js';
import { parseNotBefore } from './not-before.js';
import { parseError, parseHistory } from './parse-history.js';
import {
  AS_READ,
  type AsRead,
  type BacklogRecord,
  DEFAULT_QUEUE,
  type Item,
  QUEUE_NAME,
  QUEUE_PATTERN,
  STATUSES,
} from './record.js';
import { parseResult } from './result.js';
import { isTraceparent } from './traceparent.js';

/** The longest name of a task that is kept. */
const MAX_TASK_BYTES = 128;
/** The longest `deadReason` that is read. The library itself writes half of it. */
const MAX_REASON_BYTES = 400;
const MAX_PROBLEM_BYTES = 300;

/**
 * Reads an item leniently: an attribute that is absent or invalid gets its default and is named in `problems`, so that a
 * service that forgets or mistypes an attribute never loses a record.
 *
 * @param now epoch milliseconds; stands in for an insertion time that cannot be read
 * @param asRead of the store that is to write the record
 */
export function parseRecord(item: Item, now: number, asRead?: AsRead): BacklogRecord {
  const problems: string[] = [];
  const problem = (attribute: string, expected: string) => {
    problems.push(`${attribute}: expected ${expected}, got ${typeof item[attribute]}`);
    return undefined;
  };
  /** Reads an attribute. Undefined: it is absent, or invalid and named. */
  const read = <Value>(
    attribute: string,
    expected: string,
    parse: (value: unknown) => Value | undefined,
  ): Value | undefined => {
    const value = item[attribute];
    if (value === undefined || value === null) return undefined;
    return parse(value) ?? problem(attribute, expected);
  };
  const time = (attribute: string) => read(attribute, 'an ISO-8601 time', parseIso);
  const count = (attribute: string) => read(attribute, 'a whole number', parseCount) ?? 0;
  const text = (attribute: string) => read(attribute, 'a string', parseText);
  const shortText = (attribute: string, maxBytes: number): string | undefined => {
    const value = text(attribute);
    if (value === undefined || Buffer.byteLength(value) <= maxBytes) return value;
    problem(attribute, `at most ${maxBytes} bytes`);
    return truncate(value, maxBytes);
  };

  const status =
    STATUSES.find((status) => status === item.status) ?? problem('status', STATUSES.join(', ')) ?? 'NEW';
  // One that waits again, or has died since, has no result: this one is of an earlier success.
  const resultOf = () =>
    status === 'SUCCESS'
      ? read('result', 'JSON of at most 1,024 bytes', parseResult)
      : { hasOldResult: true as const };

  const key = typeof item.key === 'string' ? keyOf(item.key) : {};
  const isOwnKey = item.key !== undefined && key.key === undefined;
  const seq = Number.isSafeInteger(item.seq) && Number(item.seq) > 0 ? Number(item.seq) : undefined;
  const dueAt = time('dueAt');
  const rev = text('rev');
  const firstFailureAt = time('firstFailureAt');
  return {
    id: text('id') ?? '',
    status,
    payload: item.payload,
    queue: read('queue', QUEUE_NAME, parseQueue) ?? DEFAULT_QUEUE,
    // No handler knows a task with so long a name: cut short, the name ends in a mark that no task's name can have.
    task: shortText('task', MAX_TASK_BYTES),
    ...key,
    seq,
    insertedAt:
      insertionTime(time('insertedAt'), now, problems) ??
      // A failure moves the due time: a record that has failed is older than that, or it would never be too old.
      earlier(dueAt, firstFailureAt) ??
      toIso(now),
    availableAt: time('availableAt'),
    lane: text('lane'),
    dueAt,
    ...(item.exact === undefined ? {} : { exact: true as const }),
    rev,
    attempts: count('attempts'),
    failures: count('failures'),
    ...(item.notReady === undefined ? {} : { notReady: count('notReady') }),
    firstFailureAt,
    lastFailureAt: time('lastFailureAt'),
    lastAttemptAt: time('lastAttemptAt'),
    lastError: read('lastError', 'a map', (value) => parseError(value, problem)),
    history: read('history', 'a list of maps', (value) => parseHistory(value, problem)) ?? [],
    notBefore: read('notBefore', 'an ISO-8601 time, or a map of a time and a lane', parseNotBefore),
    ...(item.completion === undefined ? {} : { completion: item.completion }),
    ...(item.hops === undefined ? {} : { hops: count('hops') }),
    unknownTaskSince: time('unknownTaskSince'),
    ...parseRetry(item.retry, problems),
    traceparent: read('traceparent', 'a W3C traceparent', (value) =>
      isTraceparent(value) ? value : undefined,
    ),
    deadReason: shortText('deadReason', MAX_REASON_BYTES),
    ...(item.result === undefined ? {} : resultOf()),
    ...(item.backlogFormat === undefined ? {} : { format: count('backlogFormat') || 1 }),
    expiresAt: read('expiresAt', 'epoch seconds', parseExpiry),
    // A `key` or `seq` that is none is the producer's own.
    attributes: {
      ...ownAttributes(item),
      ...(isOwnKey ? { key: item.key } : {}),
      ...(item.seq === seq ? {} : { seq: item.seq }),
    },
    ...roomIn(item),
    problems,
    ...(asRead === undefined ? {} : { [AS_READ]: asRead }),
  };
}

/** The attributes that are not of the contract. */
function ownAttributes(item: Item): Record<string, unknown> {
  const names = Object.keys(item).filter((name) => !CONTRACT_ATTRIBUTES.has(name));
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

function parseCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function parseText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function parseQueue(value: unknown): string | undefined {
  return typeof value === 'string' && QUEUE_PATTERN.test(value) ? value : undefined;
}

function insertionTime(value: string | undefined, now: number, problems: string[]): string | undefined {
  if (value === undefined || Date.parse(value) <= now + CLOCK_TOLERANCE_MS) return value;
  problems.push('insertedAt: more than 5 minutes ahead');
  return undefined;
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

function parseRetry(value: unknown, problems: string[]): Pick<BacklogRecord, 'retry' | 'limits'> {
  if (value === undefined || value === null) return {};
  try {
    if (isLimitsOnly(value)) return { limits: parseLimits(value) };
    resolvePolicy(value);
    return { retry: value as RetryPolicy };
  } catch (error) {
    problems.push(truncate((error as Error).message, MAX_PROBLEM_BYTES));
    return { retry: undefined };
  }
}

function parseExpiry(value: unknown): number | undefined {
  return typeof value === 'number' && isSortable(value * 1000) ? value : undefined;
}
