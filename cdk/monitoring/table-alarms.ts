import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { orderedOf } from '../props/order.js';
import type { Queue } from '../props/queue.js';
import { isOwnFunction } from '../support/values.js';
import type { AlarmDefinition } from './alarm-definition.js';
import { tableMetric } from './metrics.js';
import type { Watched } from './watched.js';

/**
 * One alarm for all queues in place of one for each. Those that give a threshold, or have no alarms, do not count for it:
 * the functions leave them out of these metrics.
 */
export function tableAlarms({ tableName, queues, monitor }: Watched): AlarmDefinition[] {
  const counted = (name: string) =>
    queues.filter(({ enabled, settings }) => enabled && !settings.ownAlarms?.includes(name));
  return [
    ...(monitor ? lagAlarm(tableName, counted('lag')) : []),
    ...(counted('failures').length > 0 ? [failuresAlarm(tableName)] : []),
    ...(counted('dead').length > 0 ? [deadAlarm(tableName)] : []),
    ...(monitor ? heldAlarm(tableName, orderedOf(counted('held'))) : []),
  ];
}

/** Has functions of this app write the metrics of these alarms. Imported ones need the variable as all others. */
export function writeTableMetrics(functions: readonly (IFunction | undefined)[]): void {
  for (const lambda of new Set(functions)) {
    if (lambda && isOwnFunction(lambda)) lambda.addEnvironment('BACKLOG_TABLE_ALARMS', 'true');
  }
}

function lagAlarm(tableName: string, queues: readonly Queue[]): AlarmDefinition[] {
  if (queues.length === 0) return [];
  const seconds = Math.max(...queues.map(({ alarms: { lagSeconds = 0 } }) => lagSeconds));
  return [
    {
      id: 'Lag',
      essential: true,
      severity: 'page',
      runbook: 'lag',
      metric: tableMetric(tableName, 'OldestDueAge'),
      above: seconds,
      description:
        `A record of some queue has been due for more than ${seconds} s without an attempt. Its rule does not fire, its function fails, ` +
        'the queue is paused or its breaker open, or more comes in than the destination takes. First: "backlog stats", which ' +
        'shows the lag of each queue.',
    },
  ];
}

function heldAlarm(tableName: string, queues: readonly Queue[]): AlarmDefinition[] {
  if (queues.length === 0) return [];
  const seconds = Math.max(...queues.map(({ alarms: { heldSeconds = 0 } }) => heldSeconds));
  return [
    {
      id: 'Held',
      essential: true,
      severity: 'ticket',
      runbook: 'held',
      metric: tableMetric(tableName, 'OldestHeldAge'),
      above: seconds,
      description:
        `Records of a key of some queue have waited for more than ${seconds} s behind one that is dead, or for a number that does not ` +
        'come. They wait until an operator acts. First: the log of the monitor, which names the queue, then "backlog lines QUEUE --held".',
    },
  ];
}

function failuresAlarm(tableName: string): AlarmDefinition {
  return {
    id: 'Failures',
    essential: true,
    severity: 'page',
    runbook: 'failures',
    metric: tableMetric(tableName, 'FailingSeconds'),
    above: 0,
    keepsState: true,
    description:
      'Records of some queue have failed for minutes, and none of them, or of one destination, succeeds: it is down or rejects ' +
      'everything, or a handler is broken. No record is lost: they are retried less and less often, or are DEAD and can be ' +
      'redriven. First: the saved query "failed attempts by error", which names the queues, then "backlog list --queue QUEUE ' +
      '--status ERROR", and the same with DEAD.',
  };
}

function deadAlarm(tableName: string): AlarmDefinition {
  return {
    id: 'Dead',
    essential: true,
    severity: 'ticket',
    runbook: 'dead',
    metric: tableMetric(tableName, 'Dead'),
    above: 0,
    description:
      'Records of some queue were given up: they have status DEAD, and lastError says why. First: "backlog stats", which shows how ' +
      'many of each queue, then "backlog list --queue QUEUE --status DEAD".',
  };
}
