import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../../functions/intake/arrivals.js';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import { makeHandler } from '../../../functions/make-handler.js';
import type { QueuesSettings } from '../../../functions/settings.js';
import { toAttributes } from '../../../src/store/dynamodb/attribute-values.js';
import { type BacklogStore, type QueueOwner, StoreThrottledError } from '../../../src/store/index.js';
import { replacing } from '../../simulation/replacing.js';
import { context, environment, workbench } from '../support.js';

const OWN: QueuesSettings = { orders: { retryMode: 'perRecord' } };
const AT = '2026-11-20T09:30:00.000Z';
const theirs: QueueOwner = {
  owner: 'team',
  function: 'arn:team',
  retryMode: 'perRecord',
  onArrival: true,
  timeout: 300,
  at: AT,
};

function bench(variables: Record<string, string | undefined> = { BACKLOG_OWNER: 'shop' }) {
  const made = workbench(OWN, { logLevel: 'DEBUG' });
  const invoked: [string, string][] = [];
  const events: unknown[] = [];
  const sent: unknown[] = [];
  const waits: string[] = [];
  const invoker: Invoker = {
    async invoke({ functionName, event }: Invocation) {
      invoked.push([functionName, event.queue]);
      events.push(event);
      return 'accepted';
    },
    sendToRedelivery: async (ids) => void sent.push(ids),
    sendShortWait: async ({ queue }) => void waits.push(queue),
    async giveUp() {},
  };
  let reads = 0;
  let error: Error | undefined;
  const readRegistry = async () => {
    reads++;
    if (error) throw error;
    return made.store.registry.read();
  };
  const env = {
    ...environment(OWN),
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Fast: ['orders'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
    ...variables,
  };
  const claimed: string[] = [];
  const take: BacklogStore['claims']['take'] = (queue, claim) => {
    claimed.push(queue);
    return made.store.claims.take(queue, claim);
  };
  const store = replacing({ registry: { read: readRegistry }, claims: { take } }, made.store);
  const intake = intakeHandler({ ...made.overrides, store, env, invoker });
  const put = (id: string, queue: string) => {
    const Records = made.changesOf(() => made.store.put({ id, status: 'NEW', payload: 1, queue }));
    return intake({ Records }, context);
  };
  const register = async (queues: Record<string, QueueOwner>) => {
    const { rev } = await made.store.registry.read();
    await made.store.registry.write({ rev: `${rev}+`, queues: new Map(Object.entries(queues)) }, rev);
  };
  const laneOf = (id: string) => made.store.items().find((item) => item.id === id)?.lane;
  const warnings = () => made.log().filter(({ level }) => level === 'WARN' || level === 'ERROR');
  return {
    ...made,
    intake,
    invoked,
    events,
    sent,
    waits,
    claimed,
    put,
    register,
    laneOf,
    warnings,
    reads: () => reads,
    fails: (with_: Error | undefined) => {
      error = with_;
    },
  };
}

describe('the intake, with queues of other owners', () => {
  it("starts another owner's function on arrival, which attempts the record", async () => {
    const { put, register, invoked, events, warnings, overrides, store } = bench();
    await register({ theirs });
    await put('a', 'theirs');
    await put('b', 'orders');
    expect(invoked).toEqual([
      ['arn:team', 'theirs'],
      ['Fast', 'orders'],
    ]);
    expect(warnings()).toEqual([]);
    const env = {
      ...environment({ theirs: { retryMode: 'perRecord', onArrival: true } }),
      BACKLOG_OWNER: 'team',
    };
    const team = makeHandler(() => () => {}, {}, { ...overrides, env });
    await team(events[0], { ...context, invokedFunctionArn: 'arn:team' });
    expect(await store.records.get('a')).toMatchObject({ status: 'SUCCESS' });
  });

  it("tells another owner's function which records have busy keys, where its queue is fair between them", async () => {
    const { intake, changesOf, store, register, events } = bench();
    await register({ theirs: { ...theirs, fairness: true } });
    const Records = Array.from({ length: 12 }, (_, i) => i).flatMap((i) =>
      changesOf(() => store.put({ id: `a${i}`, status: 'NEW', payload: 1, queue: 'theirs', key: 'big' })),
    );
    await intake({ Records }, context);
    expect(events).toMatchObject([{ queue: 'theirs', arrivals: { light: 10 } }]);
  });

  it('indexes arrivals of a queue whose owner does not attempt them on insertion, in its shards', async () => {
    const { put, register, invoked, laneOf, warnings, measured } = bench();
    const { onArrival: _, ...byRulesOnly } = theirs;
    const { function: __, ...handedOver } = theirs;
    await register({ theirs: { ...byRulesOnly, shards: 32 }, handedOver });
    for (let i = 0; i < 8; i++) await put(`a${i}`, 'theirs');
    await put('b', 'handedOver');
    expect(invoked).toEqual([]);
    expect(new Set(Array.from({ length: 8 }, (_, i) => laneOf(`a${i}`))).size).toBeGreaterThan(1);
    expect(laneOf('b')).toBe('handedOver');
    expect(warnings()).toEqual([]);
    expect(measured).toMatchObject(
      Array.from({ length: 9 }, () => [{ indexed: 1, unknownQueue: 0 }, 'records-table']),
    );
  });

  it('sends messages for short waits of every queue with a function that it may start', async () => {
    const { intake, register, waits, warnings } = bench({
      BACKLOG_OWNER: 'shop',
      AWS_REGION: 'eu-central-1',
    });
    const at = (region: string, name: string) => `arn:aws:lambda:${region}:1:function:${name}`;
    const { onArrival: _, ...byRulesOnly } = theirs;
    const { function: __, ...handedOver } = theirs;
    await register({
      theirs: { ...byRulesOnly, function: at('eu-central-1', 'theirs') },
      bulk: { ...theirs, retryMode: 'progressive' },
      elsewhere: { ...theirs, function: at('us-east-1', 'theirs') },
      process: { ...byRulesOnly, function: 'external' },
      away: { ...byRulesOnly, function: 'process:::eu-central-1:external' },
      named: { ...byRulesOnly, function: at('eu-central-1', 'orders-external') },
      removed: { ...theirs, removedAt: AT },
      handedOver,
    });
    const queues = [
      'orders',
      'theirs',
      'bulk',
      'elsewhere',
      'process',
      'away',
      'named',
      'removed',
      'handedOver',
      'unknown',
    ];
    const Records = queues.map((queue) => {
      const image = { queue, lane: queue, rev: 'r', status: 'ERROR', dueAt: '2026-11-20T09:31:00.001Z' };
      const NewImage = toAttributes({ id: queue, ...image, exact: true });
      const dynamodb = { SequenceNumber: queue, Keys: { id: { S: queue } }, NewImage };
      return { eventSource: 'aws:dynamodb', eventName: 'MODIFY', dynamodb };
    });
    await intake({ Records }, context);
    expect(waits).toEqual(['orders', 'theirs', 'named']);
    expect(warnings()).toEqual([]);
  });

  it('follows the registry where one of its own queues was handed over', async () => {
    const { put, register, invoked, clock } = bench();
    const { function: _, ...handedOver } = theirs;
    await put('a', 'orders');
    await register({ orders: handedOver });
    await put('b', 'orders');
    clock.advance(60);
    await put('c', 'orders');
    await register({ orders: theirs });
    clock.advance(60);
    await put('d', 'orders');
    expect(invoked).toEqual([
      ['Fast', 'orders'],
      ['Fast', 'orders'],
      ['arn:team', 'orders'],
    ]);
  });

  it('does not know a queue that its owner has given up, except for claims in it', async () => {
    const { put, register, warnings, store, clock, intake, sent } = bench();
    await register({ theirs: { ...theirs, removedAt: AT } });
    await put('a', 'theirs');
    expect(warnings()).toMatchObject([{ message: 'no rule serves this queue', id: 'a', queue: 'theirs' }]);
    const claim = { batch: 'b', holder: 'h', until: clock.wall() + 60_000, ids: ['b'], now: clock.wall() };
    await store.claims.take('theirs', claim);
    store.put({ id: 'b', status: 'NEW', payload: 1, queue: 'orders' });
    const body = JSON.stringify({ notIndexed: ['b'] });
    await intake({ Records: [{ eventSource: 'aws:sqs', messageId: 'm', body }] }, context);
    expect(sent).toEqual([['b']]);
  });

  it('starts no run on arrival where a lost one could not come back', async () => {
    const { put, register, invoked, laneOf } = bench({
      BACKLOG_OWNER: 'shop',
      BACKLOG_ARRIVAL_FUNCTIONS: '{}',
      BACKLOG_REDELIVERY_URL: undefined,
    });
    await register({ theirs });
    await put('a', 'theirs');
    expect(invoked).toEqual([]);
    expect(laneOf('a')).toBe('theirs');
  });

  it('claims what it indexes of each queue whose runs may claim records, also if it starts none of them', async () => {
    const { put, register, claimed } = bench({ BACKLOG_OWNER: 'shop', AWS_REGION: 'eu-central-1' });
    const elsewhere = { ...theirs, function: 'arn:aws:lambda:us-east-1:1:function:theirs' };
    const { onArrival: _, ...byRulesOnly } = theirs;
    await register({ elsewhere, byRulesOnly, orders: byRulesOnly });
    for (const queue of ['elsewhere', 'byRulesOnly', 'orders']) await put(queue, queue);
    expect(claimed).toEqual(['elsewhere', 'orders']);
  });

  it('reads the registry once a minute, also where there is none', async () => {
    const { put, reads, clock } = bench();
    for (let i = 0; i < 120; i++) {
      await put(`a${i}`, 'orders');
      clock.advance(1);
    }
    expect(reads()).toBe(2);
  });

  it('hands on no batch before it could read the registry once; later it goes on with what it knows', async () => {
    const { put, fails, clock, register, invoked, warnings } = bench();
    await register({ theirs });
    fails(new StoreThrottledError('throttled'));
    await expect(put('a', 'theirs')).rejects.toThrow('throttled');
    fails(undefined);
    await put('b', 'theirs');
    fails(new StoreThrottledError('throttled'));
    clock.advance(60);
    await put('c', 'theirs');
    expect(invoked).toEqual([
      ['arn:team', 'theirs'],
      ['arn:team', 'theirs'],
    ]);
    expect(warnings()).toMatchObject([
      { message: 'intake failed' },
      { message: 'the owners of the queues could not be looked up', reason: 'throttled' },
    ]);
  });

  it('reads no registry without an owner of its own', async () => {
    const { put, register, reads, invoked } = bench({});
    await register({ orders: theirs });
    await put('a', 'orders');
    expect([reads(), invoked]).toEqual([0, [['Fast', 'orders']]]);
  });
});
