import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import { resolvePolicy } from '../../../src/policies/index.js';
import type { BacklogRecord } from '../../../src/record/index.js';
import { intercepted } from '../../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../../src/store/errors.js';
import { run } from '../../../src/worker/index.js';
import { context, workbench } from '../support.js';

const change = (id: string, eventName = 'INSERT', sequence = id) => ({
  eventID: 'e',
  eventName,
  eventSource: 'aws:dynamodb',
  awsRegion: 'eu-central-1',
  dynamodb: {
    SequenceNumber: sequence,
    Keys: { id: { S: id } },
    NewImage: { id: { S: id }, payload: { B: 'AAE=' } },
    StreamViewType: 'NEW_IMAGE',
  },
});

const batch = (...ids: string[]) => ({ Records: ids.map((id) => change(id)) });

const QUEUES = { default: { retryMode: 'perRecord' }, bulk: { retryMode: 'progressive' } } as const;

const bench = () => {
  const made = workbench(QUEUES);
  return { ...made, intake: intakeHandler(made.overrides), iso: new Date(made.clock.now()).toISOString() };
};

describe('the intake', () => {
  it('gives a bare item its place, so that the next run finds it', async () => {
    const { store, clock, intake, iso, measured, overrides } = bench();
    store.put({ id: 'a', status: 'NEW', payload: { n: 1 } });
    expect(await intake(batch('a'), context)).toEqual({ batchItemFailures: [] });
    expect(store.items()).toEqual([
      {
        id: 'a',
        status: 'NEW',
        payload: { n: 1 },
        insertedAt: iso,
        lane: 'default',
        dueAt: iso,
        rev: expect.any(String),
      },
    ]);
    expect(measured).toEqual([
      [
        {
          indexed: 1,
          repaired: 0,
          unknownQueue: 0,
          quarantined: 0,
          refused: 0,
          redelivered: 0,
          notIndexed: 0,
          unprocessed: 0,
        },
        'records-table',
      ],
    ]);
    const attempted: string[] = [];
    const target = { queue: 'default', lane: 'default' };
    const limits = { concurrency: 1, attemptTimeout: 5 };
    const deadline = clock.now() + 60_000;
    const process = ({ id }: { id: string }) => void attempted.push(id);
    const policy = resolvePolicy({ type: 'fibonacci' });
    await run(
      { target, process, policy, limits, deadline, functionTimeoutSeconds: 60, tickSeconds: 60 },
      { ...overrides, logger: { debug() {}, info() {}, warn() {}, error() {} } },
    );
    expect(attempted).toEqual(['a']);
  });

  it('puts each into the lane of its queue, due since its own insertion or when it is available', async () => {
    const { store, intake } = bench();
    const insertedAt = '2026-11-20T08:00:00.000Z';
    const availableAt = '2026-11-21T08:00:00.000Z';
    store.put({ id: 'a', status: 'NEW', payload: 1, queue: 'bulk', insertedAt });
    store.put({ id: 'b', status: 'ERROR', payload: 1, insertedAt, availableAt });
    store.put({ id: 'c', status: 'DEAD', payload: 1 });
    await intake(batch('a', 'b', 'c'), context);
    expect(store.items()).toMatchObject([
      { id: 'a', lane: 'bulk', dueAt: insertedAt },
      { id: 'b', lane: 'default', dueAt: availableAt, status: 'ERROR' },
      { id: 'c', lane: 'default/dead', status: 'DEAD' },
    ]);
  });

  it('repairs invalid attributes, names them in the log, and counts the record', async () => {
    const { store, intake, log, measured, iso } = bench();
    store.put({ id: 'a', status: 'new', queue: 5, insertedAt: 1700000000, payload: 'secret-payload' });
    await intake(batch('a'), context);
    expect(store.items()).toMatchObject([
      { status: 'NEW', queue: 'default', lane: 'default', insertedAt: iso },
    ]);
    expect(measured).toMatchObject([[{ indexed: 1, repaired: 1 }, 'records-table']]);
    const line = log().find(({ message }) => message === 'attributes replaced');
    expect(line).toMatchObject({
      level: 'WARN',
      id: 'a',
      problems: expect.arrayContaining([expect.stringContaining('status')]),
    });
    expect(JSON.stringify(log())).not.toContain('secret');
  });

  it('keeps a record of a queue that no rule serves, and says so', async () => {
    const { store, intake, log, measured } = bench();
    store.put({ id: 'a', status: 'NEW', payload: 1, queue: 'oders' });
    await intake(batch('a'), context);
    expect(store.items()).toMatchObject([{ lane: 'oders', status: 'NEW' }]);
    expect(measured).toMatchObject([[{ indexed: 1, unknownQueue: 1 }, 'records-table']]);
    expect(log()).toContainEqual(
      expect.objectContaining({
        level: 'WARN',
        message: 'no rule serves this queue',
        id: 'a',
        queue: 'oders',
      }),
    );
  });

  it('leaves alone a record that is indexed, done or gone, and may be handed a batch twice', async () => {
    const { store, intake, measured } = bench();
    store.put({ id: 'a', status: 'NEW', payload: 1 });
    store.put({ id: 'done', status: 'SUCCESS' });
    store.put({ id: 'indexed', status: 'NEW', lane: 'default', dueAt: '2026-01-01T00:00:00.000Z', rev: 'r' });
    const event = batch('a', 'done', 'indexed', 'gone', 'a');
    await intake(event, context);
    const before = store.items();
    await intake(event, context);
    expect(store.items()).toEqual(before);
    expect(store.items().find(({ id }) => id === 'indexed')).toMatchObject({ rev: 'r' });
    expect(measured).toMatchObject([
      [{ indexed: 1 }, 'records-table'],
      [{ indexed: 0 }, 'records-table'],
    ]);
  });

  it('looks at overwrites as at insertions, and not at deletions', async () => {
    const { store, intake } = bench();
    store.put({ id: 'over', status: 'NEW', payload: 2 });
    await intake({ Records: [change('over', 'MODIFY'), change('gone', 'REMOVE')] }, context);
    expect(store.items()).toMatchObject([{ id: 'over', lane: 'default' }]);
    expect(await intake({ Records: [change('gone', 'REMOVE')] }, context)).toEqual({ batchItemFailures: [] });
  });

  it('asks again for what DynamoDB did not answer to, and loses none', async () => {
    const { store, overrides } = bench();
    for (const id of ['a', 'b', 'c']) store.put({ id, status: 'NEW', payload: 1 });
    let troubled = true;
    const failing = intercepted(store, async (name, call, [record]) => {
      if (name === 'records.settle' && troubled && (record as BacklogRecord).id === 'b')
        throw new StoreUnavailableError('settle: no answer');
      return call();
    });
    const intake = intakeHandler({ ...overrides, store: failing });
    const [a, ...rest] = ['a', 'b', 'c'].map((id, i) => change(id, 'INSERT', String(100 + i)));
    expect(await intake({ Records: [a, ...rest] }, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: '101' }],
    });
    troubled = false;
    expect(await intake({ Records: rest }, context)).toEqual({ batchItemFailures: [] });
    expect(store.items().map(({ lane }) => lane)).toEqual(['default', 'default', 'default']);
  });

  it.each([
    [{}, 'event.Records: expected array, got nothing'],
    [{ queue: 'default' }, 'event.Records: expected array, got nothing'],
    [{ Records: [{ eventSource: 'aws:sqs', body: '{}' }] }, 'event.Records.0.messageId'],
    [{ Records: [{ eventSource: 'aws:s3' }] }, 'event.Records.0.eventSource'],
    [
      { Records: [{ ...change('a'), dynamodb: { SequenceNumber: '1', Keys: { pk: { S: 'a' } } } }] },
      'event.Records.0.dynamodb.Keys.id: expected object, got nothing',
    ],
  ])('refuses %j', async (event, message) => {
    const { intake, log } = bench();
    await expect(intake(event, context)).rejects.toThrow(message);
    expect(log()).toContainEqual(expect.objectContaining({ level: 'ERROR', message: 'intake failed' }));
  });
});
