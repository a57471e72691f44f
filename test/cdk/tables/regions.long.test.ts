import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type ReplicaTableProps, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { newStack, ownFunction, propertiesOf, RECORDS_TABLE, retryQueue, URL } from '../support.js';
import { PRIMARY, type Props, QUEUES, REGIONS, SECOND, STREAM, twoRegions } from './two-regions.js';

const ENTRY = 'test/cdk/fixtures/handler.ts';

interface Synthesized {
  readonly backlog: Backlog;
  readonly template: Template;
}

const countsOf = (template: Template) => {
  const counts: Record<string, number> = {};
  for (const { Type } of Object.values<{ Type: string }>(template.toJSON().Resources)) {
    counts[Type] = (counts[Type] ?? 0) + 1;
  }
  return counts;
};
const alarmsOf = ({ alarms }: Backlog) => alarms.map(({ node }) => node.id);

const replicasOf = (template: Template) =>
  propertiesOf(template, 'AWS::DynamoDB::GlobalTable').map(({ Replicas }) => Replicas);
const regionsOf = (template: Template) =>
  replicasOf(template).map((replicas) => replicas.map(({ Region }: { Region: string }) => Region));

describe('a backlog in two regions', () => {
  const made = twoRegions();
  const [primary, second] = [made.primary, made.second].map(({ stack, backlog }) => ({
    backlog,
    template: Template.fromStack(stack),
  })) as [Synthesized, Synthesized];

  it('makes both tables in the primary region, with replicas in the other one and a stream', () => {
    expect(regionsOf(primary.template)).toEqual(Array(2).fill([SECOND, PRIMARY]));
    for (const table of propertiesOf(primary.template, 'AWS::DynamoDB::GlobalTable')) {
      expect(table.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    }
    second.template.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  });

  it('has the same functions, rules and alarms in both, and no guard where there is no new table', () => {
    const {
      'AWS::DynamoDB::GlobalTable': _,
      'AWS::SSM::Parameter': parameters,
      ...rest
    } = countsOf(primary.template);
    const { 'AWS::SSM::Parameter': inSecond, ...restOfSecond } = countsOf(second.template);
    expect(restOfSecond).toEqual(rest);
    expect([parameters, inSecond]).toEqual([7, 5]);
    expect(alarmsOf(second.backlog)).toEqual(alarmsOf(primary.backlog));
    expect(alarmsOf(second.backlog)).toEqual(expect.arrayContaining(['Lag-orders', 'Lag-prices']));
  });

  it('works on the replicas in the other region, and its intake reads their stream', () => {
    for (const { Environment } of propertiesOf(second.template, 'AWS::Lambda::Function')) {
      expect(Environment.Variables).toMatchObject({
        BACKLOG_TABLE: 'Orders',
        BACKLOG_CONTROL_TABLE: 'OrdersControl',
      });
    }
    const sources = propertiesOf(second.template, 'AWS::Lambda::EventSourceMapping');
    expect(sources.map(({ EventSourceArn }) => EventSourceArn)).toContain(STREAM);
    const policies = JSON.stringify(propertiesOf(second.template, 'AWS::IAM::Policy'));
    expect(policies).toContain(`:dynamodb:${SECOND}:`);
    expect(policies).not.toContain(PRIMARY);
  });

  it('writes down in the other region what its parts are called, for stacks there', () => {
    const names = propertiesOf(second.template, 'AWS::SSM::Parameter').map(({ Name }) => Name);
    expect(names).toEqual(
      expect.arrayContaining([
        `/dynamo-backlog/Shop-${SECOND}/backlog/table`,
        '/dynamo-backlog-tables/Orders/control-table',
      ]),
    );
  });

  it('names its primary region in the metadata of both templates', () => {
    for (const { template } of [primary, second]) {
      expect(template.toJSON().Metadata.DynamoBacklog.Backlog).toMatchObject({ primaryRegion: PRIMARY });
    }
  });
});

it('every function knows the primary region, in each region; without it, none has the variable', () => {
  const every = (stack: Stack): Props => ({
    workers: { mail: { entry: ENTRY } },
    queues: {
      ...QUEUES,
      own: { retry: { type: 'none' }, handler: ownFunction(stack) },
      entry: { retry: { type: 'none' }, entry: ENTRY },
      mails: { retry: { type: 'none' }, worker: 'mail' },
    },
    widget: true,
  });
  const { primary, second } = twoRegions(every);
  for (const { stack } of [primary, second]) {
    const known = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').map(
      ({ Environment }) => Environment.Variables.BACKLOG_PRIMARY_REGION,
    );
    // 2 deliveries, 3 functions of queues, intake, sweep, monitor, and 2 of the overview.
    expect(known).toEqual(Array(10).fill(PRIMARY));
  }
  const stack = newStack();
  new Backlog(stack, 'Backlog', { queues: QUEUES });
  expect(JSON.stringify(Template.fromStack(stack).toJSON())).not.toMatch(/primary.?region/i);
});

it('settings of queues have less room in the variables beside the primary region', () => {
  const variables = (padding: number, primaryRegion?: string) => {
    const of = (i: number) => ({
      ...retryQueue,
      deliverTo: `${URL}/${i}${i === 0 ? 'x'.repeat(padding) : ''}`,
    });
    const queues = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`queue-${i}`, of(i)]));
    const stack = newStack({ region: PRIMARY });
    new Backlog(stack, 'Backlog', { ...REGIONS, queues, primaryRegion, alarms: false });
    const [delivery] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function');
    return delivery.Environment.Variables as Record<string, string>;
  };
  const { BACKLOG_QUEUES = '' } = variables(0);
  // As Lambda measures it: as JSON, in which quotes are escaped.
  const almost = 3_090 - (JSON.stringify(BACKLOG_QUEUES).length - 2);
  expect(variables(almost)).toHaveProperty('BACKLOG_QUEUES');
  expect(variables(almost, PRIMARY)).toHaveProperty('BACKLOG_QUEUES_FILE');
});

describe('the replicas of the control table', () => {
  const replicas: ReplicaTableProps[] = [
    {
      region: SECOND,
      deletionProtection: false,
      tags: [{ key: 'team', value: 'shop' }],
      globalSecondaryIndexOptions: { due: { contributorInsightsSpecification: { enabled: true } } },
    },
    { region: 'us-east-1' },
  ];

  it('are in the same regions, with the protection and tags of the records, without what is about the index', () => {
    const stack = newStack({ region: PRIMARY });
    new Backlog(stack, 'Backlog', { ...REGIONS, replicas });
    const [, control] = replicasOf(Template.fromStack(stack));
    const all = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
    expect(control).toEqual([
      {
        ...all,
        Region: SECOND,
        DeletionProtectionEnabled: false,
        Tags: [{ Key: 'team', Value: 'shop' }],
      },
      { ...all, Region: 'us-east-1', DeletionProtectionEnabled: true },
      { ...all, Region: PRIMARY, DeletionProtectionEnabled: true },
    ]);
  });

  it('are made beside a table of records that is given', () => {
    const stack = newStack({ region: PRIMARY });
    const dynamoStream = StreamViewType.NEW_AND_OLD_IMAGES;
    const given = new TableV2(stack, 'Given', { ...RECORDS_TABLE, dynamoStream, replicas });
    new Backlog(stack, 'Backlog', { ...REGIONS, table: given as never });
    expect(regionsOf(Template.fromStack(stack))).toEqual([
      [SECOND, 'us-east-1', PRIMARY],
      [SECOND, PRIMARY],
    ]);
  });
});

describe('keys of replicas', () => {
  const keyOf = (region: string) => `arn:aws:kms:${region}:111111111111:key/1`;
  const withKeys = (props: Props) => {
    const stack = newStack({ region: PRIMARY });
    new Backlog(stack, 'Backlog', { ...REGIONS, encryptionKey: new Key(stack, 'Key'), ...props });
    return replicasOf(Template.fromStack(stack)).map((replicas) =>
      replicas.map(({ SSESpecification }: { SSESpecification: object }) => SSESpecification),
    );
  };

  it('encrypt the replicas of both tables', () => {
    const own = { KMSMasterKeyId: expect.any(Object) };
    const encrypted = [{ KMSMasterKeyId: keyOf(SECOND) }, own];
    expect(withKeys({ replicaKeyArns: { [SECOND]: keyOf(SECOND) } })).toEqual([encrypted, encrypted]);
    const ofRecords = { primaryRegion: undefined, replicaKeyArns: { [SECOND]: keyOf(SECOND) } };
    expect(withKeys(ofRecords)).toEqual([encrypted, [own]]);
  });

  it.each<[string, Props, string]>([
    [
      'none',
      {},
      `Backlog.replicaKeyArns: expected the ARN of a key in the region of each replica (${SECOND}) beside "encryptionKey", which is a ` +
        'key of one region, got none',
    ],
    [
      'those of another region',
      { replicaKeyArns: { 'us-east-1': keyOf('us-east-1') } },
      `the region of each replica (${SECOND}) beside "encryptionKey", which is a key of one region, got us-east-1`,
    ],
    [
      'a key of another region',
      { replicaKeyArns: { [SECOND]: keyOf('us-east-1') } },
      'Backlog.replicaKeyArns: expected ARNs of keys by their regions, such as { "eu-west-1": "arn:aws:kms:eu-west-1:',
    ],
    [
      'no key of the stack itself',
      { encryptionKey: undefined, replicaKeyArns: { [SECOND]: keyOf(SECOND) } },
      'Backlog.replicaKeyArns: expected beside an "encryptionKey" only, the key of the stack\'s own region, got no "encryptionKey"',
    ],
  ])('are refused: %s', (_, props, message) => {
    expect(() => withKeys(props)).toThrow(message);
  });
});

describe('a stack that adds queues in the other region', () => {
  const queues = { mails: retryQueue };

  it('finds the backlog there by its stack, and needs no primary region', () => {
    const stack = newStack({ region: SECOND });
    const sharedBacklog = Backlog.fromStack(stack, 'Shared', { stackName: `Shop-${SECOND}` });
    const backlog = new Backlog(stack, 'Backlog', { queues, sharedBacklog });
    const template = Template.fromStack(stack);
    expect(alarmsOf(backlog)).toContain('Lag-mails');
    expect(propertiesOf(template, 'AWS::Lambda::Function')).toHaveLength(1);
    const parameters = Object.values<{ Default?: string }>(template.toJSON().Parameters);
    expect(parameters.map(({ Default }) => Default)).toContain(
      `/dynamo-backlog/Shop-${SECOND}/backlog/table`,
    );
  });

  it('takes the Backlog of the same app, of its own region only', () => {
    const { app, primary, second } = twoRegions();
    const inSecond = (sharedBacklog: Backlog, id: string) =>
      new Backlog(new Stack(app, id, { env: { region: SECOND } }), 'Backlog', { queues, sharedBacklog });
    expect(inSecond(second.backlog, 'Team').functions).toHaveProperty('mails');
    expect(() => inSecond(primary.backlog, 'Wrong')).toThrow(
      `Backlog.sharedBacklog: expected a Backlog of the same region (${SECOND}), got one of ${PRIMARY}`,
    );
  });
});
