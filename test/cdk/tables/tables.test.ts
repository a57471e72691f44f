import { RemovalPolicy } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { backlogWith, newStack, RECORDS_TABLE, retryQueue } from '../support.js';

function tablesOf(template: Template) {
  const tables = Object.values(template.findResources('AWS::DynamoDB::GlobalTable'));
  const byKey = (name: string) =>
    tables.find(({ Properties }) => Properties.KeySchema[0].AttributeName === name);
  return { records: byKey('id'), control: byKey('key'), count: tables.length };
}

describe('the tables', () => {
  const { template } = backlogWith({ queues: { orders: retryQueue } });
  const { records, control, count } = tablesOf(template);

  it('are two: records by id with the sparse index of what is due, and control by key', () => {
    expect(count).toBe(2);
    expect(records?.Properties).toMatchObject({
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'due',
          KeySchema: [
            { AttributeName: 'lane', KeyType: 'HASH' },
            { AttributeName: 'dueAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
    expect(control?.Properties.KeySchema).toEqual([{ AttributeName: 'key', KeyType: 'HASH' }]);
    expect(control?.Properties.GlobalSecondaryIndexes).toBeUndefined();
  });

  it('are on demand, encrypted, recoverable to any second, and stay when the stack goes', () => {
    for (const table of [records, control]) {
      expect(table?.Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
        Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
      });
      expect(table?.DeletionPolicy).toBe('Retain');
      expect(table?.UpdateReplacePolicy).toBe('Retain');
    }
  });

  it('have no names of their own, so that two backlogs fit into one account', () => {
    for (const table of [records, control]) expect(table?.Properties.TableName).toBeUndefined();
  });

  it('let finished records expire, and jobs of operators in the control table', () => {
    for (const table of [records, control]) {
      expect(table?.Properties.TimeToLiveSpecification).toEqual({
        AttributeName: 'expiresAt',
        Enabled: true,
      });
    }
  });
});

it('a customer managed key encrypts both tables, and runs may use it', () => {
  const stack = newStack({ region: 'eu-central-1' });
  const encryptionKey = new Key(stack, 'Key');
  new Backlog(stack, 'Backlog', {
    queues: { orders: retryQueue },
    encryptionKey,
    deletionProtection: true,
  });
  const template = Template.fromStack(stack);
  const { records, control } = tablesOf(template);
  for (const table of [records, control]) {
    expect(table?.Properties.Replicas[0]).toMatchObject({
      DeletionProtectionEnabled: true,
      SSESpecification: { KMSMasterKeyId: expect.anything() },
    });
  }
  expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).toContain('kms:Decrypt');
});

it('a table that is there already is used instead of a new one', () => {
  const stack = newStack();
  const table = new TableV2(stack, 'Existing', RECORDS_TABLE);
  // CDK's own class does not fit its interface under exactOptionalPropertyTypes.
  new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, table: table as never });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
  const [lambda] = Object.values(template.findResources('AWS::Lambda::Function'));
  expect(lambda?.Properties.Environment.Variables.BACKLOG_TABLE).toEqual({
    Ref: expect.stringMatching(/^Existing/),
  });
});

describe('the new tables', () => {
  it('have the names and the removal policy that are given', () => {
    const { template } = backlogWith({
      queues: { orders: retryQueue },
      tableName: 'shop-records',
      controlTableName: 'shop-control',
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { records, control } = tablesOf(template);
    expect(records?.Properties.TableName).toBe('shop-records');
    expect(control?.Properties.TableName).toBe('shop-control');
    expect([records, control].map((table) => table?.DeletionPolicy)).toEqual(['Delete', 'Delete']);
  });

  it.each([
    [{ removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }, 1],
    [{ removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, deletionProtection: false }, 0],
    [{ removalPolicy: RemovalPolicy.RETAIN }, 0],
    [{}, 0],
  ])('with %j, has %i warnings of a first deployment that cannot be rolled back', (props, count) => {
    const { stack } = backlogWith({ queues: { orders: retryQueue }, ...props });
    const text = Match.stringLikeRegexp('stays in ROLLBACK_FAILED');
    expect(Annotations.fromStack(stack).findWarning('*', text)).toHaveLength(count);
  });

  it.each<[string, Partial<BacklogProps>, string]>([
    ['a name of two letters', { tableName: 'ab' }, 'Backlog.tableName: expected a name of 3 to 255 letters'],
    [
      'one name for both',
      { tableName: 'shop', controlTableName: 'shop' },
      'Backlog.controlTableName: expected another name than "tableName", got "shop"',
    ],
    [
      'tables that are protected, and deleted with the stack',
      { deletionProtection: true, removalPolicy: RemovalPolicy.DESTROY },
      'Backlog.removalPolicy: expected RemovalPolicy.RETAIN or nothing beside "deletionProtection": true',
    ],
    [
      'a policy that tables do not have',
      { removalPolicy: RemovalPolicy.SNAPSHOT },
      'Backlog.removalPolicy: expected RemovalPolicy.RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY, got "snapshot"',
    ],
  ])('are refused with %s', (_name, props, message) => {
    expect(() => backlogWith({ queues: { orders: retryQueue }, ...props })).toThrow(message);
  });

  it('are refused with a name for a table that is there', () => {
    const stack = newStack();
    const table = TableV2.fromTableName(stack, 'Theirs', 'theirs');
    const props = { queues: { orders: retryQueue }, table, tableName: 'mine' };
    expect(() => new Backlog(stack, 'Backlog', props)).toThrow(
      'Backlog.tableName: expected nothing beside "table", which is made elsewhere, got "mine"',
    );
  });
});
