import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { BacklogClient } from '../../../src/index.js';
import { digest } from '../../../src/record/completion-token.js';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';
import { createTables, type TestTables } from '../../store/tables.js';
import { newStack, retryQueue, rightsOf } from '../support.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
const client = () => createDynamoDbClient({ endpoint: dynamoDb.endpoint });
let tables: TestTables;

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  tables = await createTables(client());
});
afterAll(() => dynamoDb.stop());

/** Rights of a producer by a grant: `dynamodb:Query on Records.Arn/index/due`. */
function granted(grant: 'grantRead' | 'grantCancel' | 'grantComplete'): string[] {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
  backlog[grant](new Role(stack, 'Shop', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
  return rightsOf(Template.fromStack(stack), 'Shop')
    .flatMap(([actions, resources]) =>
      actions.split(', ').flatMap((action) => resources.map((resource) => `${action} on ${resource}`)),
    )
    .sort();
}

/** Rights that IAM is asked for while the client works. */
async function asked(work: (backlog: BacklogClient) => Promise<unknown>): Promise<string[]> {
  const used = new Set<string>();
  const dynamodb = client();
  dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const { IndexName } = args.input as { IndexName?: string };
        const index = IndexName === undefined ? '' : `/index/${IndexName}`;
        used.add(`dynamodb:${commandName.replace(/Command$/, '')} on Records.Arn${index}`);
        return next(args);
      },
    { step: 'initialize' },
  );
  await work(new BacklogClient({ table: tables.records, client: dynamodb, indexAtOnce: true }));
  dynamodb.destroy();
  return [...used].sort();
}

it('looking records up needs the rights of grantRead, and no other', async () => {
  const inserting = new BacklogClient({ table: tables.records, client: client(), indexAtOnce: true });
  await inserting.insert({ id: 'a', queue: 'orders', payload: 1 });
  const used = await asked(async (backlog) => {
    expect(await backlog.get('a')).toMatchObject({ status: 'NEW' });
    const listed: string[] = [];
    for await (const { id } of backlog.list({ queue: 'orders', status: 'NEW' })) listed.push(id);
    expect(listed).toEqual(['a']);
  });
  expect(used).toEqual(granted('grantRead'));
});

it('cancelling a record needs the rights of grantCancel, and no other', async () => {
  const inserting = new BacklogClient({ table: tables.records, client: client() });
  await inserting.insert({ id: 'b', queue: 'orders', payload: 1 });
  const used = await asked((backlog) => backlog.cancel('b'));
  expect(used).toEqual(granted('grantCancel'));
});

it('completing an attempt needs the rights of grantComplete, and no other', async () => {
  const ofWork = digest([{ N: '1' }, { S: 'payments' }, undefined], 16);
  const token = `1.abcdefghijklmnopqrstuv.${ofWork}.${digest(['r'], 8)}`;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const work = { payload: 1, queue: 'payments', status: 'NEW' };
  const pending = { token, timeout: 3600 };
  const waiting = { ...work, rev: 'r', lane: 'payments', dueAt: until, notBefore: { until, pending } };
  const { notBefore: _, ...attempted } = waiting;
  const documents = DynamoDBDocumentClient.from(client());
  for (const Item of [
    { id: 'waits', ...waiting },
    { id: 'fails', ...waiting },
    { id: 'attempted', ...attempted },
  ])
    await documents.send(new PutCommand({ TableName: tables.records, Item }));
  const used = await asked(async (backlog) => {
    const answers = [
      await backlog.heartbeat('waits', token),
      await backlog.complete('waits', token, { by: 'finance' }),
      await backlog.fail('fails', token, 'refused'),
      await backlog.complete('attempted', token),
    ];
    expect(answers.map(({ accepted }) => accepted)).toEqual([true, true, true, true]);
  });
  expect(used).toEqual(granted('grantComplete'));
});
