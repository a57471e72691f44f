import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { MetricsLevel } from '../../functions/metrics-level.js';
import type { Queue } from '../props/queue.js';
import type { Tables } from '../tables/tables.js';
import { bytesOf, type SettingsFiles, VALUE_BYTES, variableBytes } from './settings-files.js';

/**
 * Most bytes of the queues. Lambda takes 4 KB of variables in all, as JSON. The other variables of every function take
 * up to 900 bytes: the names of both tables have up to 255 characters, that of the stack 128.
 */
const MAX_QUEUES_BYTES = 3_100;
/** Bytes that the other variables may take before the queues have less room. */
const SPARE_BYTES = 90;

export interface EnvironmentSettings {
  readonly tables: Tables;
  readonly metrics: MetricsLevel;
  /** The owner of the queues, as the control table names it. */
  readonly owner: string;
  /** Another stack may own the queues. */
  readonly standby: boolean;
  /** The region that is active at first; undefined: the backlog is in one region. */
  readonly primaryRegion?: string | undefined;
  readonly files: SettingsFiles;
  /** Variables of the functions that make links to end attempts. */
  readonly linkVariables?: Readonly<Record<string, string>> | undefined;
  /** Bytes that the queues may take. Default: what functions without other variables have. */
  readonly room?: number | undefined;
  /**
   * Settings that go into files beside the queues, by their variables. Default: the queues alone, and only if they do
   * not fit.
   */
  readonly inFiles?: Readonly<Record<string, unknown>> | undefined;
  /** Most bytes of a value that is known at deployment only. Default: those of an ARN or a URL. */
  readonly valueBytes?: number | undefined;
}

/** Bytes that the queues may take beside other variables. */
export function roomBeside(environment: Readonly<Record<string, string>>): number {
  return MAX_QUEUES_BYTES - Math.max(0, bytesOf(JSON.stringify(environment)) - SPARE_BYTES);
}

/**
 * The environment that a handler reads its settings from. A file has the queues that do not fit into it.
 *
 * @throws ConfigurationError if what only the deployment knows of them does not fit either
 */
export function handlerEnvironment(
  scope: IConstruct,
  queues: readonly Queue[],
  settings: EnvironmentSettings,
  timeoutSeconds: number,
): Record<string, string> {
  const { tables, metrics, primaryRegion } = settings;
  const { room = MAX_QUEUES_BYTES } = settings;
  const regions = primaryRegion === undefined ? {} : { BACKLOG_PRIMARY_REGION: primaryRegion };
  const more = { ...regions, ...settings.linkVariables };
  const left = room - (Object.keys(more).length > 0 ? bytesOf(JSON.stringify(more)) : 0);
  return {
    BACKLOG_TABLE: tables.records.tableName,
    BACKLOG_CONTROL_TABLE: tables.control.tableName,
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: String(timeoutSeconds),
    ...queuesVariables(scope, queues, { ...settings, room: left }),
    BACKLOG_OWNER: settings.owner,
    ...(tables.writesSingly ? { BACKLOG_GROUP_WRITES: 'false' } : {}),
    ...(settings.standby ? { BACKLOG_STANDBY: 'true' } : {}),
    ...more,
    ...(metrics === 'full' ? {} : { BACKLOG_METRICS: metrics }),
  };
}

function queuesVariables(
  scope: IConstruct,
  queues: readonly Queue[],
  { files, inFiles, valueBytes = VALUE_BYTES, room }: EnvironmentSettings & { readonly room: number },
): Record<string, string> {
  const settings = Object.fromEntries(queues.map(({ name, settings }) => [name, settings]));
  const json = JSON.stringify(settings);
  if (inFiles || variableBytes(json) > room) {
    return files.variables(scope, { BACKLOG_QUEUES: settings, ...inFiles }, { room, valueBytes });
  }
  return { BACKLOG_QUEUES: Token.isUnresolved(json) ? Stack.of(scope).toJsonString(settings) : json };
}
