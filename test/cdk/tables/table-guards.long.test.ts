import { NestedStack, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, ProjectionType, type TablePropsV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { backlogWith, newStack, RECORDS_TABLE, retryQueue } from '../support.js';

const queues = { orders: retryQueue };

/** The guards by their physical names, with their logical ids and with the tables that wait for them. */
function guardsOf(stack: Stack) {
  const resources = Template.fromStack(stack).toJSON().Resources as Record<
    string,
    { Type: string; Properties: { Name?: unknown }; DependsOn?: string[] }
  >;
  const guards = Object.entries(resources).filter(([id]) => id.includes('Guard'));
  return Object.fromEntries(
    guards.map(([id, { Properties }]) => {
      const waiting = Object.values(resources).filter(({ DependsOn = [] }) => DependsOn.includes(id));
      return [Properties.Name as string, { id, before: waiting.map(({ Type }) => Type) }];
    }),
  );
}

const TABLE = '/dynamo-backlog/Test/backlog/guard-against-an-empty-table';
const CONTROL = '/dynamo-backlog/Test/backlog/guard-against-an-empty-control-table';

function guards(props: Partial<BacklogProps> = {}, id = 'Backlog') {
  const stack = newStack();
  new Backlog(stack, id, { queues, ...props });
  return guardsOf(stack);
}

describe('a deployment that would go on with empty tables', () => {
  const before = guards();

  it('meets a guard before the tables are made', () => {
    for (const name of [TABLE, CONTROL]) expect(before[name]?.before).toEqual(['AWS::DynamoDB::GlobalTable']);
  });

  it('cannot create the guards again when the construct has another id', () => {
    const after = guards({}, 'Other');
    for (const name of [TABLE, CONTROL]) {
      expect(after[name]?.id).toBeDefined();
      expect(after[name]?.id).not.toBe(before[name]?.id);
    }
  });

  it('cannot create the guard again when the table has another name, or one for the first time', () => {
    const [first, second] = ['shop-records', 'shop-backlog'].map((tableName) => guards({ tableName }));
    const ids = [before, first, second].map((some) => some?.[TABLE]?.id);
    expect(new Set(ids).size).toBe(3);
    expect(first?.[CONTROL]?.id).toBe(before[CONTROL]?.id);
    expect(guards({ controlTableName: 'shop-control' })[CONTROL]?.id).not.toBe(before[CONTROL]?.id);
  });

  it('meets the same guard in a nested stack, also where CloudFormation replaces that one', () => {
    const nested = (id: string) => {
      const inner = new NestedStack(newStack(), id);
      new Backlog(inner, 'Backlog', { queues });
      return guardsOf(inner);
    };
    for (const id of ['Inner', 'Other']) expect(Object.keys(nested(id))).toEqual([TABLE, CONTROL]);
  });

  it('meets a name that a Backlog of another nested stack has', () => {
    const stack = newStack();
    new Backlog(new NestedStack(stack, 'One'), 'Backlog', { queues });
    expect(() => new Backlog(new NestedStack(stack, 'Two'), 'Backlog', { queues })).toThrow(
      'Backlog.backlogName: expected another name than the one of Test/One/Backlog',
    );
    // A stack of its own below another one is not nested in it.
    new Backlog(new Stack(stack, 'Own'), 'Backlog', { queues });
  });

  it('goes on when the Backlog has another name, which says that this is intended', () => {
    const after = guards({ backlogName: 'shop' }, 'Other');
    expect(Object.keys(after)).toEqual([
      '/dynamo-backlog/Test/shop/guard-against-an-empty-table',
      '/dynamo-backlog/Test/shop/guard-against-an-empty-control-table',
    ]);
  });

  it('is no other change', () => {
    expect(guards({ queues: { prices: retryQueue }, minimal: true, trigger: 'scheduler' })).toEqual(before);
  });

  it('is not one that gets tables which are there already', () => {
    const stack = newStack();
    const table = TableV2.fromTableName(stack, 'Restored', 'restored');
    const controlTable = TableV2.fromTableName(stack, 'RestoredControl', 'restored-control');
    new Backlog(stack, 'Backlog', { queues, table, controlTable, intake: false });
    expect(guardsOf(stack)).toEqual({});
  });
});

it('two Backlogs of one stack need different names', () => {
  const stack = newStack();
  new Backlog(stack, 'One', { queues });
  expect(() => new Backlog(stack, 'Other', { queues })).toThrow(
    'Backlog.backlogName: expected another name than the one of Test/One, as both are in the same stack, got "backlog"',
  );
  expect(() => new Backlog(stack, 'Third', { queues, backlogName: 'no/name' })).toThrow(
    'Backlog.backlogName: expected 1 to 64 letters, digits',
  );
});

it('two Backlogs cannot have one table: their leases would be in two control tables', () => {
  const stack = newStack();
  const table = TableV2.fromTableName(stack, 'Theirs', 'theirs');
  new Backlog(stack, 'One', { queues, table, intake: false });
  expect(() => new Backlog(stack, 'Other', { backlogName: 'other', queues, table, intake: false })).toThrow(
    'Backlog.table: expected a table that no other Backlog has, got the one of Test/One',
  );
  // In another app it is the name of this parameter, which both would create.
  const parameters = Object.values(Template.fromStack(stack).findResources('AWS::SSM::Parameter'));
  expect(parameters.map(({ Properties }) => Properties.Name)).toContain(
    '/dynamo-backlog-tables/theirs/control-table',
  );
});

describe('tables that are made here', () => {
  const protectionOf = (props: Partial<BacklogProps>) =>
    Object.values(backlogWith({ queues, ...props }).template.findResources('AWS::DynamoDB::GlobalTable')).map(
      ({ Properties }) => Properties.Replicas[0].DeletionProtectionEnabled,
    );

  it('are protected from deletion, unless they go with the stack', () => {
    expect(protectionOf({})).toEqual([true, true]);
    expect(protectionOf({ deletionProtection: false })).toEqual([false, false]);
    expect(protectionOf({ removalPolicy: RemovalPolicy.DESTROY })).toEqual([false, false]);
  });

  it('have replicas in other regions, of the records alone', () => {
    const stack = newStack({ region: 'eu-central-1' });
    new Backlog(stack, 'Backlog', { queues, replicas: [{ region: 'eu-west-1' }] });
    const tables = Object.values(Template.fromStack(stack).findResources('AWS::DynamoDB::GlobalTable'));
    const regions = tables.map(({ Properties }) =>
      Properties.Replicas.map(({ Region }: { Region: string }) => Region),
    );
    expect(regions).toEqual([['eu-west-1', 'eu-central-1'], ['eu-central-1']]);
    expect(tables[0]?.Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });

  it.each<[Partial<BacklogProps>, string]>([
    [{ replicas: [] }, 'Backlog.replicas: expected at least one replica'],
    [
      { replicas: ['eu-west-1'] as never },
      'Backlog.replicas.0: expected replicas such as { region: "eu-west-1" }',
    ],
  ])('are refused with %j', (props, message) => {
    expect(() => backlogWith({ queues, ...props })).toThrow(message);
  });
});

describe('a table of the same app', () => {
  const synthesized = (records: TablePropsV2, control?: TablePropsV2) => () => {
    const stack = newStack();
    const table = new TableV2(stack, 'Records', records) as never;
    const controlTable = control ? (new TableV2(stack, 'Control', control) as never) : undefined;
    new Backlog(stack, 'Backlog', { queues, table, controlTable, intake: false });
    return Template.fromStack(stack);
  };
  const string = (name: string) => ({ name, type: AttributeType.STRING });
  const control = { partitionKey: string('key') };

  it('is taken, and so is a control table, with what they need', () => {
    synthesized(RECORDS_TABLE, control)().resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
  });

  it('is taken with an index that it gets later', () => {
    const stack = newStack();
    const { globalSecondaryIndexes: [due] = [], ...rest } = RECORDS_TABLE;
    const table = new TableV2(stack, 'Records', rest);
    new Backlog(stack, 'Backlog', { queues, table: table as never, intake: false });
    if (due) table.addGlobalSecondaryIndex(due);
    Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
  });

  it.each<[string, TablePropsV2, TablePropsV2 | undefined, string]>([
    [
      'another key',
      { ...RECORDS_TABLE, partitionKey: string('pk') },
      undefined,
      'Backlog.table: expected the key "id" (S), got "pk" (S)',
    ],
    [
      'a key of another type',
      { ...RECORDS_TABLE, partitionKey: { name: 'id', type: AttributeType.NUMBER } },
      undefined,
      'Backlog.table: expected the key "id" (S), got "id" (N)',
    ],
    [
      'a sort key',
      { ...RECORDS_TABLE, sortKey: string('at') },
      undefined,
      'Backlog.table: expected the key "id" (S), got "id" (S) and "at" (S)',
    ],
    [
      'no index',
      { ...RECORDS_TABLE, globalSecondaryIndexes: [] },
      undefined,
      'expected an index "due" (partition key "lane", sort key "dueAt", both strings, keys only), got a table without an index',
    ],
    [
      'an index on something else',
      {
        ...RECORDS_TABLE,
        globalSecondaryIndexes: [
          { indexName: 'due', partitionKey: string('status'), projectionType: ProjectionType.KEYS_ONLY },
        ],
      },
      undefined,
      'expected the index "due" with the key "lane" (S) and "dueAt" (S), got "status" (S)',
    ],
    [
      'TTL on something else',
      { ...RECORDS_TABLE, timeToLiveAttribute: 'ttl' },
      undefined,
      'expected TTL on "expiresAt" (timeToLiveAttribute), as records that are done would stay for ever, got TTL on "ttl"',
    ],
    [
      'a control table with another key',
      RECORDS_TABLE,
      { partitionKey: string('id') },
      'Backlog.controlTable: expected the key "key" (S), got "id" (S)',
    ],
    [
      'a control table with TTL on another attribute',
      RECORDS_TABLE,
      { ...control, timeToLiveAttribute: 'until' },
      'Backlog.controlTable: expected TTL on "expiresAt", or none, got TTL on "until"',
    ],
  ])('is refused with %s', (_name, records, own, message) => {
    expect(synthesized(records, own)).toThrow(message);
  });
});

it.each<[Partial<BacklogProps>, string]>([
  [{ controlTableName: 'mine' }, 'Backlog.controlTableName: expected nothing beside "controlTable"'],
  [{ table: undefined as never }, 'Backlog.controlTable: expected beside a "table" only'],
])('a control table is refused beside %j', (props, message) => {
  const stack = newStack();
  const table = TableV2.fromTableName(stack, 'Theirs', 'theirs');
  const controlTable = TableV2.fromTableName(stack, 'Control', 'control');
  expect(() => new Backlog(stack, 'Backlog', { queues, table, controlTable, ...props })).toThrow(message);
});
