import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { backlogHandler } from '../../../functions/index.js';
import { Dead, Snooze } from '../../../src/record/index.js';
import { createDynamoDbClient, DynamoDbStore } from '../../../src/store/index.js';
import { systemClock } from '../../../src/support/clock.js';
import { context, TIER_1, workbench } from '../../functions/support.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';
import { createTables, type TestTables } from '../../store/tables.js';
import { newStack, retryQueue, rightsOf } from '../support.js';

let dynamoDb: Awaited<ReturnType<typeof startDynamoDb>>;
let client: DynamoDBClient;
let tables: TestTables;
const used = new Set<string>();

/** Rights of a grantee of `grantWork`: `dynamodb:Query on Records.Arn/index/due`. */
function granted(): Set<string> {
  const stack = newStack();
  const backlog = new Backlog(stack, 'Backlog', { queues: { orders: retryQueue } });
  backlog.grantWork(
    new Role(stack, 'Worker', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }),
  );
  const rights = rightsOf(Template.fromStack(stack), 'Worker');
  return new Set(
    rights.flatMap(([actions, resources]) =>
      actions.split(', ').flatMap((action) => resources.map((resource) => `${action} on ${resource}`)),
    ),
  );
}

/** Rights that IAM would be asked for a request. */
function askedFor(
  commandName: string,
  input: {
    TableName?: string;
    IndexName?: string;
    RequestItems?: object;
    Statements?: { Statement: string }[];
  },
): string[] {
  if (input.Statements) {
    expect(
      input.Statements.filter(({ Statement }) => !Statement.startsWith(`UPDATE "${tables.records}" `)),
    ).toEqual([]);
    return ['dynamodb:PartiQLUpdate on Records.Arn'];
  }
  const action = `dynamodb:${commandName.replace(/Command$/, '')}`;
  const named = (table: string | undefined) => (table === tables.records ? 'Records.Arn' : 'Control.Arn');
  const index = input.IndexName === undefined ? '' : `/index/${input.IndexName}`;
  const names = input.RequestItems ? Object.keys(input.RequestItems) : [input.TableName];
  return names.map((name) => `${action} on ${named(name)}${index}`);
}

beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  client = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  tables = await createTables(client);
});

afterAll(async () => {
  client.destroy();
  await dynamoDb.stop();
});

it('a process needs the rights of grantWork, and no other', async () => {
  const rights = granted();
  const bench = workbench({ any: { retryMode: 'perRecord' } });
  const clock = systemClock;
  const queues = {
    orders: {
      ...{ retryMode: 'perRecord', external: true, shards: 2, breaker: true, globalConcurrency: 4 },
      ...{
        attemptsPerSecond: 100,
        retryQueue: 'slow',
        fairness: true,
        concurrencyPerKey: 1,
        attemptsPerSecondPerKey: 50,
      },
    },
    slow: { retryMode: 'perRecord', external: true },
    bulk: { retryMode: 'progressive', external: true },
  };
  const put = createDynamoDbClient({ endpoint: dynamoDb.endpoint });
  const before = new DynamoDbStore({ client: put, tables, clock, random: Math.random });
  const place = (id: string, queue: string, more = {}) => {
    const at = new Date(clock.now() - 60_000).toISOString();
    const item = {
      id,
      queue,
      lane: queue,
      status: 'NEW',
      payload: {},
      insertedAt: at,
      dueAt: at,
      rev: 'r',
      ...more,
    };
    return before.records.insert(item);
  };
  for (const id of ['succeeds', 'fails', 'dies', 'snoozes', 'of another queue', 'was lost'])
    await place(id, 'orders', { key: 'shop' });
  // So many that their outcomes are written in groups.
  for (let i = 0; i < 8; i++) await place(`succeeds ${i}`, 'bulk');
  await place('in the second shard', 'orders', { lane: 'orders#1' });
  await place('misplaced', 'slow', { lane: 'orders' });
  await place('by age', 'bulk');
  // A process was killed during an attempt.
  const until = clock.wall() - 60_000;
  await before.leases.hold('orders', { holder: 'gone', until, ids: ['was lost'], rev: 'l', begun: true });
  put.destroy();

  // As IAM does.
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        for (const right of askedFor(commandName, args.input as object)) {
          if (!rights.has(right))
            throw Object.assign(new Error(`not authorized: ${right}`), { name: 'AccessDeniedException' });
          used.add(right);
        }
        return next(args);
      },
    { step: 'initialize' },
  );
  const env = { ...bench.overrides.env, BACKLOG_OWNER: 'stack', BACKLOG_QUEUES: JSON.stringify(queues) };
  const handler = backlogHandler({
    process: ({ id }) => {
      if (id === 'fails') throw new Error('as always');
      if (id === 'dies') return new Dead('of no use');
      if (id === 'snoozes') return new Snooze(60);
    },
    ...bench.overrides,
    clock,
    env,
    store: new DynamoDbStore({ client, tables, clock, random: Math.random }),
  });
  const attempted = [];
  for (const event of [
    { queue: 'orders' },
    { queue: 'slow' },
    { queue: 'bulk', tier: TIER_1 },
    { queue: 'orders' },
  ]) {
    const { attempted: count, ended, trouble } = await handler(event, context);
    expect([event, ended, trouble]).toEqual([event, 'drained', undefined]);
    attempted.push(count);
  }
  expect(attempted.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(7);
  // As functions have them: to look at a write whose answer was lost, and at claims on arrivals that are being indexed.
  const unused = ['dynamodb:BatchGetItem on Control.Arn', 'dynamodb:GetItem on Records.Arn'];
  expect([...used, ...unused].sort()).toEqual([...rights].sort());
});
