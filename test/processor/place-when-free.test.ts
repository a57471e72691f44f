import { describe, expect, test } from 'vitest';
import { placeWhenFree } from '../../src/processor/index.js';
import { Harness, START } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

function bench() {
  const harness = new Harness();
  for (const [id, queue] of [
    ['a', 'q'],
    ['b', 'q'],
    ['c', 'other'],
  ]) {
    harness.store.put({ id, status: 'NEW', queue, payload: 1 });
  }
  const parts = {
    store: harness.store,
    clock: harness.clock,
    random: () => 0.5,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  };
  const attempt = (batch: string, ids: string[], seconds: number) =>
    harness.start(() => harness.sleep(seconds), { arrivals: { batch, ids } });
  return { harness, parts, attempt };
}

describe('records that may be under attempt', () => {
  test('get their place at once if no run attempts any of their queue', async () => {
    const { harness, parts } = bench();
    const answer = await placeWhenFree({ ids: ['a', 'c', 'gone'] }, parts);
    expect(answer).toMatchObject({ placed: [{ id: 'a' }, { id: 'c' }], skipped: 1, waiting: undefined });
    expect(harness.item('a')).toMatchObject({ lane: 'q', dueAt: iso(0) });
    expect(harness.item('c')).toMatchObject({ lane: 'other' });
  });

  test('wait for the runs that are under way, and not for later ones nor those of other queues', async () => {
    const { harness, parts, attempt } = bench();
    const first = attempt('first', ['a'], 10);
    await harness.pass(1);
    const answer = await placeWhenFree({ ids: ['a', 'b', 'c'] }, parts);
    expect(answer).toMatchObject({ placed: [{ id: 'c' }], waiting: { ids: ['a', 'b'], after: ['first'] } });
    expect(harness.item('b')).not.toHaveProperty('lane');

    harness.store.put({ id: 'd', status: 'NEW', queue: 'q', payload: 1 });
    void attempt('second', ['d'], 100);
    await harness.time.until(first);
    expect(await placeWhenFree({ ids: ['a', 'b'], after: ['first'] }, parts)).toMatchObject({
      placed: [{ id: 'b' }],
      skipped: 1,
      waiting: undefined,
    });
    expect(harness.item('a')).toMatchObject({ status: 'SUCCESS' });
  });

  test('of a run that was lost wait until its claim has run out, which is as long as its attempts may take', async () => {
    const { harness, parts, attempt } = bench();
    void attempt('lost', ['a'], 1_000_000);
    await harness.pass(39);
    const after = ['lost'];
    expect(await placeWhenFree({ ids: ['a'], after }, parts)).toMatchObject({
      placed: [],
      waiting: { after },
    });
    await harness.pass(2);
    // The run has waited meanwhile for its attempt, which ignores its signal, and renewed the claim.
    expect(await harness.store.claimedArrivals('q', harness.clock.wall())).toEqual(['lost']);
    await harness.pass(300);
    expect(await harness.store.claimedArrivals('q', harness.clock.wall())).toEqual([]);
  });
});
