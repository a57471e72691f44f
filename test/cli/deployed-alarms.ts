import { Template } from 'aws-cdk-lib/assertions';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Backlog } from '../../cdk/index.js';
import { newStack, ownFunction, retryQueue } from '../cdk/support.js';
import type { FakeAlarm } from './fake-cloudwatch.js';

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  /** The name of the table is a reference. */
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface AlarmProperties extends Partial<Metric> {
  readonly AlarmDescription: string;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Metric } }[];
}

/**
 * The alarms of a deployed backlog, off and by their names in the template, and one that its user made of a metric of it to scale
 * processes. An alarm on an expression has the library's metric in it.
 */
export function deployedAlarms(): FakeAlarm[] {
  const stack = newStack();
  const ofQueue = { retry: { type: 'fibonacci' } as const, handler: ownFunction(stack) };
  const backlog = new Backlog(stack, 'Backlog', {
    queues: {
      orders: { ...ofQueue, metricsPerKey: true, alarms: { depth: 100, depthPerKey: 50 } },
      bulk: retryQueue,
      quiet: { ...retryQueue, alarms: false },
    },
  });
  const metric = backlog.metricWaiting('orders');
  new Alarm(stack, 'Scaling', {
    metric,
    threshold: 1_000,
    evaluationPeriods: 1,
    alarmDescription: 'more processes',
  });
  const { Resources } = Template.fromStack(stack).toJSON();
  return Object.entries<{ Type: string; Properties: AlarmProperties }>(Resources).flatMap(
    ([name, { Type, Properties }]) =>
      Type === 'AWS::CloudWatch::Alarm' ? [fakeAlarm(name, Properties)] : [],
  );
}

function fakeAlarm(name: string, properties: AlarmProperties): FakeAlarm {
  const { AlarmDescription: description, Metrics = [] } = properties;
  const metrics = [properties, ...Metrics.map(({ MetricStat }) => MetricStat?.Metric)];
  const known = metrics.flatMap((metric) => (metric?.MetricName === undefined ? [] : [metric]));
  const { Namespace, MetricName, Dimensions } =
    known.find((metric) => metric.Namespace === 'DynamoBacklog') ?? known[0] ?? {};
  const values = (Dimensions ?? []).map(
    ({ Name, Value }) => [Name, typeof Value === 'string' ? Value : 'Records'] as const,
  );
  return {
    ...{ name, description, namespace: Namespace, metric: MetricName ?? '', isMath: Metrics.length > 0 },
    dimensions: Object.fromEntries(values),
  };
}
