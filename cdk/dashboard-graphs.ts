import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  MathExpression,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from './queue.js';

/** More lines than that in one graph cannot be told apart: it shows those that are highest. */
const MOST_LINES = 10;

/** One line per queue. */
export function byQueue<One extends IMetric>(
  queues: readonly Queue[],
  metric: (queue: Queue) => One,
): IMetric[] {
  return highest(queues.map(metric));
}

/** All of them, or the highest, where they would be too many lines. */
export function highest(metrics: readonly IMetric[]): IMetric[] {
  if (metrics.length <= MOST_LINES) return [...metrics];
  const usingMetrics = Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric]));
  return [
    new MathExpression({
      expression: `SLICE(SORT([${Object.keys(usingMetrics).join(', ')}], MAX, DESC), 0, ${MOST_LINES})`,
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
