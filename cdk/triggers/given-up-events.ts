import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from '../support/acknowledge.js';
import { encryptedQueue } from '../support/encryption.js';

/**
 * Where events end up that no function took or finished: from rules or schedules, and from asynchronous invocation.
 * They hold no records, and the next event of the same kind does the same work; the queue says that something is
 * wrong.
 */
export function eventDlqQueue(scope: Construct, id: string, key: IKey | undefined): Queue {
  const queue = encryptedQueue(scope, id, key, { retentionPeriod: Duration.days(14) });
  for (const rule of ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy']) {
    acknowledge(queue, rule, 'This is the dead-letter queue itself.');
  }
  return queue;
}

/**
 * Where the events of runs come back that failed, and the ids of records that are to be looked at later. The intake
 * reads it; what it cannot deal with five times is left to people.
 */
export function redeliveryQueue(
  scope: Construct,
  id: string,
  eventDlq: Queue,
  readerTimeout: Duration,
  key: IKey | undefined,
): Queue {
  return encryptedQueue(scope, id, key, {
    retentionPeriod: Duration.days(14),
    // AWS's own advice: six times the timeout of the function that reads it.
    visibilityTimeout: Duration.seconds(6 * readerTimeout.toSeconds()),
    deadLetterQueue: { queue: eventDlq, maxReceiveCount: 5 },
  });
}

/** The policy of an SQS queue holds 8,192 bytes; the ARN of a rule has up to 115 of them. */
const MOST_NAMED_RULES = 60;

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
        ruleArns.length > MOST_NAMED_RULES
          ? { ArnLike: { 'aws:SourceArn': any } }
          : { ArnEquals: { 'aws:SourceArn': ruleArns } },
    }),
  );
}
