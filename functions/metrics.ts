import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { isIdle, type RunSummary } from '../src/worker/summary.js';
import type { MetricsLevel } from './metrics-level.js';

export const METRICS_NAMESPACE = 'DynamoBacklog';

/** What alarms need. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'Attempted',
  'Failed',
  'Dead',
  'UnknownTask',
  'OldestDueAge',
  'UnknownQueue',
  'Refused',
  'Unprocessed',
  'NotIndexed',
  'SourcesStopped',
  'RemovedQueueWaiting',
]);

/** @inline */
type Values = Readonly<Record<string, number | undefined>>;

/**
 * Writes one line in CloudWatch's embedded metric format: what is not zero, as every metric costs by the hour in which
 * it is written. Alarms and the dashboard read a metric that is missing as zero.
 */
function write(
  level: MetricsLevel,
  dimensions: Record<string, string>,
  counts: Values,
  seconds: Values = {},
) {
  if (level === 'off') return;
  const worth = (values: Values) =>
    Object.entries(values).filter(
      ([name, value = 0]) => value > 0 && (level === 'full' || ESSENTIAL.has(name)),
    );
  const all = [
    ...worth(counts).map(([name, value = 0]) => [name, MetricUnit.Count, value] as const),
    ...worth(seconds).map(([name, value = 0]) => [name, MetricUnit.Seconds, value] as const),
  ];
  if (all.length === 0) return;
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  // Powertools adds a dimension of its own, which the alarms do not name.
  metrics.clearDefaultDimensions();
  metrics.addDimensions(dimensions);
  for (const [name, unit, value] of all) metrics.addMetric(name, unit, value);
  metrics.publishStoredMetrics();
}

/**
 * Writes the metrics of a run.
 *
 * @inline
 */
export type EmitMetrics = (summary: RunSummary, table: string) => void;

/** Metrics of a run that found something, or made up for a missed one. An idle poll stays silent: every line costs. */
export function emitMetrics(summary: RunSummary, table: string, level: MetricsLevel): void {
  const { attempted, succeeded, failed, dead, snoozed, cancelled, unknownTask } = summary;
  const counts = isIdle(summary)
    ? {}
    : {
        Attempted: attempted,
        Succeeded: succeeded,
        Failed: failed,
        Dead: dead,
        Snoozed: snoozed,
        Cancelled: cancelled,
        UnknownTask: unknownTask,
      };
  write(
    level,
    { Table: table, Queue: summary.queue },
    { ...counts, CaughtUp: summary.caughtUp?.length },
    { LagSeconds: summary.lagSeconds },
  );
  // The intake's metric and its alarm, by the table alone: DynamoDB takes no change of these, and people have to look.
  write(level, { Table: table }, { Refused: summary.refused });
}

/** What the intake did with a batch. Counts are of records. */
export interface IntakeMetrics {
  /** Indexed. */
  readonly indexed: number;
  /** An attribute of the contract was invalid and was replaced, or they came without a payload. */
  readonly repaired: number;
  /** The number of these whose queue no rule serves. They wait for one. */
  readonly unknownQueue: number;
  /** They cannot be handled: dead, with the reason. */
  readonly quarantined: number;
  /** DynamoDB takes not even that change of them. */
  readonly refused: number;
  /** Came back from runs that failed or were lost. */
  readonly redelivered: number;
  /** No event had reached them: the sweep found them, and they had to be indexed. */
  readonly notIndexed: number;
  /** Come again, as DynamoDB or another service did not answer. */
  readonly unprocessed: number;
}

/**
 * Writes the metrics of a batch.
 *
 * @inline
 */
export type EmitIntakeMetrics = (intake: IntakeMetrics, table: string) => void;

/** Metrics of a batch in which there was something to do. */
export function emitIntakeMetrics(intake: IntakeMetrics, table: string, level: MetricsLevel): void {
  write(
    level,
    { Table: table },
    {
      Indexed: intake.indexed,
      Repaired: intake.repaired,
      UnknownQueue: intake.unknownQueue,
      // One metric and its alarm for both: in either case no run attempts the record, and people have to look at it.
      Refused: intake.quarantined + intake.refused,
      Redelivered: intake.redelivered,
      NotIndexed: intake.notIndexed,
      Unprocessed: intake.unprocessed,
    },
  );
}

/** What the monitor has read of a queue. What is not known is left out. */
export interface QueueGauges {
  /** How late the record is that is due for longest, in the backlog's seconds; 0 if none is due. */
  readonly oldestDueAge: number;
  /** Records that wait for an attempt, now or later. */
  readonly waiting?: number | undefined;
  /** Those of them that are due. Not known of a progressive queue, whose tiers say when. */
  readonly due?: number | undefined;
  /** About how many of those that wait have failed. */
  readonly inRetry?: number | undefined;
  /** Records that were given up, and are still in the index. */
  readonly dead?: number | undefined;
}

/** Metrics of what waits in a queue. */
export function emitGauges(
  { oldestDueAge, waiting, due, inRetry, dead }: QueueGauges,
  { table, queue }: { table: string; queue: string },
  level: MetricsLevel,
): void {
  const counts = { Waiting: waiting, Due: due, InRetry: inRetry, DeadRecords: dead };
  write(level, { Table: table, Queue: queue }, counts, { OldestDueAge: oldestDueAge });
}

/** The number of the intake's event source mappings that are disabled or do not work. */
export function emitSourcesStopped(count: number, table: string, level: MetricsLevel): void {
  write(level, { Table: table }, { SourcesStopped: count });
}

/** The number of records that wait in queues which no function serves any more. */
export function emitRemovedQueues(count: number, table: string, level: MetricsLevel): void {
  write(level, { Table: table }, { RemovedQueueWaiting: count });
}
