import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { intakeMetric, type MetricName, queueMetric } from './metrics.js';
import type { Queue } from './queue.js';

export interface DashboardSettings {
  readonly tableName: string;
  readonly queues: readonly Queue[];
  /** By the name of the function's construct. */
  readonly functions: ReadonlyMap<string, IFunction>;
  readonly eventDlq: IQueue;
  readonly scheduleDeadLetters: IQueue | undefined;
  readonly intake: IFunction | undefined;
}

const OUTCOMES: readonly MetricName[] = ['Attempted', 'Succeeded', 'Failed', 'Dead'];

/** One row per queue, and one for the runs themselves. */
export function addDashboard(scope: Construct, id: string, settings: DashboardSettings): Dashboard {
  return new Dashboard(scope, id, {
    defaultInterval: Duration.days(1),
    widgets: [
      ...settings.queues.flatMap((queue) => queueRows(settings.tableName, queue)),
      ...intakeRows(settings),
      ...runRows(settings),
    ],
  });
}

function queueRows(tableName: string, queue: Queue): IWidget[][] {
  const threshold = queue.lagThresholdSeconds;
  // The second tier makes up for those behind it.
  const caughtUp =
    queue.tiers.length > 2
      ? [queueMetric(tableName, queue.name, 'CaughtUp', { label: 'Caught-up runs' })]
      : [];
  return [
    [
      heading(
        `Queue ${queue.name} (${queue.retryMode === 'perRecord' ? 'a due time per record' : 'progressive'})`,
      ),
    ],
    [
      graph(
        'Records',
        OUTCOMES.map((name) => queueMetric(tableName, queue.name, name, { label: name })),
      ),
      new GraphWidget({
        title: caughtUp.length > 0 ? 'Lag (seconds) and caught-up runs' : 'Lag (seconds)',
        width: 12,
        left: [queueMetric(tableName, queue.name, 'LagSeconds', { label: 'Largest lag' })],
        leftAnnotations: [{ value: threshold, label: 'Alarm' }],
        leftYAxis: { min: 0 },
        ...(caughtUp.length > 0 ? { right: caughtUp, rightYAxis: { min: 0 } } : {}),
      }),
    ],
  ];
}

function intakeRows({ intake, tableName }: DashboardSettings): IWidget[][] {
  if (!intake) return [];
  return [
    [heading('Intake (records that were put without a lane)')],
    [
      graph(
        'Records',
        (['Indexed', 'Repaired', 'UnknownQueue', 'Refused', 'Redelivered'] as const).map((name) =>
          intakeMetric(tableName, name, { label: name }),
        ),
      ),
      graph('Behind (milliseconds) and errors', [
        intake.metric('IteratorAge', { label: 'Age of the stream', statistic: 'Maximum' }),
        intake.metricErrors({ label: 'Errors' }),
      ]),
    ],
  ];
}

function runRows({ functions, eventDlq, scheduleDeadLetters }: DashboardSettings): IWidget[][] {
  const all = [...functions];
  return [
    [heading('Runs')],
    [
      graph('Run errors and dead-lettered events', [
        ...all.map(([name, lambda]) => lambda.metricErrors({ label: `Errors of ${name}` })),
        eventDlq.metricApproximateNumberOfMessagesVisible({ label: 'Given-up events' }),
        ...(scheduleDeadLetters
          ? [
              scheduleDeadLetters.metricApproximateNumberOfMessagesVisible({
                label: 'Dead letters of schedules',
              }),
            ]
          : []),
      ]),
      graph(
        'Run duration (milliseconds)',
        all.map(([name, lambda]) => lambda.metricDuration({ label: name, statistic: 'Maximum' })),
      ),
    ],
  ];
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, width: 12, left, leftYAxis: { min: 0 } });
}

function heading(text: string): TextWidget {
  return new TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });
}
