import { afterEach, describe, expect, it, vi } from 'vitest';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { StoreAccessError } from '../../src/store/index.js';
import { type Methods, replacing } from '../simulation/replacing.js';
import { context, environment, workbench } from './support.js';

const queues: QueuesSettings = {
  orders: { retryMode: 'perRecord' },
  bulk: { retryMode: 'progressive' },
};
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

type Sample = readonly [gauge: unknown, value: number, attributes: Record<string, string>];
type Callback = (result: { observe: (...sample: Sample) => void }) => Promise<void>;

/** A provider as an SDK registers it; its export is what the callback says then. */
function registered(forceFlush?: () => Promise<void>) {
  const exports: Sample[][] = [];
  const callbacks: Callback[] = [];
  const collect = async () => {
    const samples: Sample[] = [];
    for (const callback of callbacks) await callback({ observe: (...sample) => void samples.push(sample) });
    exports.push(samples);
  };
  const meter = {
    createObservableGauge: (name: string) => name,
    addBatchObservableCallback: (callback: Callback) => void callbacks.push(callback),
  };
  const provider = { getMeter: () => meter, forceFlush: forceFlush ?? collect };
  Object.assign(globalThis, { [REGISTERED]: { metrics: provider } });
  return { exports, collect };
}

function monitored(
  store?: (own: ReturnType<typeof workbench>['store']) => Methods,
  variables: Record<string, string> = {},
) {
  const bench = workbench(queues);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { clock, logger } = bench.overrides;
  const changed = store ? replacing(store(bench.store), bench.store) : bench.store;
  const deps = { store: changed, clock, logger, env: { ...environment(queues), ...variables } };
  const handler = monitorHandler({ ...deps, trouble: async () => undefined });
  return { ...bench, read: () => handler({ monitor: true }, context) };
}

const ago = (now: number, seconds: number) => new Date(now - seconds * 1000).toISOString();

describe('the gauges of the monitor', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    Reflect.deleteProperty(globalThis, REGISTERED);
  });

  it('are exported at the end of each invocation, once', async () => {
    const { exports, collect } = registered();
    const { insert, clock, read } = monitored();
    await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
    await read();
    const orders = { table: 'records-table', queue: 'orders' };
    expect(exports).toHaveLength(1);
    expect(exports[0]?.filter(([, , { queue }]) => queue === 'orders')).toEqual([
      ['backlog.records.waiting', 1, orders],
      ['backlog.records.in_retry', 0, orders],
      ['backlog.records.dead', 0, orders],
      ['backlog.oldest_due.age', 700, orders],
      ['backlog.queue.paused', 0, orders],
      ['backlog.reading.age', 0, orders],
    ]);
    // The process is frozen: what an SDK exports when it goes on would have the time of then.
    await collect();
    expect(exports[1]).toEqual([]);
    await read();
    expect(exports[2]).toHaveLength(exports[0]?.length ?? 0);
  });

  it('of the worst keys are exported by the keys as they are', async () => {
    const { exports, collect } = registered();
    const { insert, read } = monitored(undefined, { BACKLOG_KEY_METRICS: '["orders"]' });
    for (let i = 0; i < 6; i++)
      await insert({ id: `r${i}`, queue: 'orders', key: 'Acme Ltd', status: i < 2 ? 'ERROR' : 'NEW' });
    const key = { table: 'records-table', queue: 'orders', key: 'Acme Ltd' };
    await read();
    await read();
    for (const samples of exports.slice(0, 2))
      expect(samples.filter(([, , attributes]) => 'key' in attributes)).toEqual([
        ['backlog.key.records.waiting', 6, key],
        ['backlog.key.records.in_retry', 2, key],
      ]);
    await collect();
    expect(exports[2]).toEqual([]);
  });

  it('of a queue that cannot be read say only how old its count is', async () => {
    const { exports } = registered();
    let isRefused = false;
    const { read, clock } = monitored(({ queues: own }) => ({
      queues: {
        read: async (name: string) => {
          if (isRefused && name === 'orders') throw new StoreAccessError('no access');
          return own.read(name);
        },
      },
    }));
    await read();
    isRefused = true;
    clock.advance(300);
    await expect(read()).rejects.toThrow('no access');
    const ofOrders = exports[1]?.filter(([, , { queue }]) => queue === 'orders');
    expect(ofOrders?.map(([name, value]) => [name, value])).toEqual([['backlog.reading.age', 300]]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no collector')), 'no collector'],
    ['does not end', () => new Promise<void>(() => {}), 'no answer within 5 s'],
  ])('cost the monitor nothing but a line of its log if the export %s', async (_, forceFlush, reason) => {
    registered(forceFlush);
    const { read, clock, log } = monitored();
    clock.sleep = (_, signal) =>
      new Promise((resolve) => {
        setImmediate(resolve);
        signal?.addEventListener('abort', () => resolve());
      });
    expect(await read()).toHaveLength(2);
    expect(log()).toMatchObject([
      {
        level: 'WARN',
        message: 'the gauges could not be exported by OpenTelemetry',
        error: { message: reason },
      },
    ]);
  });

  it('are nothing where no SDK has registered a provider', async () => {
    const { read, log } = monitored();
    expect(await read()).toHaveLength(2);
    expect(log()).toEqual([]);
  });
});
