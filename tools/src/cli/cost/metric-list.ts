import { DUE_INDEX } from 'dynamo-backlog/engine';
import type { MetricId } from '../../cloudwatch/metric-data.js';
import { NAMESPACE } from '../../cloudwatch/own-alarm.js';
import { nameInMetrics } from '../cloudwatch/ask.js';
import type { StackParts } from './stack-parts.js';

/** Metrics of each queue, as docs/metrics.md lists them. */
export const QUEUE_METRICS = [
  ...[
    'Attempted',
    'Succeeded',
    'Failed',
    'Dead',
    'Snoozed',
    'Pending',
    'Cancelled',
    'UnknownTask',
    'Probes',
    'CaughtUp',
  ],
  ...['LagSeconds', 'OldestDueAge', 'FailingSeconds', 'Waiting', 'Due', 'InRetry', 'DeadRecords'],
  // Metrics of single keys are not counted: nothing says how many keys there are.
  ...['KeyWaiting', 'KeyInRetry', 'OldestPending', 'OldestHeldAge'],
] as const;
/** Metrics by the table alone. */
export const TABLE_METRICS = [
  ...['Indexed', 'Repaired', 'Redelivered', 'UnknownQueue', 'Refused', 'NotIndexed', 'Unprocessed'],
  ...['SourcesStopped', 'OldestDueAge', 'Dead', 'FailingSeconds', 'OldestHeldAge', 'RemovedQueueWaiting'],
] as const;

/** Part of the bill that a metric belongs to. */
export type MetricUse =
  | { readonly of: 'own'; readonly queue?: string; readonly name: string }
  | { readonly of: 'writes' | 'reads' | 'logs' }
  | { readonly of: 'requests' | 'milliseconds'; readonly fn: StackParts['functions'][number] };

/** The metrics that a stack's bill needs, each with its use. */
export function metricsOf(
  { records, controls, functions }: StackParts,
  indexes: ReadonlyMap<string, readonly string[]>,
): { readonly metric: MetricId; readonly use: MetricUse }[] {
  const own = [...records].flatMap(([table, queues]) => {
    const Table = nameInMetrics(table);
    return [
      ...queues.flatMap((queue) =>
        QUEUE_METRICS.map((name) => ownMetric(name, { Table, Queue: queue }, { of: 'own', queue, name })),
      ),
      ...TABLE_METRICS.map((name) => ownMetric(name, { Table }, { of: 'own', name })),
    ];
  });
  const tables = [...records.keys(), ...controls].flatMap((table) => {
    const TableName = nameInMetrics(table);
    // DynamoDB counts the units of an index apart from those of its table.
    const ofIndexes = (indexes.get(table) ?? (records.has(table) ? [DUE_INDEX] : [])).map((index) => ({
      TableName,
      GlobalSecondaryIndexName: index,
    }));
    return [{ TableName }, ...ofIndexes].flatMap((dimensions) => [
      awsMetric('DynamoDB', 'ConsumedWriteCapacityUnits', dimensions, { of: 'writes' }),
      awsMetric('DynamoDB', 'ConsumedReadCapacityUnits', dimensions, { of: 'reads' }),
    ]);
  });
  const ofFunctions = functions.flatMap((fn) => [
    awsMetric('Lambda', 'Invocations', { FunctionName: fn.name }, { of: 'requests', fn }),
    awsMetric('Lambda', 'Duration', { FunctionName: fn.name }, { of: 'milliseconds', fn }),
  ]);
  const groups = new Set(functions.flatMap(({ logGroup }) => logGroup ?? []));
  const ofLogs = [...groups].map((LogGroupName) =>
    awsMetric('Logs', 'IncomingBytes', { LogGroupName }, { of: 'logs' }),
  );
  return [...own, ...tables, ...ofFunctions, ...ofLogs];
}

function ownMetric(name: string, dimensions: Readonly<Record<string, string>>, use: MetricUse) {
  return { metric: { namespace: NAMESPACE, name, dimensions }, use };
}

function awsMetric(
  service: string,
  name: string,
  dimensions: Readonly<Record<string, string>>,
  use: MetricUse,
) {
  return { metric: { namespace: `AWS/${service}`, name, dimensions }, use };
}
