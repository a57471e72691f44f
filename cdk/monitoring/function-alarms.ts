import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AlarmDefinition } from './alarm-definition.js';
import type { Watched, WatchedFunction } from './watched.js';

const PERIOD = Duration.minutes(5);

/** The alarms of the functions that attempt records, of the monitor and the sweep, and of events that got lost. */
export function functionAlarms(watched: Watched): AlarmDefinition[] {
  const { functions, monitor, sweep, eventDlq, scheduleDeadLetters, completionFunction } = watched;
  return [
    ...functions.map(errorAlarm),
    ...functions.flatMap(heartbeatAlarm),
    ...(monitor ? [monitorAlarm(monitor)] : []),
    ...(sweep ? sweepAlarms(sweep) : []),
    ...(completionFunction ? [completionUrlAlarm(completionFunction)] : []),
    {
      id: 'EventDlq',
      essential: true,
      severity: 'ticket',
      runbook: 'eventdlq',
      metric: newMessages(eventDlq),
      above: 0,
      description:
        'Events were given up: a function failed, was throttled or could not be invoked. No record is lost: the next event ' +
        'does the same work; of what the stream gave up (DDBStreamBatchInfo) the sweep finds the records within a day. The ' +
        'messages say why.',
    },
    ...(scheduleDeadLetters ? [scheduleAlarm(scheduleDeadLetters)] : []),
  ];
}

/** New messages of a queue, not those that are in it: an alarm that stays on until the queue is purged hides the next event. */
function newMessages(queue: IQueue): IMetric {
  return queue.metricNumberOfMessagesSent({ period: PERIOD });
}

function errorAlarm({ name, lambda }: WatchedFunction): AlarmDefinition {
  return {
    id: `RunErrors-${name}`,
    severity: 'ticket',
    runbook: 'runerrors',
    metric: lambda.metricErrors({ period: PERIOD }),
    above: 0,
    description:
      `A run failed (${name}): it was refused or throttled by DynamoDB, or the function could not be loaded, ran out of memory or was killed ` +
      'at its deadline. Its log has a line "run failed" or "run" at level ERROR, or one of Lambda. What is left is due at the next run.',
  };
}

/**
 * The number of invocations, and 0 where nothing was measured. An alarm on missing data looks back some periods further
 * than its own before it takes silence for an answer.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
function invocations(lambda: IFunction, period: Duration): MathExpression {
  return new MathExpression({
    expression: 'FILL(invocations, 0)',
    usingMetrics: { invocations: lambda.metricInvocations({ period }) },
    label: 'Invocations',
    period,
  });
}

const MAX_LOOK_BACK_SECONDS = 7 * 86_400;

/**
 * The alarm on rules that were disabled, of which nothing else tells, as silence looks like an idle queue. The slower
 * tiers of a progressive queue are watched by the age of their records (`Lag`): an alarm looks back seven days.
 */
function heartbeatAlarm({ name, lambda, every }: WatchedFunction): AlarmDefinition[] {
  if (every === undefined || 2 * every > MAX_LOOK_BACK_SECONDS) return [];
  const seconds = Math.max(PERIOD.toSeconds(), every);
  return [
    {
      id: `Runs-${name}`,
      severity: 'page',
      runbook: 'runs',
      metric: invocations(lambda, Duration.seconds(seconds)),
      below: 1,
      periods: 2,
      description:
        `No run was started for ${Math.round((2 * seconds) / 60)} minutes (${name}): its rules or schedules are disabled or deleted, or ` +
        'may not start it. Nothing is attempted meanwhile. (It is on for some minutes after the first deployment.)',
    },
  ];
}

/**
 * The alarm on readings, of which one that fails reads nothing. Lambda writes `Errors` at each invocation, 0 or 1: the
 * smallest is 0 if any succeeded, and one metric costs half of two.
 */
function monitorAlarm(monitor: IFunction): AlarmDefinition {
  return {
    id: 'Monitor',
    essential: true,
    severity: 'page',
    runbook: 'monitor',
    metric: new MathExpression({
      expression: '1 - FILL(failed, 1)',
      usingMetrics: { failed: monitor.metricErrors({ period: PERIOD, statistic: Stats.MINIMUM }) },
      label: 'Whether it was read',
      period: PERIOD,
    }),
    below: 1,
    periods: 2,
    description:
      'How much waits, and for how long, has not been read for ten minutes, so that the alarms on lag and on the stream are blind: ' +
      'the monitor is not started, or fails. Where there is no alarm IntakeStopped, it also fails if an event source of the intake ' +
      'does not work. Its log has a line "monitor failed". (It is on for some minutes after the first deployment.)',
  };
}

/** Lambda counts for the URL what it answers itself, too: for a function that throws, is throttled or takes too long. */
function completionUrlAlarm(lambda: IFunction): AlarmDefinition {
  return {
    id: 'CompletionUrl',
    severity: 'ticket',
    runbook: 'completionurl',
    metric: lambda.metric('Url5xxCount', { period: PERIOD, statistic: Stats.SUM }),
    above: 0,
    description:
      'A link that ends an attempt was answered by an error, so that a person or a system could not answer (completionUrl). The log ' +
      'of the function CompletionUrl has a line "a link could not be answered". The record waits still, until its timeout.',
  };
}

const HOUR = Duration.hours(1);

function sweepAlarms(sweep: IFunction): AlarmDefinition[] {
  return [
    {
      id: 'SweepErrors',
      severity: 'ticket',
      runbook: 'sweeperrors',
      metric: sweep.metricErrors({ period: PERIOD }),
      above: 0,
      description:
        'The sweep failed: its log has a line "sweep failed" at level ERROR that says why. The next hour goes on with it.',
    },
    {
      id: 'Sweeps',
      severity: 'ticket',
      runbook: 'sweeps',
      metric: invocations(sweep, HOUR),
      below: 1,
      periods: 2,
      description:
        'The sweep was not started for two hours: its rule or schedule is disabled or deleted, or may not start it. Records that no ' +
        'event has reached are not found meanwhile. (It is on for up to two hours after the first deployment.)',
    },
  ];
}

function scheduleAlarm(deadLetters: IQueue): AlarmDefinition {
  return {
    id: 'ScheduleDeadLetters',
    essential: true,
    severity: 'ticket',
    runbook: 'scheduledeadletters',
    metric: newMessages(deadLetters),
    above: 0,
    description:
      'EventBridge Scheduler could not start a function: the messages say why in their attributes (ERROR_CODE). No ' +
      'record is lost: the next event does the same work.',
  };
}
