import { describe, expect, it } from 'vitest';
import { indexWhenFree } from '../../src/intake/index.js';
import { StoreError, StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** The ids in alphabetical order: those of several queues are indexed side by side. */
const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort();

function bench() {
  const harness = new Harness();
  for (const [id, queue] of [
    ['a', 'q'],
    ['b', 'q'],
    ['c', 'other'],
  ]) {
    harness.store.put({ id, status: 'NEW', queue, payload: 1 });
  }
  const deps = {
    store: harness.store,
    clock: harness.clock,
    random: () => 0.5,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  };
  const attempt = (batch: string, ids: string[], seconds: number) =>
    harness.start(() => harness.sleep(seconds), { arrivals: { batch, ids } });
  return { harness, deps, attempt };
}

describe('records that may be under attempt', () => {
  it('are indexed at once if no run attempts them', async () => {
    const { harness, deps } = bench();
    const answer = await indexWhenFree(['a', 'c', 'gone'], deps);
    expect(idsOf(answer.indexed)).toEqual(['a', 'c']);
    expect(answer).toMatchObject({ skipped: 1, waiting: [] });
    expect(harness.item('a')).toMatchObject({ lane: 'q', dueAt: iso(0) });
    expect(harness.item('c')).toMatchObject({ lane: 'other' });
  });

  it('wait for the run that has claimed them, and for no other', async () => {
    const { harness, deps, attempt } = bench();
    const first = attempt('first', ['a'], 10);
    await harness.pass(1);
    const answer = await indexWhenFree(['a', 'b', 'c'], deps);
    expect(idsOf(answer.indexed)).toEqual(['b', 'c']);
    expect(answer).toMatchObject({ waiting: ['a'] });
    expect(harness.item('a')).not.toHaveProperty('lane');

    await harness.time.until(first);
    expect(await indexWhenFree(['a'], deps)).toMatchObject({ indexed: [], skipped: 1, waiting: [] });
    expect(harness.item('a')).toMatchObject({ status: 'SUCCESS' });
  });

  it('are not claimed if all of them are indexed, or done', async () => {
    const { harness, deps } = bench();
    await indexWhenFree(['a', 'b'], deps);
    const take = () => Promise.reject(new Error('a claim for nothing'));
    const store = replacing({ claims: { take } }, harness.store);
    const answer = await indexWhenFree(['a', 'b'], { ...deps, store });
    expect(answer).toEqual({ indexed: [], skipped: 2, quarantined: 0, refused: 0, waiting: [] });
  });

  it('are left to the rule of the lane that they are in when their producer gives them another queue', async () => {
    const { harness, deps } = bench();
    harness.put('a');
    const attempt = harness.start(() => harness.sleep(10));
    await harness.pass(1);
    harness.put('a', { queue: 'other' });
    const serves = (queue: string) => queue === 'q' || queue === 'other';
    const answer = await indexWhenFree(['a'], { ...deps, serves });
    expect(answer).toMatchObject({ indexed: [], skipped: 1 });
    expect(await harness.time.until(attempt)).toMatchObject({ succeeded: 0, unsettled: 1 });

    await harness.run(() => {});
    expect(harness.item('a')).toMatchObject({ lane: 'other', status: 'NEW' });
    for (const lane of ['gone', 'q#-1', 'q/dead']) {
      harness.put('a', { queue: 'other', lane });
      expect(await indexWhenFree(['a'], { ...deps, serves })).toMatchObject({ indexed: [{ id: 'a' }] });
      expect(harness.item('a')).toMatchObject({ lane: 'other' });
    }
  });

  it('wait for the run of a queue that they were in before', async () => {
    const { harness, deps, attempt } = bench();
    const run = attempt('first', ['a'], 10);
    await harness.pass(1);
    harness.store.put({ ...harness.item('a'), queue: 'other' });
    const previousQueues = ['q', 'other'];
    expect(await indexWhenFree(['a'], deps, { previousQueues })).toMatchObject({ waiting: ['a'] });
    await harness.time.until(run);
    expect(await indexWhenFree(['a'], deps, { previousQueues })).toMatchObject({ waiting: [] });
  });

  it('are not attempted while they are being indexed', async () => {
    const { harness, deps, attempt } = bench();
    let run: ReturnType<typeof attempt> | undefined;
    // A run begins between the look at the claims and the write.
    const settle: BacklogStore['records']['settle'] = async (...args) => {
      await harness.sleep(30);
      run ??= attempt('late', ['a'], 10);
      await harness.sleep(1);
      return harness.store.records.settle(...args);
    };
    const slow = replacing({ records: { settle } }, harness.store);
    const placing = indexWhenFree(['a'], { ...deps, store: slow });
    expect(await harness.time.until(placing)).toMatchObject({ indexed: [{ id: 'a' }] });
    expect(await harness.time.until(run ?? Promise.reject())).toMatchObject({
      attempted: 0,
      ended: 'claimedElsewhere',
    });
    expect(await harness.store.claims.find(['q'], ['a'], harness.clock.wall())).toMatchObject({
      ids: [],
    });
  });

  it.each([
    ['a queue', 1],
    ['a queue with shards', 4],
  ])('of %s wait for a run that claims them after the look at the claims', async (_, shards) => {
    const { harness, deps } = bench();
    let run: Promise<unknown> | undefined;
    const claimedArrivals: BacklogStore['claims']['find'] = async (...args) => {
      const answer = await harness.store.claims.find(...args);
      run = harness.start(() => harness.sleep(10), { arrivals: { batch: 'quick', ids: ['a'] }, shards });
      await harness.sleep(1);
      return answer;
    };
    const store = replacing({ claims: { find: claimedArrivals } }, harness.store);
    const answer = await harness.time.until(indexWhenFree(['a'], { ...deps, store, shardsOf: () => shards }));
    expect(answer).toMatchObject({ indexed: [], waiting: ['a'] });
    expect(harness.item('a')).not.toHaveProperty('lane');
    await harness.time.until(run ?? Promise.reject());
    expect(harness.item('a')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });

  it('do not wait for a claim whose answer was lost', async () => {
    const { harness, deps, attempt } = bench();
    const claimArrivals: BacklogStore['claims']['take'] = async (...args) => {
      await harness.store.claims.take(...args);
      throw new StoreUnavailableError('the answer was lost');
    };
    const store = replacing({ claims: { take: claimArrivals } }, harness.store);
    expect(await indexWhenFree(['a'], { ...deps, store })).toMatchObject({ trouble: { ids: ['a'] } });
    expect(await harness.time.until(attempt('next', ['a'], 1))).toMatchObject({ succeeded: 1 });
  });

  it('of a run that was lost wait until its claim has run out, and clocks may differ', async () => {
    const { harness, deps } = bench();
    // Claims of a run last for a page, and this one will never renew it.
    await harness.store.claims.take('q', {
      batch: 'lost',
      holder: 'h',
      until: harness.clock.wall() + 70_000,
      ids: ['a'],
      now: harness.clock.wall(),
    });
    await harness.pass(74);
    expect(await indexWhenFree(['a'], deps)).toMatchObject({ indexed: [], waiting: ['a'] });
    await harness.pass(2);
    expect(await indexWhenFree(['a'], deps)).toMatchObject({ indexed: [{ id: 'a' }], waiting: [] });
  });

  it('of a straggler wait as long as the function may last', async () => {
    const { harness, deps, attempt } = bench();
    void attempt('slow', ['a'], 1_000_000);
    await harness.pass(290);
    expect(await indexWhenFree(['a'], deps)).toMatchObject({ waiting: ['a'] });
    await harness.pass(10);
    // Given up at the deadline: a failure, with its place.
    expect(await indexWhenFree(['a'], deps)).toMatchObject({ indexed: [], skipped: 1, waiting: [] });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', lane: 'q' });
  });

  it('of a queue whose records are never attempted on arrival cost no claim', async () => {
    const { harness, deps } = bench();
    const claims: unknown[] = [];
    const take: BacklogStore['claims']['take'] = (...args) => {
      claims.push(args);
      return harness.store.claims.take(...args);
    };
    const store = replacing({ claims: { take } }, harness.store);
    const onArrival = new Map([['q', 'Fast']]);
    expect(await indexWhenFree(['c'], { ...deps, store }, { onArrival })).toMatchObject({
      indexed: [{ id: 'c' }],
    });
    expect(claims).toEqual([]);

    // Nor does one that is named beside a queue in which something was claimed.
    await harness.store.claims.take('q', { batch: 'q', holder: 'h', until: 0, ids: ['x'], now: 0 });
    harness.store.put({ id: 'e', status: 'NEW', queue: 'third', payload: 1 });
    const where = { onArrival, previousQueues: ['q'] };
    expect(await indexWhenFree(['e'], { ...deps, store }, where)).toMatchObject({ indexed: [{ id: 'e' }] });
    expect(claims).toEqual([]);

    // In a queue with an earlier claim, a run on arrival may still be about to begin.
    const previous = { batch: 'b', holder: 'h', until: 0, ids: ['x'], now: 0 };
    await harness.store.claims.take('other', previous);
    harness.store.put({ id: 'd', status: 'NEW', queue: 'other', payload: 1 });
    await indexWhenFree(['d'], { ...deps, store }, { onArrival });
    expect(claims).toMatchObject([['other', { ids: ['d'] }]]);
  });
});

describe('what the store does not answer to', () => {
  const noAnswer = new StoreUnavailableError('no answer');

  it('is named with all that comes behind it, which was not looked at', async () => {
    const { harness, deps } = bench();
    const ids = Array.from({ length: 60 }, (_, i) => `r${i}`);
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: 1 });
    const settle = async (...given: Parameters<BacklogStore['records']['settle']>) => {
      if (given[0].id === 'r30') throw noAnswer;
      return harness.store.records.settle(...given);
    };
    const store = replacing({ records: { settle } }, harness.store);
    const { indexed, trouble } = await indexWhenFree(ids, { ...deps, store });
    expect(indexed).toHaveLength(49);
    expect(trouble).toEqual({ error: noAnswer, ids: ['r30', ...ids.slice(50)] });
  });

  it('is asked for again where a record was to be quarantined, and not given up', async () => {
    const { harness, deps } = bench();
    const settle = async (...[record, change]: Parameters<BacklogStore['records']['settle']>) => {
      if (change.set.status === 'DEAD') throw noAnswer;
      throw new StoreError(`${record.id} is refused`);
    };
    const store = replacing({ records: { settle } }, harness.store);
    expect(await indexWhenFree(['a'], { ...deps, store })).toMatchObject({
      refused: 0,
      trouble: { error: noAnswer, ids: ['a'] },
    });
  });

  it('keeps no record of another queue from being indexed, where it is a claim', async () => {
    const { harness, deps } = bench();
    const take = async (...given: Parameters<BacklogStore['claims']['take']>) => {
      if (given[0] === 'q') throw noAnswer;
      return harness.store.claims.take(...given);
    };
    const store = replacing({ claims: { take } }, harness.store);
    const { indexed, trouble } = await indexWhenFree(['a', 'b', 'c'], { ...deps, store });
    expect(idsOf(indexed)).toEqual(['c']);
    expect(trouble).toEqual({ error: noAnswer, ids: ['a', 'b'] });
  });

  it('is all of them, where the records cannot be read', async () => {
    const { harness, deps } = bench();
    const store = replacing({ records: { getMany: () => Promise.reject(noAnswer) } }, harness.store);
    expect(await indexWhenFree(['a', 'c'], { ...deps, store })).toMatchObject({
      indexed: [],
      trouble: { error: noAnswer, ids: ['a', 'c'] },
    });
  });
});

it('a claim that has just run out by this clock may last by that of its run', async () => {
  const { harness, deps } = bench();
  const now = harness.clock.wall();
  const claim = { batch: 'b', holder: 'h', ids: ['a'], now: now - 60_000, until: now - 1_000 };
  await harness.store.claims.take('q', claim);
  expect(await indexWhenFree(['a'], deps)).toMatchObject({ indexed: [], waiting: ['a'] });
});
