import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  MathExpression,
  type Metric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from '../props/queue.js';
import { queueMetric } from './metrics.js';

/** Most lines of one graph, those that are highest: more cannot be told apart. */
const MAX_LINES = 10;

/**
 * Most queues whose metrics are named. The metrics of more queues are searched for when the dashboard is looked at: it
 * takes 2,500 metrics, and a graph 500.
 */
const MAX_NAMED = 50;

/** One line per queue. */
export function byQueue(queues: readonly Queue[], metric: (queue: Queue) => Metric): IMetric[] {
  const metrics = queues.map(metric);
  return metrics.length > MAX_NAMED && metrics[0] ? [searched(metrics[0])] : highest(metrics);
}

/** The highest of the same metric of all queues, or of all their keys, that have had any data in the last two weeks. */
export function searched({
  namespace,
  metricName,
  dimensions = {},
  statistic,
  period,
}: Metric): MathExpression {
  const schema = [namespace, ...Object.keys(dimensions)].join(',');
  const search = `{${schema}} MetricName="${metricName}" Table="${dimensions.Table}"`;
  return new MathExpression({
    expression: `SLICE(SORT(SEARCH('${search}', '${statistic}', ${period.toSeconds()}), MAX, DESC), 0, ${MAX_LINES})`,
    label: '',
    period,
  });
}

/** The graph of the time to drain; none for many queues, as it would take three metrics of each. */
export function drainGraph(tableName: string, queues: readonly Queue[]): GraphWidget[] {
  if (queues.length > MAX_NAMED) return [];
  const minutes = queues.map((queue) => timeToDrain(tableName, queue));
  return [graph('Time to drain at the present pace (minutes)', highest(minutes))];
}

/** Records that wait, divided by those that left the queue per minute; no point where none left. */
function timeToDrain(tableName: string, { name }: Queue): MathExpression {
  const [waiting, succeeded, dead] = (['Waiting', 'Succeeded', 'Dead'] as const).map((metric) =>
    queueMetric(tableName, name, metric),
  ) as [Metric, Metric, Metric];
  const id = (metric: string) => `${metric}_${idOf(name)}`;
  return new MathExpression({
    expression: `${id('waiting')} / ((FILL(${id('succeeded')}, 0) + FILL(${id('dead')}, 0)) / (PERIOD(${id('waiting')}) / 60))`,
    usingMetrics: { [id('waiting')]: waiting, [id('succeeded')]: succeeded, [id('dead')]: dead },
    label: name,
    period: Duration.minutes(5),
  });
}

/** An id of metric math: letters, digits and `_`. A name has `.` and `-` as well, which must not make two names one. */
function idOf(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, (one) => `_${one.charCodeAt(0).toString(16)}_`);
}

/** The metrics of a graph: all of them, or the highest, where they would be too many lines. */
export function highest(metrics: readonly IMetric[]): IMetric[] {
  if (metrics.length <= MAX_LINES) return [...metrics];
  const usingMetrics = Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric]));
  return [
    new MathExpression({
      expression: `SLICE(SORT([${Object.keys(usingMetrics).join(', ')}], MAX, DESC), 0, ${MAX_LINES})`,
      usingMetrics,
      label: '',
      period: Duration.minutes(5),
    }),
  ];
}

/** A graph from zero on, half as wide as the dashboard. */
export function graph(
  title: string,
  left: readonly IMetric[],
  leftAnnotations: HorizontalAnnotation[] = [],
  width = 12,
): GraphWidget {
  return new GraphWidget({ title, width, left: [...left], leftAnnotations, leftYAxis: { min: 0 } });
}

export function heading(text: string): TextWidget {
  return new TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });
}
