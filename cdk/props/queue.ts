import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod';
import { parseQueues, type QueueSettings } from '../../functions/settings.js';
import { checkOrder, orderOptions } from '../../src/lines/order-options.js';
import { DEFAULT_TIERS, type RetryPolicy, type Tier, tiersSchema } from '../../src/policies/index.js';
import { QUEUE_NAME, QUEUE_PATTERN, type RetryMode } from '../../src/record/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { nearest } from '../../src/support/nearest.js';
import { refuseProtoName } from '../../src/support/own-names.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { checkLanes } from '../../src/worker/check-lanes.js';
import { laneOptions, QUEUE_DEFAULTS, queueOptions, TIMES } from '../../src/worker/index.js';
import { duration, lambdaFunction } from '../support/values.js';
import { ownAlarms, type QueueAlarmSettings, readQueueAlarms } from './alarm-settings.js';
import { checkWithToken, readDelivery } from './delivery.js';
import { checkExternal, EXTERNAL, lagBeside } from './external.js';
import { type EntrySettings, entryShape, readEntrySettings } from './function-shape.js';
import type { FirstAttempt, QueueProps } from './queue-props.js';
import type { Definitions } from './recurring-schedule.js';
import type { UsedSecret } from './secrets.js';

/** The code that attempts a queue's records. */
export type Work =
  | { readonly type: 'delivery'; readonly secrets: readonly UsedSecret[] }
  | {
      readonly type: 'entry';
      readonly entry: string;
      readonly environment: Readonly<Record<string, string>>;
      readonly settings: EntrySettings;
    }
  | { readonly type: 'own'; readonly handler: IFunction }
  /** One of the `workers`, by its name. */
  | { readonly type: 'worker'; readonly worker: string }
  /** A process that is not of this app, such as `backlog work` in a container: no function. */
  | { readonly type: 'external' }
  /** The schedules of recurring records, which the prop `recurring` adds. */
  | { readonly type: 'recurring'; readonly definitions: Definitions };

/** A queue's props, checked and with their defaults filled in. */
export interface Queue {
  readonly name: string;
  readonly retryMode: RetryMode;
  /** The settings that the function will read from `BACKLOG_QUEUES`. */
  readonly settings: QueueSettings;
  /** The tiers of a progressive queue; empty otherwise. */
  readonly tiers: readonly Tier<number>[];
  readonly work: Work;
  /** The queue's share beside the other queues of its worker. */
  readonly weight: number;
  readonly enabled: boolean;
  readonly attemptTimeout: number;
  /** Its worst keys have metrics of their own. */
  readonly metricsPerKey: boolean;
  readonly alarms: QueueAlarmSettings;
  /** The first attempt as the props say; undefined takes what fits. */
  readonly firstAttempt: FirstAttempt | undefined;
}

const progressiveShape = z.strictObject({
  tiers: z.array(z.strictObject({ every: duration, untilAge: duration })).optional(),
  maxAttempts: z.int().min(1).optional(),
});

const OPTIONS = { ...queueOptions, ...laneOptions, ...orderOptions };
type OptionName = keyof typeof OPTIONS;
const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** The props of a queue. `parseQueues` checks the unknown ones, as it does in the function. */
const queueShape = z.strictObject({
  retry: z.unknown().optional(),
  deadOn: z.unknown().optional(),
  history: z.unknown().optional(),
  progressive: z.unknown().optional(),
  deliverTo: z.unknown().optional(),
  entry: z.string().min(1).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ...entryShape,
  handler: lambdaFunction.optional(),
  worker: z.string().min(1).optional(),
  weight: z.number().positive().max(1_000_000).optional(),
  enabled: z.boolean().default(true),
  ...eachOf(OPTION_NAMES, z.unknown().optional()),
  ...eachOf(TIMES, duration.optional()),
  retention: z.union([duration, z.literal('forever')], 'expected a Duration or "forever"').optional(),
  skipGapAfter: z.union([duration, z.literal('never')], 'expected a Duration or "never"').optional(),
  metricsPerKey: z.boolean({ error: 'expected true or false' }).default(false),
  alarms: z.unknown().optional(),
  firstAttempt: z.enum(['onInsert', 'scheduled']).optional(),
});

const DEFAULT_RETRY: RetryPolicy = { type: 'fibonacci' };

/**
 * Checks the queues' props as a whole.
 *
 * @throws ConfigurationError naming the queue and the option
 */
export function readQueues(queues: Readonly<Record<string, QueueProps>>): Queue[] {
  refuseProtoName(queues, 'queues');
  const names = Object.keys(queues);
  if (names.length === 0) throw new ConfigurationError('queues: expected at least one queue, got {}');
  return names.map((name) => readQueue(name, queues[name])).map((queue) => checkRetryQueue(queue, names));
}

/**
 * Refuses a `retryQueue` outside of this Backlog: a record that moved into a queue which no function serves would wait
 * there unseen.
 */
function checkRetryQueue(queue: Queue, names: readonly string[]): Queue {
  const { retryQueue } = queue.settings;
  if (retryQueue === undefined || names.includes(retryQueue)) return queue;
  const known = names.map(show).join(', ');
  const meant = nearest(retryQueue, names);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  throw new ConfigurationError(
    `queues.${queue.name}.retryQueue: expected a queue of this Backlog (${known}), got ${show(retryQueue)}${hint}`,
  );
}

function readQueue(name: string, input: unknown): Queue {
  if (!QUEUE_PATTERN.test(name)) {
    throw new ConfigurationError(`queues: expected names of ${QUEUE_NAME}, got ${show(name)}`);
  }
  const path = `queues.${name}`;
  const props = parseOptions(queueShape, input, path);
  const delivery = readDelivery(props.deliverTo, `${path}.deliverTo`);
  const work = workOf(props, path, delivery.secrets);
  const retryMode = retryModeOf(props, path);
  const progressive = retryMode === 'progressive' ? readProgressive(props.progressive, path) : undefined;
  const attemptTimeout = props.attemptTimeout?.toSeconds() ?? QUEUE_DEFAULTS.attemptTimeout;
  const alarms = readQueueAlarms(props.alarms, lagBeside(work, attemptTimeout), `${path}.alarms`);
  const settings = compact({
    retryMode,
    retry: progressive ? progressive.policy : (props.retry ?? DEFAULT_RETRY),
    deadOn: props.deadOn,
    history: props.history,
    deliverTo: delivery.settings,
    ...optionsOf(props),
    external: work.type === 'external' ? true : undefined,
    ownAlarms: ownAlarms(alarms, { enabled: props.enabled, hasOrder: props.order !== undefined }),
  });
  return {
    name,
    retryMode,
    settings: checkSettings(name, settings),
    tiers: progressive?.tiers ?? [],
    work,
    weight: props.weight ?? 1,
    enabled: props.enabled,
    attemptTimeout,
    metricsPerKey: props.metricsPerKey,
    alarms,
    firstAttempt: work.type === 'external' ? 'scheduled' : firstAttemptOf(props, path),
  };
}

type ParsedProps = z.output<typeof queueShape>;

/** The options that the function reads, with lengths in seconds. */
function optionsOf(props: ParsedProps): Pick<QueueSettings, OptionName> {
  // `parseQueues` checks them.
  return Object.fromEntries(OPTION_NAMES.map((name) => [name, inSeconds(props[name])]));
}

function inSeconds(value: unknown): unknown {
  return isDuration(value) ? value.toSeconds() : value;
}

function isDuration(value: unknown): value is Duration {
  return duration.safeParse(value).success;
}

function eachOf<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

function firstAttemptOf({ firstAttempt, enabled }: ParsedProps, path: string) {
  if (firstAttempt === 'onInsert' && !enabled) {
    throw new ConfigurationError(
      `${path}.firstAttempt: expected "scheduled" or nothing, as the queue is not enabled, got "onInsert"`,
    );
  }
  return enabled ? firstAttempt : 'scheduled';
}

function retryModeOf({ retry, progressive }: ParsedProps, path: string): RetryMode {
  if (retry !== undefined && progressive !== undefined) {
    throw new ConfigurationError(`${path}: expected either "retry" or "progressive", got both`);
  }
  return progressive === undefined ? 'perRecord' : 'progressive';
}

function workOf(props: ParsedProps, path: string, secrets: readonly UsedSecret[]): Work {
  const given = (['deliverTo', 'entry', 'handler', 'worker'] as const).filter(
    (option) => props[option] !== undefined,
  );
  if (given.length > 1) {
    throw new ConfigurationError(
      `${path}: expected one of "deliverTo", "entry", "handler" and "worker", got ${given.map(show).join(' and ')}`,
    );
  }
  if (given.length === 0 && props.enabled) {
    throw new ConfigurationError(
      `${path}: expected "deliverTo", "entry", "handler" or "worker" (or "enabled": false), got none of them`,
    );
  }
  if (props.environment !== undefined && props.entry === undefined) {
    throw new ConfigurationError(
      `${path}.environment: expected with "entry" only, got ${show(Object.keys(props.environment))}`,
    );
  }
  const settings = readEntrySettings(props, path);
  if (props.worker === EXTERNAL) {
    checkExternal(props, path);
    return { type: 'external' };
  }
  if (props.weight !== undefined && props.worker === undefined) {
    throw new ConfigurationError(
      `${path}.weight: expected with "worker" only, which serves other queues beside it, got ${show(props.weight)}`,
    );
  }
  if (props.worker !== undefined) return { type: 'worker', worker: props.worker };
  if (props.entry !== undefined) {
    return { type: 'entry', entry: props.entry, environment: props.environment ?? {}, settings };
  }
  return props.handler === undefined
    ? { type: 'delivery', secrets }
    : { type: 'own', handler: props.handler };
}

function readProgressive(
  progressive: unknown,
  path: string,
): { tiers: readonly Tier<number>[]; policy: RetryPolicy | undefined } {
  if (progressive === true) return { tiers: DEFAULT_TIERS, policy: undefined };
  const given = parseOptions(progressiveShape, progressive, `${path}.progressive`);
  const inSeconds = given.tiers?.map(({ every, untilAge }) => ({
    every: every.toSeconds(),
    untilAge: untilAge.toSeconds(),
  }));
  const tiers = inSeconds && parseOptions(tiersSchema, inSeconds, `${path}.progressive.tiers`);
  const policy = compact({
    type: 'progressive' as const,
    tiers,
    maxAttempts: given.maxAttempts,
    // A schedule of one's own says by its last tier how old a record may become.
    maxAge: tiers?.at(-1)?.untilAge,
  });
  return { tiers: tiers ?? DEFAULT_TIERS, policy };
}

function checkSettings(name: string, settings: object): QueueSettings {
  return checkWithToken(settings, (plain) => {
    const checked = parseQueues({ [name]: plain }, 'queues')[name];
    if (!checked) throw new ConfigurationError(`queues.${name}: expected a queue, got nothing`);
    checkLanes(checked, `queues.${name}`);
    checkOrder(checked, `queues.${name}`);
    return checked;
  });
}

function compact<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
