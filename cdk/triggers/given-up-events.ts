import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { hasInsertStream, INTAKE_TIMEOUT } from '../functions/intake.js';
import { acknowledge } from '../functions/nag.js';
import { allowServices, encryptedQueue } from '../support/encryption.js';
import type { Tables } from '../tables/tables.js';

/** The queues for events of a Backlog. */
export interface EventQueues {
  /** Events that no function took or finished. */
  readonly eventDlq: Queue;
  /** The queue that the intake reads beside the table's stream; missing without an intake. */
  readonly returns: Queue | undefined;
}

/** Makes the queues for events of a Backlog, and lets the services use its key. */
export function addEventQueues(
  scope: Construct,
  tables: Tables,
  {
    encryptionKey: key,
    intake,
    sharedBacklog,
  }: {
    readonly encryptionKey?: IKey | undefined;
    readonly intake: boolean | object;
    readonly sharedBacklog?: object | undefined;
  },
): EventQueues {
  if (key) allowServices(scope, key);
  const eventDlq = eventDlqQueue(scope, 'EventDlq', key);
  const hasIntake = !sharedBacklog && intake !== false && hasInsertStream(scope, tables);
  return { eventDlq, returns: hasIntake ? redeliveryQueue(scope, 'Redelivery', eventDlq, key) : undefined };
}

/**
 * The dead-letter queue for events that no function took or finished: from rules or schedules, and from asynchronous
 * invocation. They hold no records, and the next event of the same kind does the same work; the queue says that
 * something is wrong.
 */
export function eventDlqQueue(scope: Construct, id: string, key: IKey | undefined): Queue {
  const queue = encryptedQueue(scope, id, key, { retentionPeriod: Duration.days(14) });
  for (const rule of ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy']) {
    acknowledge(queue, rule, 'This is the dead-letter queue itself.');
  }
  return queue;
}

/**
 * The queue for events of runs that failed, and for ids of records that are to be looked at later. The intake reads it;
 * a message that it cannot deal with five times goes to the dead-letter queue for events.
 */
function redeliveryQueue(scope: Construct, id: string, eventDlq: Queue, key: IKey | undefined): Queue {
  return encryptedQueue(scope, id, key, {
    retentionPeriod: Duration.days(14),
    // AWS's own advice: six times the timeout of the function that reads it.
    visibilityTimeout: Duration.seconds(6 * INTAKE_TIMEOUT.toSeconds()),
    deadLetterQueue: { queue: eventDlq, maxReceiveCount: 5 },
  });
}

/** The policy of an SQS queue holds 8,192 bytes; the ARN of a rule has up to 115 of them. */
const MAX_NAMED_RULES = 60;

/**
 * One statement for all rules: SQS takes 20 statements at most, and a progressive queue alone has six rules. More rules
 * than the policy has room for are those of this account and region.
 */
export function allowRules(queue: Queue, ruleArns: readonly string[]): void {
  const any = Stack.of(queue).formatArn({ service: 'events', resource: 'rule', resourceName: '*' });
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions:
        ruleArns.length > MAX_NAMED_RULES
          ? { ArnLike: { 'aws:SourceArn': any } }
          : { ArnEquals: { 'aws:SourceArn': ruleArns } },
    }),
  );
}
