import { Duration, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { RecordEvents } from '../props/record-events-props.js';
import { grantSend } from '../support/encryption.js';
import { grantCounting } from '../tables/table-grants.js';
import { builtIn } from './bundles.js';
import { type CommonSettings, ownRoleAndLogs } from './function-settings.js';
import { acknowledgeEventSources } from './nag.js';
import { variableBytes } from './settings-files.js';

/** Time for a batch of 100 changes, with some tries of each request. */
const TIMEOUT = Duration.minutes(1);
/** Bytes for the queues, of Lambda's 4 KB of variables; the others need up to 1,400. */
const MAX_QUEUES_BYTES = 2_000;
const VARIABLE = 'BACKLOG_RECORD_EVENTS';

export interface RecordEventsSettings extends CommonSettings {
  /** The events of the ends of records and groups. Undefined: there are none. */
  readonly events: RecordEvents | undefined;
  /** The members of groups are counted. */
  readonly groups: boolean;
  /** There is no intake: what is inserted is to be indexed at once. */
  readonly indexesAtOnce: boolean;
  readonly eventDlq: IQueue;
}

/**
 * The function that tells others of the ends of records, and counts the members of groups. It reads the stream. Without groups it
 * has no right on the tables.
 */
export function addRecordEvents(
  scope: Construct,
  id: string,
  settings: RecordEventsSettings,
): LambdaFunction {
  const { events, groups, indexesAtOnce, eventDlq, tables, ...common } = settings;
  const inner = new Construct(scope, id);
  const { variables, ...files } = events ? eventVariables(inner, events) : { variables: {} };
  const lambda = new LambdaFunction(inner, 'Function', {
    ...ownRoleAndLogs(
      inner,
      [],
      { ...common, ...files, tables, timeout: TIMEOUT },
      {
        ...variables,
        ...(events?.groups && { BACKLOG_GROUP_EVENTS: 'true' }),
        ...(groups && { BACKLOG_GROUPS: 'true', ...(indexesAtOnce && { BACKLOG_INDEX_AT_ONCE: 'true' }) }),
        BACKLOG_EVENT_DLQ_URL: eventDlq.queueUrl,
      },
    ),
    description: descriptionOf(settings),
    ...builtIn('record-events'),
  });
  if (events) grantTarget(lambda, events.to);
  if (groups) grantCounting(lambda, tables, { readsRegion: settings.primaryRegion !== undefined });
  grantSend(lambda, [eventDlq]);
  acknowledgeEventSources(lambda, settings);
  return lambda;
}

function descriptionOf({ events, groups }: Pick<RecordEventsSettings, 'events' | 'groups'>): string {
  if (!events) return 'Counts the members of groups of the backlog that have ended';
  const ofEvents = `Tells others of the ends of records ${events.groups ? 'and groups ' : ''}of the backlog`;
  return groups ? `${ofEvents}, and counts the members of groups` : ofEvents;
}

function eventVariables(scope: Construct, { queues, to }: RecordEvents) {
  const { variables, ...files } = queuesOf(scope, queues);
  return { variables: { ...variables, ...targetOf(to) }, ...files };
}

/** The queues with their events: in a variable, or in a file if it has no room for them. */
function queuesOf(scope: Construct, queues: RecordEvents['queues']) {
  const isSmall = variableBytes(JSON.stringify(queues)) <= MAX_QUEUES_BYTES;
  return isSmall
    ? { variables: { [VARIABLE]: Stack.of(scope).toJsonString(queues) } }
    : { variables: {}, inFiles: { [VARIABLE]: queues } };
}

function targetOf(to: RecordEvents['to']): Record<string, string> {
  if ('eventBusArn' in to) return { [`${VARIABLE}_BUS`]: to.eventBusArn };
  return 'topicArn' in to ? { [`${VARIABLE}_TOPIC`]: to.topicArn } : { [`${VARIABLE}_QUEUE`]: to.queueUrl };
}

function grantTarget(lambda: LambdaFunction, to: RecordEvents['to']): void {
  if ('queueArn' in to) grantSend(lambda, [to]);
  else if ('topicArn' in to) to.grantPublish(lambda);
  else to.grantPutEventsTo(lambda);
}
