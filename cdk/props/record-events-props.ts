import type { EventBus, IEventBus } from 'aws-cdk-lib/aws-events';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import * as z from 'zod';
import {
  EVENT_PARTS,
  type EventPart,
  QUEUE_NAME,
  QUEUE_PATTERN,
  RECORD_ENDS,
  type RecordEnd,
} from '../../src/record/index.js';

/** Events about the ends of records and groups, for other services. */
export interface RecordEventsProps {
  /** The EventBridge bus, SNS topic or SQS queue that gets the events. */
  readonly to: IEventBus | EventBus | ITopic | Topic | IQueue | Queue;

  /**
   * The queues whose records have events, by name: those of other stacks on the same tables, too.
   *
   * @default - none, which `groups` has to be set for
   */
  readonly queues?: Readonly<Record<string, QueueEventsProps>> | undefined;

  /**
   * The ends of groups have events, too. The Backlog needs `groups: true`.
   *
   * @default false
   */
  readonly groups?: boolean | undefined;
}

/** The events of one queue. */
export interface QueueEventsProps {
  /**
   * The ends that have an event: `succeeded`, `dead`, or `cancelled` (given up as the work was not wanted any more).
   *
   * @default ['dead']
   */
  readonly on?: readonly RecordEnd[] | undefined;

  /**
   * Parts that the events have beside the facts: `payload`, `result` of a success, `texts` of a death (`deadReason`, and the
   * message of the last error).
   *
   * They may hold what readers of the events must not see. A payload of more than 250 KB is left out, which the event says.
   *
   * @default - none
   */
  readonly include?: readonly EventPart[] | undefined;
}

const queueShape = z.strictObject({
  on: z.array(z.enum(RECORD_ENDS)).min(1, 'expected at least one end').default(['dead']),
  include: z.array(z.enum(EVENT_PARTS)).default([]),
});

type Target = RecordEventsProps['to'];

/** Members by which a target is recognized, not by its class: an app can hold two copies of aws-cdk-lib. */
const ARNS = ['eventBusArn', 'topicArn', 'queueArn'];

/** The prop `recordEvents`. */
export const recordEventsProp = z
  .strictObject({
    to: z.custom<Target>(
      (value) => typeof value === 'object' && value !== null && ARNS.some((arn) => arn in value),
      'expected an event bus (IEventBus), an SNS topic (ITopic) or an SQS queue (IQueue)',
    ),
    queues: z
      .record(z.string(), queueShape)
      .refine(
        (queues) => Object.keys(queues).every((name) => QUEUE_PATTERN.test(name)),
        `expected names of ${QUEUE_NAME}`,
      )
      .default({}),
    groups: z.boolean().default(false),
  })
  .refine(({ queues, groups }) => groups || Object.keys(queues).length > 0, {
    error: 'expected at least one queue, or "groups: true" beside it',
    path: ['queues'],
  });

/** The prop as it was read. */
export type RecordEvents = z.output<typeof recordEventsProp>;
