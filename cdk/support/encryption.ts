import { Annotations, Lazy, Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type CfnQueue, type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Actions on a key by which a service sends to an SQS queue that it encrypts, and reads from it. */
const USE = ['kms:Decrypt', 'kms:GenerateDataKey'];
const LOGS = ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'];

/**
 * Lets the services use the key that have no role here: CloudWatch Logs for the log groups of this account and region, and
 * EventBridge for the dead letters of its rules. The policy of an imported key cannot be changed: a warning has the statements.
 */
export function allowServices(backlog: Construct, key: IKey): void {
  const stack = Stack.of(key);
  const anyLogGroup = stack.formatArn({ service: 'logs', resource: '*' });
  const statements = [
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${stack.region}.${stack.urlSuffix}`)],
      actions: LOGS,
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': anyLogGroup } },
    }),
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: USE,
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  ];
  const added = statements.map((statement) => key.addToResourcePolicy(statement).statementAdded);
  if (!added.includes(false)) return;
  Annotations.of(backlog).addWarningV2(
    'dynamo-backlog:imported-key-policy',
    'the policy of an imported key cannot be changed here. Where the key is made, it has to allow: ' +
      `logs.REGION.amazonaws.com ${LOGS.join(', ')} (kms:EncryptionContext:aws:logs:arn like arn:aws:logs:REGION:ACCOUNT:*); ` +
      `events.amazonaws.com ${USE.join(', ')} (aws:SourceAccount); and the roles of this account what their own policies allow`,
  );
}

/** Makes an SQS queue, encrypted by the key, or by SQS with a key of its own. */
export function encryptedQueue(
  scope: Construct,
  id: string,
  key: IKey | undefined,
  props: QueueProps,
): Queue {
  const encryption = key
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
    : { encryption: QueueEncryption.SQS_MANAGED };
  const queue = new Queue(scope, id, { ...props, ...encryption, enforceSSL: true });
  if (!key) leaveRoomForKey(queue);
  return queue;
}

/** Leaves `SqsManagedSseEnabled` out if an aspect gives the queue a key, as SQS takes one or the other. */
function leaveRoomForKey(queue: Queue): void {
  const made = queue.node.defaultChild as CfnQueue;
  made.sqsManagedSseEnabled = Lazy.any({
    produce: () => (made.kmsMasterKeyId === undefined ? true : undefined),
  });
}

/** Grants to send to these queues, and no more: CDK's own grant also gives rights to look at them. */
export function grantSend(grantee: IGrantable, queues: readonly IQueue[]): void {
  const resources = queues.map(({ queueArn }) => queueArn);
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources }),
  );
  const keys = new Set(queues.map(({ encryptionMasterKey }) => encryptionMasterKey));
  for (const key of keys) key?.grantEncryptDecrypt(grantee);
}

/** The right to send to a queue under a key, for a policy that is written by hand. */
export function useOf({ encryptionMasterKey: key }: IQueue): PolicyStatement[] {
  return key ? [new PolicyStatement({ actions: USE, resources: [key.keyArn] })] : [];
}
