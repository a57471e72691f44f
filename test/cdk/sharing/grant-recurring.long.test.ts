import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Backlog, type GrantRecurringOptions } from '../../../cdk/index.js';
import { RecurringRecords } from '../../../src/recurring/index.js';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';
import { createTables, type TestTables } from '../../store/tables.js';
import { newStack, propertiesOf, retryQueue, rightsOf } from '../support.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
const client = () => createDynamoDbClient({ endpoint: dynamoDb.endpoint });
let tables: TestTables;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  tables = await createTables(client());
});
afterAll(() => dynamoDb.stop());

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function granted(options?: GrantRecurringOptions): Statement[] {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', { queues: { default: retryQueue }, recurring: {} });
  const role = new Role(stack, 'App', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  expect(backlog.grantRecurring(role, options).success).toBe(true);
  return propertiesOf(Template.fromStack(stack), 'AWS::IAM::Policy').find(({ PolicyName }) =>
    PolicyName.startsWith('App'),
  ).PolicyDocument.Statement;
}

/** A request as IAM sees it. */
interface Asked {
  readonly action: string;
  readonly isIndex: boolean;
  readonly keys: readonly string[];
}

const like = (pattern: string, text: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\/]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(text);

/** Tells whether a statement allows a request. */
function allows(statements: readonly Statement[], { action, isIndex, keys }: Asked): boolean {
  return statements.some(({ Action, Resource, Condition }) => {
    const patterns = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string[];
    expect(Condition.Null).toEqual({ 'dynamodb:LeadingKeys': 'false' });
    return (
      [Action].flat().includes(action) &&
      JSON.stringify(Resource).includes('/index/due') === isIndex &&
      keys.every((key) => patterns.some((pattern) => like(pattern, key)))
    );
  });
}

interface Input {
  readonly Key?: { readonly id: { readonly S: string } };
  readonly Item?: { readonly id: { readonly S: string } };
  readonly IndexName?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S: string }>>;
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys: { readonly id: { readonly S: string } }[] }>
  >;
}

/** The keys that a request names: of an index those of its lanes. */
function keysOf({ Key, Item, IndexName, ExpressionAttributeValues, RequestItems }: Input): string[] {
  if (IndexName !== undefined) return Object.values(ExpressionAttributeValues ?? {}).map(({ S }) => S);
  const many = Object.values(RequestItems ?? {}).flatMap(({ Keys }) => Keys.map(({ id }) => id.S));
  return [...many, ...[Key ?? Item].flatMap((one) => (one ? [one.id.S] : []))];
}

/** Requests that are made while recurring records are worked with. */
async function asked(work: (recurring: RecurringRecords) => Promise<unknown>): Promise<Asked[]> {
  const used: Asked[] = [];
  const dynamodb = client();
  dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const input = args.input as Input;
        const action = `dynamodb:${commandName.replace(/Command$/, '')}`;
        used.push({ action, isIndex: input.IndexName !== undefined, keys: keysOf(input) });
        return next(args);
      },
    { step: 'initialize' },
  );
  await work(new RecurringRecords({ table: tables.records, client: dynamodb, indexAtOnce: true }));
  dynamodb.destroy();
  return used;
}

const from = new Date(Date.now() - 3_600_000);

/** All of RecurringRecords but `list`. */
async function workWith(recurring: RecurringRecords, name: string): Promise<void> {
  const options = { schedule: 'rate(10 minutes)', startAt: from };
  expect(await recurring.put(name, options)).toMatchObject({ was: 'new' });
  expect(await recurring.put(name, { ...options, missed: 'all' })).toMatchObject({ was: 'changed' });
  expect(await recurring.get(name)).toMatchObject({ name });
  await recurring.pause(name);
  await recurring.resume(name);
  await recurring.runNow(name);
  await recurring.runNow(name);
  await recurring.backfill(name, { from, dryRun: true });
  await recurring.backfill(name, { from });
  await recurring.backfill(name, { from });
  expect(await recurring.remove(name)).toBe(true);
}

describe('grantRecurring', () => {
  it('has the rights that RecurringRecords needs, and no other', async () => {
    const used = await asked(async (recurring) => {
      await workWith(recurring, 'tenant-1/report');
      await recurring.put('tenant-2/report', { schedule: 'rate(1 hour)' });
      const names: string[] = [];
      for await (const { name } of recurring.list()) names.push(name);
      expect(names).toEqual(['tenant-2/report']);
    });
    const statements = granted();
    expect(used.filter((one) => !allows(statements, one))).toEqual([]);
    const actions = statements.flatMap(({ Action }) => Action);
    expect([...new Set(used.map(({ action }) => action))].sort()).toEqual(actions.sort());
  });

  it('may be for some names, which may be read and put, but not listed', async () => {
    const statements = granted({ names: ['tenant-3/*'] });
    const used = await asked((recurring) => workWith(recurring, 'tenant-3/report'));
    expect(used.filter((one) => !allows(statements, one))).toEqual([]);
    expect(used.filter((one) => allows(granted({ names: ['tenant-4/*'] }), one))).toEqual([]);
    const actions = statements.flatMap(({ Action }) => Action);
    expect([...new Set(used.map(({ action }) => action))].sort()).toEqual(actions.sort());
  });

  it.each([
    ['dynamodb:GetItem', 'order-1'],
    ['dynamodb:PutItem', 'order-1'],
    ['dynamodb:PutItem', 'anna@example.com'],
    ['dynamodb:UpdateItem', 'tenant-1/report@2026-12-01T03:00Z'],
    ['dynamodb:DeleteItem', 'tenant-1/report@2026-12-01T03:00Z'],
    ['dynamodb:BatchGetItem', 'order-1'],
    ['dynamodb:PartiQLInsert', 'recurring:report'],
  ])('does not allow %s of %s', (action, key) => {
    expect(allows(granted(), { action, isIndex: false, keys: [key] })).toBe(false);
  });

  it.each(['recurring', 'recurring#31', 'recurring/dead', 'recurring#31/dead'])(
    'lists the lane %s, and those of no other queue',
    (lane) => {
      const query = (key: string) => ({ action: 'dynamodb:Query', isIndex: true, keys: [key] });
      expect(allows(granted(), query(lane))).toBe(true);
      expect(allows(granted(), query(lane.replace('recurring', 'recurring-2')))).toBe(false);
    },
  );

  it('takes what IAM knows of the application in names, and refuses what is no name', () => {
    const names = [`\${aws:PrincipalTag/tenant}/*`];
    expect(JSON.stringify(granted({ names }))).toContain(`recurring:\${aws:PrincipalTag/tenant}/*`);
    const refused = (options: object) => () => granted(options as GrantRecurringOptions);
    expect(refused({ names: [] })).toThrow('grantRecurring.names: expected at least one pattern of names');
    expect(refused({ names: ['a@b'] })).toThrow(
      'grantRecurring.names.0: expected a pattern of names such as "tenant-7/*"',
    );
    expect(refused({ ids: ['a'] })).toThrow('grantRecurring: unknown option "ids"');
  });

  it('lets an application use the key of the tables', () => {
    const stack = newStack({ region: 'eu-central-1' });
    const encryptionKey = new Key(stack, 'Key');
    const backlog = new Backlog(stack, 'Backlog', {
      queues: { default: retryQueue },
      recurring: {},
      encryptionKey,
    });
    backlog.grantRecurring(
      new Role(stack, 'App', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
    );
    const actions = rightsOf(Template.fromStack(stack), 'App').flatMap(([names]) => names.split(', '));
    expect(actions).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:Encrypt']));
  });
});
