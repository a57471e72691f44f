import type { BatchExecuteStatementInput, BatchExecuteStatementOutput } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resolvePolicy, run, systemClock } from '../../src/engine.js';
import { BacklogClient } from '../../src/index.js';
import type { BacklogRecord, RecordChange } from '../../src/record/index.js';
import { createDynamoDbClient, DynamoDbStore } from '../../src/store/index.js';
import { chance, seededRandom } from '../simulation/random.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { dynamoDbLocalEndpoint } from './endpoint.js';

const RECORDS = 300;
const client = createDynamoDbClient({ endpoint: dynamoDbLocalEndpoint() });
const random = seededRandom(5);
let tables: TestTables;
let backlog: BacklogClient;
let requests: Record<string, number> = {};
let queues = 0;

type Group = (input: BatchExecuteStatementInput) => Promise<BatchExecuteStatementOutput>;
/** The doings of the network and of DynamoDB with a request of a group. */
let trouble: (send: Group) => Group = (send) => send;

client.middlewareStack.add(
  (next, context) => async (args) => {
    const name = String(context.commandName);
    requests[name] = (requests[name] ?? 0) + 1;
    if (name !== 'BatchExecuteStatementCommand') return next(args);
    // Inserts are groups as well.
    const input = args.input as BatchExecuteStatementInput;
    if (!input.Statements?.[0]?.Statement?.startsWith('UPDATE')) return next(args);
    const send: Group = async (sent) => {
      const answer = await next({ ...args, input: sent } as typeof args);
      return answer.output as BatchExecuteStatementOutput;
    };
    const output = await trouble(send)(input);
    return { output, response: undefined } as never;
  },
  { step: 'initialize', name: 'trouble' },
);

beforeAll(async () => {
  tables = await createTables(client);
  backlog = new BacklogClient({ table: tables.records, client, indexAtOnce: true });
});
afterAll(async () => {
  await deleteTables(client, tables);
  client.destroy();
});
beforeEach(() => {
  trouble = (send) => send;
});

/** Drains a queue with so many records; returns how often each was attempted, and the run's summary. */
async function drain(count = RECORDS, groupWrites = true) {
  const queue = `q${queues++}`;
  const ids = Array.from({ length: count }, (_, i) => `${queue}-${i}`);
  await backlog.insertMany(ids.map((id) => ({ id, queue, payload: { order: 1 } })));
  requests = {};
  const attempts = new Map<string, number>();
  const process = ({ id }: BacklogRecord) => void attempts.set(id, (attempts.get(id) ?? 0) + 1);
  const store = new DynamoDbStore({ client, tables, clock: systemClock, groupWrites });
  const summary = await run(
    {
      target: { queue, lane: queue },
      process,
      policy: resolvePolicy({ type: 'fibonacci' }),
      limits: { concurrency: 10, attemptTimeout: 5 },
      deadline: Date.now() + 900_000,
      functionTimeoutSeconds: 900,
      tickSeconds: 60,
    },
    {
      store,
      clock: systemClock,
      random: Math.random,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    },
  );
  const records = await store.records.getMany(ids);
  expect(records.map(({ status, attempts: n }) => [status, n])).toEqual(ids.map(() => ['SUCCESS', 1]));
  expect([...attempts.values()]).toEqual(ids.map(() => 1));
  expect(summary).toMatchObject({ attempted: count, succeeded: count, unsettled: 0, ended: 'drained' });
  return summary;
}

const ERROR = (Code: 'ThrottlingError' | 'TransactionConflict') => ({ Error: { Code, Message: 'no' } });

describe('a run whose outcomes are written in groups', () => {
  it('makes far fewer requests than there are records', async () => {
    await drain();
    const { BatchExecuteStatementCommand: groups = 0, UpdateItemCommand: single = 0 } = requests;
    expect(groups).toBeGreaterThanOrEqual(RECORDS / 25 - 1);
    expect(groups + single).toBeLessThan(RECORDS / 4);
  });

  it('one record needs no group', async () => {
    await drain(1);
    expect(requests).not.toHaveProperty('BatchExecuteStatementCommand');
  });

  it('none if they are turned off', async () => {
    await drain(50, false);
    expect(requests).not.toHaveProperty('BatchExecuteStatementCommand');
  });

  it('three of ten answers are lost, after the write or before it: none is attempted again', async () => {
    const lost = () => Object.assign(new Error('lost'), { name: 'TimeoutError' });
    trouble = (send) => async (input) => {
      if (chance(random, 0.15)) throw lost();
      const answer = await send(input);
      if (chance(random, 0.15)) throw lost();
      return answer;
    };
    await drain();
  });

  it('the SDK repeats a request that has taken effect: none is attempted again', async () => {
    trouble = (send) => async (input) => {
      await send(input);
      return send(input);
    };
    await drain();
  });

  it('statements are throttled, or in conflict, inside an answer that counts as a success: they are written alone', async () => {
    trouble = (send) => async (input) => {
      const { Statements = [] } = input;
      const isRefused = Statements.map(() => chance(random, 0.3));
      const sent = Statements.filter((_, i) => !isRefused[i]);
      const { Responses = [] } = sent.length > 0 ? await send({ ...input, Statements: sent }) : {};
      const left = [...Responses];
      const code = chance(random, 0.5) ? 'ThrottlingError' : 'TransactionConflict';
      return { Responses: Statements.map((_, i) => (isRefused[i] ? ERROR(code) : (left.shift() ?? {}))) };
    };
    await drain();
    expect(requests.UpdateItemCommand).toBeGreaterThan(RECORDS / 6);
  });

  it('the role may not send groups: asked once or twice, and all is written', async () => {
    trouble = () => async () => {
      throw Object.assign(new Error('not authorized to perform: dynamodb:PartiQLUpdate'), {
        name: 'AccessDeniedException',
      });
    };
    await drain();
    expect(requests.BatchExecuteStatementCommand).toBeLessThanOrEqual(2);
  });

  it('the role may not, as each statement says by itself: asked once or twice as well', async () => {
    trouble =
      () =>
      async ({ Statements = [] }) => ({
        Responses: Statements.map(() => ({ Error: { Code: 'AccessDenied', Message: 'no' } })),
      });
    await drain();
    expect(requests.BatchExecuteStatementCommand).toBeLessThanOrEqual(2);
  });

  it('DynamoDB refuses whole requests: each change is written alone', async () => {
    trouble = () => async () => {
      throw Object.assign(new Error('Too many characters'), { name: 'ValidationException' });
    };
    await drain();
  });

  // A page of one lane has no more than that. Lanes that run at the same time share the groups.
  it('records of 300 KB: no request is larger than 1 MB', async () => {
    let largest = 0;
    trouble = (send) => (input) => {
      largest = Math.max(largest, JSON.stringify(input).length);
      return send(input);
    };
    const queue = `q${queues++}`;
    const ids = Array.from({ length: 9 }, (_, i) => `${queue}-${i}`);
    await backlog.insertMany(ids.map((id) => ({ id, queue, payload: 'x'.repeat(300_000) })));
    const store = new DynamoDbStore({ client, tables, clock: systemClock });
    const records = await store.records.getMany(ids);
    const change = { set: { status: 'SUCCESS' as const, attempts: 1 }, remove: ['lane', 'dueAt'] as const };
    const answers = await Promise.all(records.map((record) => store.records.settle(record, change, 'rev')));
    expect(answers).toEqual(ids.map(() => 'settled'));
    expect(largest).toBeGreaterThan(600_000);
    expect(largest).toBeLessThan(1_100_000);
  });

  it('hostile names and values are part of a group, and one statement that is too long does not refuse the others', async () => {
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`${'long '.repeat(20)}${i}`, i]));
    const items: readonly Record<string, unknown>[] = [
      // The first two that a store writes at the same time are each alone.
      { own: 'one' },
      { own: 'two' },
      { 'id" IS NOT MISSING OR "a': 1, "c'd": 2, '?': '?', 'SELECT *': null, 'g.h[0]': [] },
      { payload: { "e'f": ['"', "'"], e: '', n: 1.5e-7, deep: [[{}]] }, task: 't"' },
      { own: new Set(['x']), bytes: new Uint8Array([0, 255]) },
      { deadReason: 'as before' },
      many,
    ];
    const documents = DynamoDBDocumentClient.from(client);
    const queue = `q${queues++}`;
    const ids = items.map((_, i) => `${queue}-${i}`);
    for (const [i, item] of items.entries()) {
      const Item = { id: ids[i], status: 'NEW', queue, payload: 1, ...item };
      await documents.send(new PutCommand({ TableName: tables.records, Item }));
    }
    const store = new DynamoDbStore({ client, tables, clock: systemClock });
    const records = await Promise.all(ids.map((id) => store.records.get(id)));
    requests = {};
    const change = {
      set: { status: 'DEAD' as const, deadReason: 'expired' },
      remove: ['lane', 'dueAt', 'deadReason'] as const,
    };
    const answers = await Promise.all(
      records.map((record) => store.records.settle(record as BacklogRecord, change as RecordChange, 'rev')),
    );
    expect(answers).toEqual(ids.map(() => 'settled'));
    expect(requests).toEqual({ UpdateItemCommand: 3, BatchExecuteStatementCommand: 1 });
  });
});
