import { readFileSync } from 'node:fs';
import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { readingKey } from '../../../src/store/dynamodb/control-values.js';
import {
  backlogWith,
  newStack,
  ownFunction,
  progressiveQueue,
  propertiesOf,
  retryQueue,
} from '../support.js';
import { alarmsOf, periodOf, queuesOfEachKind as queues } from './alarms-of.js';

describe('the alarms', () => {
  const { template } = backlogWith({ queues });
  const alarms = alarmsOf(template);

  it('say how urgent they are, what they mean, and where the runbook has a paragraph on it', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const headings = [...runbook.matchAll(/^## `?([A-Za-z]+)/gm)].map(([, name = '']) => name.toLowerCase());
    const linked = Object.values(alarms).map(({ AlarmDescription }) => {
      const [, severity, anchor] =
        /^\[(page|ticket)\] .{40,}docs\/runbook\.md#([a-z]+)$/.exec(AlarmDescription) ?? [];
      expect(severity, AlarmDescription).toBeDefined();
      expect(AlarmDescription.length).toBeLessThan(1024);
      return anchor;
    });
    expect(headings).toEqual(expect.arrayContaining(linked));
    // And no paragraph on an alarm that there is not: these come with other props.
    const others = [
      'unknowntask',
      'depth',
      'depthperkey',
      'pending',
      'completionurl',
      'held',
      'scheduledeadletters',
      'recordeventsage',
      'recurringlag',
    ];
    expect(headings.toSorted()).toEqual([...new Set([...linked, ...others])].toSorted());
  });

  it('are all watched by one more', () => {
    const [composite] = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm');
    const rule = JSON.stringify(composite.AlarmRule);
    for (const id of Object.keys(template.findResources('AWS::CloudWatch::Alarm')))
      expect(rule).toContain(`"${id}"`);
    const { template: without } = backlogWith({ queues, compositeAlarm: false });
    without.resourceCountIs('AWS::CloudWatch::CompositeAlarm', 0);
  });

  it('raise one for a task that a handler of your own has not known in two of three periods', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', {
      queues: {
        sent: retryQueue,
        own: { retry: { type: 'fibonacci' }, handler: ownFunction(stack) },
        shared: { progressive: true, worker: 'both' },
      },
      workers: { both: { entry: 'test/cdk/fixtures/handler.ts' } },
    });
    const unknown = Object.entries(alarmsOf(Template.fromStack(stack))).filter(([id]) =>
      id.startsWith('UnknownTask'),
    );
    expect(unknown.map(([id]) => id)).toEqual(['UnknownTaskown', 'UnknownTaskshared']);
    for (const [, alarm] of unknown)
      expect(alarm).toMatchObject({
        Statistic: 'Sum',
        Threshold: 0,
        Period: 300,
        EvaluationPeriods: 3,
        DatapointsToAlarm: 2,
      });
  });
});

describe('the alarms of a queue', () => {
  const of = (props: Partial<BacklogProps['queues'][string]>, more: Partial<BacklogProps> = {}) =>
    alarmsOf(backlogWith({ queues: { orders: { ...retryQueue, ...props } as never }, ...more }).template);
  const own = (alarms: Record<string, unknown>) => Object.keys(alarms).filter((id) => id.endsWith('orders'));

  it('have the thresholds that are given', () => {
    const alarms = of({
      alarms: { dead: 9, depth: 1000, failures: true, severity: 'ticket' },
      attemptTimeout: Duration.minutes(4),
    });
    expect(own(alarms)).toEqual(['Lagorders', 'Failuresorders', 'Deadorders', 'Depthorders']);
    expect(alarms.Lagorders.Threshold).toBe(420);
    expect(alarms.Deadorders.Threshold).toBe(9);
    expect(alarms.Depthorders).toMatchObject({
      Threshold: 1000,
      MetricName: 'Waiting',
      Statistic: 'Maximum',
    });
    expect(alarms.Failuresorders).toMatchObject({
      Threshold: 0,
      MetricName: 'FailingSeconds',
      Statistic: 'Maximum',
      TreatMissingData: 'ignore',
    });
    for (const id of own(alarms)) expect(alarms[id].AlarmDescription).toMatch(/^\[ticket\]/);
  });

  it('can be left out, each or all', () => {
    expect(own(of({ alarms: { lag: false, dead: false, failures: false } }))).toEqual([]);
    expect(own(of({ alarms: false }))).toEqual([]);
  });

  it('are those that say something while it is not enabled, and no heartbeat', () => {
    const alarms = of({ enabled: false });
    expect(own(alarms)).toEqual(['Deadorders']);
    expect(Object.keys(alarms).filter((id) => id.startsWith('Runs'))).toEqual([]);
  });

  it.each([
    [{ lag: 60 }, 'alarms.lag: expected a Duration or false, got 60'],
    [{ dead: -1 }, 'alarms.dead: expected number to be >=0, got -1'],
    [{ failures: 0.5 }, 'alarms.failures: expected true or false'],
    [{ severity: 'high' }, 'alarms.severity: expected "page" or "ticket", got "high"'],
    [{ late: 5 }, 'alarms: unknown option "late"'],
  ])('refuse %j', (alarms, message) => {
    expect(() => of({ alarms: alarms as never })).toThrow(`queues.orders.${message}`);
  });

  it('refuse a depth where nothing measures it', () => {
    expect(() => of({ alarms: { depth: 5 } }, { metrics: 'essential' })).toThrow(
      'queues.orders.alarms.depth: expected nothing beside metrics "essential", which do not say how much waits (give "metrics": "full"), got 5',
    );
  });
});

describe('the monitor', () => {
  it('knows the retry mode, the shards and the policy of every queue', () => {
    const tiers = [{ every: Duration.minutes(10), untilAge: Duration.days(2) }];
    const { template } = backlogWith({
      queues: {
        orders: { ...retryQueue, shards: 4, concurrency: 3, retention: 'forever' },
        bulk: progressiveQueue,
        own: { ...progressiveQueue, progressive: { tiers } },
      },
    });
    const [id = ''] = Object.keys(template.findResources('AWS::Lambda::Function')).filter((one) =>
      one.startsWith('BacklogMonitor'),
    );
    const [{ Properties }] = [template.findResources('AWS::Lambda::Function')[id] ?? {}];
    const { Variables } = Properties.Environment;
    expect(JSON.parse(Variables.BACKLOG_QUEUES)).toEqual({
      orders: { retryMode: 'perRecord', shards: 4, retry: { type: 'fibonacci' } },
      bulk: { retryMode: 'progressive' },
      own: {
        retryMode: 'progressive',
        retry: { type: 'progressive', tiers: [{ every: 600, untilAge: 172_800 }], maxAge: 172_800 },
      },
    });
    const mappings = Object.keys(template.findResources('AWS::Lambda::EventSourceMapping'));
    expect(mappings).toHaveLength(2);
    for (const mapping of mappings)
      expect(JSON.stringify(Variables.BACKLOG_EVENT_SOURCES)).toContain(`{"Ref":"${mapping}"}`);
  });
});

it('the monitor may write its readings into the control table, and nothing else', () => {
  const { template } = backlogWith({ queues });
  const [policy] = Object.entries(template.findResources('AWS::IAM::Policy')).flatMap(
    ([id, { Properties }]) => (id.startsWith('BacklogMonitor') ? [Properties.PolicyDocument.Statement] : []),
  );
  const writes = policy.filter(({ Action }: { Action: string }) =>
    /dynamodb:(Update|Put|Delete)/.test(String(Action)),
  );
  expect(writes).toMatchObject([
    {
      Action: 'dynamodb:UpdateItem',
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [readingKey('*'), 'registry'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    },
  ]);
});

describe('heartbeats', () => {
  const runs = (every: Duration) => {
    const tiers = [{ every, untilAge: Duration.days(30) }];
    const { template } = backlogWith({ queues: { bulk: { ...progressiveQueue, progressive: { tiers } } } });
    const alarm = alarmsOf(template).RunsProgressiveDelivery;
    return alarm && [periodOf(alarm.Metrics), alarm.EvaluationPeriods];
  };

  it('wait for two intervals of the most frequent rule', () => {
    expect(runs(Duration.minutes(1))).toEqual([300, 2]);
    expect(runs(Duration.hours(12))).toEqual([43_200, 2]);
    // CloudWatch looks back seven days.
    expect(runs(Duration.days(4))).toBeUndefined();
  });
});

describe('actions', () => {
  function actionsOf(props: (actions: Record<'page' | 'ticket', SnsAction>) => Partial<BacklogProps>) {
    const stack = newStack();
    const actions = {
      page: new SnsAction(new Topic(stack, 'Page')),
      ticket: new SnsAction(new Topic(stack, 'Ticket')),
    };
    new Backlog(stack, 'Backlog', { queues, ...props(actions) });
    return Object.entries(alarmsOf(Template.fromStack(stack))).map(
      ([id, { AlarmDescription, AlarmActions, OKActions }]) => {
        const names = (list: { Ref: string }[] | undefined) => list?.map(({ Ref }) => Ref.slice(0, 4));
        return {
          id,
          severity: /^\[(\w+)\]/.exec(AlarmDescription)?.[1],
          on: names(AlarmActions),
          ok: names(OKActions),
        };
      },
    );
  }

  it('are those of all alarms', () => {
    const all = actionsOf(({ page, ticket }) => ({ alarmActions: [page, ticket], okActions: [ticket] }));
    expect(all).toHaveLength(21);
    for (const { on, ok } of all) expect([on, ok]).toEqual([['Page', 'Tick'], ['Tick']]);
  });

  it('are those of their severity', () => {
    const all = actionsOf(({ page, ticket }) => ({
      alarmActions: { page: [page], ticket: [ticket] },
      okActions: { page: [page] },
    }));
    for (const { severity, on, ok } of all)
      expect([on, ok]).toEqual(severity === 'page' ? [['Page'], ['Page']] : [['Tick'], undefined]);
    const paging = all
      .filter(({ severity }) => severity === 'page')
      .map(({ id }) => id.replace(/[a-z]+$/, ''));
    expect(new Set(paging)).toEqual(
      new Set(['RunsFibonacciD', 'RunsProgressiveD', 'M', 'IntakeA', 'IntakeS', 'L', 'F']),
    );
  });
});

describe('metrics', () => {
  it('"off" leave the alarms of what Lambda and SQS measure', () => {
    const { template, backlog } = backlogWith({ queues, metrics: 'off' });
    expect(backlog.monitor).toBeUndefined();
    const used = JSON.stringify([
      propertiesOf(template, 'AWS::CloudWatch::Alarm'),
      propertiesOf(template, 'AWS::CloudWatch::Dashboard'),
    ]);
    expect(used).not.toContain('DynamoBacklog');
    expect(Object.keys(alarmsOf(template))).toEqual([
      'RunErrorsFibonacciDelivery',
      'RunErrorsProgressiveDelivery',
      'RunsFibonacciDelivery',
      'RunsProgressiveDelivery',
      'SweepErrors',
      'Sweeps',
      'EventDlq',
      'IntakeAge',
      'IntakeErrors',
    ]);
  });

  it.each(['essential', 'off'] as const)('"%s" are told to every function', (metrics) => {
    const { template } = backlogWith({ queues, metrics });
    for (const { Environment } of propertiesOf(template, 'AWS::Lambda::Function'))
      expect(Environment.Variables.BACKLOG_METRICS).toBe(metrics);
  });

  it('of other levels are refused', () => {
    expect(() => backlogWith({ queues, metrics: 'few' as never })).toThrow(
      'Backlog.metrics: expected "full", "essential" or "off", got "few"',
    );
  });

  it('are those of one queue in one table, and take options', () => {
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
      backlog.metricSnoozed('bulk'),
      backlog.metricPending('bulk'),
      backlog.metricCancelled('bulk'),
      backlog.metricUnknownTask('bulk'),
      backlog.metricCaughtUp('bulk'),
      backlog.metricLag('bulk'),
      backlog.metricOldestDueAge('bulk'),
      backlog.metricWaiting('bulk'),
      backlog.metricDue('bulk'),
      backlog.metricInRetry('bulk'),
      backlog.metricDeadRecords('bulk'),
    ].map(({ metricName, statistic, dimensions }) => [metricName, statistic, dimensions?.Queue]);
    expect(names).toEqual([
      ['Succeeded', 'Sum', 'bulk'],
      ['Failed', 'Sum', 'bulk'],
      ['Dead', 'Sum', 'bulk'],
      ['Snoozed', 'Sum', 'bulk'],
      ['Pending', 'Sum', 'bulk'],
      ['Cancelled', 'Sum', 'bulk'],
      ['UnknownTask', 'Sum', 'bulk'],
      ['CaughtUp', 'Sum', 'bulk'],
      ['LagSeconds', 'Maximum', 'bulk'],
      ['OldestDueAge', 'Maximum', 'bulk'],
      ['Waiting', 'Maximum', 'bulk'],
      ['Due', 'Maximum', 'bulk'],
      ['InRetry', 'Maximum', 'bulk'],
      ['DeadRecords', 'Maximum', 'bulk'],
    ]);
    expect(() => backlog.metricDue('none')).toThrow('queue: expected one of "orders", "bulk", got "none"');
  });

  it('are also those of the whole backlog', () => {
    const { backlog } = backlogWith({ queues });
    const names = [
      backlog.metricIndexed(),
      backlog.metricRepaired(),
      backlog.metricUnknownQueue(),
      backlog.metricRefused(),
      backlog.metricRedelivered(),
      backlog.metricNotIndexed(),
      backlog.metricUnprocessed(),
      backlog.metricSourcesStopped({ period: Duration.minutes(15) }),
      backlog.metricRemovedQueueWaiting(),
    ].map(({ metricName, statistic, dimensions }) => [metricName, statistic, dimensions]);
    const dimensions = { Table: backlog.table.tableName };
    expect(names).toEqual([
      ['Indexed', 'Sum', dimensions],
      ['Repaired', 'Sum', dimensions],
      ['UnknownQueue', 'Sum', dimensions],
      ['Refused', 'Sum', dimensions],
      ['Redelivered', 'Sum', dimensions],
      ['NotIndexed', 'Sum', dimensions],
      ['Unprocessed', 'Sum', dimensions],
      ['SourcesStopped', 'Maximum', dimensions],
      ['RemovedQueueWaiting', 'Maximum', dimensions],
    ]);
    expect(backlog.metricIntakeAge()?.metricName).toBe('IteratorAge');
  });
});

it('alarms and dashboard can be left out', () => {
  const { template, backlog } = backlogWith({ queues, alarms: false, dashboard: false });
  template.resourceCountIs('AWS::CloudWatch::Alarm', 0);
  template.resourceCountIs('AWS::CloudWatch::CompositeAlarm', 0);
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  expect([backlog.alarms, backlog.compositeAlarm]).toEqual([[], undefined]);
});
