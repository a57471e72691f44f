import { describe, expect, it } from 'vitest';
import { WORKER_LOST } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { KeyMemory } from '../../src/worker/guards/busy-keys.js';
import type { Admission } from '../../src/worker/guards/guard.js';
import type { Process } from '../../src/worker/index.js';
import { FAIR, FairQueue } from './fair-queue.js';
import { fail, succeed } from './harness.js';

/** A process whose attempts take 28 s where the id begins with `slow`, and a fifth of a second otherwise. Notes when each began. */
function unequal(harness: FairQueue) {
  const begun = new Map<string, number>();
  const process: Process = async ({ id }) => {
    begun.set(id, harness.seconds());
    await harness.sleep(id.startsWith('slow') ? 28 : 0.2);
  };
  return { process, begun };
}

/** The memory of a process in which each attempt makes its key busy. */
const eager = (): KeyMemory =>
  new Map([['q', { failures: { add: () => false }, times: { add: () => true } }]]);

describe('attempts that take long, in a queue that is fair between keys', () => {
  it('delay no record that comes meanwhile: the run looks each second', async () => {
    const harness = new FairQueue();
    harness.putMany(1, 'slow', 'q');
    const { process, begun } = unequal(harness);
    let queries = 0;
    const store = intercepted(harness.store, (name, call) => {
      queries += name === 'pages.query' ? 1 : 0;
      return call();
    });
    const run = harness.start(process, { ...FAIR, store });
    await harness.pass(4.5);
    harness.putMany(1, 'quiet', 'q');
    await harness.time.until(run);
    expect(begun.get('quiet0')).toBeLessThanOrEqual(5.5);
    expect(queries).toBeLessThanOrEqual(30);
    expect(await harness.noted()).toEqual([]);
  });

  it('delay others of the lane of a busy key for five seconds at most', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['slow']);
    harness.putMany(1, 'slow', 'q#31');
    const { process, begun } = unequal(harness);
    const run = harness.start(process, FAIR);
    await harness.pass(2);
    harness.put('other', { key: 'slow', lane: 'q#31' });
    await harness.time.until(run);
    expect(begun.get('other')).toBeLessThanOrEqual(6);
  });

  it('count once each, whether they are left before or after they have ended', async () => {
    const harness = new FairQueue();
    harness.put('a', { key: 'slow', lane: 'q' });
    const added: number[] = [];
    const times = { add: (_: string, change: 1 | -1) => added.push(change) < 0 };
    const memory: KeyMemory = new Map([['q', { failures: { add: () => false }, times }]]);
    const [record] = await harness.store.records.getMany(['a']);
    const admission = harness.keys({ memory }).enter(record as NonNullable<typeof record>);
    const { abandon, ended, leave } = admission as Admission;
    ended?.();
    leave?.({ type: 'success' });
    await abandon?.();
    expect(added).toEqual([1, -1]);
  });

  it('give their key a lane while they are under way: the next ones go there', async () => {
    const harness = new FairQueue();
    harness.putMany(3, 'slow', 'q');
    const { process, begun } = unequal(harness);
    const run = harness.start(process, { ...FAIR, concurrency: 4 });
    await harness.pass(4.5);
    harness.put('slow-next', { key: 'slow' });
    harness.put('slow-last', { key: 'slow' });
    harness.putMany(5, 'quiet', 'q');
    await harness.pass(1.5);
    expect(await harness.lanesOfKeys('slow', 'quiet')).toEqual(['q#31', undefined]);
    expect(begun.has('slow-next')).toBe(false);
    await harness.pass(1.5);
    expect([harness.item('slow-next').lane, harness.item('slow-last').lane]).toEqual(['q#31', 'q#31']);
    expect(begun.get('quiet4')).toBeLessThanOrEqual(7);
    await harness.time.until(run);
    expect(harness.statuses()).toEqual({ SUCCESS: 10 });
  });

  it('leave the rest of a page to the lane of its key, which the same run drains', async () => {
    const harness = new FairQueue();
    harness.putMany(45, 'a', 'q');
    const process: Process = () => harness.sleep(1);
    expect(await harness.run(process, FAIR)).toMatchObject({ succeeded: 45, ended: 'drained' });
    expect(await harness.lanesOfKeys('a')).toEqual(['q#31']);
    expect(harness.seconds()).toBeLessThanOrEqual(10);
  });

  it('give no lane to a key with one of them at a time', async () => {
    const harness = new FairQueue();
    const memory: KeyMemory = new Map();
    const { process } = unequal(harness);
    for (let i = 0; i < 5; i++) {
      harness.put(`slow${i}`, { key: 'slow' });
      await harness.run(process, { ...FAIR, keys: memory });
    }
    expect(await harness.noted()).toEqual([]);
  });

  it('give one to a key of first attempts, which its retries go to', async () => {
    const harness = new FairQueue();
    const ids = harness.bare(3, 'slow');
    const process: Process = async () => {
      await harness.sleep(28);
      throw new Error('no answer');
    };
    const memory: KeyMemory = new Map();
    await harness.run(process, { ...FAIR, arrivals: { batch: 'b', ids }, keys: memory });
    expect(await harness.lanesOfKeys('slow')).toEqual(['q#31']);
    await harness.run(fail, {
      ...FAIR,
      arrivals: { batch: 'c', ids: harness.bare(4, 'slow') },
      keys: memory,
    });
    expect(harness.item('slow3').lane).toBe('q#31');
  });

  it('do not keep a record from its attempt that is to be attempted alone', async () => {
    const harness = new FairQueue();
    harness.put('suspect', { key: 'a', lastError: { name: WORKER_LOST, message: 'lost' } });
    await harness.run(succeed, { ...FAIR, keys: eager() });
    expect(harness.item('suspect').status).toBe('SUCCESS');
    expect(await harness.lanesOfKeys('a')).toEqual(['q#31']);
  });

  it('keep no record from its attempt where their key cannot be noted', async () => {
    const harness = new FairQueue();
    harness.putMany(2, 'a', 'q');
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'queues.noteBusyKeys') throw new StoreUnavailableError('no answer');
      return call();
    });
    await harness.run(succeed, { ...FAIR, store, keys: eager() });
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
  });
});

it('a run of a queue that is not fair between keys looks again when its last attempt has ended', async () => {
  const harness = new FairQueue();
  harness.putMany(1, 'slow', 'q');
  const { process, begun } = unequal(harness);
  let queries = 0;
  const store = intercepted(harness.store, (name, call) => {
    queries += name === 'pages.query' ? 1 : 0;
    return call();
  });
  await harness.run(process, { store });
  expect([...begun.keys()]).toEqual(['slow0']);
  expect(queries).toBe(1);
});
