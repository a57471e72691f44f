import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import { SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { METRICS_LEVELS } from '../functions/metrics-level.js';
import { ConfigurationError } from '../src/errors.js';
import { parseOptions, show } from '../src/validation.js';
import { functionShape } from './function-shape.js';
import type { QueueProps } from './queue-props.js';
import { timeZone } from './time-zone.js';
import { refuseTokens } from './tokens.js';
import { alarmActions, functionTimeout, key, table } from './values.js';

const TABLE_POLICIES = [
  RemovalPolicy.RETAIN,
  RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  RemovalPolicy.DESTROY,
] as const;

const tableName = z
  .string()
  .refine(
    (name) => Token.isUnresolved(name) || /^[A-Za-z0-9_.-]{3,255}$/.test(name),
    'expected a name of 3 to 255 letters, digits, "_", "." and "-"',
  );

const propsShape = z.strictObject({
  queues: z.custom<Readonly<Record<string, QueueProps>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'expected an object of queues by name',
  ),
  workers: z.record(z.string(), z.unknown()).default({}),
  table: table.optional(),
  intake: z.boolean().default(true),
  sweep: z.boolean().optional(),
  encryptionKey: key.optional(),
  deletionProtection: z.boolean().default(false),
  removalPolicy: z
    .enum(TABLE_POLICIES, { error: 'expected RemovalPolicy.RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY' })
    .default(RemovalPolicy.RETAIN),
  tableName: tableName.optional(),
  controlTableName: tableName.optional(),
  ...functionShape,
  trigger: z.enum(['rules', 'scheduler']).default('rules'),
  timeZone: timeZone.optional(),
  timeout: functionTimeout.default(Duration.minutes(5)),
  memorySize: z.int().min(128).max(10_240).default(512),
  logRetention: z.enum(RetentionDays).default(RetentionDays.ONE_MONTH),
  systemLogLevel: z.enum(SystemLogLevel).default(SystemLogLevel.WARN),
  tracing: z.enum(Tracing).default(Tracing.DISABLED),
  minimal: z.boolean().default(false),
  alarms: z
    .union([z.boolean(), z.literal('essential')], { error: 'expected true, false or "essential"' })
    .optional(),
  metrics: z.enum(METRICS_LEVELS, { error: 'expected "full", "essential" or "off"' }).optional(),
  alarmActions: alarmActions.optional(),
  okActions: alarmActions.optional(),
  compositeAlarm: z.boolean().optional(),
  dashboard: z.boolean().optional(),
  widget: z
    .union([z.boolean(), z.literal('readOnly')], { error: 'expected true, false or "readOnly"' })
    .default(false),
});

/**
 * Checks the props of a Backlog, except its queues and workers, and fills in the defaults.
 *
 * @throws ConfigurationError naming the option
 */
export function readProps(props: object) {
  refuseTokens(props);
  const options = parseOptions(propsShape, props, 'Backlog');
  const { minimal } = options;
  const {
    alarms = minimal ? 'essential' : true,
    metrics = minimal ? 'essential' : 'full',
    dashboard = !minimal,
    compositeAlarm = !minimal,
  } = options;
  const read = { ...options, alarms, metrics, dashboard, compositeAlarm };
  checkTogether(read);
  return read;
}

/** What cannot stand beside each other. */
function checkTogether(options: {
  readonly sweep?: boolean | undefined;
  readonly intake: boolean;
  readonly widget: boolean | 'readOnly';
  readonly dashboard: boolean;
  readonly minimal: boolean;
  readonly table?: object | undefined;
  readonly tableName?: string | undefined;
  readonly controlTableName?: string | undefined;
  readonly removalPolicy: RemovalPolicy;
  readonly deletionProtection: boolean;
}): void {
  if (options.sweep && !options.intake) {
    throw new ConfigurationError(
      'Backlog.sweep: expected false or nothing beside "intake": false, as what it finds goes to the intake, got true',
    );
  }
  if (options.widget && !options.dashboard) {
    const without = options.minimal ? '"minimal" without "dashboard": true' : '"dashboard": false';
    throw new ConfigurationError(
      `Backlog.widget: expected false or nothing beside ${without}, as it is a part of it, got ${show(options.widget)}`,
    );
  }
  if (options.table && options.tableName !== undefined) {
    throw new ConfigurationError(
      `Backlog.tableName: expected nothing beside "table", which has its name, got ${show(options.tableName)}`,
    );
  }
  if (options.tableName !== undefined && options.tableName === options.controlTableName) {
    throw new ConfigurationError(
      `Backlog.controlTableName: expected another name than "tableName", got ${show(options.tableName)}`,
    );
  }
  if (options.deletionProtection && options.removalPolicy === RemovalPolicy.DESTROY) {
    throw new ConfigurationError(
      'Backlog.removalPolicy: expected RemovalPolicy.RETAIN or nothing beside "deletionProtection": true, with which the ' +
        'deletion of the stack would fail, got "destroy"',
    );
  }
}
