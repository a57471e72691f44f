import { age, type Duration, parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import { isMeant, type RecordFilter, type TestRecord } from './record.js';
import type { TestBacklog } from './test-backlog.js';
import { describeRecord } from './words.js';

/** The reason and the error that a dead record is to have. */
export interface DeadExpectation {
  /** The name of its last error, such as `HttpError`, or an expression that `NAME: MESSAGE` matches. */
  readonly error?: string | RegExp | undefined;
  /** The reason why it was given up, or an expression that the reason matches. */
  readonly reason?: string | RegExp | undefined;
}

/** The time until which a record is to wait. */
export interface WaitingExpectation {
  /** The time from now until its next attempt. */
  readonly for?: Duration | undefined;
  /** The time of its next attempt. */
  readonly until?: Date | string | undefined;
  /** The difference that is allowed, earlier or later. Default: a minute, or a tenth of `for`, if that is more. */
  readonly within?: Duration | undefined;
}

/** The record that there is to be: all that is given must hold. */
export interface RecordExpectation extends RecordFilter {
  /** The record's id. */
  readonly id?: string | undefined;
  /** The payload: of objects at least these properties, of anything else this value. */
  readonly payload?: unknown;
}

/** The result of a check, and its message if the opposite was expected. */
export interface Checked {
  readonly pass: boolean;
  /** @param isNot the opposite was expected */
  readonly message: (isNot: boolean) => string;
}

const TICK_SECONDS = 60;
const MAX_SHOWN = 10;

export function checkSucceeded(received: unknown): Checked {
  const record = asRecord(received, 'toHaveSucceeded');
  return checked(record.status === 'SUCCESS', 'to have succeeded', record);
}

export function checkDead(received: unknown, { error, reason }: DeadExpectation = {}): Checked {
  const record = asRecord(received, 'toBeDead');
  const { lastError, deadReason = '' } = record;
  const hasError =
    error === undefined ||
    (lastError !== undefined &&
      (typeof error === 'string'
        ? lastError.name === error
        : error.test(`${lastError.name}: ${lastError.message}`)));
  const hasReason =
    reason === undefined || (typeof reason === 'string' ? deadReason === reason : reason.test(deadReason));
  const details = [
    ...(error === undefined ? [] : [` with the error ${showPattern(error)}`]),
    ...(reason === undefined ? [] : [` for the reason ${showPattern(reason)}`]),
  ];
  return checked(record.status === 'DEAD' && hasError && hasReason, `to be dead${details.join('')}`, record);
}

export function checkWaiting(received: unknown, expected: WaitingExpectation = {}): Checked {
  const record = asRecord(received, 'toBeWaiting');
  const isWaiting = record.status === 'NEW' || record.status === 'ERROR';
  const until = untilOf(expected, record.readAt);
  if (until === undefined) return checked(isWaiting, 'to be waiting', record);
  const { at, withinMs, text } = until;
  const isThen =
    record.nextAttemptAt !== undefined && Math.abs(record.nextAttemptAt.getTime() - at) <= withinMs;
  return checked(isWaiting && isThen, `to be waiting ${text}, give or take ${age(withinMs)}`, record);
}

function untilOf({ for: wait, until, within }: WaitingExpectation, readAt: Date) {
  if (wait !== undefined && until !== undefined)
    throw new ConfigurationError('toBeWaiting: expected either "for" or "until", got both');
  if (wait === undefined && until === undefined) return undefined;
  const seconds = wait === undefined ? 0 : parseDuration(wait, 'toBeWaiting.for');
  const at = until === undefined ? readAt.getTime() + seconds * 1000 : new Date(until).getTime();
  if (Number.isNaN(at))
    throw new ConfigurationError(
      `toBeWaiting.until: expected a Date, or a time such as "2026-01-01T00:00:00Z", got ${show(until)}`,
    );
  const withinSeconds =
    within === undefined ? Math.max(TICK_SECONDS, seconds / 10) : parseDuration(within, 'toBeWaiting.within');
  const text = until === undefined ? `for ${age(seconds * 1000)}` : `until ${new Date(at).toISOString()}`;
  return { at, withinMs: withinSeconds * 1000, text };
}

export function checkInserted(
  received: unknown,
  { id, payload, ...filter }: RecordExpectation = {},
): Checked {
  const backlog = asBacklog(received);
  const records = backlog.records();
  const pass = records.some(
    (record) =>
      isMeant(record, filter) &&
      (id === undefined || record.id === id) &&
      (payload === undefined || holds(record.payload, payload)),
  );
  const { task, ...rest } = filter;
  const name = typeof task === 'object' ? task.name : task;
  const wanted = show(compact({ id, task: name, ...rest, payload }));
  const shown = records
    .slice(0, MAX_SHOWN)
    .map((record) => `  ${describeRecord(record)}, payload ${show(record.payload)}`);
  const more = records.length > MAX_SHOWN ? [`  and ${records.length - MAX_SHOWN} more`] : [];
  const found = records.length === 0 ? 'There is no record.' : ['The records:', ...shown, ...more].join('\n');
  return {
    pass,
    message: (isNot) => `expected ${isNot ? 'no' : 'a'} record ${wanted} in the backlog. ${found}`,
  };
}

function checked(pass: boolean, expectation: string, record: TestRecord): Checked {
  return {
    pass,
    message: (isNot) => {
      const errors = record.history.slice(-3).map(({ at, attempt, outcome = 'failed', name, message }) => {
        const said = [name, message].filter(Boolean).join(': ');
        return `  attempt ${attempt} at ${at} ${outcome}${said ? `: ${said}` : ''}`;
      });
      const history = errors.length === 0 ? '' : `\nits newest attempts:\n${errors.join('\n')}`;
      return `expected ${isNot ? 'it not' : 'it'} ${expectation}\nreceived ${describeRecord(record)}${history}`;
    },
  };
}

/** Tells whether a value has what is expected, of objects those properties. Asks asymmetric matchers of any runner. */
function holds(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected);
  if ('asymmetricMatch' in expected && typeof expected.asymmetricMatch === 'function')
    return expected.asymmetricMatch(actual) === true;
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((one, i) => holds(actual[i], one))
    );
  }
  return Object.entries(expected).every(([name, value]) =>
    holds((actual as Record<string, unknown>)[name], value),
  );
}

function asRecord(received: unknown, name: string): TestRecord {
  if (typeof received === 'object' && received !== null && 'readAt' in received && 'status' in received)
    return received as TestRecord;
  throw new ConfigurationError(
    `${name}: expected a record of a backlog under test, as backlog.record(id), got ${show(received)}`,
  );
}

function asBacklog(received: unknown): TestBacklog {
  if (typeof (received as TestBacklog | null)?.records === 'function') return received as TestBacklog;
  throw new ConfigurationError(
    `toHaveBeenInserted: expected what testBacklog has returned, got ${show(received)}`,
  );
}

function showPattern(pattern: string | RegExp): string {
  return typeof pattern === 'string' ? show(pattern) : String(pattern);
}

function compact(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
