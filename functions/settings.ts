import * as z from 'zod/mini';
import { type OrderOptions, orderOptions } from '../src/lines/order-options.js';
import { type RetryPolicy, resolvePolicy } from '../src/policies/index.js';
import { QUEUE_NAME, QUEUE_PATTERN, type RetryMode } from '../src/record/index.js';
import type { ClockSetting } from '../src/support/clock.js';
import { ConfigurationError } from '../src/support/errors.js';
import { refuseProtoName } from '../src/support/own-names.js';
import { parseJson, readJson } from '../src/support/settings-file.js';
import { parseOptions, show } from '../src/support/validation.js';
import {
  decisionOptions,
  type HistoryOptions,
  historyShape,
  type LaneOptions,
  laneOptions,
  type QueueOptions,
  queueOptions,
} from '../src/worker/index.js';
import { type DeliverySettings, parseDelivery } from './delivery-settings.js';
import { METRICS_LEVELS, type MetricsLevel } from './metrics-level.js';

/** One queue, as `BACKLOG_QUEUES`, or the file of `BACKLOG_QUEUES_FILE`, describes it to the handlers. */
export interface QueueSettings extends QueueOptions, LaneOptions, OrderOptions {
  readonly retryMode: RetryMode;
  /** The retry policy. Default: fibonacci, or progressive on a progressive queue. */
  readonly retry?: RetryPolicy | undefined;
  /** Names of errors that no retry helps against: dead at once. */
  readonly deadOn?: readonly string[] | undefined;
  /** The history that a record keeps of its attempts. Default: 512 bytes, 20 entries, no stacks. */
  readonly history?: Omit<HistoryOptions, 'redact'> | undefined;
  /** The destination of the built-in handlers, and how they deliver. */
  readonly deliverTo?: string | DeliverySettings | undefined;
  /**
   * The intake of the backlog whose tables these are may have its function attempt records on insertion, as the registry
   * of owners says. Default: false.
   */
  readonly onArrival?: boolean | undefined;
  /** Seconds between two firings of the rule of a queue with a due time per record. Default: 60. */
  readonly tickSeconds?: number | undefined;
  /** The queue has no function: processes attempt its records. Default: false. */
  readonly external?: boolean | undefined;
  /** `lag`, `dead`, `failures`: alarms of the whole backlog that it does not count for. It has its own, or none. */
  readonly ownAlarms?: readonly string[] | undefined;
}

export type QueuesSettings = Readonly<Record<string, QueueSettings>>;

/** The settings that a handler reads from its environment. */
export interface Settings {
  readonly tables: { readonly records: string; readonly control: string };
  readonly functionTimeoutSeconds: number;
  readonly queues: QueuesSettings;
  readonly metrics: MetricsLevel;
  /** There are alarms of all queues, whose metrics have the table alone as dimension. */
  readonly tableAlarms?: boolean | undefined;
  /** The owner of the queues in the registry of owners. Undefined: they are not registered, and no run looks there. */
  readonly owner?: string | undefined;
  /** The function serves a queue only once an operator has handed it over. */
  readonly isStandby?: boolean | undefined;
  /** The region that the function is in. Lambda sets it. */
  readonly region?: string | undefined;
  /** The region that is active until an operator makes another one so. Undefined: as the registry of owners says. */
  readonly primaryRegion?: string | undefined;
  /** Each outcome is written by a request of its own. Default: those that come at the same time by one. */
  readonly writesSingly?: boolean | undefined;
  /** Failed attempts have a line with the places of their stack. The local runtime sets it. */
  readonly logsStacks?: boolean | undefined;
  /** The lines of failed attempts have the texts of errors, as records keep them. The local runtime sets it. */
  readonly logsErrorTexts?: boolean | undefined;
  /** A debugger may stop the process at any time: attempts have no time limit. The local runtime sets it. */
  readonly isDebugged?: boolean | undefined;
  /** The local runtime's faster clock. */
  readonly clock?: ClockSetting | undefined;
}

const queueSchema = z.strictObject({
  retryMode: z.enum(['perRecord', 'progressive']),
  retry: z.optional(z.unknown()),
  deliverTo: z.optional(z.unknown()),
  ...laneOptions,
  ...orderOptions,
  onArrival: z.optional(z.boolean()),
  tickSeconds: z.optional(z.int().check(z.minimum(60))),
  ...decisionOptions,
  history: z.optional(z.strictObject(historyShape)),
  ...queueOptions,
  external: z.optional(z.boolean()),
  ownAlarms: z.optional(z.array(z.string())),
});

const queuesSchema = z.record(z.string(), queueSchema);

/**
 * Checks the queues as a handler will read them. The CDK app calls it at synthesis.
 *
 * @param name where they come from, for the error
 * @throws ConfigurationError with the path of what is wrong
 */
export function parseQueues(input: unknown, name = 'BACKLOG_QUEUES'): QueuesSettings {
  refuseProtoName(input, name);
  const queues = parseOptions(queuesSchema, input, name);
  if (Object.keys(queues).length === 0) {
    throw new ConfigurationError(`${name}: expected at least one queue, got {}`);
  }
  return Object.fromEntries(
    Object.entries(queues).map(([queue, settings]) => [
      queue,
      checkQueue(queue, settings, `${name}.${queue}`),
    ]),
  );
}

function checkQueue(name: string, queue: z.output<typeof queueSchema>, path: string): QueueSettings {
  if (!QUEUE_PATTERN.test(name)) {
    throw new ConfigurationError(`${path}: expected the name of a queue: ${QUEUE_NAME}, got ${show(name)}`);
  }
  const { retry, deliverTo, ...rest } = queue;
  if (retry !== undefined) checkPolicy(retry, queue.retryMode, `${path}.retry`);
  checkRetryQueue(queue.retryQueue, name, `${path}.retryQueue`);
  const delivery = () => parseDelivery(deliverTo, `${path}.deliverTo`, rest.attemptTimeout);
  return {
    ...rest,
    ...(retry === undefined ? {} : { retry: retry as RetryPolicy }),
    ...(deliverTo === undefined ? {} : { deliverTo: delivery() }),
  };
}

/** @throws ConfigurationError for the queue itself: a record that fails stays there anyway */
export function checkRetryQueue(retryQueue: string | undefined, queue: string, name: string): void {
  if (retryQueue !== queue) return;
  throw new ConfigurationError(`${name}: expected another queue than the record's own, got ${show(queue)}`);
}

/**
 * Refuses other policies on a progressive queue: its rules keep its schedule, so another policy could not have its way
 * there.
 */
export function checkPolicy(retry: unknown, retryMode: RetryMode, name: string): void {
  const { type } = resolvePolicy(retry, name);
  if (retryMode === 'progressive' && type !== 'progressive') {
    throw new ConfigurationError(
      `${name}.type: expected "progressive", as the queue is progressive, got ${show(type)}`,
    );
  }
}

const expectedSeconds = 'expected seconds from 1 to 900';
const tableName = z.string().check(z.minLength(1));
const environmentSchema = z.object({
  BACKLOG_TABLE: tableName,
  BACKLOG_CONTROL_TABLE: tableName,
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: z.pipe(
    z.string().check(z.regex(/^\d{1,3}$/, expectedSeconds)),
    z.transform(Number).check(z.refine((seconds) => seconds >= 1 && seconds <= 900, expectedSeconds)),
  ),
  BACKLOG_METRICS: z._default(z.enum(METRICS_LEVELS), 'full'),
  BACKLOG_TABLE_ALARMS: z.optional(z.string()),
  BACKLOG_OWNER: z.optional(tableName),
  BACKLOG_STANDBY: z.optional(z.string()),
  BACKLOG_GROUP_WRITES: z.optional(z.enum(['true', 'false'])),
  BACKLOG_PRIMARY_REGION: z.optional(tableName),
  AWS_REGION: z.optional(z.string()),
  BACKLOG_CLOCK: z.optional(z.string()),
  BACKLOG_LOG_STACKS: z.optional(z.string()),
  BACKLOG_LOG_ERROR_TEXTS: z.optional(z.string()),
  BACKLOG_DEBUGGED: z.optional(z.string()),
});

const clockSchema = z.strictObject({
  wallStart: z.number(),
  start: z.number(),
  speed: z.number().check(z.positive()),
  paused: z.optional(z.boolean()),
});

/** @throws ConfigurationError naming the variable and the path in it */
export function readClock(text: string): ClockSetting {
  return parseOptions(clockSchema, parseJson(text, 'BACKLOG_CLOCK'), 'BACKLOG_CLOCK');
}

/**
 * The clock of the local runtime; refused in Lambda. Another clock would give records due times of another year, which
 * stay in the table.
 */
export function localClock(text: string, env: Readonly<Record<string, string | undefined>>): ClockSetting {
  if (env.AWS_LAMBDA_RUNTIME_API === undefined) return readClock(text);
  throw new ConfigurationError('BACKLOG_CLOCK: expected nothing in Lambda: only the local runtime sets it');
}

/**
 * Reads a handler's settings from its environment variables, and from the file that one of them may name.
 *
 * @throws ConfigurationError naming the variable and the path in it
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const variables = parseOptions(environmentSchema, env, '');
  return {
    tables: { records: variables.BACKLOG_TABLE, control: variables.BACKLOG_CONTROL_TABLE },
    functionTimeoutSeconds: variables.BACKLOG_FUNCTION_TIMEOUT_SECONDS,
    queues: parseQueues(readJson(env, 'BACKLOG_QUEUES')),
    metrics: variables.BACKLOG_METRICS,
    tableAlarms: variables.BACKLOG_TABLE_ALARMS === 'true',
    owner: variables.BACKLOG_OWNER,
    writesSingly: variables.BACKLOG_GROUP_WRITES === 'false',
    isStandby: variables.BACKLOG_STANDBY === 'true',
    region: variables.AWS_REGION,
    primaryRegion: variables.BACKLOG_PRIMARY_REGION,
    logsStacks: variables.BACKLOG_LOG_STACKS === 'true',
    logsErrorTexts: variables.BACKLOG_LOG_ERROR_TEXTS === 'true',
    isDebugged: variables.BACKLOG_DEBUGGED === 'true' && env.AWS_LAMBDA_RUNTIME_API === undefined,
    ...(variables.BACKLOG_CLOCK === undefined ? {} : { clock: localClock(variables.BACKLOG_CLOCK, env) }),
  };
}
