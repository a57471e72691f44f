import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { METRICS_NAMESPACE } from '../../cdk/metrics.js';
import { METRICS_NAMESPACE as EMITTED_NAMESPACE } from '../../functions/metrics.js';
import { backlogWith, newStack, ownFunction, progressiveQueue, propertiesOf, retryQueue } from './support.js';

const queues = {
  orders: { ...retryQueue, lagThreshold: Duration.hours(1) },
  bulk: progressiveQueue,
};

describe('the alarms', () => {
  const { template } = backlogWith({ queues });
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');

  it('watch run errors, given-up events, the intake, and lag and dead records of each queue', () => {
    const watched = alarms.map(({ Namespace, MetricName, Statistic, Threshold, Dimensions }) => {
      const queue = Dimensions.find((dimension: { Name: string }) => dimension.Name === 'Queue')?.Value;
      return [Namespace, MetricName, Statistic, Threshold, queue];
    });
    expect(watched).toEqual([
      ['AWS/Lambda', 'Errors', 'Sum', 0, undefined],
      ['AWS/Lambda', 'Errors', 'Sum', 0, undefined],
      ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'Maximum', 0, undefined],
      ['AWS/Lambda', 'Errors', 'Sum', 0, undefined],
      ['AWS/Lambda', 'Errors', 'Sum', 0, undefined],
      ['AWS/Lambda', 'IteratorAge', 'Maximum', 300_000, undefined],
      ['DynamoBacklog', 'UnknownQueue', 'Sum', 0, undefined],
      ['DynamoBacklog', 'Refused', 'Sum', 0, undefined],
      ['DynamoBacklog', 'LagSeconds', 'Maximum', 3600, 'orders'],
      ['DynamoBacklog', 'Dead', 'Sum', 0, 'orders'],
      ['DynamoBacklog', 'LagSeconds', 'Maximum', 900, 'bulk'],
      ['DynamoBacklog', 'Dead', 'Sum', 0, 'bulk'],
    ]);
  });

  it('watch the errors of each function, the intake and the sweep among them', () => {
    const errors = alarms
      .filter(({ MetricName }) => MetricName === 'Errors')
      .map(({ Dimensions: [{ Name, Value }] }) => [Name, Value.Ref]);
    const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(functions).toHaveLength(4);
    expect(errors.toSorted()).toEqual(functions.map((id) => ['FunctionName', id]).toSorted());
  });

  it('go off above their threshold within five minutes, and stay silent while nothing runs', () => {
    for (const alarm of alarms) {
      expect(alarm).toMatchObject({
        ComparisonOperator: 'GreaterThanThreshold',
        Period: 300,
        EvaluationPeriods: 1,
        TreatMissingData: 'notBreaching',
      });
    }
  });

  it('raise an alarm for a task that a handler of your own has not known for half an hour', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', {
      queues: {
        sent: retryQueue,
        own: { retry: { type: 'fibonacci' }, handler: ownFunction(stack) },
        shared: { progressive: true, worker: 'both' },
      },
      workers: { both: { entry: 'test/cdk/fixtures/handler.ts' } },
    });
    const unknown = propertiesOf(Template.fromStack(stack), 'AWS::CloudWatch::Alarm').filter(
      ({ MetricName }) => MetricName === 'UnknownTask',
    );
    const queueOf = ({ Dimensions: [{ Value }] }: { Dimensions: [{ Value: string }] }) => Value;
    expect(unknown.map(queueOf)).toEqual(['own', 'shared']);
    for (const alarm of unknown)
      expect(alarm).toMatchObject({ Statistic: 'Sum', Threshold: 0, Period: 900, EvaluationPeriods: 2 });
  });

  it('name the table as the runs do', () => {
    const lag = alarms.find(({ MetricName }) => MetricName === 'LagSeconds');
    expect(lag.Dimensions).toEqual([
      { Name: 'Queue', Value: 'orders' },
      { Name: 'Table', Value: { Ref: expect.stringContaining('Records') } },
    ]);
    expect(METRICS_NAMESPACE).toBe(EMITTED_NAMESPACE);
  });

  it('all do what they are told to', () => {
    const stack = newStack();
    const topic = new Topic(stack, 'Topic');
    new Backlog(stack, 'Backlog', { queues, alarmAction: new SnsAction(topic) });
    const actions = propertiesOf(Template.fromStack(stack), 'AWS::CloudWatch::Alarm').map(
      ({ AlarmActions }) => AlarmActions,
    );
    expect(actions).toEqual(Array(12).fill([{ Ref: expect.stringMatching(/^Topic/) }]));
  });
});

it('alarms and dashboard can be left out', () => {
  const { template } = backlogWith({ queues, alarms: false, dashboard: false });
  template.resourceCountIs('AWS::CloudWatch::Alarm', 0);
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
});

it('the dashboard shows every queue, the runs and the given-up events', () => {
  const { template } = backlogWith({ queues });
  const [dashboard] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard.DashboardBody);
  for (const text of [
    'Queue orders (a due time per record)',
    'Queue bulk (progressive)',
    'Attempted',
    'Succeeded',
    'Failed',
    'Dead',
    'LagSeconds',
    'Errors of FibonacciDelivery',
    'Errors of ProgressiveDelivery',
    'Duration',
    'ApproximateNumberOfMessagesVisible',
    'Intake (records that were put without a lane)',
    'Indexed',
    'Repaired',
    'IteratorAge',
  ]) {
    expect(body).toContain(text);
  }
});

it('the dashboard shows caught-up runs of the queues that have some to catch up with', () => {
  const tiers = [
    { every: Duration.minutes(5), untilAge: Duration.days(1) },
    { every: Duration.hours(1), untilAge: Duration.days(10) },
  ];
  const { template } = backlogWith({
    queues: { ...queues, short: { ...progressiveQueue, progressive: { tiers } } },
  });
  const [dashboard] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const parts: string[] = dashboard.DashboardBody['Fn::Join'][1].filter(
    (part: unknown) => typeof part === 'string',
  );
  const shown = [...parts.join('?').matchAll(/"CaughtUp","Queue","(\w+)"/g)].map(([, queue]) => queue);
  expect(shown).toEqual(['bulk']);
});

it('a metric is that of one queue in one table, and takes options', () => {
  const { backlog } = backlogWith({ queues });
  const metric = backlog.metricAttempted('orders', { period: Duration.hours(1), statistic: 'Average' });
  expect(metric).toMatchObject({
    namespace: 'DynamoBacklog',
    metricName: 'Attempted',
    statistic: 'Average',
    dimensions: { Table: backlog.table.tableName, Queue: 'orders' },
  });
  expect(metric.period.toSeconds()).toBe(3600);
  const names = [
    backlog.metricSucceeded('bulk'),
    backlog.metricFailed('bulk'),
    backlog.metricDead('bulk'),
    backlog.metricCaughtUp('bulk'),
    backlog.metricLag('bulk'),
  ].map(({ metricName, statistic }) => [metricName, statistic]);
  expect(names).toEqual([
    ['Succeeded', 'Sum'],
    ['Failed', 'Sum'],
    ['Dead', 'Sum'],
    ['CaughtUp', 'Sum'],
    ['LagSeconds', 'Maximum'],
  ]);
});
