import { describe, expect, it, vi } from 'vitest';
import { runMetrics } from '../../../functions/metrics.js';
import { SERVES, type SeamedHandler } from '../../../functions/seams.js';
import type { QueuesSettings } from '../../../functions/settings.js';
import { MemoryStore, StoreAccessError } from '../../../src/store/index.js';
import { VirtualTime } from '../../../src/support/virtual-time.js';
import type { RunSummary } from '../../../src/worker/index.js';
import { applyFlags } from '../../../tools/src/work/environment.js';
import type { FoundHandler } from '../../../tools/src/work/handlers.js';
import { Health, serveHealth } from '../../../tools/src/work/health.js';
import { type Job, jobsOf } from '../../../tools/src/work/jobs.js';
import { COUNTERS, openTelemetryMetrics } from '../../../tools/src/work/otel.js';
import {
  ownerOf,
  type QueuesInput,
  registeredOtherwise,
  workedQueues,
} from '../../../tools/src/work/queues.js';
import { repeat } from '../../../tools/src/work/repeat.js';
import { sweepDaily } from '../../../tools/src/work/sweep.js';

const perRecord = { retryMode: 'perRecord' } as const;
const AT = '2026-03-01T00:00:00.000Z';
const START = Date.parse(AT);

function found(name: string, ...queues: string[]): FoundHandler {
  const serves = queues.length === 0 ? undefined : new Map(queues.map((queue) => [queue, 1]));
  return { name, handler: Object.assign(() => {}, { [SERVES]: serves }) as unknown as SeamedHandler, serves };
}
const owned = (owner: string, more = {}) => ({ ...perRecord, owner, at: AT, ...more });
const resolve = (input: Partial<QueuesInput>) =>
  workedQueues({
    flags: new Map(),
    queues: undefined,
    handlers: [found('handler')],
    registry: { queues: new Map() },
    ...input,
  });

describe('the queues of a worker', () => {
  const queues: QueuesSettings = {
    orders: { retryMode: 'perRecord', shards: 4 },
    bulk: { retryMode: 'progressive' },
  };

  it('are those of BACKLOG_QUEUES that a handler serves', () => {
    expect(resolve({ queues }).map(({ name }) => name)).toEqual(['orders', 'bulk']);
    const own = resolve({ queues, handlers: [found('a', 'bulk')] });
    expect(own).toMatchObject([{ name: 'bulk', weight: 1, settings: { retryMode: 'progressive' } }]);
  });

  it('are those of the flags, with their weights', () => {
    const flags = new Map([['orders', 8]]);
    expect(resolve({ queues, flags })).toMatchObject([
      { name: 'orders', weight: 8, settings: { shards: 4 } },
    ]);
    expect(() => resolve({ queues, flags: new Map([['ordres', 1]]) })).toThrow(
      '--queue: expected a queue of BACKLOG_QUEUES ("orders", "bulk"), got "ordres"',
    );
  });

  it('retry as the functions of a deployment have registered it', () => {
    const entry = owned('shop', { retryMode: 'progressive', shards: 2, timeout: 600 });
    const registry = {
      queues: new Map([
        ['bulk', entry],
        ['gone', owned('shop', { removedAt: AT })],
      ]),
    };
    expect(resolve({ registry })).toMatchObject([
      { name: 'bulk', settings: { retryMode: 'progressive', shards: 2 }, timeoutSeconds: 600 },
    ]);
    expect(resolve({ registry, flags: new Map([['gone', 1]]) })).toMatchObject([{ settings: perRecord }]);
  });

  it('have the order of their keys that is registered, and no other value', () => {
    const registered = (order: unknown) => new Map([['orders', owned('shop', { order })]]);
    expect(resolve({ registry: { queues: registered('key') } })).toMatchObject([
      { settings: { ...perRecord, order: 'key' } },
    ]);
    const [other] = resolve({ registry: { queues: registered('priority') } });
    expect(other?.settings).toEqual(perRecord);
    const registry = { queues: registered('key') };
    const orders = (settings: QueuesSettings[string]) =>
      registeredOtherwise(resolve({ registry, queues: { orders: settings } }), registry);
    expect(orders({ ...perRecord, order: 'key' })).toEqual([]);
    expect(orders(perRecord)).toMatchObject([{ here: perRecord, registered: { order: 'key' } }]);
  });

  it('have the fairness that is registered', () => {
    const registry = { queues: new Map([['orders', owned('shop', { fairness: true, shards: 2 })]]) };
    const [registered] = resolve({ registry });
    expect(registered?.settings).toEqual({ ...perRecord, fairness: true, shards: 2 });
    const orders = (settings: QueuesSettings[string]) =>
      registeredOtherwise(resolve({ registry, queues: { orders: settings } }), registry);
    expect(orders({ ...perRecord, fairness: true, shards: 2 })).toEqual([]);
    expect(orders({ ...perRecord, shards: 2 })).toMatchObject([{ registered: { fairness: true } }]);
  });

  it.each([
    [{}, 600],
    // A process has registered it, maybe of an older deployment: this one's own variable counts.
    [{ external: true }, undefined],
  ])('with the settings %j take their timeout from the registry: %s', (more, timeoutSeconds) => {
    const registry = { queues: new Map([['orders', owned('shop', { timeout: 600 })]]) };
    const settings = { orders: { ...perRecord, ...more } };
    expect(resolve({ registry, queues: settings })).toMatchObject([{ timeoutSeconds }]);
  });

  it('that functions have registered with other settings are known', () => {
    const registry = { queues: new Map([['orders', owned('shop', { retry: { type: 'none' } })]]) };
    const other = (settings: QueuesSettings[string]) =>
      registeredOtherwise(resolve({ registry, queues: { orders: settings } }), registry);
    expect(other({ ...perRecord, retry: { type: 'fibonacci' }, shards: 4 })).toEqual([
      {
        queue: 'orders',
        here: { ...perRecord, retry: { type: 'fibonacci' }, shards: 4 },
        registered: { ...perRecord, retry: { type: 'none' }, shards: 1 },
      },
    ]);
    expect(other({ ...perRecord, retry: { type: 'none' }, concurrency: 3 })).toEqual([]);
    expect(other({ ...perRecord, external: true })).toEqual([]);
  });

  it('are named, or that is an error', () => {
    expect(() => resolve({ queues, handlers: [found('a', 'imports')] })).toThrow(
      'BACKLOG_QUEUES: expected a queue that a handler of the module serves ("imports"), got "orders", "bulk"',
    );
    expect(() => resolve({})).toThrow('no queues: name them, such as --queue orders, or set BACKLOG_QUEUES');
    expect(resolve({ handlers: [found('a', 'orders')] })).toMatchObject([
      { name: 'orders', settings: perRecord },
    ]);
  });

  it('have one handler each', () => {
    const named = found('named', 'orders');
    const any = found('any');
    const both = resolve({ queues, handlers: [named, any] });
    expect(both.map(({ name, handler }) => [name, handler.name])).toEqual([
      ['orders', 'named'],
      ['bulk', 'any'],
    ]);
    expect(() => resolve({ queues, handlers: [any, found('other')] })).toThrow(
      'expected one handler for the queue "orders", got 2 (any, other)',
    );
    expect(() => resolve({ handlers: [named], flags: new Map([['bulk', 1]]) })).toThrow(
      '--queue: no handler of the module serves "bulk" (named serves orders)',
    );
  });

  it('have one owner', () => {
    const registry = {
      queues: new Map([
        ['a', owned('blue')],
        ['b', owned('green')],
        ['c', owned('red', { removedAt: AT })],
      ]),
    };
    expect(ownerOf(['a', 'c', 'new'], registry)).toBe('blue');
    expect(ownerOf(['new'], registry)).toBeUndefined();
    expect(() => ownerOf(['a', 'b'], registry)).toThrow(
      'got a of blue, b of green: start a worker for each owner',
    );
  });
});

describe('the jobs of a queue', () => {
  const queueOf = (settings: QueuesSettings[string], timeoutSeconds?: number) => ({
    ...{ name: 'q', weight: 1, settings, timeoutSeconds, handler: found('h') },
  });

  it('have the events of its rules', () => {
    expect(jobsOf(queueOf(perRecord), 5_000, 300)).toEqual([
      { name: 'q', queue: 'q', event: { queue: 'q' }, everyMs: 5_000, isTier: false },
    ]);
    const parts = jobsOf(queueOf({ ...perRecord, shards: 17 }), 5_000, 300);
    expect(parts.map(({ event }) => event.part)).toEqual([0, 1, 2].map((number) => ({ number, of: 3 })));
    const tiers = jobsOf(queueOf({ retryMode: 'progressive' }, 900), 5_000, 300);
    expect(tiers).toHaveLength(6);
    expect(tiers[1]).toMatchObject({
      name: 'q#2',
      everyMs: 3_600_000,
      isTier: true,
      event: { tier: { fromAge: 86_400 + 900 } },
    });
    expect(tiers[1]?.event.catchUp).toHaveLength(4);
  });
});

describe('the environment', () => {
  it('has the flags before its variables', () => {
    const env: Record<string, string | undefined> = {
      BACKLOG_TABLE: 'old',
      BACKLOG_CONTROL_TABLE: 'control',
      AWS_DEFAULT_REGION: 'eu-west-1',
    };
    expect(applyFlags({ table: 'new' }, env)).toEqual({ records: 'new', control: 'control' });
    expect(env).toMatchObject({
      BACKLOG_TABLE: 'new',
      AWS_REGION: 'eu-west-1',
      BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
    });
  });

  it('gives an emulator credentials only where there are none', () => {
    const env: Record<string, string | undefined> = { AWS_ACCESS_KEY_ID: 'own' };
    applyFlags({ table: 't', controlTable: 'c', endpoint: 'http://127.0.0.1:8000' }, env);
    expect(env).toMatchObject({ AWS_ACCESS_KEY_ID: 'own', AWS_REGION: 'us-east-1' });
  });

  it('lacks a table: the error names the flag and the variable', () => {
    expect(() => applyFlags({ table: 't' }, {})).toThrow(
      '--control-table: expected the name of the table of the leases and queues, or the variable BACKLOG_CONTROL_TABLE',
    );
  });
});

describe('the health endpoint', () => {
  it('answers for the queues and for the process', async () => {
    let now = START;
    const { signal } = new AbortController();
    const health = new Health({ wall: () => now }, 60_000, signal);
    const job = { name: 'orders' } as Job;
    const server = await serveHealth(health, { host: '127.0.0.1', port: 0 });
    const ask = async (path: string) => {
      const answer = await fetch(server.url + path);
      return [answer.status, await answer.text()] as const;
    };
    try {
      expect(await ask('/health')).toEqual([503, expect.stringContaining('"status":"starting"')]);
      expect((await ask('/live'))[0]).toBe(200);
      health.watch(job);
      expect(await ask('/health')).toEqual([200, expect.stringContaining('"status":"ok"')]);
      health.fails(job, 'no answer');
      now += 31_000;
      expect(await ask('/health?verbose')).toEqual([503, expect.stringContaining('"reason":"no answer"')]);
      expect((await ask('/live'))[0]).toBe(200);
      health.begins(job);
      health.ends(job, { ended: 'drained' });
      expect((await ask('/health'))[0]).toBe(200);
      health.begins(job);
      now += 121_000;
      expect((await ask('/live'))[0]).toBe(503);
      expect((await ask('/health'))[0]).toBe(503);
      expect((await ask('//'))[0]).toBe(404);
    } finally {
      await server.stop();
    }
  });
});

describe('metrics by OpenTelemetry', () => {
  const counts = {
    succeeded: 2,
    failed: 1,
    dead: 0,
    snoozed: 0,
    cancelled: 0,
    skipped: 0,
    unsettled: 0,
    leftOver: 0,
  };
  const summary: RunSummary = {
    queue: 'orders',
    lane: 'orders',
    attempted: 3,
    ...counts,
    lagSeconds: 1.5,
    ended: 'drained',
    durationMs: 1,
  };

  it('count attempts by queue, and record how late a run found its first record', () => {
    const recorded: unknown[] = [];
    const instrument = (name: string, { unit }: { unit?: string }) => {
      const note = (value: number, attributes: object) => recorded.push([name, unit, value, attributes]);
      return { add: note, record: note };
    };
    const meter = { createCounter: instrument, createHistogram: instrument };
    const emit = openTelemetryMetrics({ metrics: { getMeter: () => meter } }, '1');
    emit(summary, 'T');
    emit({ ...summary, attempted: 0, succeeded: 0, failed: 0, lagSeconds: 0 }, 'T');
    const of = { table: 'T', queue: 'orders' };
    expect(recorded).toEqual([
      ['backlog.attempts.made', '{attempt}', 3, of],
      ['backlog.attempts.succeeded', '{attempt}', 2, of],
      ['backlog.attempts.failed', '{attempt}', 1, of],
      ['backlog.run.lag', 's', 1.5, of],
    ]);
  });

  it('leave out no count of a run', () => {
    const named = Object.keys(runMetrics({ ...summary, unknownTask: 1, pending: 1, probes: 1 }).counts);
    expect(Object.keys(COUNTERS)).toEqual(expect.arrayContaining(named));
  });
});

describe('--sweep', () => {
  function sweeping() {
    const time = new VirtualTime(START);
    const store = new MemoryStore({ clock: time.clock() });
    const stop = new AbortController();
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const log = { debug: note, info: note, warn: note, error: note };
    const timeoutSeconds = undefined;
    const queue = { name: 'orders', weight: 1, settings: perRecord, timeoutSeconds, handler: found('h') };
    const put = (id: string) => store.put({ id, status: 'NEW', queue: 'orders', payload: {} });
    const health = new Health(time.clock(), 60_000, stop.signal);
    health.watch({ name: 'orders' } as Job);
    const deps = { store, clock: time.clock(), random: Math.random, log, stop: stop.signal, health };
    const start = () => sweepDaily([queue], deps);
    return { time, store, stop, lines, put, health, start };
  }

  it('indexes what no intake has, once a day', async () => {
    const { time, store, stop, lines, put, health, start } = sweeping();
    put('a');
    const over = start();
    await time.runUntil(START + 10_000);
    expect(store.items()[0]).toMatchObject({ id: 'a', lane: 'orders', dueAt: AT });
    put('b');
    await time.runUntil(START + 23 * 3_600_000);
    expect(store.items().find(({ id }) => id === 'b')).not.toHaveProperty('lane');
    await time.runUntil(START + 26 * 3_600_000);
    expect(store.items().find(({ id }) => id === 'b')).toMatchObject({ lane: 'orders' });
    expect(lines).toEqual(['sweep', 'sweep']);
    expect(health.report()).toMatchObject({
      status: 'ok',
      sweep: { status: 'ok', lastRun: { ended: 'rested' } },
    });
    stop.abort();
    await time.until(over);
  });

  it('makes the health red while it may not read the table, and green again', async () => {
    const { time, store, stop, lines, put, health, start } = sweeping();
    put('a');
    const scan = vi.spyOn(store.sweep, 'scan');
    scan.mockRejectedValue(new StoreAccessError('Scan (table T): not allowed'));
    const over = start();
    await time.runUntil(START + 10_000);
    expect(health.report().status).toBe('ok');
    await time.runUntil(START + 130_000);
    expect(health.report()).toMatchObject({
      status: 'failing',
      sweep: { status: 'failing', failing: { since: AT, reason: 'Scan (table T): not allowed' } },
    });
    expect(lines).toEqual(['sweep failed', 'sweep failed', 'sweep failed']);
    scan.mockRestore();
    await time.runUntil(START + 200_000);
    expect(health.report()).toMatchObject({ status: 'ok', sweep: { lastRun: { ended: 'finished' } } });
    expect(store.items()[0]).toMatchObject({ id: 'a', lane: 'orders' });
    stop.abort();
    await time.until(over);
  });

  it('makes the health red while what it finds cannot be indexed', async () => {
    const { time, store, stop, put, health, start } = sweeping();
    put('a');
    const settle = vi
      .spyOn(store.records, 'settle')
      .mockRejectedValue(new StoreAccessError('UpdateItem: not allowed'));
    const over = start();
    await time.runUntil(START + 130_000);
    expect(health.report()).toMatchObject({
      status: 'failing',
      sweep: { failing: { reason: 'UpdateItem: not allowed' } },
    });
    settle.mockRestore();
    await time.runUntil(START + 300_000);
    expect(health.report().status).toBe('ok');
    expect(store.items()[0]).toMatchObject({ id: 'a', lane: 'orders' });
    stop.abort();
    await time.until(over);
  });
});

describe('the runs of a tier', () => {
  it('that fail are repeated less and less often, not one at once after the other', async () => {
    const time = new VirtualTime(START);
    const stop = new AbortController();
    let runs = 0;
    const run = async () => {
      if (++runs > 50) stop.abort();
      throw new Error('as always');
    };
    const job: Job = {
      name: 'bulk#1',
      queue: 'bulk',
      event: { queue: 'bulk' },
      everyMs: 300_000,
      isTier: true,
    };
    const over = repeat(job, {
      clock: time.clock(),
      random: Math.random,
      stop: stop.signal,
      mayRun: () => true,
      run,
    });
    await time.runUntil(START + 600_000);
    expect(runs).toBeGreaterThan(4);
    expect(runs).toBeLessThan(15);
    stop.abort();
    await time.until(over);
  });
});
