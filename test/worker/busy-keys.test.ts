import { describe, expect, it } from 'vitest';
import { lanesOf, RetryAfter } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { KeyMemory } from '../../src/worker/guards/busy-keys.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { FAIR, FairQueue, HOUR, MINUTE } from './fair-queue.js';
import { fail, START, succeed } from './harness.js';

/** A run on arrival that finds no room, as another one holds the only claim. */
const FULL = { ...FAIR, onInsertConcurrency: 1 };

async function withoutRoom(harness: FairQueue): Promise<void> {
  const [other = ''] = harness.bare(1, 'other');
  const arrivals = { batch: 'other', ids: [other] };
  void harness.start(() => harness.sleep(200), { ...FULL, arrivals, attemptTimeout: 250 });
  await harness.pass(1);
}

describe('records on arrival for which there is no room', () => {
  it('go to a lane of their key, if that is busy, and to the queue’s lane otherwise; one run drains both', async () => {
    const harness = new FairQueue();
    await withoutRoom(harness);
    const quiet = harness.bare(2, 'quiet');
    const busy = harness.bare(20, 'busy');
    const arrivals = { batch: 'b', ids: [...quiet, ...busy], light: 2 };
    const order: string[] = [];
    const run = harness.start(
      async ({ id }) => {
        order.push(id);
        await harness.sleep(1);
      },
      { ...FULL, arrivals, concurrency: 4 },
    );
    await harness.pass(0.5);
    expect(harness.lanesInUse()).toEqual({ undefined: 1, q: 2, 'q#31': 20 });
    expect(await harness.lanesOfKeys('busy', 'quiet')).toEqual(['q#31', undefined]);
    expect(await harness.time.until(run)).toMatchObject({ ended: 'concurrencyLimited', succeeded: 22 });
    // Three of the busy key may begin while the other lane is read.
    expect(order.slice(0, 5).filter((id) => id.startsWith('quiet'))).toHaveLength(2);
  });

  it('are attempted in the order of their event where there is room: those of busy keys come last', async () => {
    const harness = new FairQueue();
    const busy = harness.bare(12, 'busy');
    const quiet = harness.bare(3, 'quiet');
    const order: string[] = [];
    const process: Process = ({ id }) => void order.push(id);
    const arrivals = { batch: 'b', ids: [...quiet, ...busy], light: 3 };
    // DynamoDB answers in any order.
    const pages = {
      read: async (...args: Parameters<typeof harness.store.pages.read>) => {
        const page = await harness.store.pages.read(...args);
        return { ...page, records: page.records.toReversed() };
      },
    };
    const store = replacing({ pages }, harness.store);
    await harness.run(process, { ...FAIR, arrivals, store, concurrency: 1 });
    expect(order).toEqual([...quiet, ...busy]);
    expect(await harness.noted()).toEqual([]);
  });

  it('go to the lane that another process has given to their key', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['busy']);
    await withoutRoom(harness);
    const arrivals = { batch: 'b', ids: harness.bare(3, 'busy') };
    const run = harness.start(succeed, { ...FULL, arrivals });
    await harness.pass(0.5);
    expect(harness.lanesInUse()).toEqual({ undefined: 1, 'q#31': 3 });
    expect(await harness.time.until(run)).toMatchObject({ succeeded: 3 });
  });

  it('are indexed in the queue’s lane where their key cannot be noted, and attempted all the same', async () => {
    const harness = new FairQueue();
    await withoutRoom(harness);
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'queues.noteBusyKeys') throw new StoreUnavailableError('no answer');
      return call();
    });
    const arrivals = { batch: 'b', ids: harness.bare(20, 'busy'), light: 0 };
    expect(await harness.run(succeed, { ...FULL, arrivals, store })).toMatchObject({ succeeded: 20 });
    expect(harness.warnings).toContain('keys could not be given lanes of their own');
    expect(await harness.noted()).toEqual([]);
  });

  it('do not go to a lane that may be given up, however old they are', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['busy'], START - 2 * HOUR);
    await withoutRoom(harness);
    const insertedAt = new Date(START - 3 * HOUR).toISOString();
    harness.store.put({ id: 'old', status: 'NEW', queue: 'q', payload: {}, key: 'busy', insertedAt });
    void harness.start(succeed, { ...FULL, arrivals: { batch: 'b', ids: ['old'] } });
    await harness.pass(0.5);
    expect(harness.item('old').lane).toBe('q');
  });

  it('are no other records’ trouble, whatever they say', async () => {
    const harness = new FairQueue();
    await withoutRoom(harness);
    const hostile: Record<string, unknown>[] = [
      { key: 'x'.repeat(257) },
      { key: { tenant: 1 } },
      { key: '__proto__' },
      { key: 'busy', lane: 'q#31' },
      { key: 'busy', lane: 'q#31/dead' },
      { key: 'busy', lane: 'q#99', dueAt: 'soon' },
      { key: 'busy', insertedAt: '9999-12-31T23:59:59.999Z' },
      { key: 'busy', dueAt: 'never' },
      { key: 'busy', availableAt: 'x' },
    ];
    for (const [i, more] of hostile.entries()) {
      harness.store.put({ id: `h${i}`, status: 'NEW', queue: 'q', payload: {}, ...more });
    }
    const good = harness.bare(11, 'busy');
    const ids = [...hostile.map((_, i) => `h${i}`), ...good];
    await harness.run(succeed, { ...FULL, arrivals: { batch: 'b', ids, light: 0 } });
    await harness.run(succeed, { ...FAIR, lanes: lanesOf('q') });
    for (const id of good) expect(harness.item(id).status).toBe('SUCCESS');
  });
});

describe('the failures of a key', () => {
  const keys = (): KeyMemory => new Map();

  it('give it a lane when more than ten have come, which its retries then go to', async () => {
    const harness = new FairQueue();
    const memory = keys();
    harness.putMany(12, 'bad', 'q');
    harness.putMany(3, 'good', 'q');
    await harness.run(fail, { ...FAIR, keys: memory });
    expect(await harness.lanesOfKeys('bad', 'good')).toEqual(['q#31', undefined]);
    await harness.pass(61);
    // The process remembers the key: each failure goes to its lane now.
    await harness.run(fail, { ...FAIR, keys: memory });
    const lanes = harness.store.items().map(({ id, lane }) => [String(id).replace(/\d+/, ''), lane]);
    expect(new Set(lanes.map(String))).toEqual(new Set(['bad,q#31', 'good,q']));
  });

  it('are not counted where a record ends, and where it has no key', async () => {
    const harness = new FairQueue();
    harness.putMany(40, 'well', 'q');
    for (let i = 0; i < 40; i++) harness.put(`none${i}`);
    const process: Process = ({ id }) => {
      if (id.startsWith('none')) throw new Error('as always');
    };
    await harness.run(process, FAIR);
    expect(await harness.noted()).toEqual([]);
  });

  it('let a retry go to the lane only if it comes due while the lane is kept', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['bad']);
    harness.putMany(2, 'bad', 'q#31');
    const process: Process = ({ id }) => {
      throw new RetryAfter(id === 'bad0' ? 59 * 60 : 61 * 60);
    };
    await harness.run(process, { ...FAIR, maxRetryAfter: 7200 });
    const due = (id: string) => (Date.parse(String(harness.item(id).dueAt)) - START) / MINUTE;
    expect([Math.round(due('bad0')), harness.item('bad0').lane]).toEqual([59, 'q#31']);
    expect([Math.round(due('bad1')), harness.item('bad1').lane]).toEqual([61, 'q']);
  });

  it('have what came before moved into the lane, due as it was, by the run that finds it in the queue’s own', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['bad']);
    harness.putMany(3, 'bad', 'q');
    harness.putMany(1, 'quiet', 'q');
    const attempted: string[] = [];
    const process: Process = ({ id }) => void attempted.push(id);
    await harness.run(process, { ...FAIR, busyLanes: [] });
    expect(attempted).toEqual(['quiet0']);
    expect(harness.item('bad0')).toMatchObject({
      lane: 'q#31',
      dueAt: new Date(START).toISOString(),
      status: 'NEW',
    });
    expect(harness.item('bad0')).not.toHaveProperty('attempts');
    await harness.run(process, FAIR);
    expect(attempted.slice(1).sort()).toEqual(['bad0', 'bad1', 'bad2']);
  });

  it('wait for the next run where this one, which has moved them, has no time left for their lane', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['bad']);
    harness.putMany(1, 'bad', 'q');
    const store = intercepted(harness.store, (name, call) =>
      name === 'leases.release' ? new Promise(() => {}) : call(),
    );
    const summary = await harness.run(succeed, { ...FAIR, store });
    expect(summary).toMatchObject({ attempted: 0, ended: 'storeError' });
    expect(harness.seconds()).toBeLessThan(300);
    expect(harness.item('bad0')).toMatchObject({ lane: 'q#31', status: 'NEW' });
  });

  it('wait for the next run where the attempts of this one leave no time for their lane', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['bad']);
    harness.putMany(1, 'bad', 'q');
    harness.putMany(1, 'quiet', 'q');
    const process: Process = () => harness.sleep(100);
    const times = { attemptTimeout: 120, deadlineSeconds: 200 };
    expect(await harness.run(process, { ...FAIR, ...times })).toMatchObject({
      attempted: 1,
      ended: 'deadline',
    });
    expect(harness.item('bad0')).toMatchObject({ lane: 'q#31', status: 'NEW' });
  });

  it('stay in the queue’s own lane once theirs is not kept any more', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['bad'], START - 1.2 * HOUR);
    harness.putMany(3, 'bad', 'q');
    expect(await harness.run(succeed, FAIR)).toMatchObject({ attempted: 3, succeeded: 3 });
  });

  it('leave the dead in the dead lane of the queue, and those of a shard in that of the shard', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['bad']);
    harness.putMany(3, 'bad', 'q#31');
    await harness.run(fail, { ...FAIR, retry: { type: 'none' } });
    expect(harness.lanesInUse()).toEqual({ 'q/dead': 3 });
  });

  it('do not send a key that is not busy into the lane of another one, where all lanes are taken', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(Array.from({ length: 24 }, (_, i) => `busy-${i}`));
    harness.putMany(10, 'quiet', 'q');
    await harness.run(fail, FAIR);
    expect(harness.lanesInUse()).toEqual({ q: 10 });
    // One that has become busy shares a lane.
    harness.putMany(12, 'loud', 'q');
    await harness.run(fail, FAIR);
    const loud = harness.store.items().filter(({ key, lane }) => key === 'loud' && lane !== 'q');
    expect(loud.length).toBeGreaterThan(0);
    expect(await harness.noted()).toHaveLength(24);
  });
});

describe('a queue that is not fair between keys', () => {
  it('pays nothing for keys: its runs do the same requests, with or without them', async () => {
    const requestsOf = async (more: Record<string, unknown>) => {
      const harness = new FairQueue();
      const calls: string[] = [];
      const store = intercepted(harness.store, (name, call) => {
        calls.push(name);
        return call();
      });
      for (let i = 0; i < 30; i++) harness.put(`r${i}`, more);
      harness.store.put({ id: 'new', status: 'NEW', queue: 'q', payload: {}, ...more });
      await harness.run(fail, { store });
      await harness.run(fail, { store, arrivals: { batch: 'b', ids: ['new'] } });
      return { calls, lanes: harness.lanesInUse() };
    };
    const without = await requestsOf({});
    expect(await requestsOf({ key: 'tenant' })).toEqual(without);
    expect(without.lanes).toEqual({ q: 31 });
    expect(without.calls).not.toContain('queues.read');
  });
});
