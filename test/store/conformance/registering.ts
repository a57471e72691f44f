import { expect, it } from 'vitest';
import type { ActiveRegion, QueueOwner, Registry } from '../../../src/store/index.js';
import type { UnderTest } from './under-test.js';

const AT = '2026-11-20T12:00:00.000Z';
const orders: QueueOwner = {
  owner: 'shop',
  function: 'arn:aws:lambda:eu-central-1:1:function:orders',
  retryMode: 'perRecord',
  shards: 8,
  retry: { type: 'list', waits: [1, 60.5] },
  onArrival: true,
  timeout: 300,
  at: AT,
};
const bulk: QueueOwner = { owner: 'team', retryMode: 'progressive', at: AT, removedAt: AT };
const registry = (rev: string, queues: Record<string, QueueOwner>): Registry => ({
  rev,
  queues: new Map(Object.entries(queues)),
});

/** There is one registry in a store, and one active region: one test each. */
export function registering(underTest: UnderTest): void {
  it('keeps the owners of all queues, and takes one of the changes that are made at the same time', async () => {
    const { store } = underTest();
    expect(await store.registry.read()).toEqual(registry('', {}));
    expect(await store.registry.write(registry('r0', {}), 'another')).toBe(false);

    const first = registry('r1', { orders, bulk });
    expect(await store.registry.write(first, '')).toBe(true);
    expect(await store.registry.read()).toEqual(first);
    // The answer was lost, and the client has repeated it.
    expect(await store.registry.write(first, '')).toBe(true);

    const second = registry('r2', { orders: { ...orders, owner: 'team' } });
    expect(await store.registry.write(registry('late', {}), '')).toBe(false);
    expect(await store.registry.write(second, 'r1')).toBe(true);
    expect(await store.registry.write(registry('late', {}), 'r1')).toBe(false);
    expect(await store.registry.read()).toEqual(second);

    const names = Array.from({ length: 10 }, (_, i) => `at-once-${i}`);
    const answers = await Promise.all(
      names.map((name) => store.registry.write(registry(name, { [name]: orders }), 'r2')),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const { queues } = await store.registry.read();
    expect([...queues.keys()]).toEqual([names[answers.indexOf(true)]]);

    const { rev } = await store.registry.read();
    const withRegion: Registry = { ...registry('p1', { orders }), primaryRegion: 'eu-central-1' };
    expect(await store.registry.write(withRegion, rev)).toBe(true);
    expect(await store.registry.read()).toEqual(withRegion);
    for (const how of ['strong', 'eventual'] as const)
      expect((await store.control.read(how)).registry).toEqual(withRegion);
    expect(await store.registry.write(registry('p2', { bulk }), 'p1')).toBe(true);
    expect(await store.registry.read()).toEqual(registry('p2', { bulk }));
  });

  it('keeps which region is active, and takes one of the changes that are made at the same time', async () => {
    const { store } = underTest();
    const to = (region: string, at: number): ActiveRegion => ({
      region,
      from: at + 60_000,
      at,
      before: 'eu-central-1',
    });
    expect(await store.activeRegion.read()).toBeUndefined();
    const first = to('eu-west-1', 1_800_000_000_000);
    expect(await store.activeRegion.write(first, undefined)).toBe(true);
    expect(await store.activeRegion.read()).toEqual(first);
    // The answer was lost, and the client has repeated it.
    expect(await store.activeRegion.write(first, to('eu-west-3', 1))).toBe(true);
    const second = to('eu-west-2', 1_800_000_000_001);
    expect(await store.activeRegion.write(second, { ...first, at: first.at - 1 })).toBe(false);
    const answers = await Promise.all([
      store.activeRegion.write(second, first),
      store.activeRegion.write(to('eu-west-3', 1_800_000_000_002), first),
    ]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect([second.region, 'eu-west-3']).toContain((await store.activeRegion.read())?.region);
    // Whatever is there.
    expect(await store.activeRegion.write(first, undefined)).toBe(true);
    expect(await store.activeRegion.read()).toEqual(first);
  });

  it('names the leases and claims that may have a run at work, with their ends', async () => {
    const { store } = underTest();
    const queue = 'at-work';
    const now = Date.now();
    const until = now + 30_000;
    const hold = { holder: 'one', until, rev: 'r', ids: ['a'] };
    expect(await store.leases.hold(queue, hold)).toMatchObject({ held: true });
    const claim = { batch: 'b', holder: 'two', until: until + 1, ids: ['x', 'y'], now, isSpread: false };
    expect(await store.claims.take(queue, claim)).toBe('claimed');
    const own = async () =>
      (await store.control.readRuns()).filter(({ name }) => name === queue).map((run) => run.until);
    expect((await own()).sort()).toEqual([until, until + 1]);
    await store.claims.release(queue, claim);
    await store.leases.release(queue, 'one', { until });
    expect(await own()).toEqual([]);
  });
}
