import {
  AS_READ,
  AsRead,
  type AttemptOutcome,
  type BacklogRecord,
  completionToken,
  outcomeOfReturn,
  outcomeOfThrow,
} from '../record/index.js';
import { ownCopy } from '../store/memory/freeze.js';
import { type Duration, parseDuration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { watchPrototypes } from '../support/prototypes.js';
import { show } from '../support/validation.js';
import { asStored, isTask, type Task } from '../tasks/index.js';
import { workOf } from '../tasks/work.js';
import type { Process } from '../worker/index.js';
import { changedRecord } from './changed-record.js';
import { HandlerFindingError } from './findings.js';
import { keepingLogger, type LogEntry } from './logs.js';
import { lostResult } from './lost-result.js';
import { pollutedPrototype } from './polluted-prototype.js';

/** The record and the attempt that `perform` makes. All optional. */
export interface PerformOptions {
  /** The record's id. Default: `test`. */
  readonly id?: string | undefined;
  /** The number of the attempt, from 1. Default: 1. */
  readonly attempt?: number | undefined;
  /** Other attributes of the record. Default: none. */
  readonly record?: Partial<BacklogRecord> | undefined;
  /** The signal of the attempt. Default: one that only `timeout` aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The real time after which the attempt's signal is aborted; not beside `signal`. Default: never. */
  readonly timeout?: Duration | undefined;
}

/** The result of one attempt. */
export interface PerformResult {
  /** The outcome. `failed`: the record is tried again, as its policy says. */
  readonly outcome: 'succeeded' | 'failed' | 'dead' | 'snoozed' | 'pending' | 'cancelled';
  /** The error that was thrown; of a typed outcome with a cause, the cause. */
  readonly error?: unknown;
  /** The result of `Done`, as its record keeps it. */
  readonly result?: unknown;
  /** The time at which `Done` has its record come again. */
  readonly again?: Date | undefined;
  /** The reason that `Dead`, `Cancel`, `Snooze` or `Pending` gives. */
  readonly reason?: string | undefined;
  /** The wait that `RetryAfter` or `Snooze` asks for, or the timeout of `Pending`, in seconds. */
  readonly waitSeconds?: number | undefined;
  /** The lines that it has logged. */
  readonly logs: readonly LogEntry[];
}

const OUTCOMES = {
  success: 'succeeded',
  failure: 'failed',
  dead: 'dead',
  snooze: 'snoozed',
  pending: 'pending',
  cancel: 'cancelled',
} as const;

/**
 * One attempt of a task, as a run makes it: the payload is checked by the task's schema, and `perform` gets its output.
 *
 * @throws ConfigurationError for what is neither a task nor a function; HandlerFindingError for one that changes the record that
 *   it got, or `Object.prototype`, or gives a result that is not kept
 */
export function perform<Input>(
  task: Task<Input, unknown, string>,
  payload: NoInfer<Input>,
  options?: PerformOptions,
): Promise<PerformResult>;
/** One attempt of a `process` function. */
export function perform(process: Process, payload: unknown, options?: PerformOptions): Promise<PerformResult>;
export async function perform(
  work: Task | Process,
  payload: unknown,
  options: PerformOptions = {},
): Promise<PerformResult> {
  const process = processOf(work);
  const { id = 'test', attempt = 1, timeout, signal = signalOf(timeout) } = options;
  const logs: LogEntry[] = [];
  const now = new Date().toISOString();
  const record: BacklogRecord = {
    id,
    status: attempt === 1 ? 'NEW' : 'ERROR',
    payload: asStored(payload),
    queue: isTask(work) ? work.queue : 'default',
    ...(isTask(work) ? { task: work.name } : {}),
    insertedAt: now,
    attempts: attempt - 1,
    failures: attempt - 1,
    history: [],
    attributes: {},
    problems: [],
    ...options.record,
  };
  const context = {
    signal,
    token: completionToken('test', { ...record, [AS_READ]: new AsRead(record) }),
    attempt,
    logger: keepingLogger(logs, undefined),
    traceparent: record.traceparent,
  };
  watchPrototypes();
  const given = ownCopy(record);
  const outcome = await (async () => process(record, context))().then(outcomeOfReturn, outcomeOfThrow);
  const findings = [
    changedRecord(given, record, attempt) ?? [],
    pollutedPrototype(given, attempt) ?? [],
    lostResult(given, attempt, outcome) ?? [],
  ].flat();
  if (findings.length > 0) throw new HandlerFindingError(findings);
  return { ...resultOf(outcome), logs };
}

function resultOf(outcome: AttemptOutcome): Omit<PerformResult, 'logs'> {
  const wait =
    'seconds' in outcome
      ? outcome.seconds
      : 'retryAfterSeconds' in outcome
        ? outcome.retryAfterSeconds
        : undefined;
  const error = 'thrown' in outcome ? outcome.thrown : 'error' in outcome ? outcome.error : undefined;
  return {
    outcome: OUTCOMES[outcome.type],
    ...('result' in outcome && outcome.result !== undefined ? { result: JSON.parse(outcome.result) } : {}),
    ...('again' in outcome && outcome.again !== undefined ? { again: new Date(outcome.again) } : {}),
    ...(error === undefined ? {} : { error }),
    ...('reason' in outcome && outcome.reason !== undefined ? { reason: outcome.reason } : {}),
    ...(wait === undefined ? {} : { waitSeconds: wait }),
  };
}

function processOf(work: unknown): Process {
  if (isTask(work)) return workOf([work], undefined, 'perform').process;
  if (typeof work === 'function') return work as Process;
  throw new ConfigurationError(
    `perform: expected a task that defineTask has made, or a function, got ${show(work)}`,
  );
}

function signalOf(timeout: Duration | undefined): AbortSignal {
  if (timeout === undefined) return new AbortController().signal;
  return AbortSignal.timeout(parseDuration(timeout, 'perform.timeout', { above: 0 }) * 1000);
}
