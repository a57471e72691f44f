import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  Alarm,
  AlarmRule,
  AlarmState,
  CompositeAlarm,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../cdk/index.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { newStack, ownFunction, progressiveQueue, retryQueue } from '../cdk/support.js';
import { alarmsOf, checkAlarm, firstAlarm, resolver, stateAt } from './alarms.js';
import { alarmWith, HOUR, MINUTE, START } from './support.js';

describe('the alarms of a backlog', () => {
  const stack = newStack();
  new Backlog(stack, 'Backlog', {
    queues: {
      orders: retryQueue,
      bulk: progressiveQueue,
      own: { retry: { type: 'fibonacci' }, handler: ownFunction(stack) },
    },
    alarmActions: [new SnsAction(new Topic(stack, 'Topic'))],
  });
  const template = Template.fromStack(stack).toJSON();
  const table = Object.keys(template.Resources).find((id) => /^BacklogRecords/.test(id)) ?? '';
  const nameOf = (id: string, attribute?: string) =>
    id === table ? 'records' : [id, attribute].filter(Boolean).join('.');
  const all = alarmsOf(template, resolver(nameOf));
  const alarms = all.filter(({ type }) => type === 'metric');
  // Those that silence does not set off.
  const byData = alarms.filter(({ id }) => !/Alarms(Runs[A-Z]|Runsown|Monitor|Sweeps[0-9A-F]{8}$)/.test(id));
  const named = (name: string) => alarms.find(({ id }) => id.includes(name));

  it('are all read, and CloudWatch takes them', () => {
    const count = Object.values<{ Type: string }>(template.Resources).filter(
      ({ Type }) => Type === 'AWS::CloudWatch::Alarm',
    ).length;
    expect(alarms).toHaveLength(count);
    expect(count).toBeGreaterThan(12);
    for (const alarm of alarms) {
      checkAlarm(alarm);
      expect(alarm.actions).toEqual([expect.stringMatching(/^Topic/)]);
      expect(alarm.description).not.toBe('');
    }
  });

  it('are raised by the data that they are for, and by no other', () => {
    const data = new MetricData();
    const put = (name: string, value: number, dimensions: Record<string, string>, minutes: number) =>
      data.put({ namespace: 'DynamoBacklog', name, dimensions, value, at: START + minutes * MINUTE });
    put('Dead', 1, { Table: 'records', Queue: 'orders' }, 3);
    put('Dead', 0, { Table: 'records', Queue: 'bulk' }, 3);
    put('OldestDueAge', 5000, { Table: 'records', Queue: 'bulk' }, 12);
    put('OldestDueAge', 5000, { Table: 'another', Queue: 'orders' }, 12);
    put('UnknownTask', 1, { Table: 'records', Queue: 'own' }, 0);
    put('UnknownTask', 1, { Table: 'records', Queue: 'own' }, 10);
    const raised = firstAlarm(byData, data, { from: START, until: START + 2 * HOUR });
    expect(raised).toEqual([
      { alarm: named('Deadorders')?.id, minutes: 4 },
      { alarm: named('UnknownTaskown')?.id, minutes: 11 },
      { alarm: named('Lagbulk')?.id, minutes: 13 },
    ]);
  });

  it('stay silent without data, except heartbeats', () => {
    expect(firstAlarm(byData, new MetricData(), { from: START, until: START + HOUR })).toEqual([]);
    for (const alarm of byData) {
      // Nothing is known of failures before the first one.
      const state = alarm.name.startsWith('BacklogAlarmsFailures') ? 'INSUFFICIENT_DATA' : 'OK';
      expect(stateAt(alarm, new MetricData(), START)).toBe(state);
    }
    const silent = alarms.filter((alarm) => stateAt(alarm, new MetricData(), START) === 'ALARM');
    expect(silent).toHaveLength(alarms.length - byData.length);
  });

  it('name functions and queues by their logical ids', () => {
    const data = new MetricData();
    const alarm = named('EventDlq');
    if (alarm?.type !== 'metric') throw new Error('no such alarm');
    const [query] = alarm.queries;
    if (!query || !('metric' in query)) throw new Error('no metric');
    expect(query.metric.dimensions).toEqual({
      QueueName: expect.stringMatching(/^Backlog.*\.QueueName$/),
    });
    data.put({ ...query.metric, value: 1, at: START });
    expect(firstAlarm(byData, data, { from: START, until: START + HOUR })).toEqual([
      { alarm: alarm.id, minutes: 1 },
    ]);
  });
});

it('expressions and composite alarms of the CDK are read as they are synthesized', () => {
  const stack = newStack();
  const metric = (metricName: string) =>
    new Metric({ namespace: 'Shop', metricName, statistic: 'Sum', period: Duration.minutes(5) });
  const share = new Alarm(stack, 'Share', {
    metric: new MathExpression({
      expression: '100 * failed / started',
      usingMetrics: {
        failed: metric('Failed'),
        started: new MathExpression({
          expression: 'FILL(begun, 0)',
          usingMetrics: { begun: metric('Begun') },
        }),
      },
      period: Duration.minutes(5),
    }),
    threshold: 50,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  const stopped = new Alarm(stack, 'Stopped', {
    metric: metric('Begun').with({ statistic: 'SampleCount' }),
    threshold: 1,
    evaluationPeriods: 1,
    comparisonOperator: 'LessThanThreshold' as never,
    treatMissingData: TreatMissingData.BREACHING,
  });
  new CompositeAlarm(stack, 'Both', {
    alarmRule: AlarmRule.allOf(
      AlarmRule.fromAlarm(share, AlarmState.OK),
      AlarmRule.not(AlarmRule.fromAlarm(stopped, AlarmState.OK)),
      AlarmRule.fromBoolean(true),
    ),
  });
  const alarms = alarmsOf(Template.fromStack(stack).toJSON());
  for (const alarm of alarms) checkAlarm(alarm);
  const data = new MetricData();
  for (let minute = 0; minute < 30; minute += 5) {
    data.put({ namespace: 'Shop', name: 'Begun', value: 4, at: START + minute * MINUTE });
  }
  data.put({ namespace: 'Shop', name: 'Failed', value: 3, at: START + 10 * MINUTE });
  const raised = firstAlarm(alarms, data, { from: START + 5 * MINUTE, until: START + 2 * HOUR });
  expect(raised.map(({ alarm, minutes }) => [alarm.replace(/[0-9A-F]{8}$/, ''), minutes])).toEqual([
    ['Share', 6],
    ['Stopped', 36],
    ['Both', 36],
  ]);
});

describe('a value of a template', () => {
  it.each([
    ['text', 'text'],
    [5, '5'],
    [{ Ref: 'Table' }, 'Table'],
    [{ 'Fn::GetAtt': ['Queue', 'QueueName'] }, 'Queue.QueueName'],
    [{ 'Fn::GetAtt': 'Queue.QueueName' }, 'Queue.QueueName'],
    [{ 'Fn::Join': ['/', ['a', { Ref: 'B' }, 3]] }, 'a/B/3'],
    [{ 'Fn::Select': [1, ['a', { Ref: 'B' }]] }, 'B'],
    [{ 'Fn::Select': ['2', { 'Fn::Split': ['/', { 'Fn::Join': ['', ['x/y/', { Ref: 'Z' }]] }] }] }, 'Z'],
    [{ 'Fn::Sub': `\${Table} and \${Queue.Arn} and \${!Literal}` }, `Table and Queue.Arn and \${Literal}`],
    [{ 'Fn::Sub': [`\${a}-\${B}`, { a: { Ref: 'A' } }] }, 'A-B'],
    [{ 'Fn::ImportValue': 'x' }, '{"Fn::ImportValue":"x"}'],
    [{ Ref: 'A', Other: 1 }, '{"Ref":"A","Other":1}'],
  ])('%j becomes %s', (value, text) => {
    expect(resolver()(value)).toBe(text);
  });

  it('can have a name of its own', () => {
    const resolve = resolver((id, attribute = 'Name') => `${attribute} of ${id}`);
    expect(resolve({ 'Fn::Join': ['+', [{ Ref: 'A' }, { 'Fn::GetAtt': ['B', 'Arn'] }]] })).toBe(
      'Name of A+Arn of B',
    );
  });
});

describe('what cannot be evaluated is refused', () => {
  it.each([
    [{ ComparisonOperator: 'GreaterThanUpperThreshold' }, 'unknown ComparisonOperator'],
    [{ ThresholdMetricId: 'ad1' }, 'ThresholdMetricId is not known here'],
    [{ EvaluationCriteria: {} }, 'EvaluationCriteria is not known here'],
    [{ EvaluateLowSampleCountPercentile: 'ignore' }, 'is not known here'],
    [{ Statistic: undefined, ExtendedStatistic: 'tm99' }, 'unknown statistic "tm99"'],
    [{ TreatMissingData: 'Ignore' }, 'unknown TreatMissingData "Ignore"'],
    [{ Threshold: undefined }, 'expected a number for Threshold'],
    [{ Period: { Ref: 'Period' } }, 'expected a number for Period'],
    [{ EvaluationWindow: { WallClockWindow: { Timezone: 'Europe/Berlin' } } }, 'Europe/Berlin is not known'],
    [{ Metrics: [{ Id: 'e', Expression: 'SELECT SUM(a) FROM b' }] }, 'expected its end, got SUM'],
  ])('%j', (changes, message) => {
    expect(() => alarmWith(changes)).toThrow('alarm Alarm: ');
    expect(() => alarmWith(changes)).toThrow(message);
  });

  it('numbers may be text, as CloudFormation allows', () => {
    expect(alarmWith({ Threshold: '5', Period: '60', EvaluationPeriods: '2' })).toMatchObject({
      threshold: 5,
      evaluationPeriods: 2,
      datapointsToAlarm: 2,
    });
  });

  it('disabled actions are none', () => {
    const AlarmActions = [{ Ref: 'Topic' }];
    expect(alarmWith({ AlarmActions }).actions).toEqual(['Topic']);
    expect(alarmWith({ AlarmActions, ActionsEnabled: false }).actions).toEqual([]);
  });
});
