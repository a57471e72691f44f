import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { backlogHandler } from '../../functions/index.js';
import { DynamoDbStore } from '../../src/store/index.js';
import { takePollution } from '../../src/support/prototypes.js';
import { type DynamoDbUnderTest, dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { context, workbench } from './support.js';

const QUEUES = { default: { retryMode: 'perRecord' } } as const;
const SHARED = Object.prototype as unknown as Record<string, unknown>;
let server: Awaited<ReturnType<typeof startDynamoDb>>;
let table: DynamoDbUnderTest;

beforeAll(async () => {
  server = await startDynamoDb();
  table = await dynamoDbUnderTest(server.endpoint);
});
afterAll(async () => {
  await table.close();
  await server.stop();
});
afterEach(() => {
  delete SHARED.polluted;
  takePollution();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('a handler that adds a property to all objects', () => {
  it.each<[string, unknown]>([
    ['a number', 1],
    ['an array', [1]],
    ['a function', () => {}],
    ['an object', { S: 'x' }],
  ])('of %s: its record succeeds, all others do, and the next run is as any other', async (what, value) => {
    const { client, tables } = table;
    const bench = workbench(QUEUES);
    const store = new DynamoDbStore({ client, tables, clock: bench.clock });
    const ids = Array.from({ length: 6 }, (_, i) => `${what} ${i}`);
    for (const id of ids) {
      const insertedAt = new Date(bench.clock.now()).toISOString();
      await store.records.insert({
        id,
        status: 'NEW',
        payload: {},
        insertedAt,
        dueAt: insertedAt,
        lane: 'default',
      });
    }
    const handler = backlogHandler({
      queue: 'default',
      process: async ({ id }) => {
        if (id === ids[2]) SHARED.polluted = value;
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
      ...bench.overrides,
      store,
    });
    expect(await handler({ queue: 'default' }, context)).toMatchObject({ succeeded: 6, dead: 0, failed: 0 });
    for (const id of ids) expect(await table.raw(id)).toMatchObject({ status: 'SUCCESS', attempts: 1 });
    const errors = bench.log().filter(({ level }) => level === 'ERROR');
    expect(errors.length).toBeGreaterThan(0);
    for (const line of errors) expect(line).toMatchObject({ properties: '"polluted"' });
    expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 0, ended: 'drained' });
    expect(bench.log().filter(({ level }) => level === 'ERROR')).toHaveLength(errors.length);
  });

  it('ends its sandbox in Lambda behind the run, and no other process', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const bench = workbench(QUEUES);
    const handler = backlogHandler({
      queue: 'default',
      process: () => {
        SHARED.polluted = 1;
      },
      ...bench.overrides,
    });
    await bench.insert({ id: 'a', payload: {} });
    await handler({ queue: 'default' }, context);
    expect(exit).not.toHaveBeenCalled();
    await bench.insert({ id: 'b', payload: {} });
    vi.stubEnv('AWS_LAMBDA_RUNTIME_API', '127.0.0.1:9001');
    exit.mockImplementation(() => {
      expect(bench.store.items()).toMatchObject([{ status: 'SUCCESS' }, { status: 'SUCCESS' }]);
      return undefined as never;
    });
    await handler({ queue: 'default' }, context);
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  });

  it('between two runs: the next event is read as it is', async () => {
    const bench = workbench(QUEUES);
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...bench.overrides });
    await handler({ queue: 'default' }, context);
    SHARED.polluted = 1;
    expect(await handler({ queue: 'default' }, context)).toMatchObject({ ended: 'drained' });
  });
});

it('an option that all objects have is named as such', () => {
  SHARED.polluted = 1;
  expect(() => backlogHandler({ queue: 'default', process: () => {} })).toThrow(
    /got one with "polluted" of Object\.prototype: some code has added it to all objects/,
  );
});
