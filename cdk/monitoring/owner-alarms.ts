import type { AlarmDefinition } from './alarm-definition.js';
import { tableMetric } from './metrics.js';
import type { Watched } from './watched.js';

/** The alarm on records in queues that no function serves any more. Such a queue has no rule and no alarms of its own. */
export function ownerAlarms({ monitor, tableName }: Watched): AlarmDefinition[] {
  if (!monitor) return [];
  return [
    {
      id: 'RemovedQueues',
      severity: 'ticket',
      runbook: 'removedqueues',
      metric: tableMetric(tableName, 'RemovedQueueWaiting'),
      above: 0,
      description:
        'Records wait in a queue that no function serves any more: it was removed from its stack, or its function, or the process that ' +
        'works on it, was not started for a day. The log of the monitor names the queue, and how many wait. First: "backlog owners".',
    },
  ];
}
