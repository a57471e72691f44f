import { expect, it } from 'vitest';
import type { UnderTest } from '../conformance.js';
import { NOW } from '../records.js';

const RETRY = { way: 'retry', since: NOW } as const;
const PROGRESSIVE = { way: 'progressive', since: NOW + 1 } as const;

export function keepingQueues(underTest: UnderTest): void {
  it('knows nothing of a new queue', async () => {
    const empty = { paused: false, way: undefined, tiers: new Map(), breakers: new Map() };
    expect(await underTest().store.readQueue('queue-new')).toEqual(empty);
  });

  it('notes the way only if it is as it was read', async () => {
    const { store } = underTest();
    expect(await store.setWay('queue-1', RETRY, undefined)).toBe(true);
    expect(await store.setWay('queue-1', PROGRESSIVE, undefined)).toBe(false);
    expect(await store.setWay('queue-1', PROGRESSIVE, { ...RETRY, since: NOW - 1 })).toBe(false);
    expect((await store.readQueue('queue-1')).way).toEqual(RETRY);
    expect(await store.setWay('queue-1', PROGRESSIVE, RETRY)).toBe(true);
    expect((await store.readPage([], 'queue-1')).queue.way).toEqual(PROGRESSIVE);
  });

  it('takes a note of the way that is repeated because its answer was lost', async () => {
    const { store } = underTest();
    await store.setWay('queue-2', RETRY, undefined);
    await store.setWay('queue-2', PROGRESSIVE, RETRY);
    expect(await store.setWay('queue-2', PROGRESSIVE, RETRY)).toBe(true);
  });

  it('notes the runs of tiers, each by itself', async () => {
    const { store } = underTest();
    await store.setWay('queue-3', PROGRESSIVE, undefined);
    await store.recordTierRun('queue-3', 2, { at: NOW, complete: true });
    await store.recordTierRun('queue-3', 3, { at: NOW + 1, complete: false });
    await store.recordTierRun('queue-3', 2, { at: NOW + 2, complete: false });
    expect(await store.readQueue('queue-3')).toEqual({
      paused: false,
      way: PROGRESSIVE,
      tiers: new Map([
        [2, { at: NOW + 2, complete: false }],
        [3, { at: NOW + 1, complete: false }],
      ]),
      breakers: new Map(),
    });
  });

  it('loses no tier when the first runs of several end at once', async () => {
    const { store } = underTest();
    const tiers = [1, 2, 3, 4, 5, 6];
    await Promise.all(
      tiers.map((tier) => store.recordTierRun('queue-4', tier, { at: tier, complete: true })),
    );
    expect([...(await store.readQueue('queue-4')).tiers.keys()].sort()).toEqual(tiers);
  });
}
