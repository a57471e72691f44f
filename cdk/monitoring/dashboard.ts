import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  CustomWidget,
  Dashboard,
  type IWidget,
  LogQueryWidget,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Queue } from '../props/queue.js';
import { byQueue, drainGraph, graph, heading, highest, searched } from './dashboard-graphs.js';
import { keyMetric, type MetricName, queueMetric, tableMetric } from './metrics.js';
import type { Watched } from './watched.js';

/** Most alarms of one widget. */
const MAX_ALARMS = 100;
/** Most log groups in one query of Logs Insights. */
const MAX_LOG_GROUPS = 50;

/** Alarms first, then what waits, what happens to it, and what it runs on. As many rows for two queues as for 200. */
export function addDashboard(
  scope: Construct,
  id: string,
  watched: Watched,
  alarms: readonly Alarm[],
  overview: IFunction | undefined,
): Dashboard {
  return new Dashboard(scope, id, {
    defaultInterval: Duration.hours(3),
    widgets: [
      ...alarmRows(alarms),
      ...overviewRows(overview, watched),
      ...(watched.metrics === 'off' ? [] : [...waitingRows(watched), ...outcomeRows(watched)]),
      ...logRows(watched),
      ...intakeRows(watched),
      ...functionRows(watched),
      ...tableRows(watched),
    ],
  });
}

function alarmRows(alarms: readonly Alarm[]): IWidget[][] {
  const rows: IWidget[][] = [];
  for (let from = 0; from < alarms.length; from += MAX_ALARMS) {
    const some = alarms.slice(from, from + MAX_ALARMS);
    const title = alarms.length > MAX_ALARMS ? `Alarms from ${from + 1}` : 'Alarms';
    // Four in a row, each as high as one unit; the title takes one more.
    const height = Math.min(12, 1 + Math.ceil(some.length / 4));
    rows.push([new AlarmStatusWidget({ title, alarms: some, width: 24, height })]);
  }
  return rows;
}

/**
 * The overview, as high as its rows; those that do not fit are reached by scrolling. It shows the present state, so
 * time ranges do not matter.
 */
function overviewRows(overview: IFunction | undefined, { queues }: Watched): IWidget[][] {
  if (!overview) return [];
  const height = Math.min(10, 4 + Math.ceil(queues.length * 0.6));
  const { functionArn } = overview;
  return [
    [
      new CustomWidget({
        title: 'Overview',
        functionArn,
        width: 24,
        height,
        updateOnTimeRangeChange: false,
      }),
    ],
  ];
}

function waitingRows({ tableName, queues, metrics }: Watched): IWidget[][] {
  const age = byQueue(queues, (queue) => seconds(tableName, queue, 'OldestDueAge'));
  const thresholds = queues.flatMap(({ alarms: { lagSeconds } }) => lagSeconds ?? []);
  const least =
    thresholds.length > 0 ? [{ value: Math.min(...thresholds), label: 'Least alarm threshold' }] : [];
  const ageGraph = graph('Oldest due record (seconds late)', age, least);
  if (metrics === 'essential') return [[heading('What waits')], [ageGraph]];
  return [
    [heading('What waits')],
    [
      ageGraph,
      graph(
        'Waiting, now or later (records)',
        byQueue(queues, ({ name }) => queueMetric(tableName, name, 'Waiting', { label: name })),
      ),
    ],
    [
      ...drainGraph(tableName, queues),
      graph(
        'Given up, and still in the table (records)',
        byQueue(queues, ({ name }) => queueMetric(tableName, name, 'DeadRecords', { label: name })),
      ),
    ],
    ...keyRows(tableName, queues),
  ];
}

/** The keys of all queues that ask for it: one search finds them, as they are not known before. */
function keyRows(tableName: string, queues: readonly Queue[]): IWidget[][] {
  const [first] = queues.filter(({ metricsPerKey }) => metricsPerKey);
  if (!first) return [];
  // A search names dimensions, and takes any queue and key.
  const any = { queue: first.name, key: 'any' };
  return [
    [
      graph('Waiting of the worst keys (records)', [searched(keyMetric(tableName, any, 'KeyWaiting'))]),
      graph('In retry of the worst keys (records)', [searched(keyMetric(tableName, any, 'KeyInRetry'))]),
    ],
  ];
}

function seconds(tableName: string, { name }: Queue, metric: MetricName): Metric {
  return queueMetric(tableName, name, metric, { label: name });
}

function outcomeRows({ tableName, queues, metrics }: Watched): IWidget[][] {
  const perMinute = (metric: MetricName) =>
    byQueue(queues, ({ name }) =>
      queueMetric(tableName, name, metric, { label: name, period: Duration.minutes(1) }),
    );
  const first: MetricName = metrics === 'full' ? 'Succeeded' : 'Attempted';
  return [
    [heading('Outcomes per minute')],
    [
      graph(first, perMinute(first), [], 8),
      graph('Failed, to be retried', perMinute('Failed'), [], 8),
      graph('Given up', perMinute('Dead'), [], 8),
    ],
  ];
}

/**
 * Queries of the logs for what no metric has, as each class of errors and each tier would be one. They run when the
 * dashboard is looked at.
 */
function logRows({ logGroups, monitorLogs }: Watched): IWidget[][] {
  const failures = logGroups.length > 0 ? [failuresByError(logGroups)] : [];
  const state = monitorLogs ? [stateOfQueues(monitorLogs)] : [];
  return failures.length + state.length > 0 ? [[...failures, ...state]] : [];
}

function failuresByError(logGroups: readonly ILogGroup[]): IWidget {
  return new LogQueryWidget({
    title: 'Failed attempts by error',
    width: 12,
    logGroupNames: logGroups.slice(0, MAX_LOG_GROUPS).map(({ logGroupName }) => logGroupName),
    queryLines: [
      'filter message in ["attempt failed", "more attempts failed"]',
      'fields coalesce(failures, 1) as attempts',
      'stats sum(attempts) as failed, max(@timestamp) as newest by queue, error',
      'sort failed desc',
      'limit 20',
    ],
  });
}

function stateOfQueues({ logGroupName }: ILogGroup): IWidget {
  return new LogQueryWidget({
    title: 'Queues in which there is anything: paused, open breakers, records by tier (youngest first)',
    width: 12,
    logGroupNames: [logGroupName],
    queryLines: [
      'filter message = "queue"',
      'stats latest(waiting) as records, latest(due) as isDue, latest(dead) as givenUp, latest(oldestDueAge) as secondsLate, ' +
        'latest(paused) as isPaused, latest(openBreakers) as breakers, latest(tiers) as byTier by queue',
      'sort secondsLate desc',
      'limit 50',
    ],
  });
}

function intakeRows({ intake, tableName, metrics }: Watched): IWidget[][] {
  if (!intake) return [];
  const counts = (
    ['Indexed', 'Repaired', 'UnknownQueue', 'Refused', 'Redelivered', 'NotIndexed'] as const
  ).map((name) => tableMetric(tableName, name, { label: name }));
  return [
    [heading('Intake: records that were put without a lane')],
    [
      graph(
        'Age of the stream (milliseconds)',
        [intake.metric('IteratorAge', { label: 'Oldest', statistic: Stats.MAXIMUM })],
        [{ value: Duration.minutes(5).toMilliseconds(), label: 'Alarm' }],
      ),
      ...(metrics === 'full' ? [graph('Records', counts)] : []),
    ],
  ];
}

function functionRows(watched: Watched): IWidget[][] {
  const { functions, intake, sweep, monitor, eventDlq, scheduleDeadLetters } = watched;
  const helpers = Object.entries({ Intake: intake, Sweep: sweep, Monitor: monitor }).flatMap(
    ([name, lambda]) => (lambda ? [{ name, lambda }] : []),
  );
  const all = [...functions, ...helpers];
  const timeouts = new Set(functions.map(({ timeoutSeconds }) => timeoutSeconds));
  const sent = (label: string, queue: typeof eventDlq) => queue.metricNumberOfMessagesSent({ label });
  return [
    [heading('Functions')],
    [
      graph(
        'Invocations',
        highest(all.map(({ name, lambda }) => lambda.metricInvocations({ label: name }))),
        [],
        8,
      ),
      graph(
        'Errors, throttles and events that were given up',
        highest([
          ...all.map(({ name, lambda }) => lambda.metricErrors({ label: `${name}: errors` })),
          ...all.map(({ name, lambda }) => lambda.metricThrottles({ label: `${name}: throttles` })),
          sent('Dead-letter queue for events', eventDlq),
          ...(scheduleDeadLetters ? [sent('Dead letters of schedules', scheduleDeadLetters)] : []),
        ]),
        [],
        8,
      ),
      graph(
        'Concurrent executions',
        highest(
          all.map(({ name, lambda }) =>
            lambda.metric('ConcurrentExecutions', { label: name, statistic: Stats.MAXIMUM }),
          ),
        ),
        [],
        8,
      ),
    ],
    [
      graph(
        'Duration, and the timeout (milliseconds)',
        highest(
          all.map(({ name, lambda }) => lambda.metricDuration({ label: name, statistic: Stats.MAXIMUM })),
        ),
        [...timeouts].map((timeout) => ({ value: timeout * 1000, label: `Timeout: ${timeout} s` })),
        24,
      ),
    ],
  ];
}

const INDEX = 'due';

function tableRows({ tableName, controlTableName }: Watched): IWidget[][] {
  const metric = (name: string, label: string, dimensionsMap: Record<string, string>, statistic: string) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName: name, dimensionsMap, statistic, label });
  const places: [string, Record<string, string>][] = [
    ['Records', { TableName: tableName }],
    ['Index', { TableName: tableName, GlobalSecondaryIndexName: INDEX }],
    ['Control table', { TableName: controlTableName }],
  ];
  const each = (name: string, what: string) =>
    places.map(([place, dimensions]) => metric(name, `${place}: ${what}`, dimensions, Stats.SUM));
  const latency = (operation: string) =>
    metric(
      'SuccessfulRequestLatency',
      operation,
      { TableName: tableName, Operation: operation },
      Stats.p(99),
    );
  return [
    [heading('DynamoDB')],
    [
      graph(
        'Throttled requests',
        [...each('ReadThrottleEvents', 'reads'), ...each('WriteThrottleEvents', 'writes')],
        [],
        8,
      ),
      graph(
        'Latency, 99th percentile (milliseconds)',
        ['Query', 'BatchGetItem', 'UpdateItem', 'PutItem'].map(latency),
        [],
        8,
      ),
      graph(
        'Consumed units',
        [
          ...each('ConsumedReadCapacityUnits', 'read units'),
          ...each('ConsumedWriteCapacityUnits', 'write units'),
        ],
        [],
        8,
      ),
    ],
  ];
}
