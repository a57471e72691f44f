import { Duration, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { RecordEvents } from '../props/record-events-props.js';
import { grantSend } from '../support/encryption.js';
import { builtIn } from './bundles.js';
import { type CommonSettings, ownRoleAndLogs } from './function-settings.js';
import { acknowledgeEventSources } from './nag.js';
import { variableBytes } from './settings-files.js';

/** Time for a batch of 100 events, with some tries of each request. */
const TIMEOUT = Duration.minutes(1);
/** Bytes for the queues, of Lambda's 4 KB of variables; the others need up to 1,400. */
const MAX_QUEUES_BYTES = 2_000;
const VARIABLE = 'BACKLOG_RECORD_EVENTS';

export interface RecordEventsSettings extends CommonSettings {
  readonly events: RecordEvents;
  readonly eventDlq: IQueue;
}

/** The function that tells others of the ends of records. It reads the stream, and has no right on the tables. */
export function addRecordEvents(
  scope: Construct,
  id: string,
  settings: RecordEventsSettings,
): LambdaFunction {
  const { events, eventDlq, tables, ...common } = settings;
  const inner = new Construct(scope, id);
  const { variables, ...files } = queuesOf(inner, events.queues);
  const lambda = new LambdaFunction(inner, 'Function', {
    ...ownRoleAndLogs(
      inner,
      [],
      { ...common, ...files, tables, timeout: TIMEOUT },
      {
        ...variables,
        ...targetOf(events.to),
        BACKLOG_EVENT_DLQ_URL: eventDlq.queueUrl,
      },
    ),
    description: 'Tells others of the ends of records of the backlog',
    ...builtIn('record-events'),
  });
  grantTarget(lambda, events.to);
  grantSend(lambda, [eventDlq]);
  acknowledgeEventSources(lambda, settings);
  return lambda;
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
