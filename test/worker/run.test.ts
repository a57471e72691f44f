import { describe, expect, it } from 'vitest';
import { Dead, Done, RetryAfter } from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Process } from '../../src/worker/index.js';
import { type Methods, replacing } from '../simulation/replacing.js';
import { due, fail, Harness, START, succeed } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

/** Counts calls, and lets some of them fail. */
function spied(
  store: BacklogStore,
  answers: Readonly<Record<string, () => Promise<never> | undefined>> = {},
) {
  const calls: string[] = [];
  const spied = intercepted(store, (name, call) => {
    calls.push(name);
    return answers[name]?.() ?? call();
  });
  return { store: spied, calls };
}

describe('a run', () => {
  it('of an empty lane is one query and nothing else', async () => {
    const harness = new Harness();
    for (let i = 0; i < 50; i++)
      harness.put(`done-${i}`, { status: 'SUCCESS', lane: undefined, dueAt: undefined });
    const { store, calls } = spied(harness.store);
    const summary = await harness.run(succeed, { store });
    expect(calls).toEqual(['pages.query']);
    expect(summary).toMatchObject({ attempted: 0, ended: 'drained' });
  });

  it('keeps the results of its attempts; of one that cannot be kept a line tells, and the record succeeds', async () => {
    const harness = new Harness();
    for (const id of ['small', 'large', 'none']) harness.put(id);
    harness.put('full', { payload: 'x'.repeat(408_400) });
    await harness.run(async ({ id }) => {
      if (id === 'none') return;
      if (id === 'small' || id === 'full') return new Done({ result: { sum: 7 } });
      throw new Done({ result: { secret: 'x'.repeat(2_000) } });
    });
    expect(harness.statuses()).toEqual({ SUCCESS: 4 });
    expect(harness.item('small').result).toBe('{"sum":7}');
    for (const id of ['large', 'none', 'full']) expect(harness.item(id)).not.toHaveProperty('result');
    const line = 'a result is not kept, and its record succeeds without it';
    expect(harness.warnings).toEqual([line, line]);
  });

  it('of one page writes a lease, one settle per record and a release', async () => {
    const harness = new Harness();
    for (let i = 0; i < 3; i++) harness.put(`r${i}`);
    await harness.run(succeed);
    for (let i = 0; i < 3; i++) harness.put(`s${i}`);
    const { store, calls } = spied(harness.store);
    const summary = await harness.run(succeed, { store });
    expect(calls.filter((name) => name !== 'records.settle')).toEqual([
      'pages.query',
      'leases.hold',
      'pages.read',
      'leases.release',
    ]);
    expect(calls.filter((name) => name === 'records.settle')).toHaveLength(3);
    expect(summary).toMatchObject({
      attempted: 3,
      succeeded: 3,
      failed: 0,
      dead: 0,
      snoozed: 0,
      cancelled: 0,
      leftOver: 0,
      ended: 'drained',
    });
  });

  it('settles success, failure, death and a wait that the destination asked for', async () => {
    const harness = new Harness();
    for (const id of ['good', 'bad', 'hopeless', 'busy']) harness.put(id);
    const summary = await harness.run((record) => {
      if (record.id === 'bad') throw new TypeError('broken');
      if (record.id === 'hopeless') return new Dead('no such customer');
      if (record.id === 'busy') throw new RetryAfter(600, '503');
    });
    expect(summary).toMatchObject({ attempted: 4, succeeded: 1, failed: 2, dead: 1 });
    expect(harness.item('good')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
    expect(harness.item('good')).not.toHaveProperty('lane');
    expect(harness.item('bad')).toMatchObject({
      status: 'ERROR',
      failures: 1,
      dueAt: due(60),
      lastError: { name: 'TypeError', message: 'broken' },
    });
    expect(harness.item('hopeless')).toMatchObject({
      status: 'DEAD',
      lane: 'q/dead',
      deadReason: 'no such customer',
    });
    expect(harness.item('busy')).toMatchObject({ status: 'ERROR', dueAt: iso(600) });
  });

  it('uses all its slots', async () => {
    const harness = new Harness();
    for (let i = 0; i < 20; i++) harness.put(`r${i}`);
    let now = 0;
    let most = 0;
    await harness.run(async () => {
      most = Math.max(most, ++now);
      await harness.sleep(1);
      now--;
    });
    expect(most).toBe(10);
  });

  it('aborts an attempt whose time is up, and counts it as a failure', async () => {
    const harness = new Harness();
    harness.put('slow');
    await harness.run(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { attemptTimeout: 5 },
    );
    expect(harness.time.now).toBe(START + 5_000);
    expect(harness.item('slow')).toMatchObject({
      status: 'ERROR',
      lastError: { name: 'AttemptTimeout', message: 'no end within 5 s' },
    });
  });

  it('goes on with others while an attempt ignores its signal, and takes its late success', async () => {
    const harness = new Harness();
    harness.put('deaf');
    await harness.pass(1);
    for (let i = 0; i < 50; i++) harness.put(`r${i}`);
    const done: string[] = [];
    const summary = await harness.run(
      async (record) => {
        await harness.sleep(record.id === 'deaf' ? 100 : 1);
        done.push(record.id);
      },
      { concurrency: 2, attemptTimeout: 5 },
    );
    expect(done.at(-1)).toBe('deaf');
    expect(done).toHaveLength(51);
    expect(summary).toMatchObject({ succeeded: 51, ended: 'drained' });
  });

  it('has no more attempts at once than it may, with those that ignore their signal', async () => {
    const harness = new Harness();
    harness.put('deaf', { dueAt: iso(-1) });
    for (let i = 0; i < 80; i++) harness.put(`r${i}`);
    let [now, most] = [0, 0];
    await harness.run(
      async (record) => {
        most = Math.max(most, ++now);
        await harness.sleep(record.id === 'deaf' ? 100 : 1);
        now--;
      },
      { concurrency: 3, attemptTimeout: 5 },
    );
    expect(most).toBe(3);
    expect(harness.statuses()).toEqual({ SUCCESS: 81 });
  });

  it('tells a late success for certain, although the answer to its settle comes in the time of another page', async () => {
    const harness = new Harness();
    harness.put('deaf', { dueAt: iso(-1) });
    for (let i = 0; i < 50; i++) harness.put(`r${i}`);
    let tries = 0;
    const settle: BacklogStore['records']['settle'] = async (record, change, rev) => {
      if (record.id !== 'deaf' || ++tries > 1) return harness.store.records.settle(record, change, rev);
      await harness.store.records.settle(record, change, rev);
      await harness.sleep(20);
      throw new StoreUnavailableError('no answer');
    };
    const summary = await harness.run((record) => harness.sleep(record.id === 'deaf' ? 10 : 1), {
      concurrency: 2,
      attemptTimeout: 5,
      store: replacing({ records: { settle } }, harness.store),
    });
    expect(tries).toBe(2);
    expect(summary).toMatchObject({ succeeded: 51, unsettled: 0, ended: 'drained' });
  });

  it('tells an attempt that its time is up, however late that asks', async () => {
    const harness = new Harness();
    harness.put('slow');
    const { clock } = harness;
    const aborted: boolean[] = [];
    await harness.run(
      async (_, context) => {
        await clock.sleep(5_500);
        aborted.push(context.signal.aborted);
        throw context.signal.reason;
      },
      { attemptTimeout: 5 },
    );
    expect(aborted).toEqual([true]);
    expect(harness.item('slow')).toMatchObject({ lastError: { name: 'AttemptTimeout' } });
  });

  it('waits as long as the destination asks whose answer came when the time was up', async () => {
    const harness = new Harness();
    harness.put('busy');
    const late: Process = async () => {
      await harness.sleep(5.5);
      throw new RetryAfter(600);
    };
    await harness.run(late, { attemptTimeout: 5 });
    expect(harness.item('busy')).toMatchObject({ status: 'ERROR', dueAt: iso(605.5) });
  });

  it('has attempts that last longer than a page', async () => {
    const harness = new Harness();
    for (let i = 0; i < 3; i++) harness.put(`r${i}`);
    let begun = 0;
    const slow: Process = async () => {
      if (++begun > 3) throw new Error('begun too often');
      await harness.sleep(110);
    };
    expect(await harness.run(slow, { attemptTimeout: 120 })).toMatchObject({ succeeded: 3 });
  });

  it('begins no attempt that its lease does not cover, with the settle behind it', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    const until: number[] = [];
    const settle: BacklogStore['records']['settle'] = async (record, change, rev) => {
      await harness.sleep(8);
      return harness.store.records.settle(record, change, rev);
    };
    const slow: Process = async () => {
      const answer = await harness.store.leases.hold('q', { holder: 'spy', until: 0, ids: [], rev: '' });
      if (!answer.held) until.push((answer.lease?.until ?? 0) - harness.clock.wall());
      await harness.sleep(29);
    };
    await harness.run(slow, { concurrency: 1, store: replacing({ records: { settle } }, harness.store) });
    expect(until).toHaveLength(2);
    expect(Math.min(...until)).toBeGreaterThan(35_000);
  });

  it('gives up on an attempt that never ends before the function is ended, and gives the lease back', async () => {
    const harness = new Harness();
    harness.put('deaf');
    const summary = await harness.run(() => new Promise(() => {}), { attemptTimeout: 5 });
    expect(harness.time.now).toBeLessThan(START + 300_000);
    expect(summary).toMatchObject({ attempted: 1, failed: 1 });
    expect(harness.item('deaf')).toMatchObject({
      status: 'ERROR',
      lastError: { message: 'no end within 5 s; it ignored its signal' },
    });
    await harness.pass(60);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 1, ended: 'drained' });
  });

  it('ends before its deadline and tells what it left', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`r${i}`);
    const summary = await harness.run(() => harness.sleep(20), { concurrency: 1, deadlineSeconds: 120 });
    expect(harness.time.now).toBeLessThan(START + 120_000);
    expect(summary.ended).toBe('deadline');
    expect(summary.succeeded).toBeGreaterThanOrEqual(4);
    expect(summary.leftOver).toBeGreaterThan(0);
    expect(harness.statuses()).toEqual({ SUCCESS: summary.succeeded, NEW: 30 - summary.succeeded });
  });

  it('refuses an attempt timeout that the function has no room for', async () => {
    await expect(new Harness().start(succeed, { attemptTimeout: 290 })).rejects.toThrow(
      "attemptTimeout: expected at least 15 s less than the function's timeout of 300 s, got 290",
    );
  });

  it('stops at maxRecords', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`r${i}`);
    expect(await harness.run(succeed, { maxRecords: 12 })).toMatchObject({
      attempted: 12,
      ended: 'maxRecords',
    });
  });

  it('that reaches maxRecords with the last record is drained', async () => {
    const harness = new Harness();
    for (let i = 0; i < 12; i++) harness.put(`r${i}`);
    expect(await harness.run(succeed, { maxRecords: 12 })).toMatchObject({ attempted: 12, ended: 'drained' });
  });

  it('stops at a paused queue without an attempt', async () => {
    const harness = new Harness();
    harness.put('r');
    await harness.store.queues.setPaused('q', true);
    expect(await harness.run(fail)).toMatchObject({ attempted: 0, leftOver: 1, ended: 'paused' });
    await harness.store.queues.setPaused('q', false);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('leaves alone what another process changed during its attempt', async () => {
    const harness = new Harness();
    harness.put('r');
    const summary = await harness.run(() => harness.put('r', { rev: 'overwritten', payload: 'new' }));
    expect(summary).toMatchObject({ attempted: 1, succeeded: 0, unsettled: 1 });
    expect(harness.item('r')).toMatchObject({ status: 'NEW', payload: 'new', rev: 'overwritten' });
  });

  it.each([
    ['did not answer', new StoreUnavailableError('no answer')],
    ['throttled', new StoreThrottledError('slow down')],
  ])('repeats a settle that the store %s, and attempts nothing twice for it', async (_, error) => {
    const harness = new Harness();
    harness.put('r');
    const { store } = spied(harness.store, {
      'records.settle': () => (harness.time.now < START + 20_000 ? Promise.reject(error) : undefined),
    });
    expect(await harness.run(succeed, { store })).toMatchObject({
      attempted: 1,
      succeeded: 1,
      ended: 'drained',
    });
    // At the latest three seconds after it could.
    expect(harness.time.now).toBeLessThanOrEqual(START + 23_000);
  });

  it('ends cleanly when the store throttles, says so, and loses nothing', async () => {
    const harness = new Harness();
    harness.put('r');
    const { store } = spied(harness.store, {
      'pages.read': () => Promise.reject(new StoreThrottledError('slow down')),
    });
    const summary = await harness.run(succeed, { store });
    expect(summary).toMatchObject({
      attempted: 0,
      ended: 'storeError',
      trouble: 'StoreThrottledError: slow down',
    });
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1, ended: 'drained' });
  });

  it('writes nothing any more once it has given its lease back', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) harness.put(`r${i}`);
    const holdLease: BacklogStore['leases']['hold'] = async (key, hold) => {
      if (harness.statuses().SUCCESS) await harness.sleep(2);
      return harness.store.leases.hold(key, hold);
    };
    const readPage: BacklogStore['pages']['read'] = async (ids, queue) => {
      if (harness.statuses().SUCCESS) throw new StoreThrottledError('slow down');
      return harness.store.pages.read(ids, queue);
    };
    const store = replacing({ leases: { hold: holdLease }, pages: { read: readPage } }, harness.store);
    expect(await harness.run(succeed, { store })).toMatchObject({ attempted: 20, ended: 'storeError' });
    await harness.pass(10);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 10, ended: 'drained' });
  });

  it('keeps a record without a readable insertion time, whatever else it has', async () => {
    const harness = new Harness();
    harness.put('odd', { insertedAt: 12345, dueAt: iso(0), attempts: 'many', retry: { type: 'fibonaci' } });
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
    expect(harness.warnings).toContain('attributes ignored');
  });
});

describe('two runs of one lane', () => {
  it('do not work at the same time: the second asks the first to look once more', async () => {
    const harness = new Harness();
    harness.put('early');
    const first = harness.start(() => harness.sleep(10));
    await harness.pass(2);
    harness.put('late');
    const second = await harness.run(fail);
    expect(second).toMatchObject({ attempted: 0, ended: 'leaseHeld' });
    expect(await harness.time.until(first)).toMatchObject({ succeeded: 2, ended: 'drained' });
  });

  it.each<[string, (harness: Harness) => Methods]>([
    [
      'before the second could ask it',
      ({ store }) => ({
        leases: {
          wake: async (key, holder) => {
            await store.leases.release(key, holder, {});
            return store.leases.wake(key, holder);
          },
        },
      }),
    ],
    [
      'while the second was turned away',
      ({ store }) => {
        let turnedAway = false;
        return {
          leases: {
            hold: async (key, hold) => {
              if (turnedAway) return store.leases.hold(key, hold);
              turnedAway = true;
              await store.leases.release(key, 'first', {});
              return { held: false, lease: undefined };
            },
          },
        };
      },
    ],
  ])('the second works where the first lets go %s', async (_, racing) => {
    const harness = new Harness();
    harness.put('r');
    const until = harness.clock.wall() + 60_000;
    await harness.store.leases.hold('q', { holder: 'first', until, ids: [], rev: 'r' });
    const store = replacing(racing(harness), harness.store);
    expect(await harness.run(succeed, { store })).toMatchObject({ succeeded: 1, ended: 'drained' });
  });

  it('of two that find a lost one, the second asks the first to look once more', async () => {
    const harness = new Harness();
    harness.put('r');
    await harness.store.leases.hold('q', { holder: 'lost', until: START - 60_000, ids: [], rev: 'r' });
    const takeOverLease: BacklogStore['leases']['takeOver'] = async (key, from, to) => {
      await harness.store.leases.takeOver(key, from, { ...to, holder: 'first', until: START + 60_000 });
      return harness.store.leases.takeOver(key, from, to);
    };
    const store = replacing({ leases: { takeOver: takeOverLease } }, harness.store);
    expect(await harness.run(succeed, { store })).toMatchObject({ attempted: 0, ended: 'leaseHeld' });
    expect(await harness.store.leases.release('q', 'first', {})).toBe('woken');
  });

  it('a tier is never turned away by another', async () => {
    const harness = new Harness();
    harness.put('young');
    harness.put('old', { insertedAt: iso(-2 * 86_400) });
    const older = {
      number: 2,
      every: 3600,
      fromAge: 86_700,
      untilAge: 604_800,
      last: true,
    };
    const younger = { number: 1, every: 300, fromAge: 0, untilAge: 86_400, last: false };
    const both = Promise.all([
      harness.start(() => harness.sleep(5), { band: younger }),
      harness.start(() => harness.sleep(5), { band: older }),
    ]);
    expect(await harness.time.until(both)).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
  });
});

describe('a run that was frozen while it journalled a page', () => {
  it('does not go by what it read before: another run may have had the lease meanwhile', async () => {
    const harness = new Harness();
    for (const [i, id] of ['a', 'b', 'c', 'd'].entries()) harness.put(id, { dueAt: iso(i - 10) });
    let writes = 0;
    const holdLease: BacklogStore['leases']['hold'] = async (key, hold) => {
      if (++writes === 2) {
        // The lease of the first page runs out within these twenty seconds.
        await harness.sleep(20);
        harness.put('d', { status: 'SUCCESS', lane: undefined, dueAt: undefined, rev: 'by another run' });
        await harness.store.leases.release(key, hold.holder, {});
      }
      return harness.store.leases.hold(key, hold);
    };
    const store = replacing({ leases: { hold: holdLease } }, harness.store);
    const attempted: string[] = [];
    const process: Process = async (record) => {
      attempted.push(record.id);
      await harness.sleep(19.9);
    };
    await harness.run(process, { store, concurrency: 1, attemptTimeout: 20 });
    expect(writes).toBe(2);
    expect(attempted).toEqual(['a', 'b', 'c']);
  });
});
