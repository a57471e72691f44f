import { expect, it } from 'vitest';
import type { QueueOwner, Registry } from '../../../src/store/index.js';
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

/** One test: there is one registry in a store. */
export function registering(underTest: UnderTest): void {
  it('keeps the owners of all queues, and takes one of the changes that are made at the same time', async () => {
    const { store } = underTest();
    expect(await store.readRegistry()).toEqual(registry('', {}));
    expect(await store.writeRegistry(registry('r0', {}), 'another')).toBe(false);

    const first = registry('r1', { orders, bulk });
    expect(await store.writeRegistry(first, '')).toBe(true);
    expect(await store.readRegistry()).toEqual(first);
    // The answer was lost, and the client has repeated it.
    expect(await store.writeRegistry(first, '')).toBe(true);

    const second = registry('r2', { orders: { ...orders, owner: 'team' } });
    expect(await store.writeRegistry(registry('late', {}), '')).toBe(false);
    expect(await store.writeRegistry(second, 'r1')).toBe(true);
    expect(await store.writeRegistry(registry('late', {}), 'r1')).toBe(false);
    expect(await store.readRegistry()).toEqual(second);

    const names = Array.from({ length: 10 }, (_, i) => `at-once-${i}`);
    const answers = await Promise.all(
      names.map((name) => store.writeRegistry(registry(name, { [name]: orders }), 'r2')),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const { queues } = await store.readRegistry();
    expect([...queues.keys()]).toEqual([names[answers.indexOf(true)]]);
  });
}
