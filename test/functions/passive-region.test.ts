import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { Lines } from '../../functions/intake/lines.js';
import type { IntakeSettings } from '../../functions/intake/settings.js';
import { makeHandler } from '../../functions/make-handler.js';
import { RunLease } from '../../src/leases/lease.js';
import { toAttributes } from '../../src/store/dynamodb/attribute-values.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { context, environment, workbench } from './support.js';

const HERE = 'eu-central-1';
const THERE = 'eu-west-1';

/** A function and the intake of one of two regions. */
function bench() {
  const made = workbench({ orders: { retryMode: 'perRecord' } });
  const attempts: string[] = [];
  let error: Error | undefined;
  let answersInSeconds = 0;
  const readActiveRegion = async () => {
    if (error) throw error;
    const read = await made.store.activeRegion.read();
    made.clock.advance(answersInSeconds);
    return read;
  };
  const env = {
    ...environment({ orders: { retryMode: 'perRecord' } }),
    BACKLOG_OWNER: 'shop',
    BACKLOG_PRIMARY_REGION: HERE,
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
    AWS_REGION: HERE,
  };
  const overrides = {
    ...made.overrides,
    env,
    store: replacing({ activeRegion: { read: readActiveRegion } }, made.store),
  };
  const process = async ({ id }: { id: string }) => void attempts.push(id);
  const handler = makeHandler(() => process, {}, overrides);
  const started: unknown[] = [];
  const waits: string[] = [];
  const invoker: Invoker = {
    async invoke({ event }) {
      started.push(event);
      return 'accepted';
    },
    sendToRedelivery: async () => {},
    sendShortWait: async ({ queue }) => void waits.push(queue),
    giveUp: async () => {},
  };
  const intake = intakeHandler({ ...overrides, invoker });
  const onArrival = { ...env, BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Orders: ['orders'] }) };
  const starting = intakeHandler({ ...overrides, invoker, env: onArrival });
  const put = (id: string) => {
    const Records = made.changesOf(() => made.store.put({ id, status: 'NEW', payload: 1, queue: 'orders' }));
    return intake({ Records }, context);
  };
  return {
    ...made,
    attempts,
    put,
    started,
    waits,
    intake: (...Records: object[]) => starting({ Records }, context),
    run: (event: unknown = { queue: 'orders' }) => handler(event, context),
    slowAnswers: (seconds: number) => {
      answersInSeconds = seconds;
    },
    noAnswer: () => {
      error = new StoreUnavailableError('no answer');
    },
    makeActive: async (region: string) => {
      const now = made.clock.now();
      await made.store.activeRegion.write({ region, from: now, at: now, before: HERE }, undefined);
    },
  };
}

describe('a function of one of two regions', () => {
  it('attempts nothing by what it knew, where it cannot look up which region is active', async () => {
    const { run, insert, attempts, noAnswer, clock } = bench();
    await run();
    await insert({ id: 'a', queue: 'orders' });
    noAnswer();
    clock.advance(61);
    await expect(run()).rejects.toThrow('the run ended early');
    expect(attempts).toEqual([]);
  });

  it('goes by an answer for a minute from when it asked, however late the answer came', async () => {
    const { run, insert, attempts, slowAnswers, makeActive, clock } = bench();
    slowAnswers(50);
    await run();
    slowAnswers(0);
    await makeActive(THERE);
    await insert({ id: 'a', queue: 'orders' });
    clock.advance(15);
    expect(await run()).toMatchObject({ ended: 'passiveRegion' });
    expect(attempts).toEqual([]);
  });

  it('has the event of arrivals come back while another region is the active one', async () => {
    const { run, store, attempts, makeActive, clock } = bench();
    await makeActive(THERE);
    store.put({ id: 'a', status: 'NEW', payload: 1, queue: 'orders' });
    const event = { queue: 'orders', arrivals: { batch: 'b', ids: ['a'] } };
    await expect(run(event)).rejects.toThrow('another region attempts these arrivals');
    expect(attempts).toEqual([]);
    expect(store.items()[0]).not.toHaveProperty('rev');
    await makeActive(HERE);
    clock.advance(61);
    await run(event);
    expect(attempts).toEqual(['a']);
  });
});

describe('the intake of one of two regions', () => {
  it('indexes nothing by what it knew, where it cannot look up which region is active', async () => {
    const { put, store, noAnswer, clock } = bench();
    const laneOf = (id: string) => store.items().find((item) => item.id === id)?.lane;
    await put('a');
    expect(laneOf('a')).toBe('orders');
    noAnswer();
    clock.advance(61);
    await expect(put('b')).rejects.toThrow('no answer');
    expect(laneOf('b')).toBeUndefined();
  });

  it('goes by an answer for a minute from when it asked, however late the answer came', async () => {
    const { put, store, slowAnswers, makeActive, clock } = bench();
    slowAnswers(50);
    await put('a');
    slowAnswers(0);
    await makeActive(THERE);
    clock.advance(15);
    await put('b');
    expect(store.items().find((item) => item.id === 'b')).not.toHaveProperty('lane');
  });

  it('sends no message for short waits, and starts no run for one, while another region is the active one', async () => {
    const { intake, started, waits, makeActive, clock } = bench();
    const dueAt = `${new Date(clock.now() + 10_000).toISOString().slice(0, -4)}001Z`;
    const item = { id: 'a', status: 'ERROR', queue: 'orders', lane: 'orders', dueAt, exact: true, rev: 'r' };
    const dynamodb = { SequenceNumber: '1', Keys: { id: { S: 'a' } }, NewImage: toAttributes(item) };
    const settled = { eventSource: 'aws:dynamodb', eventName: 'MODIFY', dynamodb };
    const body = JSON.stringify({ shortWait: { queue: 'orders', dueAt: clock.now() } });
    const ended = { eventSource: 'aws:sqs', messageId: 'm', body };
    await makeActive(THERE);
    await intake(settled);
    await intake(ended);
    expect([waits, started]).toEqual([[], []]);
    await makeActive(HERE);
    clock.advance(61);
    await intake(settled);
    await intake(ended);
    expect([waits, started.length]).toEqual([['orders'], 1]);
  });

  it('ends nothing that a dead run held, and starts no other run, while another region is the active one', async () => {
    const { intake, started, store, makeActive, clock } = bench();
    const hold = { holder: 'h', until: clock.wall() + 60_000, ids: ['a'], rev: 'r' };
    const lease = new RunLease('orders', { store, clock, random: Math.random, invocation: 'dead' }, 30);
    await lease.acquire(['a']);
    const report = (event: object) => ({
      eventSource: 'aws:sqs',
      messageId: 'm',
      body: JSON.stringify({
        requestContext: { requestId: 'dead', functionArn: 'arn:aws:lambda:eu-central-1:1:function:Orders' },
        requestPayload: { queue: 'orders', ...event },
        responsePayload: { errorType: 'Runtime.ExitError', errorMessage: 'exit status 1' },
      }),
    });
    await makeActive(THERE);
    await intake(report({}), report({ arrivals: { batch: 'b', ids: ['a'] } }));
    const answer = await store.leases.hold('orders', hold);
    expect(!answer.held && answer.lease?.until).toBeGreaterThan(clock.wall());
    expect(started).toEqual([]);
  });
});

it('the intake of a passive region looks at records of a line less often, and at its head once it is active', async () => {
  const order = { retryMode: 'perRecord', order: 'key', onDeadHead: 'skip', skipGapAfter: 60 } as const;
  const made = workbench({ orders: order });
  const { store, clock } = made;
  const sent: [readonly string[], number][] = [];
  const seen: IntakeSettings['queues'][string][] = [];
  class SeenLines extends Lines {
    constructor(...[given, tables]: ConstructorParameters<typeof Lines>) {
      super(given, tables);
      seen.push(given.settings.queues.orders as (typeof seen)[number]);
    }
  }
  const intake = intakeHandler({
    ...made.overrides,
    env: {
      ...environment({ orders: order }),
      ...{ BACKLOG_OWNER: 'shop-here', BACKLOG_PRIMARY_REGION: THERE, AWS_REGION: HERE },
      BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
    },
    lines: SeenLines,
    lineTables: { lines: store.groups, control: store.control },
    invoker: {
      invoke: async () => 'accepted',
      sendToRedelivery: async (ids, seconds) => void sent.push([ids, seconds]),
      sendShortWait: async () => {},
      giveUp: async () => {},
    },
  });
  const owner = `arn:aws:lambda:${THERE}:1:function:orders`;
  const entry = { ...order, owner: 'shop-there', function: owner, at: new Date(clock.now()).toISOString() };
  await store.registry.write({ rev: 'a', queues: new Map([['orders', entry]]) }, '');
  const waits = { status: 'NEW', payload: 1, queue: 'orders' };
  for (const [seq, id] of [
    [1, 'a'],
    [2, 'b'],
  ] as const)
    store.put({ ...waits, id, key: 'k', seq });
  store.put({ ...waits, id: 'free' });
  // The line as the other region has left it: its head ended when that one was passive already.
  const head = { id: 'a', seq: 1, by: 'a', since: clock.now() };
  await store.groups.create('line#orders#k', { next: 1, last: 2, head, rev: 'r' });
  await store.groups.create('line-page#0#orders#k', { waiting: [2, 'b'], rev: 'r' });
  store.put({ ...waits, id: 'a', key: 'k', seq: 1, status: 'SUCCESS', rev: 'r' });
  const message = (...ids: string[]) =>
    intake(
      {
        Records: [
          {
            eventSource: 'aws:sqs',
            messageId: 'm',
            body: JSON.stringify({ notIndexed: ids }),
            attributes: {},
          },
        ],
      },
      context,
    );
  await message('b', 'free');
  expect(sent).toEqual([
    [['free'], 120],
    [['b'], 900],
  ]);
  const now = clock.now();
  await store.activeRegion.write({ region: HERE, from: now, at: now, before: THERE }, undefined);
  clock.advance(61);
  await message('b', 'free');
  expect(store.items().find(({ id }) => id === 'b')).toMatchObject({ lane: 'orders', status: 'NEW' });
  expect(seen.at(-1)).toMatchObject({ order: 'key', onDeadHead: 'skip', skipGapAfter: 60 });
});
