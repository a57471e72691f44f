import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { isIdle, type RunSummary } from '../src/worker/summary.js';

export const METRICS_NAMESPACE = 'DynamoBacklog';

/**
 * Writes one line in CloudWatch's embedded metric format.
 *
 * @inline
 */
export type EmitMetrics = (summary: RunSummary, table: string) => void;

/** Metrics of a run that found something, or made up for a missed one. An idle poll stays silent: every line costs. */
export const emitMetrics: EmitMetrics = (summary, table) => {
  const caughtUp = summary.caughtUp?.length ?? 0;
  const idle = isIdle(summary);
  if (idle && caughtUp === 0) return;
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  // Powertools adds a dimension of its own, which the alarms do not name.
  metrics.clearDefaultDimensions();
  metrics.addDimensions({ Table: table, Queue: summary.queue });
  if (!idle) {
    metrics.addMetric('Attempted', MetricUnit.Count, summary.attempted);
    metrics.addMetric('Succeeded', MetricUnit.Count, summary.succeeded);
    metrics.addMetric('Failed', MetricUnit.Count, summary.failed);
    metrics.addMetric('Dead', MetricUnit.Count, summary.dead);
    if (summary.snoozed > 0) metrics.addMetric('Snoozed', MetricUnit.Count, summary.snoozed);
    if (summary.cancelled > 0) metrics.addMetric('Cancelled', MetricUnit.Count, summary.cancelled);
    if (summary.unknownTask) metrics.addMetric('UnknownTask', MetricUnit.Count, summary.unknownTask);
    metrics.addMetric('LagSeconds', MetricUnit.Seconds, summary.lagSeconds);
  }
  if (caughtUp > 0) metrics.addMetric('CaughtUp', MetricUnit.Count, caughtUp);
  metrics.publishStoredMetrics();
  if (summary.refused) emitRefused(summary.refused, table);
};

/** The intake's metric and its alarm, by the table alone: DynamoDB takes no change of these, and people have to look. */
function emitRefused(count: number, table: string): void {
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  metrics.clearDefaultDimensions();
  metrics.addDimensions({ Table: table });
  metrics.addMetric('Refused', MetricUnit.Count, count);
  metrics.publishStoredMetrics();
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
}

/** Metrics of a batch in which there was something to do. */
export function emitIntakeMetrics(
  { indexed, repaired, unknownQueue, quarantined, refused, redelivered }: IntakeMetrics,
  table: string,
): void {
  if (indexed + quarantined + refused + redelivered === 0) return;
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  metrics.clearDefaultDimensions();
  metrics.addDimensions({ Table: table });
  metrics.addMetric('Indexed', MetricUnit.Count, indexed);
  metrics.addMetric('Repaired', MetricUnit.Count, repaired);
  metrics.addMetric('UnknownQueue', MetricUnit.Count, unknownQueue);
  // One metric and its alarm for both: in either case no run attempts the record, and people have to look at it.
  metrics.addMetric('Refused', MetricUnit.Count, quarantined + refused);
  metrics.addMetric('Redelivered', MetricUnit.Count, redelivered);
  metrics.publishStoredMetrics();
}
