import { afterEach, describe, expect, it, vi } from 'vitest';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { sweepHandler } from '../../functions/intake/sweep-handler.js';
import { makeHandler } from '../../functions/make-handler.js';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { ActiveRegion } from '../../src/store/index.js';
import { context, environment, workbench } from './support.js';

const [FRANKFURT, IRELAND] = ['eu-central-1', 'eu-west-1'] as const;
const QUEUES: QueuesSettings = { orders: { retryMode: 'perRecord' } };
const DAY = 86_400;

/** All functions of a region, on its replica of the tables, and the requests that they make. */
function bench(variables: Record<string, string | undefined> = {}) {
  const made = workbench(QUEUES, { logLevel: 'DEBUG' });
  const requests: string[] = [];
  const odd = new Set<unknown>();
  const store = intercepted(made.store, (name, call, [ids]) => {
    requests.push(name);
    const isOdd = name === 'records.getMany' && (ids as string[]).some((id) => odd.has(id));
    return isOdd ? Promise.reject(new TypeError('cannot be read')) : call();
  });
  const sent: [readonly string[], number][] = [];
  const invoked: unknown[] = [];
  let failure: Error | undefined;
  const invoker: Invoker = {
    invoke: async ({ event }) => {
      invoked.push(event);
      return 'accepted';
    },
    sendToRedelivery: async (ids, delaySeconds) => {
      if (failure) throw failure;
      sent.push([ids, delaySeconds]);
    },
    async sendShortWait() {},
    giveUp: async () => {},
  };
  const env = {
    ...environment(QUEUES),
    BACKLOG_OWNER: 'shop',
    BACKLOG_PRIMARY_REGION: FRANKFURT,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ orders: ['orders'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.example.com/returns',
    ...variables,
  };
  const attempts: string[] = [];
  let during: (id: string) => void = () => {};
  const process = async ({ id }: { readonly id: string }) => {
    attempts.push(id);
    during(id);
  };
  const inRegion = (region: string) => {
    const seams = { ...made.overrides, store, env: { ...env, AWS_REGION: region } };
    const arn = `arn:aws:lambda:${region}:111111111111:function:orders`;
    const work = makeHandler(() => process, { concurrency: 1 }, seams);
    const intake = intakeHandler({ ...seams, invoker });
    return {
      work: (event: unknown = { queue: 'orders' }) => work(event, { ...context, invokedFunctionArn: arn }),
      intake: (Records: readonly object[]) => intake({ Records }, context),
      look: (...ids: string[]) => {
        const body = JSON.stringify({ notIndexed: ids });
        return intake({ Records: [{ eventSource: 'aws:sqs', messageId: 'm', body }] }, context);
      },
      sweep: () => sweepHandler({ ...seams, invoker })({}, context),
      monitor: () => monitorHandler({ ...seams, trouble: async () => undefined })({}, context),
    };
  };
  const activate = async (region: string, inSeconds = 0) => {
    const at = made.clock.now();
    const next: ActiveRegion = { region, from: at + inSeconds * 1000, at, before: FRANKFURT };
    await made.store.activeRegion.write(next, undefined);
  };
  const put = (id: string, more: object = {}) =>
    made.changesOf(() => made.store.put({ id, status: 'NEW', payload: 1, queue: 'orders', ...more }));
  const writes = () => requests.filter((name) => !/\.(read|get|query|count|scan|find)/.test(name));
  return {
    ...made,
    ...{ requests, writes, sent, invoked, attempts, inRegion, activate, put },
    unreadable: (id: string) => odd.add(id),
    fail: (error: Error) => {
      failure = error;
    },
    during: (act: (id: string) => void) => {
      during = act;
    },
  };
}

describe('functions of a region that is not the active one', () => {
  afterEach(() => vi.restoreAllMocks());

  it('attempt nothing and register nothing, also if an event of arrivals comes late', async () => {
    const { inRegion, insert, put, attempts, writes, store } = bench();
    await insert({ id: 'a', queue: 'orders' });
    put('b');
    const there = inRegion(IRELAND);
    expect(await there.work()).toMatchObject({ ended: 'passiveRegion', attempted: 0 });
    const arrivals = { queue: 'orders', arrivals: { batch: '1/1', ids: ['b'] } };
    await expect(there.work(arrivals)).rejects.toThrow('another region attempts these arrivals');
    expect(attempts).toEqual([]);
    expect(writes()).toEqual([]);
    expect((await store.registry.read()).queues.size).toBe(0);
    expect(await inRegion(FRANKFURT).work()).toMatchObject({ attempted: 1 });
    expect((await store.registry.read()).primaryRegion).toBe(FRANKFURT);
  });

  it('begin when an operator has made their region the active one, from the time that was said', async () => {
    const { inRegion, insert, attempts, activate, clock, store } = bench();
    await inRegion(FRANKFURT).work();
    const [here, there] = [inRegion(FRANKFURT), inRegion(IRELAND)];
    await insert({ id: 'a', queue: 'orders' });
    expect(await there.work()).toMatchObject({ ended: 'passiveRegion' });
    await activate(IRELAND, 300);
    clock.advance(61);
    for (const one of [here, there]) expect(await one.work()).toMatchObject({ ended: 'passiveRegion' });
    clock.advance(240);
    expect(await here.work()).toMatchObject({ ended: 'passiveRegion' });
    expect(await there.work()).toMatchObject({ attempted: 1 });
    expect(attempts).toEqual(['a']);
    const entry = (await store.registry.read()).queues.get('orders');
    expect(entry?.function).toBe('arn:aws:lambda:eu-west-1:111111111111:function:orders');
  });

  it('take a queue over whose stack has another name in the other region, but none of a neighbour', async () => {
    const { inRegion, insert, activate, store } = bench();
    await insert({ id: 'a', queue: 'orders' });
    const at = new Date().toISOString();
    const entry = { owner: 'shop-frankfurt', retryMode: 'perRecord', at } as const;
    const owned = (region: string) => {
      const name = `arn:aws:lambda:${region}:111111111111:function:others`;
      return { rev: `${region}`, queues: new Map([['orders', { ...entry, function: name }]]) };
    };
    await activate(IRELAND);
    await store.registry.write(owned(IRELAND), '');
    await expect(inRegion(IRELAND).work()).rejects.toThrow('belongs to "shop-frankfurt"');
    await store.registry.write(owned(FRANKFURT), (await store.registry.read()).rev);
    expect(await inRegion(IRELAND).work()).toMatchObject({ attempted: 1 });
    expect((await store.registry.read()).queues.get('orders')?.owner).toBe('shop');
  });

  it('say which region is the primary one, also where nothing else is new', async () => {
    const { inRegion, store } = bench();
    await inRegion(FRANKFURT).work();
    const { rev, queues } = await store.registry.read();
    await store.registry.write({ rev: 'r', queues }, rev);
    await inRegion(FRANKFURT).work();
    expect((await store.registry.read()).primaryRegion).toBe(FRANKFURT);
  });

  it('stop between two pages', async () => {
    const { inRegion, insert, attempts, activate, clock, during } = bench();
    for (let i = 0; i < 200; i++) await insert({ id: `r${i}`, queue: 'orders' });
    during(() => {
      if (attempts.length !== 1) return;
      void activate(IRELAND);
      clock.advance(61);
    });
    const summary = await inRegion(FRANKFURT).work();
    expect(summary).toMatchObject({ ended: 'passiveRegion' });
    expect(attempts.length).toBeLessThan(200);
    expect(summary.leftOver).toBeGreaterThan(0);
  });

  it('stop between two records that are attempted alone', async () => {
    const { inRegion, put, attempts, activate, clock, during } = bench();
    const [insertedAt, at] = [3600, 1].map((ago) => new Date(clock.now() - ago * 1000).toISOString());
    const lost = { name: 'WorkerLost', message: 'the process ended', at, attempt: 1 };
    const failed = { status: 'ERROR', attempts: 1, failures: 1, firstFailureAt: at, lastFailureAt: at };
    const indexed = { lane: 'orders', dueAt: at, rev: 'r', lastAttemptAt: at, insertedAt };
    for (let i = 0; i < 9; i++) put(`r${i}`, { ...failed, ...indexed, lastError: lost });
    during(() => {
      if (attempts.length !== 1) return;
      void activate(IRELAND);
      clock.advance(61);
    });
    expect(await inRegion(FRANKFURT).work()).toMatchObject({ ended: 'passiveRegion', leftOver: 8 });
    expect(attempts).toHaveLength(1);
    clock.advance(61);
    expect(await inRegion(IRELAND).work()).toMatchObject({ succeeded: 8 });
  });

  it('cost one look at most in a minute', async () => {
    const { inRegion, requests, clock, insert } = bench();
    await insert({ id: 'a', queue: 'orders' });
    const there = inRegion(IRELAND);
    await there.work();
    requests.length = 0;
    clock.advance(30);
    await there.work();
    expect(requests).toEqual(['pages.query']);
    clock.advance(31);
    await there.work();
    expect(requests.slice(1).sort()).toEqual(['activeRegion.read', 'pages.query', 'registry.read']);
  });
});

describe('the intake of a region that is not the active one', () => {
  it('writes nothing, starts nothing, and looks again two minutes later', async () => {
    const { inRegion, put, writes, sent, invoked } = bench();
    const there = inRegion(IRELAND);
    expect(await there.intake([...put('a'), ...put('b')])).toEqual({ batchItemFailures: [] });
    expect([writes(), invoked]).toEqual([[], []]);
    expect(sent).toEqual([[['a', 'b'], 120]]);
  });

  it('knows by the registry that there are regions, if its own deployment does not say so', async () => {
    const { inRegion, put, writes, store } = bench({ BACKLOG_PRIMARY_REGION: undefined });
    const registry = { rev: 'r', queues: new Map(), primaryRegion: FRANKFURT };
    await store.registry.write(registry, '');
    await inRegion(IRELAND).intake(put('a'));
    expect(writes()).toEqual([]);
    await inRegion(IRELAND).work();
    expect((await store.registry.read()).rev).toBe('r');
  });

  it('goes on to look at what is not indexed, for a day; not at what is done or indexed', async () => {
    const { inRegion, put, sent, clock, writes, store } = bench();
    const now = clock.now();
    const iso = (seconds: number) => new Date(now - seconds * 1000).toISOString();
    put('young', { insertedAt: iso(60) });
    put('old', { insertedAt: iso(DAY + 60) });
    put('done', { status: 'SUCCESS' });
    put('indexed', { lane: 'orders', dueAt: iso(0), rev: 'r' });
    const all = store.items().map(({ id }) => String(id));
    expect(await inRegion(IRELAND).look(...all, 'gone')).toEqual({ batchItemFailures: [] });
    expect(sent).toEqual([[['young'], 120]]);
    expect(writes()).toEqual([]);
  });

  it('does not go on to look at what the active region can only quarantine, or leave as it is', async () => {
    const { inRegion, put, sent } = bench();
    put('full', { payload: 'x'.repeat(409_500) });
    put('newer', { backlogFormat: 99 });
    put('good');
    expect(await inRegion(IRELAND).look('full', 'newer', 'good')).toEqual({ batchItemFailures: [] });
    expect(sent).toEqual([[['good'], 120]]);
  });

  it('goes on to look at the others where a record cannot be read', async () => {
    const { inRegion, put, sent, unreadable, log } = bench();
    for (const id of ['a', 'odd', 'b']) put(id);
    unreadable('odd');
    expect(await inRegion(IRELAND).look('a', 'odd', 'b')).toEqual({ batchItemFailures: [] });
    expect(sent).toEqual([[['a', 'b'], 120]]);
    expect(log()).toContainEqual(expect.objectContaining({ level: 'ERROR', id: 'odd', reason: 'TypeError' }));
  });

  it('indexes what no other one has, once its region is the active one', async () => {
    const { inRegion, put, sent, activate, clock, store } = bench();
    const there = inRegion(IRELAND);
    await there.intake(put('a'));
    await activate(IRELAND);
    clock.advance(120);
    await there.look(...(sent[0]?.[0] ?? []));
    expect(store.items().find(({ id }) => id === 'a')?.lane).toBe('orders');
  });

  it('starts no function of the other region', async () => {
    const { inRegion, put, invoked, activate, store } = bench();
    const theirs = {
      owner: 'team',
      function: 'arn:aws:lambda:eu-central-1:111111111111:function:theirs',
      retryMode: 'perRecord',
      onArrival: true,
      at: new Date().toISOString(),
    } as const;
    await store.registry.write({ rev: 'r', queues: new Map([['theirs', theirs]]) }, '');
    await activate(IRELAND);
    await inRegion(IRELAND).intake(put('a', { queue: 'theirs' }));
    expect(invoked).toEqual([]);
    expect(store.items()[0]?.lane).toBe('theirs');
  });

  it('has a record come again if the redelivery queue does not answer', async () => {
    const { inRegion, put, fail } = bench();
    const changes = [...put('a'), ...put('b')] as { dynamodb: { SequenceNumber: string } }[];
    fail(new Error('no answer'));
    const itemIdentifier = changes[0]?.dynamodb.SequenceNumber;
    expect(await inRegion(IRELAND).intake(changes)).toEqual({ batchItemFailures: [{ itemIdentifier }] });
  });
});

describe('what looks after the tables, in a region that is not the active one', () => {
  afterEach(() => vi.restoreAllMocks());

  it('the sweep rests', async () => {
    const { inRegion, put, requests, sent } = bench();
    put('a');
    expect(await inRegion(IRELAND).sweep()).toEqual({ ended: 'passiveRegion', found: 0 });
    expect(requests).toEqual(['activeRegion.read']);
    expect(await inRegion(FRANKFURT).sweep()).toEqual({ ended: 'finished', found: 1 });
    expect(sent).toHaveLength(1);
  });

  it('the monitor measures the lag, which says that the active region has stopped, and writes nothing', async () => {
    const { inRegion, insert, writes, clock, store } = bench();
    await insert({ id: 'a', queue: 'orders' });
    clock.advance(600);
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    expect(await inRegion(IRELAND).monitor()).toMatchObject([
      { queue: 'orders', oldestDueAge: 600, waiting: 1 },
    ]);
    expect(writes()).toEqual([]);
    expect(lines.join('')).toContain('"OldestDueAge":600');
    // What a queue of another stack is to be forgotten for is written by the active region's monitor.
    const at = new Date(clock.now() - 9 * DAY * 1000).toISOString();
    const gone = { owner: 'team', retryMode: 'perRecord', at, removedAt: at } as const;
    await store.registry.write(
      { rev: 'r', queues: new Map([['gone', gone]]) },
      (await store.registry.read()).rev,
    );
    await inRegion(IRELAND).monitor();
    expect((await store.registry.read()).queues.has('gone')).toBe(true);
    await inRegion(FRANKFURT).monitor();
    expect(writes()).toContain('readings.write');
    expect((await store.registry.read()).queues.has('gone')).toBe(false);
  });
});
