import { describe, expect, it } from 'vitest';
import { makeHandler } from '../../functions/make-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { type BacklogStore, StoreThrottledError, StoreUnavailableError } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { context, environment, workbench } from './support.js';

const QUEUES: QueuesSettings = { orders: { retryMode: 'perRecord' }, bulk: { retryMode: 'perRecord' } };
const ORDERS: QueuesSettings = { orders: { retryMode: 'perRecord' } };

/** Functions of several owners on the same tables. Each attempt is noted by the owner of its function. */
function bench() {
  const made = workbench(QUEUES, { logLevel: 'DEBUG' });
  const attempts: { id: string; owner: string }[] = [];
  const underAttempt = new Set<string>();
  const overlaps: string[] = [];
  const requests: string[] = [];
  const counted = intercepted(made.store, (name, call) => {
    requests.push(name);
    return call();
  });
  const functionOf = (
    owner: string | undefined,
    {
      queues = QUEUES,
      standby = false,
      store = counted,
      during,
    }: {
      queues?: QueuesSettings;
      standby?: boolean;
      store?: BacklogStore;
      during?: (id: string) => Promise<void>;
    } = {},
  ) => {
    const env = {
      ...environment(queues),
      ...(owner === undefined ? {} : { BACKLOG_OWNER: owner }),
      ...(standby ? { BACKLOG_STANDBY: 'true' } : {}),
    };
    const process = async ({ id }: { id: string }) => {
      if (underAttempt.has(id)) overlaps.push(id);
      underAttempt.add(id);
      attempts.push({ id, owner: owner ?? 'none' });
      await during?.(id);
      underAttempt.delete(id);
    };
    const handler = makeHandler(() => process, {}, { ...made.overrides, env, store });
    const ofFunction = { ...context, invokedFunctionArn: `arn:${owner}` };
    return (event: unknown = { queue: 'orders' }) => handler(event, ofFunction);
  };
  const copyForHandler = async (queue: string, owner: string) => {
    const { rev, queues } = await made.store.registry.read();
    const entry = queues.get(queue);
    if (!entry) throw new Error('no entry');
    const { function: _, ...given } = { ...entry, owner };
    await made.store.registry.write({ rev: `${rev}+`, queues: new Map([...queues, [queue, given]]) }, rev);
  };
  const lost = async () => {
    const { rev } = await made.store.registry.read();
    await made.store.registry.write({ rev: '', queues: new Map() }, rev);
  };
  const owners = async () =>
    Object.fromEntries(
      [...(await made.store.registry.read()).queues].map(([name, { owner }]) => [name, owner]),
    );
  const insertMany = async (count: number, queue = 'orders') => {
    for (let i = 0; i < count; i++) await made.insert({ id: `${queue}-${i}`, queue });
  };
  return { ...made, attempts, overlaps, requests, functionOf, copyForHandler, lost, owners, insertMany };
}

describe('the owner of a queue', () => {
  it('is the first one whose function runs; the function says what it knows', async () => {
    const { functionOf, store, clock } = bench();
    const queues: QueuesSettings = {
      orders: {
        retryMode: 'perRecord',
        shards: 2,
        fairness: true,
        order: 'key',
        onArrival: true,
        retry: { type: 'fibonacci' },
      },
    };
    await functionOf('shop', { queues })();
    expect(Object.fromEntries((await store.registry.read()).queues)).toEqual({
      orders: {
        owner: 'shop',
        function: 'arn:shop',
        retryMode: 'perRecord',
        shards: 2,
        fairness: true,
        order: 'key',
        retry: { type: 'fibonacci' },
        onArrival: true,
        timeout: 300,
        at: new Date(clock.now()).toISOString(),
      },
    });
  });

  it('is not looked up by functions without an owner', async () => {
    const { functionOf, insertMany, requests, attempts } = bench();
    await insertMany(2);
    await functionOf(undefined)();
    expect(attempts).toHaveLength(2);
    expect(requests.filter((name) => name.startsWith('registry.'))).toEqual([]);
  });

  it('has its records attempted, each once; the runs of another one fail and say what to do', async () => {
    const { functionOf, insertMany, attempts, log } = bench();
    await insertMany(60);
    const [shop, team] = [functionOf('shop'), functionOf('team')];
    const [one, other] = await Promise.allSettled([shop(), team()]);
    // Whichever comes first; after that the owner is known.
    const [owner, loser] = one.status === 'fulfilled' ? ['shop', 'team'] : ['team', 'shop'];
    expect([one.status, other.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(attempts.map((attempt) => attempt.owner)).toEqual(Array.from({ length: 60 }, () => owner));
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(60);
    await expect(owner === 'shop' ? team() : shop()).rejects.toThrow(
      `the queue "orders" belongs to "${owner}" (function arn:${owner}), and this function to "${loser}": remove the ` +
        `queue from one of the two, or transfer it: npx backlog transfer orders --to ${loser}`,
    );
    expect(log().filter(({ level }) => level === 'ERROR')).toMatchObject([
      { message: 'run failed' },
      { message: 'run failed' },
    ]);
  });

  it('keeps no other queue of the function from its run', async () => {
    const { functionOf, insert, attempts } = bench();
    await functionOf('shop', { queues: ORDERS })();
    await insert({ id: 'o', queue: 'orders' });
    await insert({ id: 'b', queue: 'bulk' });
    const team = functionOf('team');
    await expect(team({ queues: { orders: 1, bulk: 1 } })).rejects.toThrow('belongs to "shop"');
    expect(attempts).toEqual([{ id: 'b', owner: 'team' }]);
  });

  it('costs an idle poll nothing but its query, except at a cold start and twice a day', async () => {
    const { functionOf, requests, clock } = bench();
    const shop = functionOf('shop');
    await shop();
    expect(requests).toEqual(['registry.read', 'registry.write', 'pages.query', 'queues.read']);
    requests.length = 0;
    for (let minutes = 1; minutes < 12 * 60; minutes++) {
      clock.advance(60);
      await shop();
    }
    // Once a day, a run looks into the 31 lanes that the queue may have had before.
    const polls = 12 * 60 - 1;
    expect(requests.filter((name) => name !== 'pages.query')).toEqual([]);
    expect([polls, polls + 31]).toContain(requests.length);
    requests.length = 0;
    clock.advance(60);
    await shop();
    expect(requests).toEqual(['registry.read', 'pages.query', 'queues.read']);
  });

  it('is looked up once a minute by runs with something to do, and confirmed once a day', async () => {
    const { functionOf, requests, clock, insert } = bench();
    const shop = functionOf('shop');
    const registryOf = async (id: string, seconds: number) => {
      clock.advance(seconds);
      await insert({ id, queue: 'orders' });
      requests.length = 0;
      await shop();
      return requests.filter((name) => name.startsWith('registry.'));
    };
    expect(await registryOf('a', 0)).toEqual(['registry.read', 'registry.write']);
    expect(await registryOf('b', 59)).toEqual([]);
    expect(await registryOf('c', 1)).toEqual(['registry.read']);
    expect(await registryOf('d', 86_400)).toEqual(['registry.read', 'registry.write']);
  });

  it('changes when the queue is handed over while a run is at work: no record is attempted twice, and the next tick goes on', async () => {
    const { functionOf, copyForHandler, insert, insertMany, attempts, overlaps, clock, owners } = bench();
    const green = functionOf('green', { standby: true });
    const blue = functionOf('blue', {
      standby: true,
      during: async (id) => {
        if (id !== 'orders-5') return;
        await copyForHandler('orders', 'green');
        // The lease of the run that is at work holds.
        clock.advance(20);
        await green();
      },
    });
    await functionOf('blue')();
    await insertMany(30);
    await blue();
    expect(attempts.map(({ owner }) => owner)).toEqual(Array.from({ length: 30 }, () => 'blue'));
    clock.advance(60);
    await insertMany(1, 'bulk');
    for (let i = 30; i < 60; i++) await insert({ id: `orders-${i}`, queue: 'orders' });
    expect(await blue()).toMatchObject({ ended: 'notOwner', attempted: 0 });
    expect(await green()).toMatchObject({ ended: 'drained', attempted: 30 });
    expect(overlaps).toEqual([]);
    expect(attempts.slice(30).every(({ owner }) => owner === 'green')).toBe(true);
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(60);
    expect(await owners()).toMatchObject({ orders: 'green', bulk: 'blue' });
  });

  it('is looked up before a run, and by no page of it: the run goes on under its lease after a transfer', async () => {
    const { functionOf, copyForHandler, insertMany, requests, clock, owners } = bench();
    const shop = functionOf('shop', {
      during: async (id) => {
        if (id !== 'orders-5') return;
        await copyForHandler('orders', 'other');
        requests.length = 0;
        clock.advance(61);
      },
    });
    await insertMany(150);
    expect(await shop()).toMatchObject({ ended: 'drained', attempted: 150 });
    expect(requests.filter((name) => name === 'pages.read').length).toBeGreaterThan(1);
    expect(requests.filter((name) => /^(registry|activeRegion)\./.test(name))).toEqual([]);
    expect(await owners()).toMatchObject({ orders: 'other' });
  });

  it('is looked up again within a minute by a function that was refused', async () => {
    const { functionOf, copyForHandler, clock } = bench();
    await functionOf('shop', { queues: ORDERS })();
    const team = functionOf('team', { queues: ORDERS });
    await expect(team()).rejects.toThrow('belongs to "shop"');
    await copyForHandler('orders', 'team');
    clock.advance(61);
    await expect(team()).resolves.toMatchObject({ ended: 'drained' });
  });

  it('says nothing on a standby, which polls until the queue is handed over to it', async () => {
    const { functionOf, insertMany, attempts, log, copyForHandler, clock, store } = bench();
    await functionOf('blue')();
    await insertMany(3);
    const green = functionOf('green', { standby: true });
    expect(await green()).toMatchObject({ ended: 'notOwner', attempted: 0, skipped: 0, leftOver: 0 });
    expect(attempts).toEqual([]);
    expect(log().filter(({ level }) => level !== 'DEBUG')).toEqual([]);
    await copyForHandler('orders', 'green');
    clock.advance(60);
    expect(await green()).toMatchObject({ ended: 'drained', attempted: 3 });
    expect((await store.registry.read()).queues.get('orders')).toMatchObject({
      owner: 'green',
      function: 'arn:green',
    });
  });

  it('lets a run on arrivals that comes too late index them', async () => {
    const { functionOf, store, attempts, copyForHandler, clock } = bench();
    const blue = functionOf('blue');
    const standby = functionOf('blue', { standby: true });
    for (const handler of [blue, standby]) await handler();
    await copyForHandler('orders', 'green');
    for (const id of ['a', 'b']) store.put({ id, status: 'NEW', payload: 1, queue: 'orders' });
    clock.advance(60);
    const event = (id: string) => ({ queue: 'orders', arrivals: { batch: `${id}/1`, ids: [id] } });
    await expect(blue(event('a'))).rejects.toThrow('belongs to "green"');
    expect(await standby(event('b'))).toMatchObject({ ended: 'notOwner', leftOver: 1 });
    expect(attempts).toEqual([]);
    expect(store.items()).toMatchObject([{ lane: 'orders' }, { lane: 'orders' }]);
    clock.advance(1);
    await functionOf('green')();
    expect(attempts).toEqual([
      { id: 'a', owner: 'green' },
      { id: 'b', owner: 'green' },
    ]);
  });

  it('registers again where the registry is lost while sandboxes are warm; nothing is attempted twice', async () => {
    const { functionOf, insertMany, attempts, lost, owners, clock } = bench();
    const [shop, team] = [functionOf('shop', { queues: ORDERS }), functionOf('team', { queues: ORDERS })];
    await shop();
    await expect(team()).rejects.toThrow('belongs to "shop"');
    await lost();
    await insertMany(20);
    clock.advance(60);
    await shop();
    await expect(team()).rejects.toThrow('belongs to "shop"');
    expect(attempts).toHaveLength(20);
    expect(await owners()).toEqual({ orders: 'shop' });
  });

  it('is unknown to a cold sandbox that cannot read the registry: its run fails before it attempts anything', async () => {
    const { functionOf, insertMany, attempts, store } = bench();
    await insertMany(3);
    let isThrottled = true;
    const readRegistry = async () => {
      if (isThrottled) throw new StoreThrottledError('the control table is throttled');
      return store.registry.read();
    };
    const shop = functionOf('shop', { store: replacing({ registry: { read: readRegistry } }, store) });
    await expect(shop()).rejects.toThrow('the control table is throttled');
    expect(attempts).toEqual([]);
    isThrottled = false;
    await shop();
    expect(attempts).toHaveLength(3);
  });

  it('stays as it was where the registry cannot be read or written any more', async () => {
    const { functionOf, insertMany, attempts, store, clock, log } = bench();
    let error: Error | undefined;
    const failing =
      <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
      async (...args: Args): Promise<Answer> => {
        if (error) throw error;
        return method(...args);
      };
    const readRegistry = failing(() => store.registry.read());
    const shop = functionOf('shop', {
      store: replacing({ registry: { read: readRegistry } }, store),
      queues: ORDERS,
    });
    await shop();
    error = new StoreUnavailableError('no answer');
    clock.advance(3_600);
    await insertMany(3);
    await shop();
    expect(attempts).toHaveLength(3);
    expect(log().filter(({ level }) => level === 'WARN')).toMatchObject([
      { message: 'the owners of the queues could not be looked up', reason: 'no answer' },
    ]);

    const writeRegistry = () => Promise.reject(new StoreThrottledError('throttled'));
    const other = functionOf('shop', { store: replacing({ registry: { write: writeRegistry } }, store) });
    await insertMany(1, 'bulk');
    await other({ queue: 'bulk' });
    expect(attempts).toHaveLength(4);
  });

  it('registers with many others at once, at its next run at the latest', async () => {
    const { functionOf, owners } = bench();
    const queues = Array.from({ length: 30 }, (_, i) => `q${i}`);
    const runs = queues.map((queue) => {
      const handler = functionOf(queue, { queues: { [queue]: { retryMode: 'perRecord' } } });
      return () => handler({ queue });
    });
    for (let round = 0; round < 6; round++) await Promise.all(runs.map((run) => run()));
    expect(await owners()).toEqual(Object.fromEntries(queues.map((queue) => [queue, queue])));
  });
});
