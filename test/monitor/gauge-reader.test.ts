import { describe, expect, it } from 'vitest';
import { GaugeReader, type MonitoredQueue } from '../../src/monitor/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { MemoryStore, StoreUnavailableError } from '../../src/store/index.js';
import { VirtualTime } from '../../src/support/virtual-time.js';
import { gaugesOfWorker } from '../../tools/src/work/gauges.js';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const ordersQueue: MonitoredQueue = { name: 'orders', shards: 1, bands: [] };

const worked = (name: string, retryMode: 'perRecord' | 'progressive') => ({
  ...{ name, weight: 1, settings: { retryMode }, timeoutSeconds: undefined, handler: undefined as never },
});

function reading({ queues = [ordersQueue] } = {}) {
  const time = new VirtualTime(START, () => new Promise((resolve) => setImmediate(resolve)));
  const clock = time.clock();
  const memory = new MemoryStore({ clock });
  const requests = new Map<string, number>();
  /** Fails, or delays, the requests that it is asked about. */
  const trouble = { fails: (_: string, _args: unknown) => false, countMs: 0 };
  const store = intercepted(memory, async (name, call, args) => {
    requests.set(name, (requests.get(name) ?? 0) + 1);
    if (trouble.fails(name, args)) throw new StoreUnavailableError('no answer');
    if (name === 'pages.count') await clock.sleep(trouble.countMs);
    return call();
  });
  const lines: unknown[][] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (...line: unknown[]) => void lines.push(line) };
  const stop = new AbortController();
  const deps = { store, clock, log, stop: stop.signal, table: 'Records' };
  const reader = new GaugeReader(queues, deps);
  const put = (id: string, more: Record<string, unknown> = {}) => {
    const at = new Date(time.now).toISOString();
    const own = { id, queue: 'orders', status: 'NEW', insertedAt: at, dueAt: at, lane: 'orders', rev: 'r' };
    memory.put({ ...own, payload: {}, ...more });
  };
  const valuesOf = async (queue = 'orders') => {
    const all = await time.until(reader.read());
    return JSON.parse(JSON.stringify(all.find((one) => one.queue === queue)?.values ?? null));
  };
  const pass = (seconds: number) => time.runUntil(time.now + seconds * 1000);
  return { time, memory, deps, requests, trouble, lines, reader, put, valuesOf, pass };
}

describe('the gauges of a worker', () => {
  it('are read from the index, the control table and a few records', async () => {
    const { memory, put, valuesOf, pass } = reading();
    put('new');
    put('failed', { status: 'ERROR', failures: 1 });
    put('dead', { status: 'DEAD', lane: 'orders/dead' });
    await memory.queues.setPaused('orders', true);
    await pass(30);
    expect(await valuesOf()).toEqual({
      ...{ waiting: 2, inRetry: 1, dead: 1, oldestDueAge: 30, paused: 1, readingAge: 0 },
    });
  });

  it('count what waits in the lanes of busy keys', async () => {
    const { memory, put, valuesOf, pass } = reading();
    put('quiet');
    expect(await valuesOf()).toMatchObject({ waiting: 1 });
    // Lanes that are not in use are looked into again within the hour only.
    put('busy', { lane: 'orders#31' });
    await memory.queues.noteBusyKeys('orders', 'v:abc:1', undefined);
    await pass(30);
    expect(await valuesOf()).toMatchObject({ waiting: 2, oldestDueAge: 30 });
  });

  it('are read once for all that ask within five seconds', async () => {
    const { requests, reader, put, pass, time } = reading();
    put('r');
    await time.until(Promise.all([reader.read(), reader.read()]));
    const first = new Map(requests);
    await pass(4);
    await time.until(reader.read());
    expect(requests).toEqual(first);
    await pass(1);
    await time.until(reader.read());
    expect(requests.get('queues.read')).toBe(2);
  });

  it('cost few requests at each further scrape', async () => {
    const { requests, valuesOf, put, pass } = reading();
    const scrape = async () => {
      await pass(60);
      requests.clear();
      await valuesOf();
      return [...requests.values()].reduce((sum, one) => sum + one, 0);
    };
    await valuesOf();
    expect(await scrape()).toBe(4);
    put('r');
    expect(await scrape()).toBe(12);
    for (let i = 0; i < 20_000; i++) put(`r${i}`);
    await scrape();
    // A large queue has been counted: for some minutes only the oldest record and the state of the queue are read.
    expect(await scrape()).toBe(2);
  });

  it('come without counts while a large queue is counted, and then with their age', async () => {
    const { trouble, put, valuesOf, pass } = reading();
    put('r');
    trouble.countMs = 4_000;
    expect(await valuesOf()).toEqual({ oldestDueAge: 0, paused: 0 });
    await pass(60);
    trouble.countMs = 10_000;
    expect(await valuesOf()).toMatchObject({ waiting: 1, readingAge: 66 });
  });

  it('of a queue that cannot be read are left out, and the age of its count grows', async () => {
    const bulk = { ...ordersQueue, name: 'bulk' };
    const { trouble, valuesOf, pass, lines } = reading({ queues: [ordersQueue, bulk] });
    await valuesOf();
    trouble.fails = (name, args) => name === 'queues.read' && JSON.stringify(args).includes('orders');
    await pass(100);
    expect(await valuesOf()).toEqual({ readingAge: 100 });
    expect(await valuesOf('bulk')).toMatchObject({ waiting: 0, paused: 0 });
    expect(lines).toEqual([
      ['the gauges of a queue could not be read', expect.objectContaining({ queue: 'orders' })],
    ]);
  });

  it('are an error if no queue can be read', async () => {
    const { trouble, reader, time } = reading();
    trouble.fails = () => true;
    await expect(time.until(reader.read())).rejects.toThrow('no answer');
  });

  it('say nothing about failures while it is not known which region attempts the records', async () => {
    const { memory, deps, trouble, pass, time } = reading();
    const env = { AWS_REGION: 'eu-west-1', BACKLOG_PRIMARY_REGION: 'eu-central-1' };
    const reader = gaugesOfWorker(
      { queues: [worked('orders', 'perRecord')], env, timeoutSeconds: 300 },
      deps,
    );
    const state = { paused: false, tiers: new Map(), breakers: new Map(), failing: '[0,[]]' };
    memory.queues.read = async () => state;
    const failing = async () => (await time.until(reader.read()))[0]?.values.failing;
    // The other region attempts them.
    expect(await failing()).toBe(0);
    trouble.fails = (name) => name === 'activeRegion.read';
    await pass(10);
    expect(await failing()).toBeUndefined();
  });

  it('of a progressive queue go by its tiers', async () => {
    const { deps, put, pass, time } = reading();
    const settings = { retryMode: 'progressive' } as const;
    const queue = {
      name: 'bulk',
      weight: 1,
      settings,
      timeoutSeconds: undefined,
      handler: undefined as never,
    };
    const reader = gaugesOfWorker({ queues: [queue], env: {}, timeoutSeconds: 300 }, deps);
    put('r', { queue: 'bulk', lane: 'bulk' });
    await pass(900);
    const [bulk] = await time.until(reader.read());
    // Its first tier, which runs every 5 minutes, should have attempted it ten minutes ago.
    expect(bulk?.values).toMatchObject({ waiting: 1, oldestDueAge: 600 });
  });
});
