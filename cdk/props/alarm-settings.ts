import * as z from 'zod';
import type { MetricsLevel } from '../../functions/metrics-level.js';
import type { QueueSettings } from '../../functions/settings.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { duration } from '../support/values.js';
import type { Severity } from './alarm-props.js';

/** The thresholds of a queue's alarms, with their defaults filled in; undefined: there is no such alarm. */
export interface QueueAlarmSettings {
  readonly lagSeconds: number | undefined;
  readonly dead: number | undefined;
  readonly failures: boolean;
  readonly depth: number | undefined;
  readonly depthPerKey: number | undefined;
  readonly pendingSeconds: number | undefined;
  /** Counts for queues with order alone. */
  readonly heldSeconds: number | undefined;
  readonly unknownTask: boolean;
  readonly severity: Severity | undefined;
  /** The thresholds that were given: these alarms are wanted, whatever else is left out. */
  readonly given: readonly string[];
}

const off = z.literal(false);
const count = z.union([z.int().min(0), off], 'expected a whole number from 0 on, or false');
const shape = z.strictObject({
  lag: z.union([duration, off], 'expected a Duration or false').optional(),
  dead: count.default(0),
  failures: z.boolean({ error: 'expected true or false' }).default(true),
  depth: count.default(false),
  depthPerKey: count.default(false),
  pending: z.union([duration, off], 'expected a Duration or false').default(false),
  held: z.union([duration, off], 'expected a Duration or false').optional(),
  severity: z.enum(['page', 'ticket']).optional(),
});

/**
 * The default of `lag` in seconds, beside the longest attempt: a record is due while it is attempted, and the monitor
 * looks every five minutes.
 */
const LAG_SECONDS = 180;

/** The default of `held`: a number that a producer gives a little late is no trouble. */
const HELD_SECONDS = 300;

const NONE: QueueAlarmSettings = {
  lagSeconds: undefined,
  dead: undefined,
  failures: false,
  depth: undefined,
  depthPerKey: undefined,
  pendingSeconds: undefined,
  heldSeconds: undefined,
  unknownTask: false,
  severity: undefined,
  given: [],
};

/**
 * The alarms of the whole backlog that a queue does not count for: it has its own, or none; undefined: it counts for all.
 * What is not enabled is late, and no alarm says so.
 */
export function ownAlarms(
  { lagSeconds, dead, failures, heldSeconds, given }: QueueAlarmSettings,
  { enabled, hasOrder }: { readonly enabled: boolean; readonly hasOrder: boolean },
): string[] | undefined {
  const lag = enabled ? lagSeconds : undefined;
  const all = { lag, dead, failures: failures || undefined, ...(hasOrder && { held: heldSeconds }) };
  const own = Object.entries(all).filter(([name, value]) => value === undefined || given.includes(name));
  return own.length > 0 ? own.map(([name]) => name) : undefined;
}

/** @throws ConfigurationError naming the threshold */
export function readQueueAlarms(input: unknown, attemptTimeout: number, path: string): QueueAlarmSettings {
  if (input === false) return NONE;
  const given = parseOptions(shape, input ?? {}, path);
  const { lag, dead, failures, depth, depthPerKey, pending, held, severity } = given;
  return {
    lagSeconds: lag === false ? undefined : (lag?.toSeconds() ?? LAG_SECONDS + attemptTimeout),
    dead: dead === false ? undefined : dead,
    failures,
    depth: depth === false ? undefined : depth,
    depthPerKey: depthPerKey === false ? undefined : depthPerKey,
    pendingSeconds: pending === false ? undefined : pending.toSeconds(),
    heldSeconds: held === false ? undefined : (held?.toSeconds() ?? HELD_SECONDS),
    unknownTask: true,
    severity,
    given: Object.keys(input ?? {}),
  };
}

/** @throws ConfigurationError for an alarm on lines of a queue that has none */
export function checkHeldAlarms(
  queues: readonly {
    readonly name: string;
    readonly settings: QueueSettings;
    readonly alarms: QueueAlarmSettings;
  }[],
): void {
  for (const { name, settings, alarms } of queues) {
    if (settings.order !== undefined || alarms.heldSeconds === undefined || !alarms.given.includes('held'))
      continue;
    throw new ConfigurationError(
      `queues.${name}.alarms.held: expected "order": "key" in the queue beside it, got ${alarms.heldSeconds} s`,
    );
  }
}

/** @throws ConfigurationError for an alarm on a metric that is not written */
export function checkDepthAlarms(
  queues: readonly { readonly name: string; readonly alarms: QueueAlarmSettings }[],
  metrics: MetricsLevel,
): void {
  const watched = queues.find(({ alarms }) => alarms.depth !== undefined);
  if (!watched || metrics === 'full') return;
  throw new ConfigurationError(
    `queues.${watched.name}.alarms.depth: expected nothing beside metrics "${metrics}", which do not say how much waits ` +
      `(give "metrics": "full"), got ${show(watched.alarms.depth)}`,
  );
}

/** @throws ConfigurationError for an alarm on ends from outside that no monitor reads */
export function checkPendingAlarms(
  queues: readonly { readonly name: string; readonly alarms: QueueAlarmSettings }[],
  { metrics, isShared }: { readonly metrics: MetricsLevel; readonly isShared: boolean },
): void {
  const watched = queues.find(({ alarms }) => alarms.pendingSeconds !== undefined);
  if (!watched || (metrics === 'full' && !isShared)) return;
  throw new ConfigurationError(
    `queues.${watched.name}.alarms.pending: expected false or nothing beside ${besideOf(metrics, isShared)}, ` +
      `got ${watched.alarms.pendingSeconds} s`,
  );
}

/** The option without which the monitor of this stack would read more of a queue. */
function besideOf(metrics: MetricsLevel, isShared: boolean): string {
  return isShared
    ? '"sharedBacklog", whose monitor is in another stack'
    : `metrics "${metrics}" (give "metrics": "full")`;
}

/** @throws ConfigurationError for metrics of keys that no monitor writes, or an alarm on them without the metrics */
export function checkMetricsPerKey(
  queues: readonly {
    readonly name: string;
    readonly metricsPerKey: boolean;
    readonly alarms: QueueAlarmSettings;
  }[],
  { metrics, isShared }: { readonly metrics: MetricsLevel; readonly isShared: boolean },
): void {
  for (const { name, metricsPerKey, alarms } of queues) {
    if (metricsPerKey && (isShared || metrics !== 'full')) {
      throw new ConfigurationError(
        `queues.${name}.metricsPerKey: expected false or nothing beside ${besideOf(metrics, isShared)}, got true`,
      );
    }
    if (!metricsPerKey && alarms.depthPerKey !== undefined) {
      throw new ConfigurationError(
        `queues.${name}.alarms.depthPerKey: expected "metricsPerKey": true in the queue beside it, got ${show(alarms.depthPerKey)}`,
      );
    }
  }
}
