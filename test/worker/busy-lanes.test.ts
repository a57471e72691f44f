import { describe, expect, it } from 'vitest';
import { endLostRun } from '../../src/leases/lost-run.js';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { lanesOf } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { Process } from '../../src/worker/index.js';
import { PageTurns } from '../../src/worker/page-turns.js';
import { FAIR, FairQueue } from './fair-queue.js';
import { type RunChoices, START, succeed, YOUNG } from './harness.js';

/** A process of one second that notes when each record has ended, in seconds, and how many were under attempt at once. */
function watched(harness: FairQueue, seconds = 1) {
  const ends = new Map<string, number>();
  const order: string[] = [];
  const count = { now: 0, most: 0 };
  const process: Process = async ({ id }) => {
    order.push(id);
    count.most = Math.max(count.most, ++count.now);
    await harness.sleep(seconds);
    count.now--;
    ends.set(id, harness.seconds());
  };
  const lastOf = (key: string) => Math.max(...[...ends].flatMap(([id, end]) => (id[0] === key ? end : [])));
  return { process, ends, order, count, lastOf };
}

describe('a run of the rule, in a queue that is fair between keys', () => {
  it('drains the lanes of busy keys beside its own, which comes first', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.putMany(60, 'a', 'q#31');
    harness.putMany(60, 'b', 'q#30');
    harness.putOthers(18);
    const { process, count, lastOf } = watched(harness);
    const summary = await harness.run(process, { ...FAIR, concurrency: 10 });
    expect(summary).toMatchObject({ succeeded: 138, ended: 'drained' });
    expect(count.most).toBe(10);
    // Nine of ten attempts at once are the queue's own, as long as it has records.
    expect(lastOf('q')).toBeLessThanOrEqual(3);
    expect(harness.seconds()).toBeLessThanOrEqual(16);
  });

  it('takes no lease, and writes nothing, where nothing is due in the lanes of busy keys', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.put('later', { key: 'a', lane: 'q#31', dueAt: new Date(START + 600_000).toISOString() });
    const calls: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      calls.push(name);
      return call();
    });
    expect(await harness.run(succeed, { ...FAIR, store })).toMatchObject({ attempted: 0, ended: 'drained' });
    expect(calls).toEqual(['queues.read', 'pages.query', 'pages.query', 'pages.query']);
  });

  it.each([1, 2, 3])('has busy keys take turns, with %i attempts at once', async (concurrency) => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b', 'c']);
    for (const [i, key] of ['a', 'b', 'c'].entries()) harness.putMany(30, key, `q#${31 - i}`);
    // Whole seconds: a lane that has just waited would be as long in line as one that has waited for a minute.
    const { process, order } = watched(harness, 2);
    await harness.run(process, { ...FAIR, concurrency });
    for (const key of 'abc') {
      const early = order.slice(0, 30).filter((id) => id.startsWith(key));
      expect(early.length).toBeGreaterThanOrEqual(8);
    }
  });

  it.each([1, 2])('starves no kind of lane, with %i attempts at once', async (concurrency) => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(20, 'a', 'q#31');
    harness.putOthers(20);
    const { process, order, count } = watched(harness);
    expect(await harness.run(process, { ...FAIR, concurrency })).toMatchObject({ succeeded: 40 });
    const early = order.slice(0, 20).map((id) => id[0]);
    expect(early.filter((key) => key === 'a').length).toBeGreaterThanOrEqual(8);
    expect(early.filter((key) => key === 'q').length).toBeGreaterThanOrEqual(8);
    expect(count.most).toBe(concurrency);
  });

  it('starves no busy key where other runs leave it one attempt at once, and several lanes are its own', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(20, 'a', 'q#31');
    for (const shard of [1, 3]) harness.putMany(30, String(shard), `q#${shard}`);
    const until = harness.clock.wall() + 900_000;
    const taken = { run: 'other', wanted: 7, most: 8, onArrival: false, now: harness.clock.wall(), until };
    await harness.store.slots.take('q', taken);
    const { process, order, count } = watched(harness);
    const four = { shards: 4, lanes: lanesOf('q', 0, 4), concurrency: 8, globalConcurrency: 8 };
    expect(await harness.run(process, { ...FAIR, ...four })).toMatchObject({ succeeded: 80 });
    expect(count.most).toBe(1);
    expect(order.slice(0, 40).filter((id) => id.startsWith('a')).length).toBeGreaterThanOrEqual(15);
  });

  it('lends what an empty lane leaves to those that have records', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b', 'c']);
    harness.putMany(1, 'a', 'q#31');
    harness.putMany(40, 'b', 'q#30');
    const { process } = watched(harness);
    await harness.run(process, { ...FAIR, concurrency: 4 });
    expect(harness.seconds()).toBeLessThanOrEqual(13);
  });

  it('has other keys first also in the hour in which it looks into all lanes that its queue has had', async () => {
    const harness = new FairQueue();
    const keys = [...'abcdefghijkl'];
    await harness.noteKeys(keys);
    for (const [i, key] of keys.entries()) harness.putMany(30, key, `q#${31 - i}`);
    harness.putOthers(45);
    harness.putMany(1, 'old', 'q#3');
    const { process, lastOf } = watched(harness);
    const summary = await harness.run(process, { ...FAIR, lanes: lanesOf('q') });
    expect(summary).toMatchObject({ ended: 'drained', succeeded: 12 * 30 + 46 });
    expect(lastOf('q')).toBeLessThanOrEqual(10);
  });

  it('gives every other turn of its queue to its own lanes, where queues take turns by their weights', async () => {
    const harness = new FairQueue();
    const keys = [...'abcdefghijkl'];
    await harness.noteKeys(keys);
    for (const [i, key] of keys.entries()) harness.putMany(10, key, `q#${31 - i}`);
    harness.putOthers(40);
    const { process, lastOf, order } = watched(harness);
    const turns = new PageTurns(new Map([['q', 1]]), () => 0.5).of('q');
    await harness.run(process, { ...FAIR, turns });
    // Pages of twenty records at most, and one page of a busy key between them.
    expect(lastOf('q')).toBeLessThanOrEqual(14);
    expect(order.slice(0, 30).some((id) => !id.startsWith('q'))).toBe(true);
  });

  it('goes on with the others where the attempts of a busy key hang', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['h', 'a']);
    harness.putMany(20, 'h', 'q#31');
    harness.putMany(5, 'a', 'q#30');
    harness.putOthers(5);
    const process: Process = ({ id }) => (id.startsWith('h') ? new Promise(() => {}) : harness.sleep(1));
    await harness.run(process, { ...FAIR, concurrency: 4, attemptTimeout: 10 });
    const done = harness.store.items().filter(({ status }) => status === 'SUCCESS');
    expect(done.map(({ id }) => String(id)[0]).sort()).toEqual([...'aaaaa', ...'qqqqq']);
  });

  it('is the first of those that share the shards: the others drain no lanes of keys', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(3, 'a', 'q#31');
    harness.putOthers(3, 'q#1');
    const second = { ...FAIR, shards: 2, lanes: ['q#1'], part: 1 };
    expect(await harness.run(succeed, second)).toMatchObject({ succeeded: 3 });
    const first = { ...FAIR, shards: 2, lanes: ['q'], part: 0 };
    expect(await harness.run(succeed, first)).toMatchObject({ succeeded: 3 });
  });

  it.each<[string, RunChoices]>([
    ['the queue is paused', {}],
    ['no slots are free', { globalConcurrency: 8 }],
    ['its limit is reached', { maxRecords: 2 }],
  ])('leaves them to the next one where %s, and gives the lease back', async (why, choices) => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(6, 'a', 'q#31');
    const until = harness.clock.wall() + 30_000;
    const slots = { run: 'other', wanted: 8, most: 8, onArrival: false, now: harness.clock.wall(), until };
    if (why.startsWith('no')) await harness.store.slots.take('q', slots);
    if (why.endsWith('paused')) await harness.store.queues.setPaused('q', true);
    await harness.run(succeed, { ...FAIR, ...choices });
    if (why.endsWith('paused')) await harness.store.queues.setPaused('q', false);
    await harness.pass(40);
    await harness.run(succeed, FAIR);
    expect(harness.statuses()).toEqual({ SUCCESS: 6 });
  });

  it('drains its own lanes where the store does not say which keys are busy', async () => {
    const harness = new FairQueue();
    harness.putOthers(5);
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'queues.read') throw new StoreUnavailableError('no answer');
      return call();
    });
    expect(await harness.run(succeed, { ...FAIR, store })).toMatchObject({
      ended: 'storeError',
      succeeded: 5,
    });
  });

  it('loses nothing where the store does not answer for one of them', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.putMany(12, 'a', 'q#31');
    harness.putMany(200, 'b', 'q#30');
    let asked = 0;
    const store = intercepted(harness.store, (name, call, [lane]) => {
      if (name !== 'leases.hold' || lane !== 'q#31') return call();
      asked++;
      throw new StoreUnavailableError('no answer');
    });
    const { process } = watched(harness);
    const run = { ...FAIR, store };
    expect(await harness.run(process, run)).toMatchObject({ ended: 'storeError', succeeded: 200 });
    // It does not look again and again at what the store does not answer for.
    expect(asked).toBe(1);
    expect(await harness.run(succeed, FAIR)).toMatchObject({ ended: 'drained', succeeded: 12 });
  });

  it('attempts records of a busy key in a progressive queue all the same', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(3, 'a', 'q#31');
    expect(await harness.run(succeed, { ...FAIR, band: YOUNG, retryMode: 'progressive' })).toMatchObject({
      succeeded: 3,
    });
  });
});

describe('lanes of keys that are at their limit', () => {
  /** Another run has the only slot of each of these keys. */
  async function taken(harness: FairQueue, ...keys: string[]): Promise<void> {
    const now = harness.clock.wall();
    const wanted = new Map(keys.map((key) => [hashOfKey(key), 1]));
    await harness.store.keySlots.take('q', { run: 'other', wanted, most: 1, now, until: now + 900_000 });
  }

  it('are looked at again each ten seconds while another one is drained, and not more often', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.putMany(3, 'a', 'q#31');
    harness.putMany(60, 'b', 'q#30');
    let looks = 0;
    const store = intercepted(harness.store, (name, call, [lane]) => {
      if (name === 'leases.hold' && lane === 'q#31') looks++;
      return call();
    });
    const { process } = watched(harness, 2);
    await taken(harness, 'a');
    await harness.run(process, { ...FAIR, concurrencyPerKey: 1, store });
    expect(harness.statuses()).toEqual({ SUCCESS: 60, NEW: 3 });
    // 120 s, of which each look takes ten.
    expect(looks).toBeGreaterThanOrEqual(4);
    expect(looks).toBeLessThanOrEqual(7);
  });

  it('do not keep each other in turns until the deadline', async () => {
    const harness = new FairQueue();
    const keys = [...'abcdef'];
    await taken(harness, ...keys);
    await harness.noteKeys(['a']);
    harness.putMany(2, 'a', 'q#31');
    const run = harness.start(succeed, { ...FAIR, concurrencyPerKey: 1 });
    for (const [i, key] of keys.entries()) {
      if (i === 0) continue;
      await harness.pass(4);
      await harness.noteKeys([key]);
      harness.putMany(2, key, `q#${31 - i}`);
    }
    await harness.time.until(run);
    expect(harness.seconds()).toBeLessThanOrEqual(90);
  });
});

describe('several runs, of which one drains the lanes of busy keys', () => {
  it('ask it to look once more, and it does', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(1, 'a', 'q#31');
    const { process, ends, count } = watched(harness, 3);
    const first = harness.start(process, { ...FAIR, concurrency: 1 });
    await harness.pass(1);
    await harness.noteKeys(['b']);
    harness.putMany(1, 'b', 'q#30');
    harness.putOthers(1);
    const second = harness.start(process, FAIR);
    expect(await harness.time.until(second)).toMatchObject({ ended: 'leaseHeld', succeeded: 1 });
    expect(await harness.time.until(first)).toMatchObject({ ended: 'drained', succeeded: 2 });
    expect(ends.get('b0')).toBeLessThanOrEqual(7);
    expect(count.most).toBe(2);
  });

  it.each([
    ['new', ['a']],
    ['empty', ['a', 'b']],
  ])('find that it drains a lane that was %s beside a deep one, within seconds', async (_, keys) => {
    const harness = new FairQueue();
    await harness.noteKeys(keys);
    harness.putMany(600, 'a', 'q#31');
    const { process, ends } = watched(harness);
    const first = harness.start(process, FAIR);
    await harness.pass(10);
    await harness.noteKeys(['b']);
    harness.putMany(1, 'b', 'q#30');
    await harness.time.until(harness.start(process, FAIR));
    await harness.time.until(first);
    expect(ends.get('b0')).toBeLessThan(30);
  });

  it('find that a run which was started for times kept to the second looks at everything', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.put('exact', { lane: 'q#31', key: 'a', dueAt: new Date(START + 1).toISOString() });
    harness.put('minute', { lane: 'q#31', key: 'a', dueAt: new Date(START - 60_000).toISOString() });
    await harness.pass(1);
    const { process, order } = watched(harness, 4);
    const first = harness.start(process, { ...FAIR, exactSince: START - 1000 });
    await harness.pass(1);
    expect(order).toEqual(['exact']);
    expect(await harness.run(process, FAIR)).toMatchObject({ ended: 'leaseHeld' });
    await harness.time.until(first);
    expect(order).toEqual(['exact', 'minute']);
  });

  it('find that such a run looks at everything in the other lanes while it drains a deep one', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    const exact = new Date(START + 1).toISOString();
    for (let i = 0; i < 300; i++) harness.put(`a${i}`, { lane: 'q#31', key: 'a', dueAt: exact });
    harness.put('minute', { lane: 'q#30', key: 'b', dueAt: new Date(START - 60_000).toISOString() });
    await harness.pass(1);
    const { process, ends } = watched(harness);
    await harness.run(process, { ...FAIR, exactSince: START - 1000 });
    expect(ends.get('minute')).toBeLessThan(15);
  });

  it('have the lanes a minute after that run was lost, and at once if its death is reported', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(2, 'a', 'q#31');
    const never: Process = () => new Promise(() => {});
    const lost = intercepted(harness.store, (_, call) =>
      harness.time.now > START + 1000 ? new Promise(() => {}) : call(),
    );
    void harness.start(never, { ...FAIR, store: lost, invocation: 'lost' });
    await harness.pass(20);
    expect(await harness.run(succeed, FAIR)).toMatchObject({ attempted: 0, ended: 'leaseHeld' });
    const queues = [
      { queue: 'q', retryMode: 'perRecord', fairness: true, tiers: [], onArrival: false },
    ] as const;
    const ended = await endLostRun('lost', queues, harness);
    expect(ended).toMatchObject({ leases: 2 });
    await harness.run(succeed, FAIR);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
  });

  it('have the lanes once its lease has run out', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(2, 'a', 'q#31');
    const hold = { holder: 'lost', until: START + 70_000, ids: [], rev: 'x' };
    await harness.store.leases.hold('q/keys', hold);
    await harness.pass(74);
    expect(await harness.run(succeed, FAIR)).toMatchObject({ attempted: 0 });
    await harness.pass(2);
    expect(await harness.run(succeed, FAIR)).toMatchObject({ succeeded: 2 });
  });
});
