import { describe, expect, it } from 'vitest';
import { type BacklogRecord, Dead, Pending, RetryAfter, Snooze } from '../../src/record/index.js';
import { MAX_OPEN_BREAKERS } from '../../src/store/buckets.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import { Breakers, type BreakersDeps } from '../../src/worker/guards/breakers.js';
import type { Admission } from '../../src/worker/guards/guard.js';
import type { BreakerMemory, Process } from '../../src/worker/index.js';
import { seededRandom } from '../simulation/random.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';
import { LongLived } from './long-lived.js';

const AT_TEN = { failureThreshold: 0.5, minimumAttempts: 10, halfOpenAfter: 60 };

/** A queue of so many records that are due. */
function pile(count: number): Harness {
  const harness = new Harness();
  for (let i = 0; i < count; i++) harness.put(`r${String(i).padStart(3, '0')}`);
  return harness;
}

/** The store of a harness whose pages come 3 seconds after they were read, and whose breakers are written after a while. */
function slowly({ store, clock }: Harness, writeSeconds: number) {
  const writes: string[] = [];
  const read: BacklogStore['pages']['read'] = async (...args) => {
    const page = await store.pages.read(...args);
    await clock.sleep(3_000);
    return page;
  };
  const set: BacklogStore['breakers']['set'] = async (...args) => {
    writes.push(args[1]);
    await clock.sleep(writeSeconds * 1_000);
    return store.breakers.set(...args);
  };
  return { slow: replacing<BacklogStore>({ pages: { read }, breakers: { set } }, store), writes };
}

/** The breakers of one run, on the store and the clock of a harness. */
async function breakersOf({ store, clock }: Harness, more: Partial<BreakersDeps> = {}): Promise<Breakers> {
  const breakers = new Breakers({
    queue: 'q',
    options: { ...AT_TEN, window: 60 },
    destination: undefined,
    probe: { beginsWithin: 10, endsWithin: 30 },
    store,
    clock,
    random: seededRandom(1),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    memory: new Map(),
    ...more,
  });
  breakers.reads()(await store.queues.read('q'));
  return breakers;
}

async function admitted(breakers: Breakers): Promise<Admission> {
  const answer = await breakers.enter({} as BacklogRecord);
  if (answer === 'deferred') throw new Error('expected an admission');
  return answer;
}

function failuresOf(harness: Harness): number {
  return harness.store.items().reduce((sum, { failures }) => sum + Number(failures ?? 0), 0);
}

async function positions(harness: Harness): Promise<Record<string, number>> {
  const { breakers } = await harness.store.queues.read('q');
  return Object.fromEntries([...breakers].map(([name, { until }]) => [name, (until - START) / 1000]));
}

describe('a queue with a breaker', () => {
  it('attempts no more when too many have failed, and counts no failure of those it spares', async () => {
    const harness = pile(100);
    const summary = await harness.run(fail, { breaker: AT_TEN });
    // Two more are under way when the tenth fails.
    expect(summary).toMatchObject({
      attempted: 12,
      failed: 10,
      snoozed: 2,
      leftOver: 8,
      ended: 'breakerOpen',
    });
    expect(harness.statuses()).toEqual({ ERROR: 10, NEW: 90 });
    expect(await positions(harness)).toEqual({ '*': 60 });
  });

  it('goes on where fewer than its share fail, or fewer than its number were attempted', async () => {
    const harness = pile(100);
    const everyThird: Process = ({ id }) => {
      if (Number(id.slice(1)) % 3 === 0) throw new Error('this one');
    };
    expect(await harness.run(everyThird, { breaker: AT_TEN })).toMatchObject({ attempted: 100 });
    const few = pile(9);
    expect(await few.run(fail, { breaker: AT_TEN })).toMatchObject({ attempted: 9, ended: 'drained' });
    expect(await positions(few)).toEqual({});
  });

  it('that opens when all fail, does so when all have failed', async () => {
    const harness = pile(100);
    const breaker = { ...AT_TEN, failureThreshold: 1 };
    const opened = await harness.run(fail, { breaker, concurrency: 1 });
    expect(opened).toMatchObject({ attempted: 10, ended: 'breakerOpen' });
    const other = pile(100);
    const allButOne: Process = ({ id }) => {
      if (id !== 'r005') throw new Error('no');
    };
    // Those of one window: the one that succeeded keeps it closed.
    expect(await other.run(allButOne, { breaker })).toMatchObject({ attempted: 100, ended: 'drained' });
  });

  it('is not attempted until its time is over, on arrival as well', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN });
    await harness.pass(59);
    const attempted: string[] = [];
    const note: Process = ({ id }) => void attempted.push(id);
    expect(await harness.run(note, { breaker: AT_TEN })).toMatchObject({ ended: 'breakerOpen' });
    harness.store.put({ id: 'new', status: 'NEW', queue: 'q', payload: {} });
    const arrivals = { batch: 'b', ids: ['new'] };
    expect(await harness.run(note, { breaker: AT_TEN, arrivals })).toMatchObject({ ended: 'breakerOpen' });
    expect(harness.item('new')).toMatchObject({ status: 'NEW', lane: 'q' });
    expect(attempted).toEqual([]);
  });

  it('then tries one record; while that fails, no other is', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN });
    for (const failures of [11, 12, 13]) {
      await harness.pass(61);
      expect(await harness.run(fail, { breaker: AT_TEN })).toMatchObject({
        attempted: 1,
        ended: 'breakerOpen',
      });
      expect(failuresOf(harness)).toBe(failures);
    }
    expect(await positions(harness)).toEqual({ '*': 183 + 60 });
  });

  it('goes on at once when that one succeeds', async () => {
    const harness = pile(300);
    await harness.run(fail, { breaker: AT_TEN });
    await harness.pass(61);
    let now = 0;
    let most = 0;
    const slow: Process = async () => {
      most = Math.max(most, ++now);
      await harness.sleep(harness.time.now < START + 62_000 ? 1 : 0.1);
      now--;
    };
    expect(await harness.run(slow, { breaker: AT_TEN })).toMatchObject({ succeeded: 300, ended: 'drained' });
    expect(most).toBe(10);
    expect(await positions(harness)).toEqual({});
  });

  it('lets two runs make one probe together', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN });
    await harness.pass(61);
    harness.store.put({ id: 'new', status: 'NEW', queue: 'q', payload: {} });
    let attempts = 0;
    const slow: Process = async () => {
      attempts++;
      await harness.sleep(5);
      throw new Error('still down');
    };
    const byRule = harness.start(slow, { breaker: AT_TEN });
    const onArrival = harness.start(slow, { breaker: AT_TEN, arrivals: { batch: 'b', ids: ['new'] } });
    await harness.time.until(Promise.all([byRule, onArrival]));
    expect(attempts).toBe(1);
  });

  it('lets another run make the probe whose run was lost', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN });
    await harness.pass(61);
    void harness.start(() => new Promise(() => {}), { breaker: AT_TEN });
    await harness.pass(1);
    const { breakers } = await harness.store.queues.read('q');
    // An attempt's time and a little.
    expect((breakers.get('*')?.until ?? 0) - START).toBe(61_000 + 40_000);
  });

  it('makes no probe after a write that took longer than other runs leave it time', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN });
    await harness.pass(61);
    let delaySeconds = 20;
    const setBreaker: BacklogStore['breakers']['set'] = async (...args) => {
      const written = await harness.store.breakers.set(...args);
      await harness.sleep(delaySeconds);
      delaySeconds = 0;
      return written;
    };
    const leftSeconds: number[] = [];
    const note: Process = async () => {
      const { breakers } = await harness.store.queues.read('q');
      leftSeconds.push(((breakers.get('*')?.until ?? 0) - harness.time.now) / 1000);
      throw new Error('still down');
    };
    const store = replacing({ breakers: { set: setBreaker } }, harness.store);
    // The next one need not wait for the end of the probe that was not made.
    const options = { breaker: AT_TEN, store, attemptTimeout: 5 };
    expect(await harness.run(note, options)).toMatchObject({ attempted: 1, failed: 1 });
    expect(leftSeconds).toEqual([15]);
  });

  it('does not count what was under way when it opened, if it fails', async () => {
    const harness = pile(30);
    let begun = 0;
    const { ended } = await harness.run(
      async () => {
        await harness.sleep(++begun <= 5 ? 1 : 2);
        throw new Error('down');
      },
      { breaker: { minimumAttempts: 5 } },
    );
    expect(ended).toBe('breakerOpen');
    expect(failuresOf(harness)).toBe(5);
    // They were attempted, and wait for the next probe.
    const spared = harness.store.items().filter(({ status, attempts }) => status === 'NEW' && attempts === 1);
    expect(spared.length).toBeGreaterThanOrEqual(5);
    for (const { dueAt } of spared) expect(dueAt).toBe(new Date(START + 51_000).toISOString());
  });

  it('takes a record that is refused permanently, or put off, for no failure', async () => {
    const harness = pile(40);
    const answered: Process = ({ id }) => {
      throw Number(id.slice(1)) % 2 ? new Dead('no such customer') : new Snooze(60);
    };
    expect(await harness.run(answered, { breaker: AT_TEN })).toMatchObject({
      attempted: 40,
      ended: 'drained',
    });
  });

  it('takes an error of "deadOn" for an answer, of a probe as well', async () => {
    const harness = pile(40);
    const options = { breaker: AT_TEN, deadOn: ['RangeError'] };
    const refuse: Process = () => {
      throw new RangeError('no such size');
    };
    expect(await harness.run(refuse, options)).toMatchObject({ dead: 40, ended: 'drained' });
    expect(await positions(harness)).toEqual({});
    const other = pile(30);
    await other.run(fail, options);
    await other.pass(61);
    expect(await other.run(refuse, options)).toMatchObject({ dead: 30, ended: 'drained' });
    expect(await positions(other)).toEqual({});
  });

  it('goes by all attempts of its process, of whatever run', async () => {
    const harness = new Harness();
    const breakers = new Map();
    for (let i = 0; i < 12; i++) {
      harness.store.put({ id: `n${i}`, status: 'NEW', queue: 'q', payload: {} });
      await harness.run(fail, { breaker: AT_TEN, breakers, arrivals: { batch: `b${i}`, ids: [`n${i}`] } });
    }
    expect(failuresOf(harness)).toBe(10);
    expect(await positions(harness)).toHaveProperty('*');
  });

  it('forgets attempts that are long ago', async () => {
    const harness = new Harness();
    const breakers = new Map();
    for (let i = 0; i < 30; i++) {
      harness.store.put({ id: `n${i}`, status: 'NEW', queue: 'q', payload: {} });
      await harness.run(fail, { breaker: AT_TEN, breakers, arrivals: { batch: `b${i}`, ids: [`n${i}`] } });
      await harness.pass(10);
    }
    expect(await positions(harness)).toEqual({});
  });

  it('stays open as long as the destination asks, and an hour at most', async () => {
    const harness = pile(30);
    const busy =
      (seconds: number): Process =>
      () => {
        throw new RetryAfter(seconds);
      };
    const one = { concurrency: 1, breaker: AT_TEN };
    expect(await harness.run(busy(600), one)).toMatchObject({ attempted: 1, ended: 'breakerOpen' });
    expect(await positions(harness)).toEqual({ '*': 600 });
    await harness.pass(601);
    expect(await harness.run(busy(86_400), one)).toMatchObject({ attempted: 1, ended: 'breakerOpen' });
    expect(await positions(harness)).toEqual({ '*': 601 + 3600 });
    expect(harness.statuses()).toEqual({ ERROR: 2, NEW: 28 });
  });

  it('lets go of those that wait for their turn when it opens', async () => {
    const harness = pile(10);
    const busy: Process = () => {
      throw new RetryAfter(600);
    };
    const summary = await harness.run(busy, { breaker: AT_TEN, attemptsPerSecond: 1 });
    expect(summary).toMatchObject({ attempted: 1, failed: 1, leftOver: 9 });
  });

  it('does not close sooner because another answer asks for less', async () => {
    const harness = pile(2);
    const busy: Process = async ({ id }) => {
      await harness.sleep(id === 'r000' ? 1 : 2);
      throw new RetryAfter(id === 'r000' ? 600 : 10);
    };
    await harness.run(busy, { breaker: AT_TEN });
    expect(await positions(harness)).toEqual({ '*': 601 });
  });

  it('has a record wait for as long as the answer says that came when it was open already', async () => {
    const harness = pile(2);
    const busy: Process = async ({ id }) => {
      await harness.sleep(id === 'r000' ? 1 : 2);
      throw new RetryAfter(id === 'r000' ? 600 : 86_400);
    };
    await harness.run(busy, { breaker: AT_TEN });
    expect(await positions(harness)).toEqual({ '*': 2 + 3_600 });
    expect(harness.item('r001')).toMatchObject({ dueAt: new Date(START + 86_402_000).toISOString() });
  });

  it('tries the next record at once where the first one tells nothing', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN });
    await harness.pass(61);
    let begun = 0;
    const process: Process = () => {
      if (++begun === 1) throw new Snooze(600);
    };
    await harness.run(process, { breaker: AT_TEN });
    expect(await harness.run(process, { breaker: AT_TEN })).toMatchObject({ ended: 'drained' });
    expect(harness.statuses()).toMatchObject({ SUCCESS: 29 });
    expect(await positions(harness)).toEqual({});
  });

  it('that another run has closed counts from zero', async () => {
    const harness = pile(9);
    const options = { breaker: { ...AT_TEN, window: 600 }, breakers: new Map() };
    await harness.run(fail, options);
    const open = { until: START + 60_000, since: START, token: 'of others' };
    await harness.store.breakers.set('q', '*', open, undefined);
    harness.put('new');
    expect(await harness.run(fail, options)).toMatchObject({ attempted: 0, ended: 'breakerOpen' });
    await harness.store.breakers.set('q', '*', undefined, open);
    expect(await harness.run(fail, options)).toMatchObject({ attempted: 1, ended: 'drained' });
    expect(await positions(harness)).toEqual({});
  });

  it('counts an attempt for all of its window', async () => {
    const harness = new Harness();
    const options = { breaker: { ...AT_TEN, window: 60 }, breakers: new Map() };
    for (const [seconds, failures] of [
      [0, 1],
      [9, 8],
      [56, 1],
    ] as const) {
      await harness.pass(seconds);
      for (let i = 0; i < failures; i++) harness.put(`after-${seconds}-${i}`);
      await harness.run(fail, { ...options, retry: { type: 'none' } });
    }
    expect(await positions(harness)).toEqual({ '*': 65 + 60 });
  });

  it('works on when its state cannot be written', async () => {
    const harness = pile(30);
    const set = () => Promise.reject(new StoreUnavailableError('no answer'));
    const store = replacing({ breakers: { set } }, harness.store);
    expect(await harness.run(fail, { breaker: AT_TEN, concurrency: 1, store })).toMatchObject({
      attempted: 10,
      ended: 'breakerOpen',
    });
    expect(harness.warnings).toContain('the state of a breaker could not be written');
    expect(await harness.run(succeed, { breaker: AT_TEN })).toMatchObject({ succeeded: 20 });
  });

  it('of a progressive queue lets no tier go on', async () => {
    const harness = pile(30);
    expect(await harness.run(fail, { breaker: AT_TEN, band: YOUNG })).toMatchObject({ ended: 'breakerOpen' });
    await harness.pass(300);
    expect(await harness.run(succeed, { breaker: AT_TEN, band: YOUNG })).toMatchObject({ succeeded: 30 });
  });

  it('that is switched off again attempts all', async () => {
    const harness = pile(30);
    await harness.run(fail, { breaker: AT_TEN, concurrency: 1 });
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 20, ended: 'drained' });
  });
});

describe('a breaker for each destination', () => {
  const destination = ({ payload }: { payload: unknown }) => (payload as { to: string }).to;
  const choices = { breaker: AT_TEN, destination };
  const downFor =
    (down: string): Process =>
    ({ payload }) => {
      if ((payload as { to: string }).to === down) throw new Error('down');
    };

  function customers(count: number): Harness {
    const harness = new Harness();
    for (let i = 0; i < count; i++) harness.put(`r${i}`, { payload: { to: i % 2 ? 'a' : 'b' } });
    return harness;
  }

  it('attempts none of one destination while the others get theirs', async () => {
    const harness = customers(200);
    const summary = await harness.run(downFor('a'), choices);
    expect(summary).toMatchObject({ succeeded: 100, failed: 10, ended: 'drained' });
    expect(summary.leftOver + summary.snoozed).toBe(90);
    expect(await positions(harness)).toEqual({ a: 60 });
    await harness.pass(61);
    expect(await harness.run(succeed, choices)).toMatchObject({ ended: 'drained' });
    await harness.pass(61);
    await harness.run(succeed, choices);
    expect(harness.statuses()).toEqual({ SUCCESS: 200 });
    expect(await positions(harness)).toEqual({});
  });

  it.each([
    ['while its state is being written', 10],
    ['before its state was written, and that comes later', 2],
  ])('stays open although the next page was read %s', async (_, writeSeconds) => {
    const harness = pile(200);
    const failing: Process = async (record) => {
      await harness.clock.sleep(1_000);
      throw new Error(record.id);
    };
    const { slow } = slowly(harness, writeSeconds);
    const choices = { breaker: AT_TEN, destination: () => 'down', store: slow };
    const { attempted } = await harness.run(failing, choices);
    // Ten, and those that are under way when the tenth fails.
    expect(attempted).toBeLessThan(20);
  });

  it('stays closed although the next page was read before that was written: there is one probe', async () => {
    const harness = pile(200);
    const choices = { breaker: AT_TEN, destination: () => 'down' };
    await harness.run(fail, choices);
    await harness.pass(60);
    const { slow, writes } = slowly(harness, 10);
    const succeeding: Process = () => harness.clock.sleep(1_000);
    const { succeeded } = await harness.run(succeeding, { ...choices, store: slow });
    // All but those that came up before the probe had ended.
    expect(succeeded).toBeGreaterThan(175);
    // It begins, and it closes the breaker.
    expect(writes).toHaveLength(2);
  });

  it('keeps no slot for the records that it spares', async () => {
    const harness = customers(20);
    const open = { until: START + 3_600_000, since: START, token: 't' };
    await harness.store.breakers.set('q', 'a', open, undefined);
    const limits = { concurrency: 2, globalConcurrency: 2 };
    const summary = await harness.run(succeed, { ...choices, ...limits });
    expect(summary).toMatchObject({ attempted: 10, succeeded: 10, leftOver: 10 });
  });

  it('does not count the records that it spares against the limit of a run', async () => {
    const harness = customers(20);
    const open = { until: START + 3_600_000, since: START, token: 't' };
    await harness.store.breakers.set('q', 'a', open, undefined);
    const summary = await harness.run(succeed, { ...choices, maxRecords: 10 });
    expect(summary).toMatchObject({ attempted: 10, succeeded: 10 });
  });

  it('a Retry-After moves the one that it is of', async () => {
    const harness = customers(40);
    const summary = await harness.run(
      ({ payload }) => {
        if ((payload as { to: string }).to === 'a') throw new RetryAfter(300);
      },
      { ...choices, concurrency: 1 },
    );
    expect(summary).toMatchObject({ attempted: 21, succeeded: 20, failed: 1, leftOver: 19 });
    expect(await positions(harness)).toEqual({ a: 300 });
  });

  it('a probe that must end before its turn leaves the next one to the next run', async () => {
    const harness = new Harness();
    harness.put('to-a', { payload: { to: 'a' }, dueAt: new Date(START - 1).toISOString() });
    harness.put('to-b', { payload: { to: 'b' } });
    await harness.store.breakers.set('q', 'b', { until: START, since: START, token: 't' }, undefined);
    const stop = new AbortController();
    harness.time.after(3_000, () => stop.abort());
    const summary = await harness.run(succeed, { ...choices, attemptsPerSecond: 0.1, stop: stop.signal });
    expect(summary).toMatchObject({ attempted: 1, ended: 'stopped' });
    expect(await positions(harness)).toEqual({ b: 3 });
    expect(await harness.run(succeed, choices)).toMatchObject({ succeeded: 1, ended: 'drained' });
  });

  it('a probe that waits for its turn by the rate keeps others from theirs meanwhile', async () => {
    const harness = new Harness();
    for (const [i, to] of ['a', 'a', 'b'].entries())
      harness.put(`to-${to}-${i}`, { payload: { to }, dueAt: new Date(START - 9 + i).toISOString() });
    await harness.store.breakers.set('q', 'b', { until: START, since: START, token: 't' }, undefined);
    const leftSeconds: number[] = [];
    const process: Process = async ({ payload }) => {
      if ((payload as { to: string }).to !== 'b') return;
      leftSeconds.push(((await positions(harness)).b ?? 0) - (harness.time.now - START) / 1000);
    };
    const options = { ...choices, attemptsPerSecond: 0.1, attemptTimeout: 5, concurrency: 3 };
    expect(await harness.run(process, options)).toMatchObject({ succeeded: 3 });
    expect(leftSeconds).toEqual([3 * 10 + 10 + 5 - 10]);
  });

  it('that finds no room in the queue’s item is open for its process, and for no other', async () => {
    const harness = customers(40);
    for (let i = 0; i < MAX_OPEN_BREAKERS; i++) {
      const open = { until: START + 86_400_000, since: START, token: 't' };
      await harness.store.breakers.set('q', `other-${i}`, open, undefined);
    }
    const breakers: BreakerMemory = new Map();
    const first = await harness.run(downFor('a'), { ...choices, breakers });
    expect(first).toMatchObject({ succeeded: 20 });
    harness.put('next', { payload: { to: 'a' } });
    expect(await harness.run(downFor('a'), { ...choices, breakers })).toMatchObject({ attempted: 0 });
    expect((await harness.run(downFor('a'), choices)).attempted).toBeGreaterThan(0);
  });

  it('gives those a place that come meanwhile', async () => {
    const harness = customers(40);
    await harness.run(downFor('a'), choices);
    for (const to of ['a', 'b'])
      harness.store.put({ id: `to-${to}`, status: 'NEW', queue: 'q', payload: { to } });
    await harness.run(succeed, { ...choices, arrivals: { batch: 'x', ids: ['to-a', 'to-b'] } });
    expect(harness.item('to-b')).toMatchObject({ status: 'SUCCESS' });
    expect(harness.item('to-a')).toMatchObject({ status: 'NEW', lane: 'q' });
    expect(harness.item('to-a')).not.toHaveProperty('attempts');
  });

  it.each([
    ['throws', () => JSON.parse('no json')],
    ['answers no name', () => 7],
    ['answers an empty name', () => ''],
  ])('a function that %s costs no record its attempt', async (_, wrong) => {
    const harness = pile(5);
    const options = { breaker: AT_TEN, destination: wrong as unknown as () => string };
    expect(await harness.run(succeed, options)).toMatchObject({ succeeded: 5 });
    expect(harness.warnings.some((warning) => warning.startsWith('destination:'))).toBe(true);
  });
});

describe('two changes of a breaker', () => {
  /** The store of a harness, which takes so long for the outcome of one record. */
  const settlingSlowly = ({ store, clock }: Harness, seconds: number, isSlow: (id: string) => boolean) => {
    const settle: BacklogStore['records']['settle'] = async (record, ...rest) => {
      if (isSlow(record.id)) await clock.sleep(seconds * 1_000);
      return store.records.settle(record, ...rest);
    };
    return replacing<BacklogStore>({ records: { settle } }, store);
  };

  it('keep a Retry-After that is written before the failure that opened it', async () => {
    const harness = pile(12);
    let tenth = '';
    let ended = 0;
    const process: Process = async ({ id }) => {
      await harness.sleep(id === 'r011' ? 3 : 1);
      if (id === 'r011') throw new RetryAfter(600);
      if (++ended === 10) tenth = id;
      throw new Error('503');
    };
    const store = settlingSlowly(harness, 5, (id) => id === tenth);
    await harness.run(process, { breaker: AT_TEN, store, concurrency: 12 });
    expect(await positions(harness)).toEqual({ '*': 603 });
  });

  it('leave it open, if it opens while the success of its probe is being written', async () => {
    const harness = pile(400);
    const choices = { breaker: AT_TEN, destination: () => 'down' };
    await harness.run(fail, choices);
    await harness.pass(61);
    let probe = '';
    let attempted = 0;
    const process: Process = async ({ id }) => {
      attempted++;
      await harness.sleep(0.1);
      if (probe) throw new Error('503');
      probe = id;
    };
    const settling = settlingSlowly(harness, 3, (id) => id === probe);
    const read: BacklogStore['pages']['read'] = async (...args) => {
      await harness.sleep(1);
      return settling.pages.read(...args);
    };
    await harness.run(process, { ...choices, store: replacing<BacklogStore>({ pages: { read } }, settling) });
    // The probe, ten, and those that are under way when the tenth fails.
    expect(attempted).toBeLessThan(1 + 10 + 10);
    expect(await positions(harness)).toHaveProperty('down');
  });

  it('are not undone by a page that is read when the first is written', async () => {
    const harness = new Harness();
    const { store } = harness;
    await store.breakers.set('q', 'd', { until: START, since: START, token: 't' }, undefined);
    const options = { ...AT_TEN, window: 60, minimumAttempts: 1 };
    const breakers = await breakersOf(harness, { options, destination: () => 'd' });
    const probe = await admitted(breakers);
    const closing = probe.leave?.({ type: 'success' });
    const other = await admitted(breakers);
    const opening = other.leave?.({ type: 'failure', error: { name: 'Error', message: '503' } });
    await closing?.note?.();
    breakers.reads()(await store.queues.read('q'));
    expect(await breakers.enter({} as BacklogRecord)).toBe('deferred');
    await opening?.note?.();
    expect(await positions(harness)).toEqual({ d: 60 });
  });

  it('are one write where the second came before the first was written', async () => {
    const harness = new Harness();
    const { store } = harness;
    const writes: (number | undefined)[] = [];
    const set: BacklogStore['breakers']['set'] = (...args) => {
      writes.push(args[2]?.until);
      return store.breakers.set(...args);
    };
    const breakers = await breakersOf(harness, { store: { breakers: { set } } });
    const failure = { type: 'failure', error: { name: 'Error', message: '503' } } as const;
    const [one, other] = [await admitted(breakers), await admitted(breakers)];
    const opened = one.leave?.({ ...failure, retryAfterSeconds: 100 });
    const moved = other.leave?.({ ...failure, retryAfterSeconds: 200 });
    await Promise.all([moved?.note?.(), opened?.note?.()]);
    expect(writes).toEqual([START + 200_000]);
  });

  it('are both written where the second came during the write of the first', async () => {
    const harness = new Harness();
    const { store } = harness;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const set: BacklogStore['breakers']['set'] = async (...args) => {
      const isWritten = await store.breakers.set(...args);
      await released;
      return isWritten;
    };
    const breakers = await breakersOf(harness, { store: { breakers: { set } } });
    const failure = { type: 'failure', error: { name: 'Error', message: '503' } } as const;
    const [one, other] = [await admitted(breakers), await admitted(breakers)];
    const opened = one.leave?.({ ...failure, retryAfterSeconds: 100 }).note?.();
    await expect.poll(() => positions(harness)).toEqual({ '*': 100 });
    const moved = other.leave?.({ ...failure, retryAfterSeconds: 200 }).note?.();
    release();
    await Promise.all([opened, moved]);
    expect(await positions(harness)).toEqual({ '*': 200 });
  });
});

describe('a probe that ends when another one has decided', () => {
  it.each([
    ['fails', new Error('too late')],
    ['tells nothing', new Snooze('1h')],
  ])('leaves a breaker closed, also if it %s', async (_, error) => {
    const world = new LongLived();
    const { harness } = world;
    for (let i = 0; i < 30; i++) harness.put(`r${i}`);
    const choices = { breaker: AT_TEN, breakers: new Map() };
    await world.run(fail, choices);
    await harness.pass(61);
    const long: Process = async () => {
      await harness.sleep(600);
      throw error;
    };
    await world.run(long, choices);
    await harness.pass(120);
    expect((await world.run(succeed, choices)).succeeded).toBeGreaterThan(20);
    expect(world.underWay).toBe(1);
    await harness.pass(600);
    expect(world.underWay).toBe(0);
    expect(await positions(harness)).toEqual({});
  });

  /** Two probes, of which the first ends after its hold, and what is asked while the second is under way. */
  async function overlapping() {
    const harness = new Harness();
    await harness.store.breakers.set('q', '*', { until: START, since: START, token: 't' }, undefined);
    const breakers = await breakersOf(harness);
    const first = await admitted(breakers);
    // It ignores its signal.
    first.detach?.();
    await harness.pass(41);
    const second = await admitted(breakers);
    await first.leave?.({ type: 'snooze', seconds: 60 }).note?.();
    return { harness, second, third: breakers.enter({} as BacklogRecord) };
  }

  it('lets no third one begin beside the second', async () => {
    const { harness, second, third } = await overlapping();
    const isOver = second.leave?.({ type: 'failure', error: { name: 'Error', message: 'still down' } });
    await isOver?.note?.();
    expect(await third).toBe('deferred');
    expect(await positions(harness)).toEqual({ '*': 41 + 60 });
  });

  it('lets the others wait for the second, which may succeed', async () => {
    const { harness, second, third } = await overlapping();
    await second.leave?.({ type: 'success' }).note?.();
    expect(await third).not.toBe('deferred');
    expect(await positions(harness)).toEqual({});
  });
});

describe('a probe where the backlog’s time is faster', () => {
  it('keeps others from theirs for an attempt of real time', async () => {
    const harness = new Harness();
    const { store, time, clock: real } = harness;
    const clock = { ...real, now: () => START + (time.now - START) * 60, speed: 60 };
    await store.breakers.set('q', '*', { until: START, since: START, token: 't' }, undefined);
    const breakers = await breakersOf(harness, { clock });
    const { holds } = await admitted(breakers);
    expect(holds?.()).toBe(true);
    const { breakers: stored } = await store.queues.read('q');
    expect(stored.get('*')?.until).toBe(START + 40 * 60 * 1000);
  });
});

it('a probe that leaves its end to others is an answer: its breaker closes', async () => {
  const harness = new Harness();
  for (let i = 0; i < 30; i++) harness.put(`r${i}`);
  const choices = { breaker: AT_TEN, breakers: new Map() };
  await harness.run(fail, choices);
  await harness.pass(61);
  const summary = await harness.run(() => {
    throw new Pending();
  }, choices);
  expect(summary.pending).toBeGreaterThan(1);
  expect(await positions(harness)).toEqual({});
});
