import { describe, expect, it } from 'vitest';
import { START, World } from './world.js';

const perRecord = { retryMode: 'perRecord' } as const;

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
