import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import { type BacklogHandlerOptions, backlogHandler } from '../../../functions/backlog-handler.js';
import type { SeamedHandler } from '../../../functions/seams.js';
import { SERVES } from '../../../functions/seams.js';
import type { QueuesSettings } from '../../../functions/settings.js';
import { MemoryStore, StoreUnavailableError } from '../../../src/store/index.js';
import type { OperatorStore } from '../../../src/store/operator-store.js';
import { seededRandom } from '../../../src/tools/lab/seeded-random.js';
import { VirtualTime } from '../../../src/tools/lab/virtual-time.js';
import { Health } from '../../../src/tools/work/health.js';
import { workedQueues } from '../../../src/tools/work/queues.js';
import { FirstRunError, type WorkerOptions, workOn } from '../../../src/tools/work/worker.js';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const REGISTRY_ENV = {
  BACKLOG_TABLE: 'records',
  BACKLOG_CONTROL_TABLE: 'control',
  BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
};

/** Workers on one store in memory, on virtual time. */
class World {
  readonly time = new VirtualTime(START, () => new Promise((resolve) => setImmediate(resolve)));
  readonly clock = this.time.clock();
  readonly memory = new MemoryStore({ clock: this.clock });
  readonly random = seededRandom(7);
  readonly requests = new Map<string, number>();
  readonly lines: string[] = [];
  isDown = false;
  private readonly stops: AbortController[] = [];

  get seconds(): number {
    return (this.time.now - START) / 1000;
  }

  put(id: string, queue = 'orders', more: Record<string, unknown> = {}): void {
    const at = new Date(this.time.now).toISOString();
    const own = { id, queue, payload: {}, status: 'NEW', insertedAt: at, lane: queue, dueAt: at, rev: 'r' };
    this.memory.put({ ...own, ...more });
  }

  /** Starts a worker process. */
  worker(
    handlers: BacklogHandlerOptions | readonly BacklogHandlerOptions[],
    queues: QueuesSettings,
    options: Partial<WorkerOptions> = {},
  ) {
    const made = [handlers].flat().map((each, i) => {
      const handler = backlogHandler(each) as SeamedHandler;
      return { name: `handler${i}`, handler, serves: handler[SERVES] };
    });
    const found = workedQueues({ flags: new Map(), queues, handlers: made, registry: { queues: new Map() } });
    const stop = new AbortController();
    this.stops.push(stop);
    const health = new Health(this.clock, 300_000, stop.signal);
    const env = { ...REGISTRY_ENV, BACKLOG_QUEUES: JSON.stringify(queues), ...options.env };
    const ended = workOn(
      {
        queues: found,
        everyMs: 5_000,
        timeoutSeconds: 300,
        graceSeconds: 10,
        emit: () => {},
        ...options,
        env,
      },
      {
        store: this.store(),
        clock: this.clock,
        random: this.random,
        logger: this.logger(),
        stop: stop.signal,
        health,
      },
    );
    // What ends it is looked at later.
    ended.catch(() => {});
    return { ended, health, stop: () => stop.abort() };
  }

  async pass(seconds: number): Promise<void> {
    await this.time.runUntil(this.time.now + seconds * 1000);
  }

  count(name: string): number {
    return this.requests.get(name) ?? 0;
  }

  statuses(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status } of this.memory.items()) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
    return counts;
  }

  private logger(): Logger {
    const logger = new Logger({ logLevel: 'INFO' });
    const keep = (line: string) => void this.lines.push(line);
    return Object.assign(logger, {
      console: { debug: keep, info: keep, warn: keep, error: keep, log: keep },
    });
  }

  private store(): OperatorStore {
    return new Proxy(this.memory, {
      get: (_, name: keyof MemoryStore & string) => {
        const member = this.memory[name];
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          this.requests.set(name, (this.requests.get(name) ?? 0) + 1);
          if (this.isDown) throw new StoreUnavailableError('no answer');
          return (member as (...given: unknown[]) => unknown).apply(this.memory, args);
        };
      },
    });
  }
}

const perRecord = { retryMode: 'perRecord' } as const;

describe('a worker', () => {
  it('looks at a queue every five seconds, which costs one query, and attempts what is due', async () => {
    const world = new World();
    const seen: string[] = [];
    world.worker(
      { queue: 'orders', process: ({ id }) => void seen.push(`${id} ${Math.floor(world.seconds)}`) },
      { orders: perRecord },
    );
    await world.pass(600);
    expect(world.count('queryDue')).toBeGreaterThan(105);
    expect(world.count('queryDue')).toBeLessThan(135);
    expect([...world.requests.keys()].sort()).toEqual(['queryDue', 'readRegistry']);
    expect(world.count('readRegistry')).toBe(1);
    world.put('late');
    await world.pass(6);
    expect(seen).toHaveLength(1);
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('keeps a wait to its own looks, not to a minute', async () => {
    const world = new World();
    const times: number[] = [];
    const process = () => {
      times.push(world.seconds);
      if (times.length < 4) throw new Error('not yet');
    };
    world.worker(
      { queue: 'orders', process, retry: { type: 'constant', interval: 20, jitter: 'none' } },
      { orders: perRecord },
    );
    world.put('r');
    await world.pass(120);
    expect(times).toHaveLength(4);
    for (const [i, time] of times.slice(1).entries()) {
      expect(time - (times[i] ?? 0)).toBeGreaterThan(17);
      expect(time - (times[i] ?? 0)).toBeLessThan(26);
    }
  });

  it('beside others makes no more requests than each of them alone, whether there is work or not', async () => {
    const world = new World();
    const attempts = new Map<string, number>();
    const process = async ({ id }: { id: string }) => {
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      await world.clock.sleep(1_000);
    };
    for (let i = 0; i < 5; i++)
      world.worker({ queue: 'orders', process, concurrency: 1 }, { orders: perRecord });
    await world.pass(600);
    expect(world.count('queryDue')).toBeLessThan(5 * 135);
    expect(world.count('holdLease')).toBe(0);
    world.requests.clear();
    for (let i = 0; i < 300; i++) world.put(`r${i}`);
    await world.pass(600);
    expect(world.statuses()).toEqual({ SUCCESS: 300 });
    expect([...attempts.values()].every((count) => count === 1)).toBe(true);
    // The others ask the holder to look once more: one query, one refused lease and one mark for each of their looks.
    const all = [...world.requests]
      .filter(([name]) => name !== 'settle')
      .reduce((sum, [, count]) => sum + count, 0);
    expect(all).toBeLessThan(5 * 135 * 3.5);
  });

  it('shares its attempts among queues by their weights, page by page', async () => {
    const world = new World();
    const seen: string[] = [];
    const process = async ({ queue }: { queue: string }) => {
      seen.push(queue);
      await world.clock.sleep(1_000);
    };
    for (let i = 0; i < 3_000; i++) world.put(`c${i}`, 'critical');
    for (let i = 0; i < 3_000; i++) world.put(`d${i}`, 'default');
    world.worker({ queues: 'critical,8 default,2', process }, { critical: perRecord, default: perRecord });
    await world.pass(200);
    const critical = seen.filter((queue) => queue === 'critical').length / seen.length;
    expect(critical).toBeGreaterThan(0.65);
    expect(critical).toBeLessThan(0.93);
  });

  it('keeps the schedule of a progressive queue, at the times of its tiers', async () => {
    const world = new World();
    const times: number[] = [];
    const process = () => {
      times.push(world.seconds);
      throw new Error('as always');
    };
    world.worker({ queue: 'bulk', process }, { bulk: { retryMode: 'progressive' } });
    await world.pass(10);
    world.put('b', 'bulk');
    await world.pass(1_000);
    expect(times).toEqual([300, 600, 900]);
  });

  it('looks at a paused queue less and less often, up to once a minute, and goes on when it is resumed', async () => {
    const world = new World();
    const seen: string[] = [];
    await world.memory.setPaused('orders', true);
    world.put('r');
    const { health } = world.worker(
      { queue: 'orders', process: ({ id }) => void seen.push(id) },
      { orders: perRecord },
    );
    await world.pass(600);
    expect(world.count('readPage')).toBeLessThan(16);
    expect(seen).toEqual([]);
    expect(health.report()).toMatchObject({
      status: 'ok',
      queues: { orders: { lastRun: { ended: 'paused' } } },
    });
    await world.memory.setPaused('orders', false);
    await world.pass(70);
    expect(seen).toEqual(['r']);
  });

  it('serves a hundred queues, each by the handler that names it', async () => {
    const world = new World();
    const names = Array.from({ length: 100 }, (_, i) => `q${i}`);
    const seen: string[] = [];
    const settings = Object.fromEntries([...names, 'other'].map((name) => [name, perRecord]));
    const all = { queues: names.join(' '), process: ({ id }: { id: string }) => void seen.push(`all ${id}`) };
    const one = { queue: 'other', process: ({ id }: { id: string }) => void seen.push(`one ${id}`) };
    for (const name of [...names, 'other']) world.put(name, name);
    world.worker([all, one], settings);
    await world.pass(6);
    expect(seen.sort()).toEqual([...names.map((name) => `all ${name}`), 'one other'].sort());
  });

  it('takes flags before what settings and code say', async () => {
    const world = new World();
    let most = 0;
    let underWay = 0;
    const process = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      most = Math.max(most, ++underWay);
      await world.clock.sleep(20_000, signal);
      underWay--;
      if (signal.aborted) throw signal.reason;
    };
    for (let i = 0; i < 6; i++) world.put(`r${i}`);
    world.worker(
      { queue: 'orders', process, concurrency: 5, attemptTimeout: 30 },
      { orders: perRecord },
      { concurrency: 2, attemptTimeout: 4 },
    );
    await world.pass(20);
    expect(most).toBe(2);
    expect(
      world.memory
        .items()
        .filter(({ lastError }) => (lastError as { name?: string })?.name === 'AttemptTimeout'),
    ).toHaveLength(6);
  });

  it('makes no more attempts at once than it may, with those that go on for hours', async () => {
    const world = new World();
    let underWay = 0;
    let most = 0;
    const process = async ({ id }: { id: string }) => {
      most = Math.max(most, ++underWay);
      await world.clock.sleep(id.startsWith('long') ? 7_200_000 : 1_000);
      underWay--;
    };
    world.worker({ queue: 'orders', process, concurrency: 3, attemptTimeout: '3h' }, { orders: perRecord });
    world.put('long1');
    world.put('long2');
    await world.pass(60);
    for (let i = 0; i < 20; i++) world.put(`r${i}`);
    await world.pass(60);
    expect(world.statuses()).toEqual({ NEW: 2, SUCCESS: 20 });
    world.put('long3');
    await world.pass(60);
    world.put('waits');
    await world.pass(600);
    expect(world.statuses()).toEqual({ NEW: 4, SUCCESS: 20 });
    await world.pass(7_200);
    expect(world.statuses()).toEqual({ SUCCESS: 24 });
    expect(most).toBe(3);
  });

  it('ends in order: attempts have their grace, and no other begins', async () => {
    const world = new World();
    let ended = 0;
    const process = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      await world.clock.sleep(8_000, signal);
      if (signal.aborted) throw signal.reason;
      ended++;
    };
    for (let i = 0; i < 30; i++) world.put(`r${i}`);
    const { ended: over, stop } = world.worker({ queue: 'orders', process }, { orders: perRecord });
    await world.pass(6);
    stop();
    await world.time.until(over);
    expect(ended).toBe(10);
    expect(world.statuses()).toEqual({ SUCCESS: 10, NEW: 20 });
    // Another one begins at once: the lease is free.
    world.worker({ queue: 'orders', process: () => {} }, { orders: perRecord });
    await world.pass(6);
    expect(world.statuses()).toEqual({ SUCCESS: 30 });
  });
});

describe('trouble', () => {
  it('of DynamoDB: it asks less and less often, its health is red, and green with the next run', async () => {
    const world = new World();
    const { health } = world.worker({ queue: 'orders', process: () => {} }, { orders: perRecord });
    await world.pass(20);
    expect(health.report().status).toBe('ok');
    world.isDown = true;
    world.requests.clear();
    await world.pass(20);
    expect(health.report().status).toBe('ok');
    await world.pass(40);
    expect(health.report()).toMatchObject({
      status: 'failing',
      queues: { orders: { status: 'failing', failing: { reason: expect.stringContaining('no answer') } } },
    });
    await world.pass(600);
    expect(world.count('queryDue')).toBeLessThan(20);
    world.isDown = false;
    world.put('r');
    await world.pass(70);
    expect(health.report().status).toBe('ok');
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('of a run that does not come to its end: the process is stuck, and says so', async () => {
    const world = new World();
    const { health } = world.worker(
      { queue: 'orders', process: () => {}, run: () => new Promise(() => {}) },
      { orders: perRecord },
    );
    await world.pass(300);
    expect(health.report()).toMatchObject({ status: 'ok', queues: { orders: { running: true } } });
    await world.pass(100);
    expect(health.report()).toMatchObject({ status: 'stuck' });
  });

  it('of the configuration, at the first run, ends it with the reason', async () => {
    const world = new World();
    const options = { queue: 'orders', process: () => {}, globalConcurrency: 2, attemptTimeout: '2h' };
    const { ended } = world.worker(options, { orders: perRecord });
    world.put('r');
    await world.pass(6);
    await expect(ended).rejects.toThrow(FirstRunError);
    await expect(ended).rejects.toThrow(/globalConcurrency: expected nothing/);
  });
});

describe('beside the functions of a deployment', () => {
  const owned = (owner: string) => ({ ...perRecord, owner, at: new Date(START).toISOString() });
  const register = (world: World, owner: string, more = {}) =>
    world.memory.writeRegistry(
      { rev: `by-${owner}`, queues: new Map([['orders', owned(owner)]]), ...more },
      '',
    );

  it('works for the owner of its queues, and registers nothing', async () => {
    const world = new World();
    await register(world, 'shop');
    world.put('r');
    world.worker(
      { queue: 'orders', process: () => {} },
      { orders: perRecord },
      { env: { BACKLOG_OWNER: 'shop' } },
    );
    await world.pass(10);
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
    expect(world.count('writeRegistry')).toBe(0);
    expect((await world.memory.readRegistry()).queues.get('orders')).toEqual(owned('shop'));
  });

  it('leaves a queue alone that was given to another owner', async () => {
    const world = new World();
    await register(world, 'shop');
    const { health } = world.worker(
      { queue: 'orders', process: () => {} },
      { orders: perRecord },
      { env: { BACKLOG_OWNER: 'shop' } },
    );
    await world.pass(10);
    const { rev } = await world.memory.readRegistry();
    await world.memory.writeRegistry({ rev: 'moved', queues: new Map([['orders', owned('other')]]) }, rev);
    await world.pass(60);
    world.put('r');
    await world.pass(120);
    expect(world.statuses()).toEqual({ NEW: 1 });
    expect(health.report()).toMatchObject({
      status: 'failing',
      queues: { orders: { failing: { reason: expect.stringContaining('belongs to "other"') } } },
    });
  });

  it.each([undefined, 'shop'])('attempts nothing in a passive region (owner: %s)', async (owner) => {
    const world = new World();
    await register(world, 'shop', { primaryRegion: 'eu-west-1' });
    world.put('r');
    const env = { AWS_REGION: 'eu-central-1', ...(owner && { BACKLOG_OWNER: owner }) };
    const { health } = world.worker({ queue: 'orders', process: () => {} }, { orders: perRecord }, { env });
    await world.pass(200);
    expect(world.statuses()).toEqual({ NEW: 1 });
    expect(health.report()).toMatchObject({ queues: { orders: { lastRun: { ended: 'passiveRegion' } } } });
  });
});
