import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import type { ITable, ReplicaTableProps } from 'aws-cdk-lib/aws-dynamodb';
import { SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { METRICS_LEVELS } from '../../functions/metrics-level.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions, show } from '../../src/support/validation.js';
import { refuseTokens } from '../support/tokens.js';
import {
  alarmActions,
  eventBus,
  functionTimeout,
  having,
  key,
  runbookUrl,
  table,
} from '../support/values.js';
import { completionUrlProp } from './completion-url-props.js';
import { functionShape, logLevel, reservedConcurrentExecutions } from './function-shape.js';
import { type IntakeProps, intakeProp } from './intake-props.js';
import type { QueueProps } from './queue-props.js';
import { recordEventsProp } from './record-events-props.js';
import { recurringProp } from './recurring.js';
import { region, replicaKeyArns } from './regions.js';
import { type ISharedBacklog, NOT_SHARED } from './shared-parts.js';
import { timeZone } from './time-zone.js';

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

const backlog = having<ISharedBacklog>('controlTable', 'object', 'expected a Backlog (IBacklog)');
const replica = having<ReplicaTableProps>(
  'region',
  'string',
  'expected replicas such as { region: "eu-west-1" }',
);

const propsShape = z.strictObject({
  queues: z.custom<Readonly<Record<string, QueueProps>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'expected an object of queues by name',
  ),
  workers: z.record(z.string(), z.unknown()).default({}),
  table: table.optional(),
  controlTable: table.optional(),
  sharedBacklog: backlog.optional(),
  standby: z.boolean().default(false),
  backlogName: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'expected 1 to 64 letters, digits, "_", "." and "-"')
    .default('backlog'),
  primaryRegion: region.optional(),
  replicas: z.array(replica).min(1, 'expected at least one replica').optional(),
  replicaKeyArns: replicaKeyArns.optional(),
  intake: intakeProp.default(true),
  sweep: z.boolean().optional(),
  groupWrites: z.boolean().default(true),
  encryptionKey: key.optional(),
  deletionProtection: z.boolean().optional(),
  removalPolicy: z
    .enum(TABLE_POLICIES, { error: 'expected RemovalPolicy.RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY' })
    .default(RemovalPolicy.RETAIN),
  tableName: tableName.optional(),
  controlTableName: tableName.optional(),
  ...functionShape,
  reservedConcurrentExecutions: reservedConcurrentExecutions.optional(),
  trigger: z.enum(['rules', 'scheduler']).default('rules'),
  timeZone: timeZone.optional(),
  timeout: functionTimeout.default(Duration.minutes(5)),
  memorySize: z.int().min(128).max(10_240).default(512),
  logRetention: z.enum(RetentionDays).default(RetentionDays.ONE_MONTH),
  systemLogLevel: z.enum(SystemLogLevel).default(SystemLogLevel.WARN),
  logLevel: logLevel.default('INFO'),
  tracing: z.enum(Tracing).default(Tracing.DISABLED),
  minimal: z.boolean().default(false),
  alarms: z
    .union([z.boolean(), z.literal('essential')], { error: 'expected true, false or "essential"' })
    .optional(),
  metrics: z.enum(METRICS_LEVELS).optional(),
  alarmActions: alarmActions.optional(),
  okActions: alarmActions.optional(),
  runbookUrl: runbookUrl.optional(),
  incidentBus: eventBus.optional(),
  recordEvents: recordEventsProp.optional(),
  groups: z.boolean().default(false),
  recurring: recurringProp.optional(),
  completionUrl: completionUrlProp.default(false),
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
    deletionProtection = options.removalPolicy !== RemovalPolicy.DESTROY,
  } = options;
  const read = { ...options, alarms, metrics, dashboard, compositeAlarm, deletionProtection };
  checkTogether(read);
  checkIncidentBus(read);
  checkTables(read, props);
  return read;
}

/** The props of a Backlog as `readProps` leaves them. */
export type ReadProps = ReturnType<typeof readProps>;

/** Refuses props that exclude each other. */
function checkTogether(options: {
  readonly sweep?: boolean | undefined;
  readonly intake: boolean | IntakeProps;
  readonly widget: boolean | 'readOnly';
  readonly dashboard: boolean;
  readonly minimal: boolean;
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
}

/** The monitor emits the events. */
function checkIncidentBus({
  incidentBus,
  sharedBacklog,
  metrics,
}: Pick<ReadProps, 'incidentBus' | 'sharedBacklog' | 'metrics'>): void {
  if (!incidentBus || (!sharedBacklog && metrics !== 'off')) return;
  const beside = sharedBacklog ? '"sharedBacklog"' : '"metrics": "off"';
  throw new ConfigurationError(
    `Backlog.incidentBus: expected nothing beside ${beside}, as there is no monitor, got an event bus`,
  );
}

/** @param given the props as they came, without defaults */
function checkTables(
  options: {
    readonly table?: ITable | undefined;
    readonly controlTable?: ITable | undefined;
    readonly tableName?: string | undefined;
    readonly controlTableName?: string | undefined;
    readonly primaryRegion?: string | undefined;
    readonly replicas?: readonly object[] | undefined;
    readonly removalPolicy: RemovalPolicy;
    readonly deletionProtection: boolean;
    readonly sharedBacklog?: object | undefined;
  },
  given: object,
): void {
  const unfit = NOT_SHARED.find((name) => (given as Record<string, unknown>)[name] !== undefined);
  if (options.sharedBacklog && unfit !== undefined) {
    throw new ConfigurationError(
      `Backlog.${unfit}: expected nothing beside "sharedBacklog", as it belongs to the Backlog that has the tables`,
    );
  }
  if (options.controlTable && !options.table) {
    throw new ConfigurationError(
      'Backlog.controlTable: expected beside a "table" only, as what it holds is about the records of one table, got no "table"',
    );
  }
  for (const [name, beside] of [
    ['tableName', 'table'],
    ['controlTableName', 'controlTable'],
    // The control table that is made beside a given table may have replicas, if the queues are in several regions.
    ['replicas', options.primaryRegion === undefined ? 'table' : 'controlTable'],
  ] as const) {
    if (options[beside] === undefined || options[name] === undefined) continue;
    throw new ConfigurationError(
      `Backlog.${name}: expected nothing beside "${beside}", which is made elsewhere, got ${show(options[name])}`,
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
