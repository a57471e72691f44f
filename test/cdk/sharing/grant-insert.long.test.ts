import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, ArnPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { newStack, propertiesOf, RECORDS_TABLE, retryQueue } from '../support.js';

const HERE = { account: '111111111111', region: 'eu-central-1' };
const OTHER = '222222222222';
/** Rights of a producer to the records: put them, one or many, and ask for the `rev` of one that is in its way. */
const rights = (Resource: unknown, more: object = {}) => [
  {
    Effect: 'Allow',
    Action: 'dynamodb:PutItem',
    Resource,
    Condition: { StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' } },
    ...more,
  },
  { Effect: 'Allow', Action: 'dynamodb:PartiQLInsert', Resource, ...more },
  {
    Effect: 'Allow',
    Action: 'dynamodb:GetItem',
    Resource,
    Condition: {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['id', 'rev'] },
      StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    },
    ...more,
  },
];

function backlogIn(stack: Stack, props: Partial<BacklogProps> = {}): Backlog {
  return new Backlog(stack, 'Backlog', { queues: { orders: retryQueue }, ...props });
}

function withOwnKey() {
  const stack = newStack(HERE);
  return { stack, backlog: backlogIn(stack, { encryptionKey: new Key(stack, 'Key') }) };
}

/** The policy of the table of records; the control table never has one. */
function tablePolicies(stack: Stack, template = Template.fromStack(stack)): unknown[] {
  return propertiesOf(template, 'AWS::DynamoDB::GlobalTable').flatMap(
    ({ Replicas }) => Replicas[0].ResourcePolicy?.PolicyDocument.Statement ?? [],
  );
}

const producerIn = (stack: Stack) =>
  new Role(stack, 'Producer', { assumedBy: new ServicePrincipal('ecs.amazonaws.com') });

describe('a producer of the same account', () => {
  it('may put records into the table, and ask for the fence of one that is in its way', () => {
    const stack = newStack();
    expect(backlogIn(stack).grantInsert(producerIn(stack)).success).toBe(true);
    const template = Template.fromStack(stack);
    const policy = propertiesOf(template, 'AWS::IAM::Policy').find(({ PolicyName }) =>
      PolicyName.startsWith('Producer'),
    );
    expect(policy.PolicyDocument.Statement).toEqual(
      rights({ 'Fn::GetAtt': [expect.stringMatching(/Records/), 'Arn'] }),
    );
    expect(tablePolicies(stack, template)).toEqual([]);
  });

  it('may be kept to ids of its own', () => {
    const stack = newStack();
    const own = ['shop-*', `team-\${aws:PrincipalTag/team}-*`];
    backlogIn(stack).grantInsert(producerIn(stack), { ids: own });
    const [policy] = propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy').filter(({ PolicyName }) =>
      PolicyName.startsWith('Producer'),
    );
    for (const { Condition } of policy.PolicyDocument.Statement) {
      expect(Condition['ForAllValues:StringLike']).toEqual({ 'dynamodb:LeadingKeys': own });
    }
    expect(policy.PolicyDocument.Statement).toHaveLength(3);
    // "For all values" holds where there are none.
    const [, insert] = policy.PolicyDocument.Statement;
    expect(insert).toMatchObject({
      Action: 'dynamodb:PartiQLInsert',
      Condition: { Null: { 'dynamodb:LeadingKeys': 'false' } },
    });
  });

  it.each([
    [{ ids: [] }, 'grantInsert.ids: expected at least one pattern of ids, got []'],
    [{ ids: [''] }, 'grantInsert.ids.0: expected a pattern of ids such as "shop-*"'],
    [{ ids: ['Łódź-*'] }, 'grantInsert.ids.0: expected a pattern of ids such as "shop-*"'],
    [{ id: ['shop-*'] }, 'grantInsert: unknown option "id"; did you mean "ids"?'],
  ])('is refused with %j', (options, message) => {
    const stack = newStack();
    expect(() => backlogIn(stack).grantInsert(producerIn(stack), options as object)).toThrow(message);
  });

  it('does not need the table either if the stack names its account', () => {
    const stack = newStack(HERE);
    backlogIn(stack).grantInsert(producerIn(stack));
    expect(tablePolicies(stack)).toEqual([]);
  });

  it('that has no policy of its own, a service, gets nothing, and the grant tells', () => {
    const stack = newStack();
    const grant = backlogIn(stack).grantInsert(new ServicePrincipal('ecs.amazonaws.com'));
    expect(() => grant.assertSuccess()).toThrow();
    expect(tablePolicies(stack)).toEqual([]);
  });
});

describe('a producer of another account', () => {
  it('gets its rights from the policies of the table and of its key', () => {
    const { stack, backlog } = withOwnKey();
    expect(backlog.grantInsert(new AccountPrincipal(OTHER)).success).toBe(true);
    expect(tablePolicies(stack)).toEqual(rights('*', { Principal: { AWS: rootOf(OTHER) } }));
    const [key] = propertiesOf(Template.fromStack(stack), 'AWS::KMS::Key');
    expect(key.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({
        Action: expect.arrayContaining(['kms:Decrypt']),
        Principal: { AWS: rootOf(OTHER) },
      }),
    );
  });

  it('can be a single role of it', () => {
    const { stack, backlog } = withOwnKey();
    const arn = `arn:aws:iam::${OTHER}:role/producer`;
    backlog.grantInsert(new ArnPrincipal(arn));
    expect(tablePolicies(stack)).toEqual(rights('*', { Principal: { AWS: arn } }));
  });

  it('can be an imported role', () => {
    const { stack, backlog } = withOwnKey();
    const arn = `arn:aws:iam::${OTHER}:role/producer`;
    backlog.grantInsert(Role.fromRoleArn(stack, 'Imported', arn));
    expect(tablePolicies(stack)).toMatchObject(
      Array.from({ length: 3 }, () => ({ Principal: { AWS: arn } })),
    );
  });

  it.each([
    ['an account', () => new AccountPrincipal(OTHER)],
    ['an ARN', () => new ArnPrincipal(`arn:aws:iam::${OTHER}:role/producer`)],
  ])('named by %s is refused where the table has the AWS managed key', (_name, principal) => {
    const backlog = backlogIn(newStack(HERE));
    expect(() => backlog.grantInsert(principal())).toThrow(
      `grantInsert: a producer of the account ${OTHER} cannot use the AWS managed key that encrypts the table: ` +
        'give the Backlog an "encryptionKey" of your own',
    );
  });

  it('is warned of where the account of the stack is not known yet', () => {
    const stack = newStack();
    backlogIn(stack).grantInsert(new AccountPrincipal(OTHER));
    expect(tablePolicies(stack)).toHaveLength(3);
    expectWarning(stack, `unless this stack is deployed to it, a producer of the account ${OTHER} cannot`);
  });

  it('gets into a table of its own app that has the key of DynamoDB itself', () => {
    const stack = newStack(HERE);
    const table = new TableV2(stack, 'Table', {
      ...RECORDS_TABLE,
      encryption: TableEncryptionV2.dynamoOwnedKey(),
    });
    backlogIn(stack, { table }).grantInsert(new AccountPrincipal(OTHER));
    expect(tablePolicies(stack)).toMatchObject(rights('*', { Principal: { AWS: rootOf(OTHER) } }));
  });

  it('is not let into an imported table from here, which a warning and the grant tell', () => {
    const stack = newStack(HERE);
    const table = TableV2.fromTableName(stack, 'Table', 'orders');
    const grant = backlogIn(stack, { table, intake: false }).grantInsert(new AccountPrincipal(OTHER));
    expect(grant.success).toBe(false);
    expectWarning(
      stack,
      `where the table is made, it has to allow the account ${OTHER} dynamodb:PutItem, dynamodb:PartiQLInsert and dynamodb:GetItem`,
    );
  });
});

function rootOf(account: string): unknown {
  return { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${account}:root`]] };
}

function expectWarning(stack: Stack, text: string): void {
  Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp(text.replaceAll(/[.*()]/g, '\\$&')));
}
