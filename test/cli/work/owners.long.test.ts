import { describe, expect, it } from 'vitest';
import type { QueuesSettings } from '../../../functions/settings.js';
import { START, World } from './world.js';

const perRecord = { retryMode: 'perRecord' } as const;

describe('beside the functions of a deployment', () => {
  const owned = (owner: string) => ({ ...perRecord, owner, at: new Date(START).toISOString() });
  const register = (world: World, owner: string, more = {}) =>
    world.memory.registry.write(
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
    expect(world.count('registry.write')).toBe(0);
    expect((await world.memory.registry.read()).queues.get('orders')).toEqual(owned('shop'));
  });

  describe('with a queue that has no function', () => {
    const external = { ...perRecord, external: true };
    const queues = { imports: external, orders: perRecord };
    const start = (world: World, env = {}, settings: QueuesSettings = queues) =>
      world.worker({ process: () => {} }, settings, { env: { BACKLOG_OWNER: 'shop', ...env } });
    const registered = async (world: World) => [...(await world.memory.registry.read()).queues];
    const imports = () => ({
      ...{ ...perRecord, owner: 'shop', function: 'external', timeout: 300, at: expect.any(String) },
    });

    it('registers that queue once, for two workers, and none that has a function', async () => {
      const world = new World();
      start(world);
      start(world);
      await world.pass(60);
      expect(await registered(world)).toEqual([['imports', imports()]]);
      // Of two at the same moment, one write is refused.
      const written = world.count('registry.write');
      expect(written).toBeGreaterThan(0);
      for (const id of ['a', 'b', 'c']) world.put(id, 'imports');
      await world.pass(900);
      expect(world.statuses()).toEqual({ SUCCESS: 3 });
      expect(world.count('registry.write')).toBe(written);
    });

    it('confirms it every day on which there is work', async () => {
      const world = new World();
      const env = { BACKLOG_OWNER: 'shop' };
      world.worker({ process: () => {} }, queues, { env, everyMs: 3_000_000 });
      await world.pass(90_000);
      world.put('r', 'imports');
      await world.pass(6_000);
      const [[, { at = '' } = {}] = []] = await registered(world);
      expect(Date.parse(at)).toBeGreaterThan(START + 86_400_000);
    });

    it('leaves what a function has registered as it is', async () => {
      const world = new World();
      await register(world, 'shop');
      start(world);
      await world.pass(60);
      expect(await registered(world)).toEqual([
        ['orders', owned('shop')],
        ['imports', imports()],
      ]);
    });

    it('gives up no queue of another process of its owner', async () => {
      const world = new World();
      start(world, {}, { imports: external });
      start(world, {}, { exports: external });
      await world.pass(1_000);
      expect((await registered(world)).map(([name, { removedAt }]) => [name, removedAt]).sort()).toEqual([
        ['exports', undefined],
        ['imports', undefined],
      ]);
    });

    it('takes no queue as a standby, and attempts it once it is transferred', async () => {
      const world = new World();
      start(world, { BACKLOG_STANDBY: 'true' });
      world.put('r', 'imports');
      await world.pass(120);
      expect(await registered(world)).toEqual([]);
      expect(world.statuses()).toEqual({ NEW: 1 });
      const entry = { ...perRecord, owner: 'shop', at: new Date(world.time.now).toISOString() };
      await world.memory.registry.write({ rev: 'transferred', queues: new Map([['imports', entry]]) }, '');
      await world.pass(180);
      expect(await registered(world)).toEqual([['imports', imports()]]);
      expect(world.statuses()).toEqual({ SUCCESS: 1 });
    });

    it('leaves it to another owner, and goes on with the other queues', async () => {
      const world = new World();
      const entry = { ...owned('other'), function: 'external' };
      await world.memory.registry.write({ rev: 'r', queues: new Map([['imports', entry]]) }, '');
      world.put('r', 'imports');
      world.put('s', 'exports');
      const { health } = start(world, {}, { imports: external, exports: external });
      await world.pass(300);
      expect((await world.memory.registry.read()).queues.get('imports')).toEqual(entry);
      expect(world.statuses()).toEqual({ NEW: 1, SUCCESS: 1 });
      const reason = expect.stringContaining(
        'belongs to "other" (function external), and this process to "shop"',
      );
      expect(health.report()).toMatchObject({ queues: { imports: { failing: { reason } } } });
    });
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
    const { rev } = await world.memory.registry.read();
    await world.memory.registry.write({ rev: 'moved', queues: new Map([['orders', owned('other')]]) }, rev);
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
