import { App, Aspects, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { newStack, propertiesOf, retryQueue, WITHOUT_CODE } from '../support.js';

const ENTRY = { retry: { type: 'none' }, entry: 'test/cdk/fixtures/handler.ts' } as const;
const KEY_ARN = 'arn:aws:kms:eu-central-1:111111111111:key/12345678-1234-1234-1234-123456789012';

/** A stack with a key, and everything that a Backlog can make. */
function keyed(props: Partial<BacklogProps> = {}) {
  const stack = newStack({ region: 'eu-central-1', account: '111111111111' });
  const encryptionKey = new Key(stack, 'Key');
  const queues = { orders: retryQueue, imports: ENTRY };
  new Backlog(stack, 'Backlog', { queues, encryptionKey, widget: true, ...props });
  const template = Template.fromStack(stack);
  const [id] = Object.keys(template.findResources('AWS::KMS::Key'));
  return { template, key: { 'Fn::GetAtt': [id, 'Arn'] } };
}

/** The statements of the policies of roles that allow an action on something. */
function statementsWith(template: Template, action: string) {
  const policies = propertiesOf(template, 'AWS::IAM::Policy').map(({ PolicyName, PolicyDocument }) => ({
    name: PolicyName as string,
    statements: PolicyDocument.Statement as { Action: string | string[]; Resource: unknown }[],
  }));
  return policies.filter(({ statements }) =>
    statements.some(({ Action }) => [Action].flat().includes(action)),
  );
}

describe('one key', () => {
  it.each(['rules', 'scheduler'] as const)(
    'encrypts SQS queues, log groups and variables, with %s',
    (trigger) => {
      const { template, key } = keyed({ trigger });
      const queues = propertiesOf(template, 'AWS::SQS::Queue');
      expect(queues).toHaveLength(trigger === 'rules' ? 2 : 3);
      for (const queue of queues) {
        expect(queue.KmsMasterKeyId).toEqual(key);
        expect(queue).not.toHaveProperty('SqsManagedSseEnabled');
      }
      const logs = propertiesOf(template, 'AWS::Logs::LogGroup');
      expect(logs.length).toBeGreaterThan(5);
      for (const { KmsKeyId } of logs) expect(KmsKeyId).toEqual(key);
      for (const { KmsKeyArn } of propertiesOf(template, 'AWS::Lambda::Function'))
        expect(KmsKeyArn).toEqual(key);
    },
  );

  it('lets CloudWatch Logs use it for log groups of this account, and EventBridge for its dead letters', () => {
    const [{ KeyPolicy }] = propertiesOf(keyed().template, 'AWS::KMS::Key');
    expect(KeyPolicy.Statement.slice(1)).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: { 'Fn::Join': ['', ['logs.eu-central-1.', { Ref: 'AWS::URLSuffix' }]] } },
        Action: ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
        Resource: '*',
        Condition: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': {
              'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':logs:eu-central-1:111111111111:*']],
            },
          },
        },
      },
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: '*',
        Condition: { StringEquals: { 'aws:SourceAccount': '111111111111' } },
      },
    ]);
  });

  it('may be used by each role that sends to a queue, or reads it', () => {
    const { template, key } = keyed({ trigger: 'scheduler' });
    const senders = statementsWith(template, 'sqs:SendMessage');
    expect(senders.length).toBeGreaterThan(2);
    for (const { name, statements } of senders) {
      const actions = statements
        .filter(({ Resource }) => JSON.stringify(Resource) === JSON.stringify(key))
        .flatMap(({ Action }) => Action);
      expect([
        name,
        actions.includes('kms:Decrypt'),
        actions.some((one) => one.startsWith('kms:GenerateDataKey')),
      ]).toEqual([name, true, true]);
    }
    const schedules = propertiesOf(template, 'AWS::IAM::Role').find(({ Policies }) => Policies);
    expect(schedules.Policies[0].PolicyDocument.Statement).toContainEqual({
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: key,
    });
  });

  it('leaves the variables to a key of their own', () => {
    const stack = newStack({ region: 'eu-central-1' });
    const environmentEncryption = new Key(stack, 'Variables');
    new Backlog(stack, 'Backlog', {
      queues: { orders: retryQueue },
      encryptionKey: new Key(stack, 'Key'),
      environmentEncryption,
    });
    for (const { KmsKeyArn } of propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function')) {
      expect(JSON.stringify(KmsKeyArn)).toContain('Variables');
    }
  });

  it('that is imported is used as well, and a warning says what its policy has to allow', () => {
    const stack = newStack({ region: 'eu-central-1' });
    new Backlog(stack, 'Backlog', {
      queues: { orders: retryQueue },
      encryptionKey: Key.fromKeyArn(stack, 'Key', KEY_ARN),
    });
    const [{ KmsMasterKeyId }] = propertiesOf(Template.fromStack(stack), 'AWS::SQS::Queue');
    expect(KmsMasterKeyId).toBe(KEY_ARN);
    const policy = Match.stringLikeRegexp(
      'logs.REGION.amazonaws.com kms:Encrypt.*events.amazonaws.com kms:Decrypt',
    );
    Annotations.fromStack(stack).hasWarning('/Test/Backlog', policy);
  });

  it('of another stack is used by a Backlog with the tables and by one beside it, without a circle', () => {
    const app = new App({ context: WITHOUT_CODE, analyticsReporting: false, treeMetadata: false });
    const env = { region: 'eu-central-1', account: '111111111111' };
    const encryptionKey = new Key(new Stack(app, 'Keys', { env }), 'Key');
    const platform = new Stack(app, 'Platform', { env });
    const team = new Stack(app, 'Team', { env });
    const sharedBacklog = new Backlog(platform, 'Backlog', { queues: { orders: retryQueue }, encryptionKey });
    new Backlog(team, 'Backlog', { queues: { imports: ENTRY }, sharedBacklog, encryptionKey });
    app.synth();
    for (const stack of [platform, team]) {
      for (const queue of propertiesOf(Template.fromStack(stack), 'AWS::SQS::Queue')) {
        expect(queue).toHaveProperty('KmsMasterKeyId');
      }
    }
  });

  it('of a backlog of another app is used for its redelivery queue', () => {
    const stack = newStack({ region: 'eu-central-1', account: '111111111111' });
    const arn = (service: string, name: string) => `arn:aws:${service}:eu-central-1:111111111111:${name}`;
    const shared = Backlog.fromBacklogAttributes(stack, 'Shared', {
      ...{ tableName: 'records', controlTableName: 'control' },
      ...{
        redeliveryQueueArn: arn('sqs', 'redelivery'),
        intakeRoleArn: 'arn:aws:iam::111111111111:role/intake',
      },
      encryptionKey: Key.fromKeyArn(stack, 'Key', KEY_ARN),
    });
    shared.addQueue('orders', ENTRY);
    expect(shared.redelivery?.encryptionMasterKey?.keyArn).toBe(KEY_ARN);
  });
});

it('a key is refused in a stack of any region, where it cannot encrypt a new table', () => {
  const stack = newStack();
  const encryptionKey = new Key(stack, 'Key');
  expect(() => new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, encryptionKey })).toThrow(
    /Backlog\.encryptionKey: expected a stack that names its region, .* give the stack "env"/,
  );
});

describe('without a key', () => {
  it('SQS encrypts with a key of its own', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    for (const queue of propertiesOf(Template.fromStack(stack), 'AWS::SQS::Queue')) {
      expect(queue).toMatchObject({ SqsManagedSseEnabled: true });
    }
  });

  it('an aspect that gives an SQS queue a key leaves no second kind of encryption', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
    Aspects.of(stack).add({
      visit: (node) => {
        if (node instanceof CfnQueue) node.kmsMasterKeyId = KEY_ARN;
      },
    });
    for (const queue of propertiesOf(Template.fromStack(stack), 'AWS::SQS::Queue')) {
      expect(queue.KmsMasterKeyId).toBe(KEY_ARN);
      expect(queue).not.toHaveProperty('SqsManagedSseEnabled');
    }
  });
});
