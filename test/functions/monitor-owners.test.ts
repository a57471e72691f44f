import { afterEach, describe, expect, it, vi } from 'vitest';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { type QueueOwner, StoreThrottledError } from '../../src/store/index.js';
import { type Methods, replacing } from '../simulation/replacing.js';
import { context, environment, workbench } from './support.js';

const OWN: QueuesSettings = { orders: { retryMode: 'perRecord' } };
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

function bench(owner: string | undefined = 'shop', variables: Record<string, string> = {}) {
  const made = workbench(OWN);
  const written: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(JSON.parse(String(line)));
    return true;
  });
  const { store, clock, logger } = made.overrides;
  const ago = (seconds: number) => new Date(clock.now() - seconds * 1000).toISOString();
  const entry = (secondsAgo: number, changes: Partial<QueueOwner> = {}): QueueOwner => ({
    owner: 'team',
    function: 'arn:team',
    retryMode: 'perRecord',
    timeout: 300,
    at: ago(secondsAgo),
    ...changes,
  });
  const register = async (queues: Record<string, QueueOwner>) => {
    const { rev } = await store.registry.read();
    await store.registry.write({ rev: `${rev}+`, queues: new Map(Object.entries(queues)) }, rev);
  };
  const registered = async () => Object.fromEntries((await store.registry.read()).queues);
  const env = { ...environment(OWN), ...variables, ...(owner === '' ? {} : { BACKLOG_OWNER: owner }) };
  const read = (changes: Methods = {}) =>
    monitorHandler({ store: replacing(changes, store), clock, logger, env, trouble: async () => undefined })(
      { monitor: true },
      context,
    );
  const metrics = (name: string) => written.filter((line) => name in line).map(({ _aws, ...line }) => line);
  return { ...made, written, ago, entry, register, registered, read, metrics };
}

describe('the monitor, with queues of other owners', () => {
  afterEach(() => vi.restoreAllMocks());

  it('reads them as its own, by what their functions say of them', async () => {
    const { register, entry, read, insert, ago, log } = bench();
    const tiers = [{ every: 600, untilAge: DAY }];
    await register({
      theirs: entry(MINUTE, { shards: 2 }),
      tiered: entry(MINUTE, { retryMode: 'progressive', retry: { type: 'progressive', tiers } }),
      strange: entry(MINUTE, { retry: { type: 'nonsense' } as never }),
    });
    await insert({ id: 'a', queue: 'theirs', lane: 'theirs#1', dueAt: ago(90) });
    await insert({ id: 'b', queue: 'tiered', insertedAt: ago(900), dueAt: ago(900) });
    await insert({ id: 'c', queue: 'strange', dueAt: ago(30) });
    expect(await read()).toMatchObject([
      { queue: 'orders', waiting: 0 },
      { queue: 'theirs', waiting: 1, oldestDueAge: 90 },
      { queue: 'tiered', waiting: 1, tiers: [1], oldestDueAge: 300 },
      { queue: 'strange', waiting: 1, oldestDueAge: 30 },
    ]);
    expect(log().filter(({ level }) => level !== 'INFO')).toEqual([]);
  });

  it.each([
    ['not of those of other stacks, which have their own', MINUTE, 40],
    ['of those that no function serves any more, too', 27 * HOUR, 90],
  ])('measures the lag for the one alarm of all queues: %s', async (_, confirmedAgo, lag) => {
    const { register, entry, read, insert, ago, metrics } = bench('shop', { BACKLOG_TABLE_ALARMS: 'true' });
    await register({ theirs: entry(confirmedAgo) });
    await insert({ id: 'a', queue: 'theirs', dueAt: ago(90) });
    await insert({ id: 'b', queue: 'orders', dueAt: ago(40) });
    await read();
    const ofAll = metrics('OldestDueAge').filter((line) => !('Queue' in line));
    expect(ofAll).toMatchObject([{ Table: 'records-table', OldestDueAge: lag }]);
  });

  it('reads some of many queues at once, all of them, and one that fails keeps no other one from it', async () => {
    const { register, entry, read, metrics, insert } = bench();
    const names = Array.from({ length: 100 }, (_, i) => `queue-${i}`);
    await register(Object.fromEntries(names.map((name) => [name, entry(MINUTE)])));
    for (const queue of ['queue-3', 'queue-99']) await insert({ id: queue, queue });
    let atOnce = 0;
    let most = 0;
    const readQueue = async (queue: string) => {
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
      if (queue === 'queue-1') throw new StoreThrottledError('throttled');
      return { paused: false, breakers: new Map(), tiers: new Map() };
    };
    await expect(read({ queues: { read: readQueue } })).rejects.toThrow('throttled');
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(20);
    expect(metrics('Waiting').map(({ Queue }) => Queue)).toEqual(['queue-3', 'queue-99']);
  });

  it('reads an own queue that was handed over as its new owner has it', async () => {
    const { register, entry, read, insert } = bench();
    await register({ orders: entry(MINUTE, { shards: 2 }) });
    await insert({ id: 'a', queue: 'orders', lane: 'orders#1' });
    expect(await read()).toMatchObject([{ queue: 'orders', waiting: 1 }]);
  });

  it.each<[string, number, Partial<QueueOwner>]>([
    ['was given up by its function', 2 * MINUTE, { removedAt: '2026-11-20T09:00:00.000Z' }],
    ['was not confirmed for 26 hours', 26 * HOUR + 1, {}],
    ['was of the own stack, and is not in its settings', 15 * MINUTE, { owner: 'shop' }],
  ])('says how many records wait in a queue that %s', async (_, secondsAgo, changes) => {
    const { register, entry, read, insert, metrics, log } = bench();
    await register({ gone: entry(secondsAgo, changes), theirs: entry(MINUTE) });
    for (const id of ['a', 'b']) await insert({ id, queue: 'gone' });
    await insert({ id: 'c', queue: 'theirs' });
    await insert({ id: 'd', queue: 'gone', lane: 'gone/dead', status: 'DEAD' });
    await read();
    expect(metrics('RemovedQueueWaiting')).toEqual([{ Table: 'records-table', RemovedQueueWaiting: 2 }]);
    expect(log().filter(({ level }) => level === 'WARN')).toMatchObject([
      {
        message: 'records wait in a queue that no function serves any more',
        queue: 'gone',
        waiting: 2,
        owner: changes.owner ?? 'team',
        since: expect.any(String),
      },
    ]);
  });

  it.each<[string, number, Partial<QueueOwner>]>([
    ['its owner has confirmed today', 26 * HOUR, {}],
    ['was registered during this deployment', 14 * MINUTE, { owner: 'shop' }],
  ])('says nothing about a queue that %s', async (_, secondsAgo, changes) => {
    const { register, entry, read, insert, metrics } = bench();
    const queues = { other: entry(secondsAgo, changes) };
    await register(queues);
    await insert({ id: 'a', queue: 'other' });
    await read();
    expect(metrics('RemovedQueueWaiting')).toEqual([]);
  });

  it('says nothing about its own queues, however long no run of them has started', async () => {
    const { register, entry, read, insert, metrics, registered } = bench();
    const orders = entry(30 * DAY, { owner: 'shop' });
    await register({ orders });
    await insert({ id: 'a', queue: 'orders' });
    await read();
    expect(metrics('RemovedQueueWaiting')).toEqual([]);
    expect(await registered()).toEqual({ orders });
  });

  it('notes that a queue of its stack is given up, so that another owner can take it up', async () => {
    const { register, entry, read, registered, ago } = bench();
    const gone = entry(HOUR, { owner: 'shop' });
    const theirs = entry(30 * HOUR);
    await register({ gone, theirs });
    await read();
    expect(await registered()).toEqual({ gone: { ...gone, removedAt: ago(0) }, theirs });
  });

  it('drops a queue that was removed a week ago once no record waits there', async () => {
    const { register, entry, read, registered, insert, clock, store } = bench();
    const empty = entry(DAY, { removedAt: entry(0).at });
    const full = { ...empty };
    await register({ empty, full, stale: entry(0) });
    await insert({ id: 'a', queue: 'full' });
    clock.advance(7 * DAY - 1);
    await read();
    expect(Object.keys(await registered())).toEqual(['empty', 'full', 'stale']);
    clock.advance(1);
    await read();
    expect(Object.keys(await registered())).toEqual(['full']);
    store.delete('a');
    clock.advance(MINUTE);
    await read();
    expect(Object.keys(await registered())).toEqual([]);
  });

  it('reads its own queues where the registry cannot be read, and fails', async () => {
    const { read, insert, metrics } = bench();
    await insert({ id: 'a', queue: 'orders' });
    const readRegistry = () => Promise.reject(new StoreThrottledError('throttled'));
    await expect(read({ registry: { read: readRegistry } })).rejects.toThrow('throttled');
    expect(metrics('Waiting')).toMatchObject([{ Queue: 'orders', Waiting: 1 }]);
  });

  it('reads no registry without an owner of its own', async () => {
    const { read, register, entry } = bench('');
    await register({ theirs: entry(30 * DAY) });
    expect(await read()).toMatchObject([{ queue: 'orders' }]);
  });
});
