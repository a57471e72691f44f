import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { isIdle, type RunSummary } from '../src/processor/summary.js';

export const METRICS_NAMESPACE = 'DynamoBacklog';

/** Writes one line in CloudWatch's embedded metric format. */
export type EmitMetrics = (summary: RunSummary, table: string) => void;

/** Metrics of a run that found something. An idle poll stays silent: every line costs. */
export const emitMetrics: EmitMetrics = (summary, table) => {
  if (isIdle(summary)) return;
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  // Powertools adds a dimension of its own, which the alarms do not name.
  metrics.clearDefaultDimensions();
  metrics.addDimensions({ Table: table, Queue: summary.queue });
  metrics.addMetric('Attempted', MetricUnit.Count, summary.attempted);
  metrics.addMetric('Succeeded', MetricUnit.Count, summary.succeeded);
  metrics.addMetric('Failed', MetricUnit.Count, summary.failed);
  metrics.addMetric('Dead', MetricUnit.Count, summary.dead);
  metrics.addMetric('LagSeconds', MetricUnit.Seconds, summary.lagSeconds);
  metrics.publishStoredMetrics();
};
