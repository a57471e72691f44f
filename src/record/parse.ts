import { isLimitsOnly, parseLimits, type RetryPolicy, resolvePolicy } from '../policies/index.js';
import { isSortable, toIso } from '../support/clock.js';
import { truncate } from './history.js';
import { roomIn } from './item-size.js';
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
  type Status,
} from './record.js';
import { CLOCK_TOLERANCE_MS, parseTime } from './times.js';
import { isTraceparent } from './traceparent.js';

/** Contract attributes; all others are the producer's own. */
export const CONTRACT_ATTRIBUTES: ReadonlySet<string> = new Set([
  'id',
  'status',
  'payload',
  'queue',
  'task',
  'insertedAt',
  'availableAt',
  'lane',
  'dueAt',
  'exact',
  'rev',
  'attempts',
  'failures',
  'notReady',
  'firstFailureAt',
  'lastFailureAt',
  'lastAttemptAt',
  'lastError',
  'history',
  'notBefore',
  'hops',
  'unknownTaskSince',
  'retry',
  'traceparent',
  'deadReason',
  'expiresAt',
  'backlogFormat',
]);

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
  const time = (attribute: string): string | undefined => {
    const value = item[attribute];
    if (value === undefined || value === null) return undefined;
    return parseTime(value) ?? problem(attribute, 'an ISO-8601 time');
  };
  const count = (attribute: string): number => {
    const value = item[attribute];
    if (value === undefined || value === null) return 0;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    problem(attribute, 'a whole number');
    return 0;
  };
  const text = (attribute: string): string | undefined => {
    const value = item[attribute];
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : problem(attribute, 'a string');
  };
  const shortText = (attribute: string, maxBytes: number): string | undefined => {
    const value = text(attribute);
    if (value === undefined || Buffer.byteLength(value) <= maxBytes) return value;
    problem(attribute, `at most ${maxBytes} bytes`);
    return truncate(value, maxBytes);
  };

  const traceparent = (): string | undefined => {
    const { traceparent: value } = item;
    if (value === undefined || value === null) return undefined;
    return isTraceparent(value) ? value : problem('traceparent', 'a W3C traceparent');
  };

  const dueAt = time('dueAt');
  const rev = text('rev');
  const firstFailureAt = time('firstFailureAt');
  return {
    id: text('id') ?? '',
    status: parseStatus(item.status) ?? problem('status', STATUSES.join(', ')) ?? 'NEW',
    payload: item.payload,
    queue: parseQueue(item.queue) ?? problem('queue', QUEUE_NAME) ?? DEFAULT_QUEUE,
    // No handler knows a task with so long a name: cut short, the name ends in a mark that no task's name can have.
    task: shortText('task', MAX_TASK_BYTES),
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
    lastError: parseError(item.lastError, problem),
    history: parseHistory(item.history, problem),
    notBefore: parseNotBefore(item.notBefore, problem),
    ...(item.hops === undefined ? {} : { hops: count('hops') }),
    unknownTaskSince: time('unknownTaskSince'),
    ...parseRetry(item.retry, problems),
    traceparent: traceparent(),
    deadReason: shortText('deadReason', MAX_REASON_BYTES),
    ...(item.backlogFormat === undefined ? {} : { format: count('backlogFormat') || 1 }),
    expiresAt: parseExpiry(item.expiresAt, problem),
    attributes: ownAttributes(item),
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

function parseStatus(value: unknown): Status | undefined {
  return STATUSES.find((status) => status === value);
}

function parseQueue(value: unknown): string | undefined {
  if (value === undefined || value === null) return DEFAULT_QUEUE;
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

type Problem = (attribute: string, expected: string) => void;

function parseExpiry(value: unknown, problem: Problem): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && isSortable(value * 1000)) return value;
  problem('expiresAt', 'epoch seconds');
  return undefined;
}
