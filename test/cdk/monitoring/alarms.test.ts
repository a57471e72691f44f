import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { METRICS_NAMESPACE } from '../../../cdk/monitoring/metrics.js';
import { METRICS_NAMESPACE as EMITTED_NAMESPACE } from '../../../functions/metrics.js';
import { backlogWith, newStack } from '../support.js';
import { alarmsOf, type Properties, periodOf, queuesOfEachKind as queues } from './alarms-of.js';

describe('the alarms of a queue of each kind', () => {
  const { template } = backlogWith({ queues });
  const alarms = alarmsOf(template);

  it('are these', () => {
    const shown = Object.entries(alarms).map(
      ([id, { Metrics, MetricName, Threshold, Period, EvaluationPeriods }]) => [
        id,
        MetricName ?? Metrics.find((one: Properties) => one.Expression).Expression,
        Threshold,
        `${Period ?? periodOf(Metrics)} s x ${EvaluationPeriods}`,
      ],
    );
    expect(shown).toEqual([
      ['RunErrorsFibonacciDelivery', 'Errors', 0, '300 s x 1'],
      ['RunErrorsProgressiveDelivery', 'Errors', 0, '300 s x 1'],
      ['RunsFibonacciDelivery', 'FILL(invocations, 0)', 1, '300 s x 2'],
      ['RunsProgressiveDelivery', 'FILL(invocations, 0)', 1, '300 s x 2'],
      ['Monitor', '1 - FILL(failed, 1)', 1, '300 s x 2'],
      ['SweepErrors', 'Errors', 0, '300 s x 1'],
      ['Sweeps', 'FILL(invocations, 0)', 1, '3600 s x 2'],
      ['EventDlq', 'NumberOfMessagesSent', 0, '300 s x 1'],
      ['IntakeAge', 'IteratorAge', 300_000, '300 s x 1'],
      ['IntakeErrors', 'FILL(errors, 0) + FILL(unprocessed, 0)', 0, '300 s x 1'],
      ['IntakeStopped', 'SourcesStopped', 0, '300 s x 2'],
      ['NotIndexed', 'NotIndexed', 0, '300 s x 1'],
      ['UnknownQueue', 'UnknownQueue', 0, '300 s x 1'],
      ['Refused', 'Refused', 0, '300 s x 1'],
      ['RemovedQueues', 'RemovedQueueWaiting', 0, '300 s x 1'],
      ['Lagorders', 'OldestDueAge', 3600, '300 s x 1'],
      ['Failuresorders', 'FailingSeconds', 0, '300 s x 1'],
      ['Deadorders', 'Dead', 0, '300 s x 1'],
      ['Lagbulk', 'OldestDueAge', 210, '300 s x 1'],
      ['Failuresbulk', 'FailingSeconds', 0, '300 s x 1'],
      ['Deadbulk', 'Dead', 0, '300 s x 1'],
    ]);
  });

  it('go off by silence only where silence means that something has stopped', () => {
    for (const [id, { ComparisonOperator, TreatMissingData }] of Object.entries(alarms)) {
      const isHeartbeat = /^(Runs|Monitor$|Sweeps)/.test(id);
      // A missing count of failures does not end the alarm.
      const missing = id.startsWith('Failures') ? 'ignore' : 'notBreaching';
      expect([id, ComparisonOperator, TreatMissingData]).toEqual(
        isHeartbeat ? [id, 'LessThanThreshold', 'breaching'] : [id, 'GreaterThanThreshold', missing],
      );
    }
  });

  it('name the table as the runs do', () => {
    expect(alarms.Lagorders.Dimensions).toEqual([
      { Name: 'Queue', Value: 'orders' },
      { Name: 'Table', Value: { Ref: expect.stringContaining('Records') } },
    ]);
    expect(METRICS_NAMESPACE).toBe(EMITTED_NAMESPACE);
  });
});

describe('pages without an action', () => {
  const action = { bind: () => ({ alarmActionArn: 'arn:aws:sns:eu-central-1:123456789012:pager' }) };
  const warnings = (props: Partial<BacklogProps>, change: (backlog: Backlog) => void = () => {}) => {
    const stack = newStack();
    change(new Backlog(stack, 'Backlog', { queues, ...props }));
    return Annotations.fromStack(stack).findWarning('/Test/Backlog', Match.stringLikeRegexp('calls anyone'))
      .length;
  };

  it('are warned of', () => {
    expect(warnings({})).toBe(1);
    expect(warnings({ alarmActions: { ticket: [action] } })).toBe(1);
  });

  it('are not, where a page has an action, given by the app later or of the composite alarm', () => {
    expect(warnings({ alarmActions: [action] })).toBe(0);
    expect(warnings({ alarmActions: { page: [action] } })).toBe(0);
    const toAll = ({ alarms }: Backlog) => {
      for (const alarm of alarms) alarm.addAlarmAction(action);
    };
    expect(warnings({}, toAll)).toBe(0);
    expect(warnings({}, ({ compositeAlarm }) => compositeAlarm?.addAlarmAction(action))).toBe(0);
  });

  it('are not, where there are none, or with "minimal"', () => {
    expect(warnings({ alarms: false })).toBe(0);
    expect(warnings({ minimal: true })).toBe(0);
  });
});

describe('the runbook of the alarms', () => {
  it('is a page of your own, with the kind of the alarm as its fragment', () => {
    const { template } = backlogWith({ queues, runbookUrl: 'https://wiki.example.com/backlog' });
    expect(alarmsOf(template).Lagorders.AlarmDescription).toMatch(
      / https:\/\/wiki\.example\.com\/backlog#lag$/,
    );
    expect(template.toJSON().Metadata.DynamoBacklog.Backlog).toMatchObject({
      runbookUrl: 'https://wiki.example.com/backlog',
    });
  });

  it.each(['wiki/backlog', 'ftp://wiki', 'https://wiki.example.com/#lag', `https://${'x'.repeat(200)}`])(
    'is refused: %s',
    (runbookUrl) => {
      expect(() => backlogWith({ queues, runbookUrl })).toThrow('Backlog.runbookUrl: ');
    },
  );
});
