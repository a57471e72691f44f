import { describe, expect, it } from 'vitest';
import { backlogHandler } from '../../../functions/backlog-handler.js';
import { FirstRunError } from '../../../tools/src/work/worker.js';
import { World } from './world.js';

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
    expect(world.count('pages.query')).toBeGreaterThan(105);
    expect(world.count('pages.query')).toBeLessThan(135);
    expect([...world.requests.keys()].sort()).toEqual(['pages.query', 'queues.read', 'registry.read']);
    expect([world.count('queues.read'), world.count('registry.read')]).toEqual([1, 1]);
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
    expect(world.count('pages.query')).toBeLessThan(5 * 135);
    expect(world.count('leases.hold')).toBe(0);
    world.requests.clear();
    for (let i = 0; i < 300; i++) world.put(`r${i}`);
    await world.pass(600);
    expect(world.statuses()).toEqual({ SUCCESS: 300 });
    expect([...attempts.values()].every((count) => count === 1)).toBe(true);
    // The others ask the holder to look once more: one query, one refused lease and one mark for each of their looks.
    const all = [...world.requests]
      .filter(([name]) => name !== 'records.settle')
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
    await world.memory.queues.setPaused('orders', true);
    world.put('r');
    const { health } = world.worker(
      { queue: 'orders', process: ({ id }) => void seen.push(id) },
      { orders: perRecord },
    );
    await world.pass(600);
    expect(world.count('pages.read')).toBeLessThan(16);
    expect(seen).toEqual([]);
    expect(health.report()).toMatchObject({
      status: 'ok',
      queues: { orders: { lastRun: { ended: 'paused' } } },
    });
    await world.memory.queues.setPaused('orders', false);
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
    expect(world.count('pages.query')).toBeLessThan(20);
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

  it('goes on where a later run finds a wrong setting: the next one may find it right', async () => {
    const world = new World();
    const seen: string[] = [];
    const inner = backlogHandler({ queue: 'orders', process: ({ id }) => void seen.push(id) });
    let runs = 0;
    const handler = async (event: never, context: never) => {
      if (++runs === 3)
        throw Object.assign(new Error('a secret is not there'), { name: 'ConfigurationError' });
      return inner(event, context);
    };
    const { health } = world.work(handler, { orders: perRecord });
    await world.pass(60);
    world.put('r');
    await world.pass(10);
    expect(runs).toBeGreaterThan(5);
    expect(seen).toEqual(['r']);
    expect(health.report().status).toBe('ok');
  });
});
