import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { intakeMetric, queueMetric } from './metrics.js';
import type { Queue } from './queue.js';

export interface AlarmSettings {
  readonly tableName: string;
  readonly queues: readonly Queue[];
  /** By the name of the function's construct. */
  readonly functions: ReadonlyMap<string, IFunction>;
  readonly eventDlq: IQueue;
  readonly scheduleDeadLetters: IQueue | undefined;
  readonly intake: IFunction | undefined;
  readonly sweep: IFunction | undefined;
  readonly action?: IAlarmAction | undefined;
}

interface AlarmText {
  readonly id: string;
  readonly metric: IMetric;
  readonly above: number;
  /** One after the other in which it is above. Default: 1. */
  readonly periods?: number | undefined;
  readonly description: string;
}

const PERIOD = Duration.minutes(5);

/** One alarm each, mostly over five minutes. Silence is good: idle polls emit nothing. */
export function addAlarms(scope: Construct, { action, ...settings }: AlarmSettings): Alarm[] {
  return [
    ...runAlarms(settings),
    ...intakeAlarms(settings),
    ...settings.queues.flatMap((queue) => queueAlarms(settings, queue)),
  ].map(({ id, metric, above, periods = 1, description }) => {
    const alarm = new Alarm(scope, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: description,
    });
    if (action) alarm.addAlarmAction(action);
    return alarm;
  });
}

function runAlarms({ functions, eventDlq, scheduleDeadLetters }: AlarmSettings): AlarmText[] {
  return [
    ...[...functions].map(([name, lambda]) => ({
      id: `RunErrors-${name}`,
      metric: lambda.metricErrors({ period: PERIOD }),
      above: 0,
      description: `A backlog run failed (${name}): its log has a line "run failed" or "run" at level ERROR that says why.`,
    })),
    {
      id: 'EventDlq',
      metric: eventDlq.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
      above: 0,
      description:
        'Events were given up: a function failed, was throttled or could not be invoked. No record is lost: ' +
        'the next event does the same work; of what the stream gave up (DDBStreamBatchInfo) the sweep finds the records ' +
        'within a day. Look into the messages, then purge the queue.',
    },
    ...(scheduleDeadLetters ? [scheduleAlarm(scheduleDeadLetters)] : []),
  ];
}

function scheduleAlarm(deadLetters: IQueue): AlarmText {
  return {
    id: 'ScheduleDeadLetters',
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    above: 0,
    description:
      'EventBridge Scheduler could not start a function: the messages say why in their attributes (ERROR_CODE). No ' +
      'record is lost: the next event does the same work. Correct the cause, then purge the queue.',
  };
}

/** Behind by more than this, records that others put are attempted late. */
const MAX_INTAKE_AGE = Duration.minutes(5);

function intakeAlarms({ intake, sweep, tableName }: AlarmSettings): AlarmText[] {
  if (!intake) return [];
  return [
    ...sweepAlarms(sweep),
    {
      id: 'IntakeErrors',
      metric: intake.metricErrors({ period: PERIOD }),
      above: 0,
      description:
        'The intake failed: its log has a line "intake failed" at level ERROR that says why, or it ran out of time. ' +
        'The stream hands it the same records again.',
    },
    {
      id: 'IntakeAge',
      metric: intake.metric('IteratorAge', { period: PERIOD, statistic: Stats.MAXIMUM }),
      above: MAX_INTAKE_AGE.toMilliseconds(),
      description:
        'Records that were put without a lane wait more than 5 minutes to be indexed: the log of the intake has a ' +
        'line at level ERROR that says why. After 24 hours the stream forgets them.',
    },
    {
      id: 'UnknownQueue',
      metric: intakeMetric(tableName, 'UnknownQueue', { period: PERIOD }),
      above: 0,
      description:
        'Records name a queue that no rule serves: the log of the intake has their ids. They wait until a queue of that ' +
        'name is deployed, or their queue is corrected.',
    },
    {
      id: 'Refused',
      metric: intakeMetric(tableName, 'Refused', { period: PERIOD }),
      above: 0,
      description:
        'Records cannot be handled: they are quarantined (DEAD, and deadReason says why), or DynamoDB takes not even ' +
        'that change of them (an item of 400 KB has no room for it). The log of the intake, or of the run that attempted ' +
        'them, has their ids at level ERROR; ' +
        '"backlog doctor" lists them.',
    },
  ];
}

function sweepAlarms(sweep: IFunction | undefined): AlarmText[] {
  if (!sweep) return [];
  return [
    {
      id: 'SweepErrors',
      metric: sweep.metricErrors({ period: PERIOD }),
      above: 0,
      description:
        'The sweep failed: its log has a line "sweep failed" at level ERROR that says why. The next hour goes on with it.',
    },
  ];
}

/** A run looks at a record whose task no handler knows every ten minutes at least. */
const UNKNOWN_TASK_PERIOD = Duration.minutes(15);

function queueAlarms({ tableName }: AlarmSettings, { name, lagThresholdSeconds, work }: Queue): AlarmText[] {
  return [
    {
      id: `Lag-${name}`,
      metric: queueMetric(tableName, name, 'LagSeconds', { period: PERIOD }),
      above: lagThresholdSeconds,
      description: `Records of the backlog's queue ${name} are attempted more than ${lagThresholdSeconds} s late.`,
    },
    {
      id: `Dead-${name}`,
      metric: queueMetric(tableName, name, 'Dead', { period: PERIOD }),
      above: 0,
      description: `Records of the backlog's queue ${name} were given up: they have status DEAD and say why in lastError.`,
    },
    ...(hasTasks(work) ? [unknownTaskAlarm(tableName, name)] : []),
  ];
}

/** The built-in delivery takes whatever comes. */
function hasTasks({ type }: Queue['work']): boolean {
  return type !== 'delivery';
}

/** Half an hour: a deployment, or its way back, takes minutes. */
function unknownTaskAlarm(tableName: string, name: string): AlarmText {
  return {
    id: `UnknownTask-${name}`,
    metric: queueMetric(tableName, name, 'UnknownTask', { period: UNKNOWN_TASK_PERIOD }),
    above: 0,
    periods: 2,
    description:
      `Records of the backlog's queue ${name} wait for a task that its handler does not know: its log names it. They ` +
      'are not lost: deploy a handler that knows it, or correct their task.',
  };
}
