import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { recordEventsHandler } from '../../../functions/record-events/record-events-handler.js';
import { checkAll } from '../../../src/groups/check-all.js';
import { RecordGroups } from '../../../src/groups/index.js';
import { lambdaImage } from '../../../src/store/dynamodb/attribute-values.js';
import { DynamoDbOperatorRecords } from '../../../src/store/dynamodb/operator-records.js';
import { DynamoDbActiveRegion } from '../../../src/store/dynamodb/registry.js';
import { DynamoDbSharedItems } from '../../../src/store/dynamodb/shared-items.js';
import { tablesOf } from '../../../src/store/dynamodb/store.js';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { systemClock } from '../../../src/support/clock.js';
import { systemRandom } from '../../../src/support/random.js';
import { keepingLogger } from '../../../src/testing/logs.js';
import { context } from '../../functions/support.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';
import { createTables, type TestTables } from '../../store/tables.js';
import { newStack, propertiesOf, retryQueue, rightsOf } from '../support.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let tables: TestTables;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  tables = await createTables(createDynamoDbClient({ endpoint: dynamoDb.endpoint }));
});
afterAll(() => dynamoDb.stop());

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A request as IAM sees it. */
interface Asked {
  readonly action: string;
  readonly table: 'Records' | 'Control';
  readonly keys: readonly string[];
}

/** The statements of the roles of a backlog with groups: those of the application, of its function and of its sweep. */
function granted(role: 'Importer' | 'BacklogRecordEvents' | 'BacklogSweep'): Statement[] {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', { queues: { default: retryQueue }, groups: true });
  const importer = new Role(stack, 'Importer', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  expect(backlog.grantGroups(importer).success).toBe(true);
  return propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy').find(({ PolicyName }) =>
    PolicyName.startsWith(role),
  ).PolicyDocument.Statement;
}

/** Tells whether a statement allows a request. */
function allows(statements: readonly Statement[], { action, table, keys }: Asked): boolean {
  return statements.some(({ Action, Resource, Condition }) => {
    const patterns = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string[] | undefined;
    // The right of a producer is for the fence of a record alone.
    if (Condition?.['ForAllValues:StringEquals']) return false;
    return (
      [Action].flat().includes(action) &&
      JSON.stringify(Resource).includes(table) &&
      (!patterns || keys.every((key) => patterns.some((one) => key.startsWith(one.slice(0, -1)))))
    );
  });
}

type Keyed = Readonly<Record<string, { readonly S: string }>>;
interface Input {
  readonly TableName?: string;
  readonly Key?: Keyed;
  readonly Item?: Keyed;
  readonly Statements?: readonly { readonly Statement: string }[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Keyed[] }>>;
}

function askedBy(commandName: string, input: Input): Asked {
  const { TableName, Key, Item, RequestItems = {}, Statements = [] } = input;
  const isControl = [TableName, ...Object.keys(RequestItems)].includes(tables.control);
  const all = [Key, Item, ...Object.values(RequestItems).flatMap(({ Keys }) => Keys)];
  const action = Statements.length > 0 ? 'PartiQLInsert' : commandName.replace(/Command$/, '');
  for (const { Statement } of Statements) expect(Statement).toMatch(/^INSERT/);
  return {
    action: `dynamodb:${action}`,
    table: isControl ? 'Control' : 'Records',
    keys: all.flatMap((one) => one?.key?.S ?? one?.id?.S ?? []),
  };
}

/** A client, and the requests that it makes. */
function noting() {
  const used: Asked[] = [];
  const client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        used.push(askedBy(commandName, args.input as Input));
        return next(args);
      },
    { step: 'initialize' },
  );
  const made = tablesOf({ client, tables, clock: systemClock, random: systemRandom });
  const store = {
    records: new DynamoDbOperatorRecords(made.records, systemClock),
    groups: new DynamoDbSharedItems(made.control),
    activeRegion: new DynamoDbActiveRegion(made.control, () => {}),
  };
  return {
    client,
    used,
    store,
    groups: new RecordGroups({ table: tables.records, controlTable: tables.control, client }),
  };
}

const onComplete = { payload: { to: 'sales' } };
const rows = (group: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `${group}/${i}`, payload: { i } }));

/** The actions of requests on each table. */
const actionsOf = (used: readonly Asked[]) =>
  [...new Set(used.map(({ action, table }) => `${table} ${action}`))].sort();

/** The actions that a role has been granted on both tables, except the producer's look at a fence. */
const grantedOn = (statements: readonly Statement[]) =>
  [
    ...new Set(
      statements.flatMap(({ Action, Resource, Condition }) => {
        const table = JSON.stringify(Resource).includes('BacklogControl') ? 'Control' : 'Records';
        const isOfTables = /Backlog(Control|Records).*"Arn"/.test(JSON.stringify(Resource));
        if (!isOfTables || Condition?.['ForAllValues:StringEquals']) return [];
        return [Action].flat().map((action) => `${table} ${action}`);
      }),
    ),
  ].sort();

/** Gives a record up, as an attempt of it does. */
async function die(id: string): Promise<void> {
  await createDynamoDbClient({ endpoint: dynamoDb.endpoint }).send(
    new UpdateItemCommand({
      TableName: tables.records,
      Key: { id: { S: id } },
      UpdateExpression: 'SET #s = :s',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': { S: 'DEAD' } },
    }),
  );
}

describe('groups', () => {
  it('of an application need the rights of grantGroups, and no other', async () => {
    const { used, groups, store } = noting();
    await groups.insert('a', rows('a', 40), { onComplete, seal: false });
    await groups.insert('a', rows('a', 3), { onComplete, onFirstDeath: {}, seal: false });
    const first = await store.records.get('a/0');
    await die('a/0');
    expect(first).toBeDefined();
    await groups.check('a');
    await groups.seal('a');
    for await (const _ of groups.waiting('a')) break;
    await groups.get('a');
    await groups.insert('b', [], { onComplete });
    expect(await groups.get('b')).toMatchObject({ state: 'ended' });
    const statements = granted('Importer');
    expect(used.filter((one) => !allows(statements, one))).toEqual([]);
    expect(actionsOf(used)).toEqual(grantedOn(statements));
  });

  it('are counted and checked with the rights of the function and of the sweep, and no other', async () => {
    const application = noting();
    await application.groups.insert('c', rows('c', 2), { onComplete, onFirstDeath: {} });
    const { used, store } = noting();
    const env = {
      BACKLOG_TABLE: tables.records,
      BACKLOG_CONTROL_TABLE: tables.control,
      BACKLOG_GROUPS: 'true',
    };
    const logger = keepingLogger([], undefined) as never;
    const handler = recordEventsHandler({ env, logger, store });
    await die('c/0');
    const ended = (id: string, status: string, place: number) => ({
      eventSource: 'aws:dynamodb',
      eventName: 'MODIFY',
      dynamodb: {
        SequenceNumber: String(place),
        Keys: { id: { S: id } },
        NewImage: lambdaImage({ id: { S: id }, status: { S: status }, memberOf: { S: `${place}#c` } }),
      },
    });
    const event = { Records: [ended('c/0', 'DEAD', 0), ended('c/1', 'SUCCESS', 1)] };
    expect(await handler(event, context)).toEqual({ batchItemFailures: [] });
    expect(await application.groups.get('c')).toMatchObject({ state: 'ended', dead: 1 });
    const ofFunction = granted('BacklogRecordEvents');
    expect(used.filter((one) => !allows(ofFunction, one))).toEqual([]);
    expect(actionsOf(used)).toEqual(grantedOn(ofFunction));

    await application.groups.insert('d', rows('d', 2), { onComplete });
    const sweep = noting();
    const deps = {
      ...sweep.store,
      clock: systemClock,
      random: systemRandom,
      indexesAtOnce: () => false,
      logger,
    };
    await checkAll({ ...deps, hasTime: () => true });
    expect(sweep.used.filter((one) => !allows(granted('BacklogSweep'), one))).toEqual([]);
  });

  it.each(['registry', 'queue#orders', 'lease#orders', 'region'])(
    'give no right on %s in the control table',
    (key) => {
      for (const role of ['Importer', 'BacklogRecordEvents'] as const) {
        for (const action of ['UpdateItem', 'DeleteItem', 'BatchGetItem', 'GetItem'])
          expect(allows(granted(role), { action: `dynamodb:${action}`, table: 'Control', keys: [key] })).toBe(
            false,
          );
      }
    },
  );

  it('let an application use the key of the tables', () => {
    const stack = newStack({ region: 'eu-central-1' });
    const encryptionKey = new Key(stack, 'Key');
    const backlog = new Backlog(stack, 'Backlog', {
      queues: { default: retryQueue },
      groups: true,
      encryptionKey,
    });
    backlog.grantGroups(new Role(stack, 'App', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    const actions = rightsOf(Template.fromStack(stack), 'App').flatMap(([names]) => names.split(', '));
    expect(actions).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt']));
  });
});
