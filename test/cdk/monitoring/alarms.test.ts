import { describe, expect, it } from 'vitest';
import { METRICS_NAMESPACE } from '../../../cdk/monitoring/metrics.js';
import { METRICS_NAMESPACE as EMITTED_NAMESPACE } from '../../../functions/metrics.js';
import { backlogWith } from '../support.js';
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
