import { Duration, Stack } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { orderedOf } from '../props/order.js';
import type { Queue } from '../props/queue.js';
import { grantHeldLines, grantMonitor } from '../tables/table-grants.js';
import { builtIn } from './bundles.js';
import { forMonitor } from './for-readers.js';
import { type CommonSettings, ownRoleAndLogs } from './function-settings.js';
import { acknowledgeSweep } from './nag.js';

/** Time to count some millions of records; most readings take a second. */
const TIMEOUT = Duration.minutes(2);

export interface MonitorSettings extends CommonSettings {
  readonly queues: readonly Queue[];
  /** The event source mappings of the intake. */
  readonly eventSources: readonly EventSource[];
  /** The bus that learns of incidents. */
  readonly incidentBus?: IEventBus | undefined;
  readonly runbookUrl?: string | undefined;
}

/** An event source mapping, by what is known of it at deployment. */
export interface EventSource {
  readonly id: string;
  readonly arn: string;
}

/**
 * Reads every five minutes how much waits, and for how long. It takes no part in the work: without it, only alarms, the
 * console and the dashboard know less.
 */
export function addMonitor(scope: Construct, id: string, settings: MonitorSettings): LambdaFunction {
  const { tables, eventSources, queues, incidentBus: bus, runbookUrl, ...common } = settings;
  const inner = new Construct(scope, id);
  const known = forMonitor(queues);
  const sources = Stack.of(scope).toJsonString(eventSources.map((source) => source.id));
  const keyed = queues.filter(({ metricsPerKey }) => metricsPerKey).map(({ name }) => name);
  const pending = queues.filter(({ alarms }) => alarms.pendingSeconds !== undefined).map(({ name }) => name);
  const ordered = orderedOf(queues).map(({ name }) => name);
  const lambda = new LambdaFunction(inner, 'Function', {
    ...ownRoleAndLogs(
      inner,
      known,
      { ...common, tables, timeout: TIMEOUT },
      {
        BACKLOG_EVENT_SOURCES: sources,
        ...(keyed.length > 0 && { BACKLOG_KEY_METRICS: JSON.stringify(keyed) }),
        ...(pending.length > 0 && { BACKLOG_PENDING_AGES: JSON.stringify(pending) }),
        ...(ordered.length > 0 && { BACKLOG_ORDERED_QUEUES: JSON.stringify(ordered) }),
        ...(bus && { BACKLOG_INCIDENT_BUS: bus.eventBusArn }),
        ...(bus && runbookUrl !== undefined && { BACKLOG_RUNBOOK_URL: `${runbookUrl}#failures` }),
      },
    ),
    description: 'Reads how much waits in the backlog, and for how long',
    ...builtIn('monitor'),
    retryAttempts: 0,
    maxEventAge: Duration.seconds(60),
  });
  grantMonitor(lambda, tables);
  if (ordered.length > 0) grantHeldLines(lambda, tables);
  bus?.grantPutEventsTo(lambda);
  if (eventSources.length > 0) {
    const resources = eventSources.map(({ arn }) => arn);
    lambda.addToRolePolicy(new PolicyStatement({ actions: ['lambda:GetEventSourceMapping'], resources }));
  }
  acknowledgeSweep(lambda, settings);
  return lambda;
}
