import { describe, expect, it } from 'vitest';
import { indexWhenFree } from '../../src/intake/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import type { Process, RunSummary } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { due, fail, Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** Puts a record as a foreign producer does. */
const put = (harness: Harness, id: string, more: Record<string, unknown> = {}) =>
  harness.store.put({ id, status: 'NEW', queue: 'q', payload: { n: 1 }, ...more });

const arrive = (
  harness: Harness,
  ids: string[],
  process: Process,
  options = {},
  batch = 'b',
): Promise<RunSummary> => harness.run(process, { arrivals: { batch, ids }, ...options });

const deps = (harness: Harness) => ({
  store: harness.store,
  clock: harness.clock,
  random: () => 0.5,
  logger: { debug() {}, info() {}, warn() {}, error: (text: string) => harness.warnings.push(text) },
});

describe('records that have just come', () => {
  it('are attempted before they are indexed, and done with one write', async () => {
    const harness = new Harness();
    put(harness, 'a');
    let writes = 0;
    const counted = intercepted(harness.store, (name, call) => {
      if (name === 'records.settle') writes++;
      return call();
    });
    const summary = await arrive(harness, ['a'], succeed, { store: counted });
    expect(summary).toMatchObject({ attempted: 1, succeeded: 1, ended: 'drained', lagSeconds: 0 });
    expect(writes).toBe(1);
    expect(harness.item('a')).toEqual({
      id: 'a',
      status: 'SUCCESS',
      queue: 'q',
      payload: { n: 1 },
      insertedAt: iso(0),
      attempts: 1,
      lastAttemptAt: iso(0),
      rev: expect.any(String),
    });
  });

  it('are indexed by their first failure, and are retried by the rule', async () => {
    const harness = new Harness();
    put(harness, 'a');
    expect(await arrive(harness, ['a'], fail)).toMatchObject({ attempted: 1, failed: 1 });
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      lane: 'q',
      insertedAt: iso(0),
      dueAt: due(60),
      failures: 1,
    });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    await harness.pass(60);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('of a progressive queue are left to its rules when they fail, with their age as their place', async () => {
    const harness = new Harness();
    put(harness, 'a', { insertedAt: iso(-100) });
    await arrive(harness, ['a'], fail, { retryMode: 'progressive', retry: { type: 'progressive' } });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', lane: 'q', dueAt: iso(-100) });
    expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ attempted: 0, skipped: 1 });
    await harness.pass(300);
    expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ succeeded: 1 });
  });

  it('that die at once are listed with the dead', async () => {
    const harness = new Harness();
    put(harness, 'a', { retry: { type: 'none' } });
    expect(await arrive(harness, ['a'], fail)).toMatchObject({ dead: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', lane: 'q/dead', deadReason: 'maxAttempts' });
  });

  it('are left alone if they are done, indexed or gone meanwhile', async () => {
    const harness = new Harness();
    put(harness, 'done', { status: 'SUCCESS' });
    harness.put('indexed');
    const attempted: string[] = [];
    const summary = await arrive(harness, ['done', 'indexed', 'gone'], ({ id }) => {
      attempted.push(id);
    });
    expect(attempted).toEqual([]);
    expect(summary).toMatchObject({ attempted: 0, skipped: 3, ended: 'drained' });
    expect(harness.item('done')).not.toHaveProperty('rev');
  });

  it('that their producer delays, or has put into another queue, are indexed without an attempt', async () => {
    const harness = new Harness();
    put(harness, 'later', { availableAt: iso(600) });
    put(harness, 'elsewhere', { queue: 'r' });
    put(harness, 'dead', { status: 'DEAD' });
    const summary = await arrive(harness, ['later', 'elsewhere', 'dead'], succeed);
    expect(summary).toMatchObject({ attempted: 0, leftOver: 3 });
    expect(harness.item('later')).toMatchObject({ lane: 'q', dueAt: iso(600), insertedAt: iso(0) });
    expect(harness.item('elsewhere')).toMatchObject({ lane: 'r', dueAt: iso(0) });
    expect(harness.item('dead')).toMatchObject({ lane: 'q/dead', dueAt: iso(0) });
  });

  it('that come due while others are under attempt are indexed', async () => {
    const harness = new Harness();
    put(harness, 'now');
    put(harness, 'soon', { availableAt: iso(1) });
    const process: Process = () => harness.sleep(3);
    const run = harness.start(process, { arrivals: { batch: 'b', ids: ['now', 'soon'] } });
    await harness.pass(4);
    expect(await run).toMatchObject({ attempted: 1, leftOver: 1 });
    expect(harness.item('soon')).toMatchObject({ status: 'NEW', lane: 'q', dueAt: iso(1) });
  });

  it('whose event is delivered twice are attempted once, at the same time and afterwards', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) put(harness, id);
    const attempted: string[] = [];
    const process: Process = async ({ id }) => {
      attempted.push(id);
      await harness.sleep(10);
    };
    const arrivals = { batch: 'x', ids: ['a', 'b'] };
    const both = Promise.all([harness.start(process, { arrivals }), harness.start(process, { arrivals })]);
    const byAttempts = (await harness.time.until(both)).sort((one, other) => one.attempted - other.attempted);
    expect(byAttempts).toMatchObject([
      { attempted: 0, ended: 'leaseHeld' },
      { attempted: 2, ended: 'drained' },
    ]);
    expect(await arrive(harness, ['a', 'b'], process, {}, 'x')).toMatchObject({ attempted: 0, skipped: 2 });
    expect(attempted.sort()).toEqual(['a', 'b']);
  });

  it('of an eleventh batch at a time are indexed, and an ordinary run attempts them within seconds', async () => {
    const harness = new Harness();
    const startedAt = new Map<string, number>();
    const process: Process = ({ id, lane }) => {
      startedAt.set(`${id} ${lane}`, harness.time.now - START);
      return harness.sleep(10);
    };
    const runs = Array.from({ length: 13 }, (_, i) => {
      put(harness, `r${i}`);
      return harness.start(process, { arrivals: { batch: `b${i}`, ids: [`r${i}`] } });
    });
    const summaries = await harness.time.until(Promise.all(runs));
    const ends = summaries.map(({ ended }) => ended);
    expect(ends.filter((end) => end === 'drained')).toHaveLength(10);
    expect(ends.filter((end) => end === 'concurrencyLimited')).toHaveLength(3);
    expect(harness.statuses()).toEqual({ SUCCESS: 13 });
    const byRule = [...startedAt].filter(([key]) => key.endsWith(' q')).map(([, at]) => at);
    expect(byRule).toEqual([1_000, 1_000, 1_000]);
    expect(summaries.reduce((sum, { attempted }) => sum + attempted, 0)).toBe(13);
    expect(summaries.map(({ leftOver }) => leftOver).every((count) => count >= 0)).toBe(true);
  });

  it('without room use the permits that their run has acquired', async () => {
    const harness = new Harness();
    const now = harness.clock.wall();
    const other = { batch: 'other', holder: 'h', until: now + 60_000, ids: ['x'], now };
    await harness.store.claims.take('q', other);
    for (const id of ['a', 'b', 'c']) put(harness, id);
    const starts: number[] = [];
    const note = () => void starts.push(harness.time.now - START);
    const limits = { onInsertConcurrency: 1, attemptsPerSecond: 1 };
    expect(await arrive(harness, ['a', 'b', 'c'], note, limits)).toMatchObject({ attempted: 3 });
    expect(starts).toEqual([1_000, 2_000, 3_000]);
  });

  it.each([
    ['at the pace of their queue', 0.25, [0, 4, 8], 'drained', 3],
    ['and are indexed where the next permit is too far off', 0.1, [0], 'rateLimited', 2],
  ] as const)('are attempted %s', async (_, attemptsPerSecond, expected, ended, mostClaims) => {
    const harness = new Harness();
    const ids = ['a', 'b', 'c'];
    for (const id of ids) put(harness, id);
    let claims = 0;
    const store = intercepted(harness.store, async (name, call) => {
      if (name === 'claims.take') claims++;
      await harness.sleep(0.005);
      return call();
    });
    const starts: number[] = [];
    const note = () => void starts.push(Math.floor((harness.time.now - START) / 1000));
    const summary = await arrive(harness, ids, note, { attemptsPerSecond, attemptTimeout: 60, store });
    expect(starts).toEqual(expected);
    expect(summary).toMatchObject({ leftOver: 3 - expected.length, ended });
    expect(claims).toBeLessThanOrEqual(mostClaims);
  });

  it('are indexed where the slots of their run are not renewed', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 40 }, (_, i) => `r${i}`);
    for (const id of ids) put(harness, id);
    let claims = 0;
    const store = intercepted(harness.store, async (name, call) => {
      if (name === 'claims.take') claims++;
      if (name === 'slots.renew') throw new StoreUnavailableError('no answer');
      await harness.sleep(0.005);
      return call();
    });
    const process: Process = () => harness.sleep(5);
    const limits = { globalConcurrency: 2, concurrency: 2, store };
    const summary = await arrive(harness, ids, process, limits);
    expect(summary).toMatchObject({ ended: 'concurrencyLimited', attempted: 7, leftOver: 33 });
    expect(claims).toBeLessThan(5);
  });

  it('without room are left to the rule by a run that is short of time', async () => {
    const harness = new Harness();
    const now = harness.clock.wall();
    await harness.store.claims.take('q', {
      batch: 'other',
      holder: 'h',
      until: now + 60_000,
      ids: ['x'],
      now,
    });
    put(harness, 'a');
    const arrivals = { batch: 'b', ids: ['a'] };
    const summary = await harness.run(succeed, { arrivals, onInsertConcurrency: 1, deadlineSeconds: 44 });
    expect(summary).toMatchObject({ attempted: 0, leftOver: 1, ended: 'concurrencyLimited', durationMs: 0 });
  });

  it('of a batch above onInsertConcurrency are left to the rules, and of none below it', async () => {
    const harness = new Harness();
    for (const [onInsertConcurrency, concurrencyLimited] of [
      [2, 2],
      [30, 0],
    ] as const) {
      const runs = Array.from({ length: 4 }, (_, i) => {
        const id = `${onInsertConcurrency}-${i}`;
        put(harness, id);
        return harness.start(() => harness.sleep(10), {
          onInsertConcurrency,
          arrivals: { batch: id, ids: [id] },
        });
      });
      const ends = (await harness.time.until(Promise.all(runs))).map(({ ended }) => ended);
      expect(ends.filter((end) => end === 'concurrencyLimited')).toHaveLength(concurrencyLimited);
    }
  });

  it('of a progressive queue that have no room are attempted in its first tier, and left to it where that is not known', async () => {
    for (const firstBand of [YOUNG, undefined]) {
      const harness = new Harness();
      const choices = { retryMode: 'progressive', onInsertConcurrency: 1, firstBand } as const;
      const runs = ['a', 'b'].map((id) => {
        put(harness, id);
        return harness.start(() => harness.sleep(10), { ...choices, arrivals: { batch: id, ids: [id] } });
      });
      await harness.time.until(Promise.all(runs));
      expect(harness.statuses()).toEqual(firstBand ? { SUCCESS: 2 } : { SUCCESS: 1, NEW: 1 });
    }
  });

  it('make no further request where all have room', async () => {
    const harness = new Harness();
    put(harness, 'a');
    const calls: string[] = [];
    const store = intercepted(harness.store, (name, call) => {
      calls.push(name);
      return call();
    });
    put(harness, 'first');
    await arrive(harness, ['first'], succeed, { store });
    calls.length = 0;
    await arrive(harness, ['a'], succeed, { store });
    expect(calls).toEqual(['claims.take', 'pages.read', 'records.settle', 'claims.release']);
  });

  it('of a paused queue wait in their place', async () => {
    const harness = new Harness();
    await harness.store.queues.setPaused('q', true);
    put(harness, 'a');
    expect(await arrive(harness, ['a'], succeed)).toMatchObject({
      attempted: 0,
      leftOver: 1,
      ended: 'paused',
    });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', lane: 'q' });
  });

  it('stop within a minute when their queue is paused, however many they are', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 10 }, (_, i) => `r${i}`);
    for (const id of ids) put(harness, id);
    const options = { concurrency: 1, arrivals: { batch: 'b', ids } };
    const run = harness.start(() => harness.sleep(17), options);
    await harness.pass(1);
    await harness.store.queues.setPaused('q', true);
    const summary = await harness.time.until(run);
    expect(summary).toMatchObject({ attempted: 3, succeeded: 3, leftOver: 7, ended: 'paused' });
    expect(harness.item('r9')).toMatchObject({ status: 'NEW', lane: 'q' });
  });

  it('are all attempted by one run that renews its claim, with what was changed meanwhile read again', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 6 }, (_, i) => `r${i}`);
    for (const id of ids) put(harness, id);
    const seen: unknown[] = [];
    const process: Process = async ({ payload }) => {
      seen.push(payload);
      await harness.sleep(20);
    };
    const run = harness.start(process, { concurrency: 1, arrivals: { batch: 'b', ids } });
    await harness.pass(45);
    put(harness, 'r5', { payload: { n: 2 } });
    await harness.pass(50);
    expect(await harness.store.claims.find(['q'], ids, harness.clock.wall())).toMatchObject({ ids });
    expect(await harness.time.until(run)).toMatchObject({ attempted: 6, succeeded: 6, unsettled: 0 });
    expect(seen.at(-1)).toEqual({ n: 2 });
    expect(await harness.store.claims.find(['q'], ids, harness.clock.wall())).toMatchObject({ ids: [] });
  });

  it('that another run has under another name are left alone, and their event comes back', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) put(harness, id);
    const attempted: string[] = [];
    const process: Process = async ({ id }) => {
      attempted.push(id);
      await harness.sleep(10);
    };
    const first = harness.start(process, { arrivals: { batch: '1/2', ids: ['a', 'b'] } });
    await harness.pass(1);
    const second = await arrive(harness, ['b', 'c'], process, {}, '2/2');
    expect(second).toMatchObject({ attempted: 0, ended: 'claimedElsewhere' });
    await harness.time.until(first);
    expect(attempted).toEqual(['a', 'b']);
    expect(await arrive(harness, ['b', 'c'], process, {}, '2/2')).toMatchObject({ succeeded: 1, skipped: 1 });
  });

  it('that belong to another queue by now, where they are under attempt, are not indexed beside that attempt', async () => {
    const harness = new Harness();
    // Deleted and inserted again in `r`, before the event of the first insertion arrived.
    put(harness, 'a', { queue: 'r' });
    const inOther = harness.start(() => harness.sleep(10), {
      queue: 'r',
      arrivals: { batch: '2', ids: ['a'] },
    });
    await harness.pass(1);
    put(harness, 'b');
    expect(await arrive(harness, ['a', 'b'], succeed)).toMatchObject({
      succeeded: 1,
      ended: 'claimedElsewhere',
    });
    expect(harness.item('a')).not.toHaveProperty('lane');
    expect(await harness.time.until(inOther)).toMatchObject({ succeeded: 1, unsettled: 0 });
  });

  const REPLACED: Record<string, { readonly item: Record<string, unknown>; readonly options: RunChoices }> = {
    'put with a lane, which a rule finds': {
      item: { lane: 'q', dueAt: iso(0), insertedAt: iso(0) },
      options: {},
    },
    'deleted and inserted into another queue': {
      item: { queue: 'r' },
      options: { queue: 'r', arrivals: { batch: '2', ids: ['a'] } },
    },
  };
  for (const [how, { item, options }] of Object.entries(REPLACED)) {
    it(`that are replaced during their first attempt (${how}) are attempted beside it, and each outcome is its own`, async () => {
      const harness = new Harness();
      put(harness, 'a');
      const first = harness.start(() => harness.sleep(10), { arrivals: { batch: '1', ids: ['a'] } });
      await harness.pass(1);
      put(harness, 'a', { ...item, payload: { n: 2 } });
      const payloads: unknown[] = [];
      const second = await harness.run(({ payload }) => {
        payloads.push(payload);
        throw new Error('not yet');
      }, options);
      expect(second).toMatchObject({ attempted: 1, failed: 1 });
      expect(await harness.time.until(first)).toMatchObject({ attempted: 1, succeeded: 0, unsettled: 1 });
      expect(payloads).toEqual([{ n: 2 }]);
      expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 1, payload: { n: 2 } });
    });
  }

  it('whose claim meets another one give theirs back', async () => {
    const harness = new Harness();
    put(harness, 'a');
    const released: unknown[] = [];
    // As DynamoDB has it: of two claims at the same time the second one is written, too.
    const take = async () => 'shared' as const;
    const release = async (...args: unknown[]) => void released.push(args);
    const store = replacing({ claims: { take, release } }, harness.store);
    expect(await arrive(harness, ['a'], succeed, { store })).toMatchObject({
      attempted: 0,
      ended: 'claimedElsewhere',
    });
    expect(released).toMatchObject([['q', { batch: 'b' }]]);
  });

  it('of a batch too many that another run has claimed are left to that one, and their event comes back', async () => {
    const harness = new Harness();
    const runs = Array.from({ length: 10 }, (_, i) => {
      put(harness, `r${i}`);
      return harness.start(() => harness.sleep(10), { arrivals: { batch: `b${i}`, ids: [`r${i}`] } });
    });
    await harness.pass(1);
    put(harness, 'new');
    // This holds even if a producer has put the claimed record into another queue meanwhile.
    harness.store.put({ ...harness.item('r0'), queue: 'other' });
    const concurrencyLimited = await arrive(harness, ['r0', 'new'], succeed, {}, 'sixth');
    expect(concurrencyLimited).toMatchObject({ attempted: 1, leftOver: 0, ended: 'claimedElsewhere' });
    expect(harness.item('new')).toMatchObject({ status: 'SUCCESS' });
    expect(harness.item('r0')).not.toHaveProperty('lane');
    await harness.time.until(Promise.all(runs));
  });

  it('are not indexed by a run that was frozen until its claim and that of another run were over', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) put(harness, id, { availableAt: iso(1000) });
    let isFrozen = true;
    const read: BacklogStore['pages']['read'] = async (...args) => {
      const page = await harness.store.pages.read(...args);
      if (isFrozen) await harness.sleep(80);
      isFrozen = false;
      return page;
    };
    const store = replacing({ pages: { read } }, harness.store);
    const run = harness.start(succeed, { store, arrivals: { batch: 'slow', ids: ['a', 'b'] } });
    await harness.pass(76);
    await harness.store.claims.take('q', {
      batch: 'other',
      holder: 'h',
      until: harness.clock.wall() + 60_000,
      ids: ['b'],
      now: harness.clock.wall(),
    });
    expect(await harness.time.until(run)).toMatchObject({ attempted: 0, ended: 'claimedElsewhere' });
    for (const id of ['a', 'b']) expect(harness.item(id)).not.toHaveProperty('lane');
  });

  it('are left to the intake once their claim has run out, as it meets no claim of another queue', async () => {
    const harness = new Harness();
    // One more than outcomes may be on their way to the store while further attempts begin.
    const ids = Array.from({ length: 51 }, (_, i) => `r${i}`);
    for (const id of ids) put(harness, id);
    const take: BacklogStore['claims']['take'] = async (...args) => {
      const at = harness.time.now - START;
      if (at < 5_000 || at > 150_000) return harness.store.claims.take(...args);
      throw new StoreUnavailableError('no answer');
    };
    const attempted: string[] = [];
    const note: Process = ({ id }) => void attempted.push(id);
    const settle: BacklogStore['records']['settle'] = async (...args) => {
      const answer = await harness.store.records.settle(...args);
      await harness.sleep(160);
      return answer;
    };
    const store = replacing({ claims: { take }, records: { settle } }, harness.store);
    const summary = await arrive(harness, ids, note, { concurrency: 1, store });
    expect(attempted).toHaveLength(50);
    expect(summary.ended).toBe('claimedElsewhere');
    const [left = ''] = ids.filter((id) => !attempted.includes(id));
    expect(harness.item(left)).not.toHaveProperty('lane');
  });

  it('are left to the intake by a run that was frozen until its claim had run out, although no other one holds them', async () => {
    const harness = new Harness();
    put(harness, 'a');
    let frozenSeconds = 80;
    const read: BacklogStore['pages']['read'] = async (...args) => {
      const page = await harness.store.pages.read(...args);
      await harness.sleep(frozenSeconds);
      frozenSeconds = 0;
      return page;
    };
    const store = replacing({ pages: { read } }, harness.store);
    const summary = await arrive(harness, ['a'], succeed, { store });
    expect(summary).toMatchObject({ attempted: 0, ended: 'claimedElsewhere' });
    expect(harness.item('a')).not.toHaveProperty('lane');
  });

  it('keep their claim while one of them ignores its signal, and the store fails', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) put(harness, id, id === 'b' ? { availableAt: iso(1000) } : {});
    let fails = false;
    const released: number[] = [];
    const { store } = harness;
    const settle: BacklogStore['records']['settle'] = async (record, change, rev) => {
      if (record.id !== 'b') return store.records.settle(record, change, rev);
      fails = true;
      throw new StoreUnavailableError('settle: no answer');
    };
    const release: BacklogStore['claims']['release'] = async (...args) => {
      released.push(harness.time.now - START);
      return store.claims.release(...args);
    };
    const failing = replacing({ records: { settle }, claims: { release } }, store);
    const summary = await arrive(harness, ['a', 'b'], () => harness.sleep(100), { store: failing });
    expect(fails).toBe(true);
    expect(summary).toMatchObject({ attempted: 1, succeeded: 1, ended: 'storeError' });
    expect(released).toEqual([100_000]);
  });

  it('of a queue with a pace are attempted where it has turns, and left to its rules where others have them', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) put(harness, id);
    const rateLimited = { attemptsPerSecond: 5 };
    expect(await arrive(harness, ['a', 'b'], succeed, rateLimited)).toMatchObject({ succeeded: 2 });
    await harness.store.permits.acquire('q', { count: 30, intervalMs: 200, now: harness.clock.wall() });
    expect(await arrive(harness, ['c'], succeed, rateLimited)).toMatchObject({
      attempted: 0,
      leftOver: 1,
      ended: 'rateLimited',
    });
    expect(harness.item('c')).toMatchObject({ status: 'NEW', lane: 'q' });
  });

  it('of a run that was lost are claimed once more only when clocks that differ agree on its end', async () => {
    const harness = new Harness();
    put(harness, 'a');
    await harness.store.claims.take('q', {
      batch: 'b',
      holder: 'lost',
      until: harness.clock.wall() + 70_000,
      ids: ['a'],
      now: harness.clock.wall(),
    });
    await harness.pass(74);
    expect(await arrive(harness, ['a'], succeed)).toMatchObject({ attempted: 0, ended: 'leaseHeld' });
    await harness.pass(2);
    expect(await arrive(harness, ['a'], succeed)).toMatchObject({ succeeded: 1 });
  });

  it('are done although their claim cannot be given back', async () => {
    const harness = new Harness();
    put(harness, 'a');
    const release = () => Promise.reject(new StoreUnavailableError('UpdateItem: no answer'));
    const store = replacing({ claims: { release } }, harness.store);
    expect(await arrive(harness, ['a'], succeed, { store })).toMatchObject({
      succeeded: 1,
      ended: 'drained',
    });
    expect(harness.warnings).toContain('the claim on records could not be given back');
  });

  it('whose claim is lost on the way are left to the run that has it, and their event comes back', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) put(harness, id);
    let claims = 0;
    const take = async () => (claims++ === 0 ? 'claimed' : 'shared');
    const store = replacing({ claims: { take } }, harness.store);
    const options = { concurrency: 1, store };
    const summary = await arrive(harness, ['a', 'b', 'c'], () => harness.sleep(20), options);
    expect(summary).toMatchObject({ attempted: 2, succeeded: 2, ended: 'claimedElsewhere' });
    expect(harness.item('c')).not.toHaveProperty('lane');
  });

  it('that ignore their signal are given up and reported when the claim cannot be renewed', async () => {
    const harness = new Harness();
    put(harness, 'a');
    let claims = 0;
    const take = async () => {
      if (claims++ > 0) throw new StoreUnavailableError('UpdateItem: no answer');
      return 'claimed' as const;
    };
    const store = replacing({ claims: { take } }, harness.store);
    const summary = await arrive(harness, ['a'], () => harness.sleep(200), { store });
    expect(summary).toMatchObject({ attempted: 1, failed: 1, unsettled: 0, ended: 'storeError' });
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      lane: 'q',
      lastError: { name: 'AttemptTimeout' },
    });
  });

  it('behind one that ignores its signal wait for it, and not for the store', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) put(harness, id);
    let reads = 0;
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'pages.read') reads++;
      return call();
    });
    const process: Process = ({ id }) => harness.sleep(id === 'a' ? 100 : 1);
    const summary = await arrive(harness, ['a', 'b'], process, { concurrency: 1, store });
    expect(summary).toMatchObject({ succeeded: 2, ended: 'drained' });
    expect(reads).toBe(2);
  });

  it('that a claim does not cover any more, and that cannot be renewed, are left to the rules', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) put(harness, id);
    const options = { concurrency: 1, deadlineSeconds: 70 };
    const summary = await arrive(harness, ['a', 'b', 'c'], () => harness.sleep(17.5), options);
    expect(summary).toMatchObject({ attempted: 2, succeeded: 2, leftOver: 1, ended: 'deadline' });
    expect(harness.item('c')).toMatchObject({ lane: 'q' });
  });

  it('that do not fit into the function’s time are left to the rules', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) put(harness, id);
    const summary = await arrive(harness, ['a', 'b', 'c'], () => harness.sleep(29), {
      concurrency: 1,
      deadlineSeconds: 70,
    });
    expect(summary).toMatchObject({ attempted: 2, succeeded: 2, leftOver: 1, ended: 'deadline' });
    expect(harness.item('c')).toMatchObject({ status: 'NEW', lane: 'q' });
    expect(harness.time.now).toBeLessThan(START + 70_000);
  });

  it('are not settled over a producer’s overwrite, which gets its own turn', async () => {
    const harness = new Harness();
    put(harness, 'a');
    const summary = await arrive(harness, ['a'], () => put(harness, 'a', { payload: { n: 2 } }));
    expect(summary).toMatchObject({ attempted: 1, succeeded: 0, unsettled: 1 });
    expect(harness.item('a')).toEqual({ id: 'a', status: 'NEW', queue: 'q', payload: { n: 2 } });
  });

  it.each<[string, Record<string, unknown>]>([
    ['task', { task: 'refund' }],
    ['queue', { queue: 'r' }],
    ['availableAt', { availableAt: iso(-5) }],
    ['insertedAt', { insertedAt: iso(-5) }],
    ['status', { status: 'ERROR' }],
    ['retry', { retry: { type: 'none' } }],
    ['attribute of its own', { version: 2 }],
    ['attribute less', { version: undefined }],
  ])('are attempted again when they are put again during their attempt with another %s', async (_, more) => {
    const harness = new Harness();
    put(harness, 'a', { version: 1 });
    const overwrite = () => put(harness, 'a', { version: 1, ...more });
    const first = await arrive(harness, ['a'], overwrite);
    expect(first).toMatchObject({ attempted: 1, succeeded: 0, unsettled: 1 });
    expect(harness.item('a')).not.toHaveProperty('rev');
    // The overwrite has come through the table's stream.
    await harness.pass(75);
    expect(await indexWhenFree(['a'], deps(harness))).toMatchObject({ indexed: [{ id: 'a' }], waiting: [] });
    const attempted: unknown[] = [];
    const queue = String(more.queue ?? 'q');
    const attempt: Process = ({ attributes, task }) => {
      attempted.push([attributes.version, task]);
    };
    expect(await harness.run(attempt, { queue })).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(attempted).toEqual([['version' in more ? more.version : 1, more.task]]);
    expect(harness.item('a')).toMatchObject({ status: 'SUCCESS' });
  });

  it('of a run that was lost are indexed, and its claim runs out', async () => {
    const harness = new Harness();
    put(harness, 'a');
    const now = harness.clock.wall();
    const lost = { batch: 'x', holder: 'lost', ids: ['a'], until: now + 70_000, now };
    expect(await harness.store.claims.take('q', lost)).toBe('claimed');
    await harness.pass(1);
    expect(await indexWhenFree(['a'], deps(harness))).toMatchObject({ indexed: [], waiting: ['a'] });
    await harness.pass(80);
    expect(await indexWhenFree(['a'], deps(harness))).toMatchObject({ indexed: [{ id: 'a' }], waiting: [] });
    expect(harness.item('a')).toMatchObject({ lane: 'q', insertedAt: iso(81), dueAt: iso(81) });
    put(harness, 'b');
    expect(await arrive(harness, ['b'], succeed, {}, 'x')).toMatchObject({ succeeded: 1 });
  });
});

describe('placing', () => {
  it('replaces what could not be read, and names it', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'new', queue: 7, payload: 1, insertedAt: 12345 });
    const { indexed } = await indexWhenFree(['a'], deps(harness));
    expect(indexed).toMatchObject([
      { id: 'a', problems: [expect.any(String), expect.any(String), expect.any(String)] },
    ]);
    expect(harness.item('a')).toEqual({
      id: 'a',
      status: 'NEW',
      queue: 'default',
      payload: 1,
      insertedAt: iso(0),
      lane: 'default',
      dueAt: iso(0),
      rev: expect.any(String),
    });
  });

  it('takes the expiry from a finished record that is set to NEW again: it would be deleted while it waits', async () => {
    const harness = new Harness();
    put(harness, 'a', { expiresAt: 1_800_000_000, attempts: 1 });
    put(harness, 'b', { expiresAt: 1_800_000_000 });
    await indexWhenFree(['a'], deps(harness));
    await arrive(harness, ['b'], fail);
    for (const id of ['a', 'b']) expect(harness.item(id)).not.toHaveProperty('expiresAt');
    expect(harness.item('a')).toMatchObject({ attempts: 1, lane: 'q' });
  });

  it('keeps what was read: an insertion time with an offset becomes UTC', async () => {
    const harness = new Harness();
    put(harness, 'a', { insertedAt: '2026-02-28T23:00:00+02:00' });
    await indexWhenFree(['a'], deps(harness));
    expect(harness.item('a')).toMatchObject({ insertedAt: iso(-3 * 3600), dueAt: iso(-3 * 3600) });
  });

  it('counts no record that was changed in between', async () => {
    const harness = new Harness();
    put(harness, 'a');
    const read = await harness.store.records.getMany(['a']);
    put(harness, 'a', { payload: { n: 2 } });
    const store = replacing({ records: { getMany: async () => read } }, harness.store);
    const answer = await indexWhenFree(['a'], { ...deps(harness), store });
    expect(answer).toEqual({ indexed: [], skipped: 1, quarantined: 0, refused: 0, waiting: [] });
    expect(harness.item('a')).not.toHaveProperty('lane');
  });

  it('leaves records alone that are indexed, done or gone; and may be repeated', async () => {
    const harness = new Harness();
    put(harness, 'a');
    put(harness, 'done', { status: 'SUCCESS' });
    harness.put('indexed');
    const ids = ['a', 'a', 'done', 'indexed', 'gone'];
    expect(await indexWhenFree(ids, deps(harness))).toMatchObject({ indexed: [{ id: 'a' }], skipped: 3 });
    expect(await indexWhenFree(ids, deps(harness))).toEqual({
      indexed: [],
      skipped: 4,
      quarantined: 0,
      refused: 0,
      waiting: [],
    });
  });
});
