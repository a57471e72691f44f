import type { Queue } from '../props/queue.js';
import type { AlarmDefinition } from './alarm-definition.js';
import { queueMetric } from './metrics.js';
import type { Watched } from './watched.js';

/** The alarms of one queue. Those of one that is not enabled leave out what only attempts could mend. */
export function queueAlarms(
  { tableName, monitor }: Pick<Watched, 'tableName' | 'monitor'>,
  queue: Queue,
): AlarmDefinition[] {
  const { name, alarms, enabled, work, settings } = queue;
  const { lagSeconds, dead, failures, depth, depthPerKey, pendingSeconds, heldSeconds } = alarms;
  const { unknownTask, severity, given } = alarms;
  const definitions: (AlarmDefinition | undefined)[] = [
    lagSeconds !== undefined && enabled
      ? {
          id: `Lag-${name}`,
          // The alarm for all queues reads a metric of the monitor's own stack.
          essential: given.includes('lag') || !monitor,
          severity: 'page',
          metric: queueMetric(tableName, name, 'OldestDueAge'),
          above: lagSeconds,
          ...(work.type === 'recurring' ? lateSchedules(lagSeconds) : lateRecords(queue, lagSeconds)),
        }
      : undefined,
    failures && enabled
      ? { ...failureAlarm(tableName, queue), essential: given.includes('failures') }
      : undefined,
    dead === undefined
      ? undefined
      : {
          id: `Dead-${name}`,
          essential: given.includes('dead'),
          severity: 'ticket',
          runbook: 'dead',
          metric: queueMetric(tableName, name, 'Dead'),
          above: dead,
          description:
            `${dead === 0 ? 'Records' : `More than ${dead} records`} of the queue ${name} were given up: they have status DEAD, and ` +
            `lastError says why. First: "backlog list --queue ${name} --status DEAD".`,
        },
    depth === undefined
      ? undefined
      : {
          id: `Depth-${name}`,
          essential: given.includes('depth'),
          severity: 'ticket',
          runbook: 'depth',
          metric: queueMetric(tableName, name, 'Waiting'),
          above: depth,
          description: `More than ${depth} records of the queue ${name} wait for an attempt, now or later. First: "backlog stats".`,
        },
    depthPerKey === undefined
      ? undefined
      : {
          id: `DepthPerKey-${name}`,
          essential: given.includes('depthPerKey'),
          severity: 'ticket',
          runbook: 'depthperkey',
          metric: queueMetric(tableName, name, 'KeyWaiting'),
          above: depthPerKey,
          description:
            `More than ${depthPerKey} records of one key (customer, tenant) of the queue ${name} wait for an attempt, now or later. ` +
            `First: "backlog keys ${name}".`,
        },
    pendingSeconds === undefined
      ? undefined
      : {
          id: `Pending-${name}`,
          essential: given.includes('pending'),
          severity: 'ticket',
          runbook: 'pending',
          metric: queueMetric(tableName, name, 'OldestPending'),
          above: pendingSeconds,
          description:
            `A record of the queue ${name} has waited for more than ${pendingSeconds} s for its end from outside: nothing has completed ` +
            `it. At the end of its own timeout it fails. First: "backlog list --queue ${name}".`,
        },
    heldSeconds === undefined || settings.order === undefined
      ? undefined
      : {
          id: `Held-${name}`,
          essential: given.includes('held'),
          severity: 'ticket',
          runbook: 'held',
          metric: queueMetric(tableName, name, 'OldestHeldAge'),
          above: heldSeconds,
          description:
            `Records of a key of the queue ${name} have waited for more than ${heldSeconds} s behind one that is dead, or for a number ` +
            `that does not come. They wait until an operator acts. First: "backlog lines ${name} --held".`,
        },
    // The built-in delivery takes whatever comes.
    unknownTask && work.type !== 'delivery' ? unknownTaskAlarm(tableName, name) : undefined,
  ];
  return definitions.flatMap((one) => (one ? [{ ...one, severity: severity ?? one.severity }] : []));
}

type Late = Pick<AlarmDefinition, 'runbook' | 'description'>;

function lateRecords({ name, work }: Queue, lagSeconds: number): Late {
  return {
    runbook: 'lag',
    description:
      `A record of the queue ${name} has been due for more than ${lagSeconds} s without an attempt. ` +
      `${work.type === 'external' ? 'No process works on it' : 'Its rule does not fire, its function fails'}, the queue is ` +
      'paused or its breaker open, or more comes in than the destination takes. First: "backlog stats".',
  };
}

function lateSchedules(lagSeconds: number): Late {
  return {
    runbook: 'recurringlag',
    description:
      `Recurring records are late: a schedule has been due for more than ${lagSeconds} s without an attempt. The rule of the queue ` +
      'recurring does not fire, its function fails, or the queue is paused. Occurrences are made up for as their option "missed" ' +
      'says. First: "backlog stats".',
  };
}

/** The runs and the monitor say for how long nothing has recovered, and 0 for an hour after the recovery. */
function failureAlarm(tableName: string, { name, work }: Queue): AlarmDefinition {
  return {
    id: `Failures-${name}`,
    severity: 'page',
    runbook: 'failures',
    metric: queueMetric(tableName, name, 'FailingSeconds'),
    above: 0,
    keepsState: true,
    description:
      work.type === 'recurring'
        ? 'Schedules of recurring records have failed for minutes, and none succeeds: their records cannot be inserted. Each is tried ' +
          `again once a minute, and is never given up for that. First: "backlog list --queue ${name} --status ERROR".`
        : `Records of the queue ${name} have failed for minutes, and none of them, or of one destination, succeeds: it is down or ` +
          'rejects everything, or the handler is broken. No record is lost: they are retried less and less often, or are DEAD ' +
          `and can be redriven. First: "backlog list --queue ${name} --status ERROR", and the same with DEAD.`,
  };
}

/**
 * A run looks at such a record every ten minutes at least, so that it is seen in two of three periods: a deployment, or its
 * way back, takes less than ten minutes.
 */
function unknownTaskAlarm(tableName: string, name: string): AlarmDefinition {
  return {
    id: `UnknownTask-${name}`,
    severity: 'ticket',
    runbook: 'unknowntask',
    metric: queueMetric(tableName, name, 'UnknownTask'),
    above: 0,
    periods: 3,
    datapoints: 2,
    description:
      `Records of the queue ${name} wait for a task that its handler does not know: its log names it. They are not lost: ` +
      'deploy a handler that knows it, or correct their task.',
  };
}
