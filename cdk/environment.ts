import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { MetricsLevel } from '../functions/metrics-level.js';
import { ConfigurationError } from '../src/errors.js';
import type { Queue } from './queue.js';
import type { Tables } from './tables.js';

/** Lambda takes 4 KB of variables in all; the names, the tables and the user's own need some of it. */
const MAX_QUEUES_BYTES = 3_500;

/** An ARN or a URL that is known at deployment only. */
const TOKEN = /\$\{Token\[[^\]]+\]\}/g;
const TOKEN_BYTES = 110;

export interface EnvironmentSettings {
  readonly tables: Tables;
  readonly metrics: MetricsLevel;
  /** Another stack may own the queues. */
  readonly standby: boolean;
}

/**
 * The environment that a handler reads its settings from.
 *
 * @throws ConfigurationError if the queues do not fit into it
 */
export function handlerEnvironment(
  scope: IConstruct,
  queues: readonly Queue[],
  { tables, metrics, standby }: EnvironmentSettings,
  timeoutSeconds: number,
): Record<string, string> {
  return {
    BACKLOG_TABLE: tables.records.tableName,
    BACKLOG_CONTROL_TABLE: tables.control.tableName,
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: String(timeoutSeconds),
    BACKLOG_QUEUES: renderQueues(scope, queues),
    BACKLOG_OWNER: Stack.of(scope).stackName,
    ...(standby ? { BACKLOG_STANDBY: 'true' } : {}),
    ...(metrics === 'full' ? {} : { BACKLOG_METRICS: metrics }),
  };
}

function renderQueues(scope: IConstruct, queues: readonly Queue[]): string {
  const settings = Object.fromEntries(queues.map(({ name, settings }) => [name, settings]));
  const json = JSON.stringify(settings);
  const bytes = Buffer.byteLength(json.replace(TOKEN, 'x'.repeat(TOKEN_BYTES)));
  if (bytes > MAX_QUEUES_BYTES) {
    throw new ConfigurationError(
      `queues: the settings of the ${queues.length} queues that share a function take ${bytes} bytes, and Lambda's ` +
        `environment has room for ${MAX_QUEUES_BYTES} of them: spread them over several Backlogs on one table`,
    );
  }
  return Token.isUnresolved(json) ? Stack.of(scope).toJsonString(settings) : json;
}
