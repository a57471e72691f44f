import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../../functions/intake/arrivals.js';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import { Claim } from '../../../src/leases/claim.js';
import { RunLease } from '../../../src/leases/lease.js';
import { newHolder } from '../../../src/leases/names.js';
import { isExpired } from '../../../src/leases/timed-hold.js';
import { RunSlots } from '../../../src/worker/guards/slots.js';
import { context, workbench } from '../support.js';

const QUEUES = {
  default: { retryMode: 'perRecord' },
  orders: { retryMode: 'perRecord', shards: 3 },
  bulk: { retryMode: 'progressive' },
  fair: { retryMode: 'perRecord', fairness: true },
} as const;

const ARN = 'arn:aws:lambda:eu-central-1:111122223333:function:Fast';
const BAND = { every: 300, fromAge: 0, untilAge: 86_400, last: false };
const EXIT = {
  errorType: 'Runtime.ExitError',
  errorMessage: 'RequestId: 1 Error: Runtime exited with error: exit status 1',
};

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** The report of a dead run, as Lambda sends it. */
function report(requestPayload: object, more: { requestId?: string; response?: object } = {}): string {
  const { requestId = 'dead', response = EXIT } = more;
  return JSON.stringify({
    version: '1.0',
    timestamp: '2026-11-20T09:30:00.000Z',
    requestContext: {
      requestId,
      functionArn: `${ARN}:$LATEST`,
      condition: 'RetriesExhausted',
      approximateInvokeCount: 1,
    },
    requestPayload,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: response,
  });
}

function bench(more: Record<string, string> = {}) {
  const made = workbench(QUEUES);
  const { store, overrides } = made;
  const waitedMs: number[] = [];
  // The intake attempts nothing: no time limit of an attempt strikes early.
  const clock = { ...made.clock, sleep: async (ms: number) => void waitedMs.push(ms) };
  const started: unknown[] = [];
  const givenUp: string[] = [];
  const invoker = {
    invoke: async ({ functionName, event }: Invocation) => {
      started.push([functionName, event]);
      return 'accepted' as const;
    },
    sendToRedelivery: async () => {},
    async sendShortWait() {},
    giveUp: async (body: string) => void givenUp.push(body),
  };
  const env = {
    ...overrides.env,
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
    ...more,
  };
  const intake = intakeHandler({ ...overrides, clock, env, invoker });
  const deps = { store, clock, random: Math.random };
  return {
    ...made,
    started,
    givenUp,
    waitedMs,
    /** Brings messages of the redelivery queue. */
    hears: (...bodies: string[]) =>
      intake(
        { Records: bodies.map((body, i) => ({ eventSource: 'aws:sqs', messageId: `m${i}`, body })) },
        context,
      ),
    /** A run takes a lease, and never gives it back. */
    async holds(name: string, invocation: string | null = 'dead', ids: readonly string[] = ['a', 'b']) {
      const lease = new RunLease(name, { ...deps, invocation: invocation ?? undefined }, 30);
      return lease.acquire(ids);
    },
    /** A run takes slots of a queue with `globalConcurrency: 10`, and never gives them back. */
    async takesSlots(queue: string, invocation: string, concurrency: number) {
      const limits = { concurrency, globalConcurrency: 10, attemptTimeout: 30, onArrival: false };
      return new RunSlots({
        ...deps,
        ...limits,
        queue,
        invocation,
        logger: SILENT,
        // Its process is gone: it renews nothing.
        clock: { ...clock, sleep: () => new Promise<void>(() => {}) },
      }).take();
    },
    async claims(queue: string, ids: readonly string[], invocation = 'dead') {
      return new Claim(
        { queue, ids, isSpread: queue === 'orders', batch: 'b' },
        { ...deps, invocation },
      ).take();
    },
    /** Tells whether the next run could take over the lease. */
    async isOver(name: string): Promise<boolean> {
      const answer = await store.leases.hold(name, { holder: 'onlooker', until: 0, ids: [], rev: '' });
      return answer.held || (answer.lease !== undefined && isExpired(answer.lease, clock));
    },
  };
}

describe('a report that the process of a run has died', () => {
  it('ends its leases of busy keys’ lanes, and of all of them together', async () => {
    const { holds, hears, isOver } = bench();
    for (const name of ['fair', 'fair#31', 'fair/keys']) await holds(name);
    await hears(report({ queue: 'fair' }));
    for (const name of ['fair', 'fair#31', 'fair/keys']) expect(await isOver(name)).toBe(true);
  });

  it('ends its lease, which keeps its journal, starts the same run again at once, and is left to people', async () => {
    const { holds, hears, isOver, started, givenUp, log } = bench();
    await holds('default');
    const body = report({ queue: 'default' });
    expect(await hears(body)).toEqual({ batchItemFailures: [] });
    expect(await isOver('default')).toBe(true);
    expect(started).toEqual([[ARN, { queue: 'default' }]]);
    expect(givenUp).toEqual([body]);
    expect(log().find(({ level }) => level === 'WARN')).toMatchObject({
      message: 'a run has died: what it held ends now',
      requestId: 'dead',
      leases: 1,
    });
    const taken = await holds('default', 'next');
    expect(taken).toMatchObject({ held: true, crashed: { inFlight: ['a', 'b'], begun: false } });
  });

  it.each([
    ['the lease of each shard', { queue: 'orders' }, ['orders', 'orders#1', 'orders#2'], 'orders#3'],
    [
      'the leases of its tiers',
      { queue: 'bulk', tier: { ...BAND, number: 2 }, catchUp: [{ ...BAND, number: 3 }] },
      ['bulk#2', 'bulk#3'],
      'bulk#1',
    ],
    [
      'those of all queues of its event',
      { queues: { default: 1, orders: 3 } },
      ['default', 'orders#1'],
      'bulk',
    ],
  ])('ends %s', async (_, event, names, other) => {
    const { holds, hears, isOver, started } = bench();
    for (const name of [...names, other]) await holds(name);
    await hears(report(event));
    for (const name of names) expect([name, await isOver(name)]).toEqual([name, true]);
    expect(await isOver(other)).toBe(false);
    expect(started).toEqual([[ARN, event]]);
  });

  it('ends its slots in all queues of its event, and those of no other run', async () => {
    const { takesSlots, hears, started, log } = bench();
    expect(await takesSlots('default', 'dead', 6)).toBe(6);
    expect(await takesSlots('default', 'living', 3)).toBe(3);
    expect(await takesSlots('orders', 'dead', 10)).toBe(10);
    await hears(report({ queues: { default: 1, orders: 3 } }));
    expect(await takesSlots('default', 'next', 10)).toBe(7);
    expect(await takesSlots('orders', 'next', 10)).toBe(10);
    expect(log().find(({ level }) => level === 'WARN')).toMatchObject({
      requestId: 'dead',
      leases: 0,
      slots: 2,
    });
    expect(started).toEqual([]);
  });

  it('ends its slots of keys, in queues that may have some, and looks at no other queue', async () => {
    const { hears, started, store, log } = bench();
    const ask = { wanted: new Map([['k', 2]]), most: 4, now: 0, until: 60_000 };
    const [dead, living] = ['dead', 'living'].map((invocation) => newHolder(Math.random, invocation));
    for (const run of [dead, living])
      for (const queue of ['fair', 'default']) await store.keySlots.take(queue, { ...ask, run: String(run) });
    const all = { ...ask, run: 'next', wanted: new Map([['k', 4]]) };
    await hears(report({ queues: { fair: 1, default: 1 } }));
    // No run has any there, outside of this test.
    expect(await store.keySlots.take('default', all)).toEqual(new Map());
    expect(await store.keySlots.take('fair', all)).toEqual(new Map([['k', 2]]));
    expect(log().filter(({ level }) => level === 'WARN')).toMatchObject([
      { requestId: 'dead', leases: 0, claims: 0, slots: 0, keySlots: 1 },
    ]);
    expect(started).toEqual([]);
  });

  it.each([
    ['of another run', 'living'],
    ['of a process whose death is not reported', null],
    ['whose holder was named before requests had names', ''],
  ])('leaves the lease alone %s', async (_, invocation) => {
    const { holds, hears, isOver, started, store, clock } = bench();
    if (invocation === '')
      await store.leases.hold('default', {
        holder: 'AbCdEfGh',
        until: clock.wall() + 70_000,
        ids: ['a'],
        rev: 'r',
      });
    else await holds('default', invocation);
    await hears(report({ queue: 'default' }));
    expect(await isOver('default')).toBe(false);
    expect(started).toEqual([]);
  });

  it.each([
    [
      'an error of the handler',
      { errorType: 'RunFailedError', errorMessage: 'no', trace: ['RunFailedError: no'] },
    ],
    [
      'one that is worded as a timeout',
      { errorType: 'Error', errorMessage: 'Task timed out after 3.00 seconds', trace: [] },
    ],
    [
      'one that is worded so, in a runtime without traces',
      { errorType: 'Error', errorMessage: 'Task timed out after 3.00 seconds' },
    ],
    ['one that is named as an exit', { ...EXIT, trace: ['at handler (index.mjs:1:1)'] }],
    ['no error at all', { attempted: 2 }],
  ])('ends nothing where it has %s: attempts may go on in the sandbox', async (_, response) => {
    const { holds, hears, isOver, started, givenUp } = bench();
    await holds('default');
    const body = report({ queue: 'default' }, { response });
    await hears(body);
    expect(await isOver('default')).toBe(false);
    expect(started).toEqual([]);
    expect(givenUp).toEqual([body]);
  });

  it.each([
    [
      'a timeout',
      {
        errorType: 'Sandbox.Timedout',
        errorMessage: 'RequestId: 1 Error: Task timed out after 3.00 seconds',
      },
    ],
    [
      'a timeout in older words',
      { errorMessage: '2026-11-20T09:30:00.000Z 1 Task timed out after 3.00 seconds' },
    ],
    [
      'too much memory',
      {
        errorType: 'Runtime.OutOfMemory',
        errorMessage: 'RequestId: 1 Error: Runtime exited with error: signal: killed',
      },
    ],
    [
      'a promise that was rejected',
      {
        errorType: 'Runtime.UnhandledPromiseRejection',
        errorMessage: 'Error: no',
        trace: ['Runtime.UnhandledPromiseRejection: Error: no'],
      },
    ],
  ])('may name %s', async (_, response) => {
    const { holds, hears, isOver } = bench();
    await holds('default');
    await hears(report({ queue: 'default' }, { response }));
    expect(await isOver('default')).toBe(true);
  });

  it('that comes twice starts one run, and leaves that one alone', async () => {
    const { holds, hears, isOver, started } = bench();
    await holds('default');
    const body = report({ queue: 'default' });
    await hears(body, body);
    await holds('default', 'next');
    await hears(body);
    expect(await isOver('default')).toBe(false);
    expect(started).toHaveLength(1);
  });

  it('is of no use where the run has given its lease back, which another one holds by now', async () => {
    const { holds, hears, isOver, started } = bench();
    await holds('default', 'next');
    await hears(report({ queue: 'default' }));
    expect(await isOver('default')).toBe(false);
    expect(started).toEqual([]);
  });

  it('starts no more than eight runs in succession that die, and another one once a run has got through', async () => {
    const { holds, hears, started, store, clock } = bench();
    for (let i = 0; i < 12; i++) {
      expect(await holds('default', `dead-${i}`)).toMatchObject({ held: true });
      await hears(report({ queue: 'default' }, { requestId: `dead-${i}` }));
    }
    expect(started).toHaveLength(8);
    const lease = new RunLease('default', { store, clock, random: Math.random }, 30);
    await lease.acquire([]);
    await lease.giveBack();
    await holds('default', 'dead-again');
    await hears(report({ queue: 'default' }, { requestId: 'dead-again' }));
    expect(started).toHaveLength(9);
  });

  it('that has no valid form is left to people, whatever it names', async () => {
    const { hears, givenUp, started } = bench();
    const bodies = [
      report({ queue: 7 }),
      report({ queue: '__proto__' }),
      report({ queue: 'unknown', arrivals: 1 }),
      report({}, { requestId: '' }),
      '{"requestContext":null}',
    ];
    expect(await hears(...bodies)).toEqual({ batchItemFailures: [] });
    expect(givenUp).toEqual(bodies);
    expect(started).toEqual([]);
  });
});

describe('a report that a run on arrival has died', () => {
  const arrivals = { batch: 'b', ids: ['a', 'b'] };
  const bare = { status: 'NEW', payload: 1 };

  it.each(['default', 'orders'])(
    'has its records of the queue %s indexed at once, and attempted',
    async (queue) => {
      const { store, claims, hears, started, givenUp, waitedMs } = bench();
      for (const id of arrivals.ids) store.put({ ...bare, id, queue });
      expect(await claims(queue, arrivals.ids)).toBe('claimed');
      await hears(report({ queue, arrivals }));
      expect(store.items().map(({ lane }) => String(lane).split('#')[0])).toEqual([queue, queue]);
      expect(started).toEqual([[ARN, { queue }]]);
      // The index shows them by then.
      expect(waitedMs).toEqual([1000]);
      expect(givenUp).toEqual([]);
    },
  );

  it('leaves those alone that another run has claimed meanwhile', async () => {
    const { store, claims, hears } = bench();
    for (const id of arrivals.ids) store.put({ ...bare, id });
    await claims('default', arrivals.ids, 'living');
    await hears(report({ queue: 'default', arrivals }));
    expect(store.items().map(({ lane }) => lane)).toEqual([undefined, undefined]);
  });

  it('leaves those of a handler that failed to the end of its claim', async () => {
    const { store, claims, hears, started } = bench();
    for (const id of arrivals.ids) store.put({ ...bare, id });
    await claims('default', arrivals.ids);
    const response = { errorType: 'RunFailedError', errorMessage: 'no', trace: [] };
    await hears(report({ queue: 'default', arrivals }, { response }));
    expect(store.items().map(({ lane }) => lane)).toEqual([undefined, undefined]);
    expect(started).toEqual([]);
  });

  it('leaves a progressive queue to the rule of its first tier', async () => {
    const { store, claims, hears, started, holds, isOver } = bench();
    for (const id of arrivals.ids) store.put({ ...bare, id, queue: 'bulk' });
    await claims('bulk', arrivals.ids);
    await holds('bulk#1');
    await hears(report({ queue: 'bulk', arrivals }));
    expect(store.items().map(({ lane }) => lane)).toEqual(['bulk', 'bulk']);
    expect(await isOver('bulk#1')).toBe(true);
    expect(started).toEqual([]);
  });
});
