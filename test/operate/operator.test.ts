import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { editPayload } from '../../src/operate/changes.js';
import { BacklogOperator, OperationInterruptedError } from '../../src/operate/index.js';
import { parseRecord } from '../../src/record/index.js';
import { StoreAccessError, StoreError, StoreThrottledError } from '../../src/store/index.js';
import { fail, Harness, START, succeed, YOUNG } from '../worker/harness.js';
import { interrupted, operatorOf, putDead } from './support.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const DAY = 86_400;

describe('redrive', () => {
  it('makes a dead record wait again: no failure counted, its history kept, due now', async () => {
    const harness = new Harness();
    putDead(harness, 'a', { expiresAt: 1, notBefore: iso(5), own: 'kept' });
    const before = harness.item('a');
    await harness.pass(3600);
    expect(await operatorOf(harness).redrive('a')).toEqual({
      matched: 1,
      changed: 1,
      delayed: 0,
      skipped: {},
      failed: 0,
      failures: [],
      examples: ['a'],
      ended: 'complete',
      readUnits: 0,
      writeUnits: 0,
    });
    const { id, queue, payload, insertedAt, attempts, lastAttemptAt, lastError, history } = before;
    expect(definedOf(harness.item('a'))).toEqual({
      ...{ id, queue, payload, insertedAt, attempts, lastAttemptAt, lastError, history, own: 'kept' },
      status: 'NEW',
      lane: 'q',
      dueAt: iso(3600),
      availableAt: iso(3600),
      rev: expect.stringMatching(/^\S{8}$/),
    });
    expect(harness.item('a').rev).not.toBe('inserted');
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('finds the records of all shards, and leaves each in its own', async () => {
    const harness = new Harness();
    for (const shard of [1, 9, 31]) putDead(harness, `r${shard}`, { lane: `q#${shard}/dead` });
    expect(await operatorOf(harness).redrive({ queue: 'q' })).toMatchObject({ changed: 3 });
    expect(harness.store.items().map(({ lane }) => lane)).toEqual(['q#1', 'q#9', 'q#31']);
    expect(await operatorOf(harness).discard({ queue: 'q', status: 'NEW' })).toMatchObject({ changed: 3 });
    expect(harness.store.items().map(({ lane }) => lane)).toEqual(['q#1/dead', 'q#9/dead', 'q#31/dead']);
    expect(await operatorOf(harness).move(['r1', 'r9'], { queue: 'q' })).toMatchObject({
      skipped: { asWanted: 2 },
    });
  });

  it('is attempted by the fastest tier again on a progressive queue, however old it was', async () => {
    const harness = new Harness();
    putDead(harness, 'old', { insertedAt: iso(-400 * DAY), deadReason: 'expired' });
    await harness.pass(600);
    await operatorOf(harness).redrive('old');
    expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ succeeded: 1 });
  });

  it('takes all that match, and leaves out what is not wanted any more unless it is asked for', async () => {
    const harness = new Harness();
    for (let i = 0; i < 250; i++) putDead(harness, `r${i}`);
    putDead(harness, 'gone', { deadReason: 'discarded: no such customer' });
    putDead(harness, 'off', { deadReason: 'cancelled: the order was withdrawn' });
    const operator = operatorOf(harness);
    expect(await operator.redrive({ queue: 'q' })).toMatchObject({ matched: 250, changed: 250 });
    expect(harness.statuses()).toEqual({ NEW: 250, DEAD: 2 });
    expect(await operator.redrive({ queue: 'q', deadReason: 'discarded' })).toMatchObject({ changed: 1 });
    expect(await operator.redrive('off')).toMatchObject({ changed: 1 });
  });

  it('brings back each record once, although it dies again at once', async () => {
    const harness = new Harness();
    for (let i = 0; i < 250; i++) putDead(harness, `r${i}`, { lastAttemptAt: iso(-60) });
    await harness.pass(1);
    let writes = 0;
    const store = interrupted(harness.store, {
      'records.change': () => {
        if (++writes > 1000) throw new Error('it never ends');
      },
      'pages.query': () => {
        for (const { id, status } of harness.store.items())
          if (status === 'NEW') putDead(harness, String(id), { lastAttemptAt: iso(2) });
      },
    });
    expect(await operatorOf(harness, store).redrive({ queue: 'q' })).toMatchObject({
      changed: 250,
      ended: 'complete',
    });
    expect(writes).toBe(250);
  });

  it('goes to another queue, with another policy, or without one of its own', async () => {
    const harness = new Harness();
    putDead(harness, 'a', { retry: { type: 'none' } });
    putDead(harness, 'b', { retry: { type: 'none' } });
    const operator = operatorOf(harness);
    await operator.redrive('a', { queue: 'slow', retry: { type: 'fibonacci', maxAttempts: 3 } });
    expect(harness.item('a')).toMatchObject({
      queue: 'slow',
      lane: 'slow',
      status: 'NEW',
      retry: { type: 'fibonacci', maxAttempts: 3 },
    });
    await operator.redrive('b', { retry: null });
    expect(definedOf(harness.item('b'))).not.toHaveProperty('retry');
  });

  it('does what is done for a dead record that an operator sets to NEW by hand', async () => {
    const harness = new Harness();
    putDead(harness, 'by-hand');
    putDead(harness, 'redriven');
    await operatorOf(harness).redrive('redriven');
    harness.store.put({ ...harness.item('by-hand'), status: 'NEW' });
    const { indexWhenFree } = await import('../../src/intake/index.js');
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    await indexWhenFree(['by-hand'], {
      store: harness.store,
      clock: harness.clock,
      random: Math.random,
      logger,
    });
    const { id: _, rev: __, ...byHand } = definedOf(harness.item('by-hand'));
    expect(definedOf(harness.item('redriven'))).toMatchObject(byHand);
  });
});

describe('discard', () => {
  it('leaves a record dead with the reason, and removes it after a while', async () => {
    const harness = new Harness();
    putDead(harness, 'a');
    await harness.pass(60);
    await operatorOf(harness).discard('a', { reason: 'no such customer' });
    expect(harness.item('a')).toMatchObject({
      status: 'DEAD',
      lane: 'q/dead',
      dueAt: iso(0),
      deadReason: 'discarded: no such customer',
      expiresAt: START / 1000 + 60 + 30 * DAY,
    });
  });

  it('gives another reason to one that was discarded, and is done where it has it', async () => {
    const harness = new Harness();
    putDead(harness, 'a', { deadReason: 'discarded: by mistake' });
    const operator = operatorOf(harness);
    expect(await operator.discard('a')).toMatchObject({ changed: 0, skipped: { asWanted: 1 } });
    expect(await operator.discard('a', { reason: 'no such customer' })).toMatchObject({ changed: 1 });
    expect(harness.item('a')).toMatchObject({ deadReason: 'discarded: no such customer', dueAt: iso(0) });
    expect(await operator.discard('a', { reason: 'no such customer' })).toMatchObject({ changed: 0 });
  });

  it('and a redrive forget since when no handler knew its task', async () => {
    const harness = new Harness();
    putDead(harness, 'a', { unknownTaskSince: iso(-900) });
    harness.put('b', { unknownTaskSince: iso(-900) });
    const operator = operatorOf(harness);
    await operator.redrive('a');
    await operator.discard('b');
    for (const id of ['a', 'b']) expect(definedOf(harness.item(id))).not.toHaveProperty('unknownTaskSince');
  });

  it.each([
    [undefined, 30 * 86_400],
    ['1d', 86_400],
    [7.5, 7.5],
  ])('keeps a discarded record for %j', async (retention, seconds) => {
    const harness = new Harness();
    harness.put('a');
    await operatorOf(harness).discard('a', { retention });
    expect(harness.item('a').expiresAt).toBe(Math.floor(harness.time.now / 1000 + seconds));
  });

  it('ends a waiting record where it is named, or selected as such', async () => {
    const harness = new Harness();
    harness.put('a', { notBefore: iso(99) });
    harness.put('b');
    const operator = operatorOf(harness);
    expect(await operator.discard({ queue: 'q' })).toMatchObject({ matched: 0, changed: 0 });
    await operator.discard('a', { retention: 'forever' });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', lane: 'q/dead', deadReason: 'discarded' });
    expect(definedOf(harness.item('a'))).not.toHaveProperty('expiresAt');
    expect(harness.item('a')?.notBefore).toEqual({ lane: 'q', until: iso(900) });
    expect(await operator.discard({ queue: 'q', status: ['NEW', 'ERROR'] })).toMatchObject({ changed: 1 });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
  });

  it('removes it at once if wanted, and nothing brings it back', async () => {
    const harness = new Harness();
    putDead(harness, 'a');
    expect(await operatorOf(harness).discard('a', { delete: true })).toMatchObject({ changed: 1 });
    expect(harness.store.items()).toEqual([]);
    expect(await operatorOf(harness).redrive('a')).toMatchObject({ changed: 0, skipped: { notFound: 1 } });
  });
});

describe('what an operator has taken out of a lane a moment ago', () => {
  it('keeps the lane where it may be under attempt, whatever is done next', async () => {
    const harness = new Harness();
    const notBefore = { lane: 'former', until: iso(600) };
    harness.put('moved', { notBefore });
    expect(await operatorOf(harness).discard('moved')).toMatchObject({ changed: 1 });
    expect(harness.item('moved')).toMatchObject({ status: 'DEAD', notBefore });
  });

  it('may be under attempt for as long as a function lives, on a clock that is fast as well', async () => {
    const harness = new Harness();
    Object.assign(harness.clock, { speed: 10 });
    harness.put('r');
    await operatorOf(harness).discard('r');
    expect(harness.item('r')).toMatchObject({ notBefore: { lane: 'q', until: iso(10 * 900) } });
  });
});

describe('a record that has just come', () => {
  const bare = { lane: undefined, dueAt: undefined, rev: undefined };
  const claimOf = (harness: Harness, seconds: number) => {
    const now = harness.clock.wall();
    return { batch: 'b', holder: 'a run', until: now + seconds * 1000, ids: ['r'], now };
  };

  it.each(['q', 'former'])(
    'is left to a run of the queue %s whose claim is over by this clock alone',
    async (queue) => {
      const harness = new Harness();
      harness.put('r', bare);
      await harness.store.claims.take(queue, claimOf(harness, 10));
      const operator = operatorOf(harness);
      await harness.pass(14);
      expect(await operator.snooze('r', { delay: '1h' })).toMatchObject({ skipped: { inFlight: 1 } });
      await harness.pass(2);
      expect(await operator.snooze('r', { delay: '1h' })).toMatchObject({ changed: 1 });
    },
  );

  it('is left to the run of a queue that it was in before', async () => {
    const harness = new Harness();
    harness.put('r', bare);
    await harness.store.claims.take('former', claimOf(harness, 60));
    expect(await operatorOf(harness).discard('r')).toMatchObject({ changed: 0, skipped: { inFlight: 1 } });
  });

  it('is claimed no longer than an action takes', async () => {
    const harness = new Harness();
    harness.put('r', bare);
    expect(await operatorOf(harness).snooze('r', { delay: '1h' })).toMatchObject({ changed: 1 });
    const { ids } = await harness.store.claims.find(['q'], ['r'], harness.clock.wall());
    expect(ids).toEqual([]);
  });
});

describe('snooze', () => {
  it('puts off the due time on a queue that retries per record', async () => {
    const harness = new Harness();
    harness.put('a');
    harness.put('later', { dueAt: iso(3 * 3600) });
    await harness.run(() => harness.sleep(0), { maxRecords: 1 });
    harness.put('a', { status: 'ERROR', failures: 1, attempts: 1, lastFailureAt: iso(0) });
    expect(await operatorOf(harness).snooze({ queue: 'q' }, { delay: '2h' })).toMatchObject({
      changed: 1,
      skipped: { asWanted: 1 },
    });
    expect(harness.item('a')).toMatchObject({ dueAt: iso(7200) });
    await harness.pass(7199);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it.each([
    [
      'that was attempted',
      { status: 'ERROR', attempts: 1, failures: 1 },
      { dueAt: iso(0), notBefore: iso(7200) },
    ],
    ['that has not', {}, { dueAt: iso(7200) }],
  ])(
    'holds a record of a progressive queue back %s, and leaves it its age',
    async (_, attributes, expected) => {
      const harness = new Harness();
      harness.put('a', attributes);
      await harness.store.queues.setRetryMode('q', { mode: 'progressive', since: 0 }, undefined);
      await operatorOf(harness).snooze('a', { at: new Date(START + 7200_000) });
      expect(harness.item('a')).toMatchObject({ ...expected, insertedAt: iso(0) });
      await harness.pass(7000);
      expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ attempted: 0 });
      await harness.pass(300);
      expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ succeeded: 1 });
    },
  );

  it.each([
    ['that has failed', { status: 'ERROR', attempts: 1, failures: 1, lastFailureAt: iso(0) }],
    ['that has not', {}],
    ['that was redriven', { attempts: 9 }],
  ])('holds a record %s although the queue changes its retry mode', async (_, attributes) => {
    const harness = new Harness();
    harness.put('a', attributes);
    await harness.store.queues.setRetryMode('q', { mode: 'progressive', since: 0 }, undefined);
    await operatorOf(harness).snooze('a', { delay: 7200 });
    const { retryMode } = await harness.store.queues.read('q');
    await harness.store.queues.setRetryMode('q', { mode: 'perRecord', since: 0 }, retryMode);
    await harness.pass(7199);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('puts off what its producer delays for less, and leaves what is delayed for longer', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: 1, availableAt: iso(60) });
    harness.store.put({ id: 'b', status: 'NEW', queue: 'q', payload: 1, availableAt: iso(9999) });
    await operatorOf(harness).snooze(['a', 'b'], { delay: 7200 });
    expect(harness.item('a')).toMatchObject({ lane: 'q', dueAt: iso(7200) });
    expect(harness.item('b')).toMatchObject({ lane: 'q', dueAt: iso(9999) });
  });

  it('changes each record once, although they get later places in the index that is read', async () => {
    const harness = new Harness();
    for (let i = 0; i < 450; i++) harness.put(`r${i}`, { dueAt: iso(-i) });
    const result = await operatorOf(harness).snooze({ queue: 'q' }, { delay: 60 });
    expect(result).toMatchObject({ matched: 450, changed: 450, skipped: {} });
  });

  it('finds records that an attempt puts behind the place that is read', async () => {
    const harness = new Harness();
    for (let i = 0; i < 100; i++) harness.put(`r${i}`, { dueAt: iso(-i) });
    const snoozed = operatorOf(harness).snooze({ queue: 'q' }, { delay: '2h', perSecond: 5 });
    await harness.pass(9);
    await harness.run(fail, { retry: { type: 'constant', interval: 600 }, maxRecords: 30 });
    expect(await harness.time.until(snoozed)).toMatchObject({ changed: 100, ended: 'complete' });
    expect(harness.store.items().filter(({ dueAt }) => String(dueAt) < iso(7000))).toEqual([]);
  });

  it('counts each record of a progressive queue once, whose due time stays as it is', async () => {
    const harness = new Harness();
    await harness.store.queues.setRetryMode('q', { mode: 'progressive', since: 0 }, undefined);
    for (const id of ['a', 'b']) {
      harness.put(id, { status: 'ERROR', attempts: 1, failures: 1, insertedAt: iso(-60) });
    }
    const result = await operatorOf(harness).snooze({ queue: 'q' }, { delay: '2h' });
    expect(result).toMatchObject({ matched: 2, changed: 2, skipped: {} });
  });

  it.each([
    [{}, /expected "delay" or "at"/],
    [{ delay: 0 }, /expected "delay" or "at"/],
    [{ delay: 'soon' }, /delay: expected seconds/],
    [{ at: '2020-01-01T00:00:00Z' }, /a time that lies ahead/],
    [{ delay: 1, at: new Date() }, /expected one of the two/],
  ])('refuses %j', async (options, message) => {
    await expect(operatorOf(new Harness()).snooze('a', options)).rejects.toThrow(message);
  });
});

describe('runNow', () => {
  it('makes a record due that waits after a failure', async () => {
    const harness = new Harness();
    harness.put('a', { status: 'ERROR', failures: 3, attempts: 3, lastFailureAt: iso(0), dueAt: iso(9999) });
    harness.put('due');
    await harness.pass(10);
    expect(await operatorOf(harness).runNow({ queue: 'q' })).toMatchObject({
      changed: 1,
      skipped: { asWanted: 1 },
    });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', failures: 3, dueAt: iso(10) });
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 2 });
  });

  it('ends the delay that a producer asked for, and lets the age count from here', async () => {
    const harness = new Harness();
    harness.put('a', { availableAt: iso(DAY), dueAt: iso(DAY) });
    await harness.store.queues.setRetryMode('q', { mode: 'progressive', since: 0 }, undefined);
    await harness.pass(10);
    await operatorOf(harness).runNow('a');
    expect(harness.item('a')).toMatchObject({ availableAt: iso(10), dueAt: iso(10) });
    expect(await harness.run(succeed, { band: YOUNG })).toMatchObject({ succeeded: 1 });
  });

  it('lifts what holds a record of a progressive queue back until its tier comes', async () => {
    const harness = new Harness();
    harness.put('a', { status: 'ERROR', failures: 1, attempts: 1, notBefore: iso(DAY) });
    harness.put('b');
    await harness.store.queues.setRetryMode('q', { mode: 'progressive', since: 0 }, undefined);
    expect(await operatorOf(harness).runNow({ queue: 'q' })).toMatchObject({
      changed: 1,
      skipped: { asWanted: 1 },
    });
    expect(definedOf(harness.item('a'))).not.toHaveProperty('notBefore');
    expect(harness.item('a')).toMatchObject({ dueAt: iso(0) });
  });
});

describe('editPayload', () => {
  it('merges into the payload, or replaces it', async () => {
    const harness = new Harness();
    const payload = { total: 1, customer: { id: 7, tags: new Set(['a']) }, big: 12345678901234567890123n };
    harness.put('a', { payload });
    const operator = operatorOf(harness);
    await operator.editPayload('a', { merge: { total: 2, customer: { id: null, name: 'Ü' } } });
    expect(harness.item('a').payload).toEqual({
      total: 2,
      customer: { tags: new Set(['a']), name: 'Ü' },
      big: 12345678901234567890123n,
    });
    expect(harness.item('a')).toMatchObject({ dueAt: iso(0), lane: 'q', status: 'NEW' });
    await operator.editPayload('a', { payload: [1] });
    expect(harness.item('a').payload).toEqual([1]);
    expect(await operator.editPayload('a', { payload: [1] })).toMatchObject({ skipped: { asWanted: 1 } });
  });

  it('redrives a dead record with it if wanted', async () => {
    const harness = new Harness();
    putDead(harness, 'a');
    putDead(harness, 'b');
    const operator = operatorOf(harness);
    await operator.editPayload('a', { payload: 1, redrive: true });
    await operator.editPayload('b', { payload: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', lane: 'q', payload: 1 });
    expect(harness.item('b')).toMatchObject({ status: 'DEAD', lane: 'q/dead', payload: 1, failures: 7 });
  });

  it('refuses one that no item can hold, and goes on with the others', async () => {
    const harness = new Harness();
    harness.put('full', { own: 'x'.repeat(390 * 1024) });
    harness.put('free');
    const result = await operatorOf(harness).editPayload(['full', 'free'], {
      payload: 'y'.repeat(100 * 1024),
    });
    expect(result).toMatchObject({ changed: 1, failed: 1, examples: ['free'] });
    expect(result.failures).toEqual([
      { id: 'full', reason: expect.stringMatching(/at most 407552 are possible/) },
    ]);
    expect(harness.item('full')).toMatchObject({ payload: {} });
  });

  it('merges into objects only: of another payload nothing would stay', async () => {
    const harness = new Harness();
    harness.put('list', { payload: [1] });
    harness.put('object', { payload: { a: 1 } });
    const result = await operatorOf(harness).editPayload(['list', 'object'], { merge: { b: 2 } });
    expect(result).toMatchObject({ changed: 1, failed: 1 });
    expect(result.failures).toEqual([
      { id: 'list', reason: 'its payload is a list: a merge patch needs an object' },
    ]);
    expect(harness.item('list').payload).toEqual([1]);
    expect(harness.item('object').payload).toEqual({ a: 1, b: 2 });
  });

  it('asks for one of the two, and for a patch that is an object', async () => {
    const operator = operatorOf(new Harness());
    await expect(operator.editPayload('a', {})).rejects.toThrow(/either "payload" or "merge"/);
    await expect(operator.editPayload('a', { payload: 1, merge: {} })).rejects.toThrow(/either/);
    await expect(operator.editPayload('a', { merge: [1] as never })).rejects.toThrow(
      /editPayload\.merge: expected an object, got \[1\]/,
    );
  });
});

it('a payload with numbers that JavaScript cannot hold can be edited', () => {
  const prices = [NumberValue.from('0.12345678901234567890123')];
  const item = {
    id: 'r',
    status: 'NEW',
    queue: 'q',
    payload: { prices, n: 1 },
    insertedAt: iso(0),
    lane: 'q',
  };
  const record = parseRecord({ ...item, dueAt: iso(0) }, START);
  const payload = { prices, n: 2 };
  expect(editPayload({ item, record }, payload, { again: false, now: START })).toMatchObject({
    do: 'change',
    change: { set: { payload } },
  });
});

describe('changePolicy', () => {
  it('gives waiting and dead records a policy of their own, or takes it away', async () => {
    const harness = new Harness();
    harness.put('a', { status: 'ERROR', failures: 1, dueAt: iso(50) });
    putDead(harness, 'b');
    const operator = operatorOf(harness);
    const retry = { type: 'constant', interval: 5 } as const;
    expect(await operator.changePolicy({ queue: 'q' }, { retry })).toMatchObject({ changed: 2 });
    expect(harness.item('a')).toMatchObject({ retry, dueAt: iso(50) });
    expect(harness.item('b')).toMatchObject({ retry, status: 'DEAD' });
    expect(await operator.changePolicy('a', { retry })).toMatchObject({ skipped: { asWanted: 1 } });
    await operator.changePolicy('a', { retry: null });
    expect(definedOf(harness.item('a'))).not.toHaveProperty('retry');
  });

  it('refuses an invalid policy, before anything is changed', async () => {
    const operator = operatorOf(new Harness());
    const retry = { type: 'fibonaci' } as never;
    await expect(operator.changePolicy('a', { retry })).rejects.toThrow(/changePolicy\.retry.*fibonacci/);
    await expect(operator.changePolicy('a', {} as never)).rejects.toThrow(/or null for none/);
  });
});

describe('move', () => {
  it('that ends half-way brings nothing forward that is held back for longer', async () => {
    const harness = new Harness();
    const held = { status: 'ERROR', attempts: 1, failures: 1, notBefore: iso(7200) };
    harness.put('a', held);
    const store = interrupted(harness.store, {
      'leases.readAll': () => {
        throw new StoreAccessError('access denied');
      },
    });
    await expect(operatorOf(harness, store).move('a', { queue: 'r' })).rejects.toThrow(/access denied/);
    expect(harness.item('a')).toMatchObject({ lane: 'r', dueAt: iso(7200) });
  });

  it('leaves the age, the failures and the policy of a record', async () => {
    const harness = new Harness();
    const attributes = {
      ...{ status: 'ERROR', attempts: 4, failures: 2, availableAt: iso(-50), dueAt: iso(-50) },
      ...{ retry: { type: 'none' }, firstFailureAt: iso(-9), lastFailureAt: iso(-9), own: 1 },
    };
    harness.put('a', attributes);
    expect(await operatorOf(harness).move({ queue: 'q' }, { queue: 'r' })).toMatchObject({ changed: 1 });
    expect(harness.item('a')).toMatchObject({ ...attributes, queue: 'r', lane: 'r' });
    expect(await operatorOf(harness).move('a', { queue: 'r' })).toMatchObject({ skipped: { asWanted: 1 } });
  });

  it('puts a record right that an operator has given another queue by hand', async () => {
    const harness = new Harness();
    harness.put('a', { queue: 'r' });
    await operatorOf(harness).move('a', { queue: 'r' });
    expect(harness.item('a')).toMatchObject({ queue: 'r', lane: 'r', dueAt: iso(0) });
  });

  it('looks at the leases once for each page, and leaves the records that one names due in 15 minutes', async () => {
    const harness = new Harness();
    for (let i = 0; i < 150; i++) harness.put(`r${i}`);
    harness.put('free', { queue: 'free', lane: 'free' });
    const until = START + 60_000;
    const lease = { holder: 'busy', until, ids: ['r0', 'r149'], suspects: ['r7'], rev: 'j' };
    await harness.store.leases.hold('q#2', lease);
    let looks = 0;
    const store = interrupted(harness.store, { 'leases.readAll': () => looks++ });
    const result = await operatorOf(harness, store).move({ all: true }, { queue: 'other' });
    expect(result).toMatchObject({ changed: 151, delayed: 3, ended: 'complete' });
    expect(looks).toBe(2);
    for (const id of ['r0', 'r149', 'r7']) {
      expect(harness.item(id)).toMatchObject({ queue: 'other', dueAt: iso(900) });
    }
    for (const id of ['r1', 'free']) {
      expect(harness.item(id)).toMatchObject({ queue: 'other', dueAt: iso(0) });
    }
  });

  it('takes a lease that is over by this clock for held as long as it may not be over by another one', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    const lease = { holder: 'busy', until: START + 10_000, ids: ['a', 'b'], rev: 'j' };
    await harness.store.leases.hold('q', lease);
    const operator = operatorOf(harness);
    await harness.pass(15);
    expect(await operator.move('a', { queue: 'other' })).toMatchObject({ delayed: 1 });
    await harness.pass(1);
    expect(await operator.move('b', { queue: 'other' })).toMatchObject({ delayed: 0 });
  });

  it('takes the dead only where they are asked for', async () => {
    const harness = new Harness();
    putDead(harness, 'd');
    const operator = operatorOf(harness);
    expect(await operator.move({ queue: 'q' }, { queue: 'r' })).toMatchObject({ matched: 0 });
    const dead = { queue: 'q', status: 'DEAD' } as const;
    expect(await operator.move(dead, { queue: 'r' })).toMatchObject({ changed: 1 });
    expect(harness.item('d')).toMatchObject({ queue: 'r', lane: 'r/dead', status: 'DEAD' });
    await expect(operator.move('d', { queue: 'a b' })).rejects.toThrow(/move\.queue/);
  });
});

describe('a selection', () => {
  const some = async (selection: object) => {
    const harness = new Harness();
    putDead(harness, 'http', {
      insertedAt: iso(-3 * DAY),
      payload: { customer: { id: 7 }, items: [{ sku: 'x' }] },
      key: 7,
    });
    putDead(harness, 'timeout', {
      insertedAt: iso(-3600),
      lastError: { name: 'AttemptTimeout', message: '', at: iso(0), attempt: 1 },
      region: 'eu',
      key: '__proto__',
      payload: { customer: { id: '7' } },
    });
    const old = { deadReason: 'expired', lastFailureAt: iso(-2 * DAY) };
    putDead(harness, 'old', { insertedAt: iso(-400 * DAY), key: 'c-7', ...old });
    putDead(harness, 'other', { queue: 'r', lane: 'r/dead', key: 'c-77' });
    harness.put('waiting');
    await operatorOf(harness).redrive(selection as never);
    return harness.store
      .items()
      .filter(({ status, lane }) => status === 'NEW' && lane !== undefined)
      .map(({ id }) => id)
      .filter((id) => id !== 'waiting')
      .sort();
  };

  it.each<[object, string[]]>([
    [{ all: true }, ['http', 'old', 'other', 'timeout']],
    [{ status: 'DEAD' }, ['http', 'old', 'other', 'timeout']],
    [{ queue: 'r' }, ['other']],
    [{ queue: 'nobody' }, []],
    [{ queue: ['r', 'q', 'r'], idPrefix: 'o' }, ['old', 'other']],
    [{ errorName: 'AttemptTimeout' }, ['timeout']],
    [{ errorContains: 'ANSWERED' }, ['http', 'old', 'other']],
    [{ errorContains: 'expired' }, ['old']],
    [{ messagePattern: '{word} 500' }, ['http', 'old', 'other']],
    [{ failedWithin: '1h' }, ['http', 'other', 'timeout']],
    [{ failedBefore: '1h', failedWithin: '3d' }, ['old']],
    [{ deadReason: 'exp' }, ['old']],
    [{ queue: 'q', olderThan: '2d' }, ['http', 'old']],
    [{ queue: 'q', youngerThan: '2d' }, ['timeout']],
    [{ queue: 'q', olderThan: 1800, youngerThan: '4d' }, ['http', 'timeout']],
    // One was inserted this long ago, to the millisecond.
    [{ queue: 'q', olderThan: 3600, youngerThan: '4d' }, ['http', 'timeout']],
    [{ queue: 'q', youngerThan: 3600 }, []],
    [{ payload: { path: 'customer.id', equals: 7 } }, ['http']],
    [{ payload: { path: ['customer', 'id'], equals: '7' } }, ['timeout']],
    [
      {
        payload: [
          { path: 'customer.id', equals: 7 },
          { path: 'items.0.sku', equals: 'x' },
        ],
      },
      ['http'],
    ],
    [{ payload: { path: 'items.0', equals: { sku: 'x' } } }, ['http']],
    [{ payload: { path: 'constructor.name', equals: 'Object' } }, []],
    [{ attributes: { region: 'eu' } }, ['timeout']],
    [{ key: 'c-7' }, ['old']],
    [{ key: 'C-7' }, []],
    [{ key: '7' }, []],
    [{ key: '__proto__' }, ['timeout']],
    [{ key: 'constructor' }, []],
    [{ key: 'c-77', queue: 'q' }, []],
  ])('%j', async (selection, ids) => {
    expect(await some(selection)).toEqual(ids);
  });

  it.each([
    [{}, /expected ids, a filter such as "queue", or "all": true/],
    [{ all: false }, /expected ids, a filter/],
    [undefined, /redrive/],
    [{ queue: 'a b' }, /redrive\.queue: expected letters/],
    [{ queue: [] }, /redrive\.queue/],
    [{ idPrefix: '' }, /redrive\.idPrefix/],
    [{ status: 'NEW' }, /redrive\.status: expected DEAD, got "NEW"/],
    [{ status: 'dead' }, /redrive\.status/],
    [{ olderThan: '5' }, /redrive\.olderThan: expected seconds/],
    [{ errorname: 'x' }, /did you mean "errorName"/],
    [{ payload: { path: '', equals: 1 } }, /redrive\.payload/],
    [
      { payload: { path: 'customer.id', equals: undefined } },
      /payload\.equals: expected a value, got nothing/,
    ],
    [{ attributes: { region: undefined } }, /attributes\.region: expected a value, got nothing/],
    [{ key: 7 }, /redrive\.key: expected text of 1 to 256 bytes, got 7/],
    [{ key: '' }, /redrive\.key: expected text of 1 to 256 bytes, got ""/],
    [{ key: 'é'.repeat(129) }, /redrive\.key: expected text of 1 to 256 bytes/],
    [{ attributes: {} }, /attributes: expected at least one attribute/],
    [['a', ''], /ids that are not empty/],
    [[1], /ids that are not empty/],
  ])('refuses %j', async (selection, message) => {
    const harness = new Harness();
    putDead(harness, 'a');
    await expect(operatorOf(harness).redrive(selection as never)).rejects.toThrow(message);
    expect(harness.item('a')).toMatchObject({ status: 'DEAD' });
  });
});

describe('any action', () => {
  it('counts in a dry run, and changes nothing', async () => {
    const harness = new Harness();
    for (let i = 0; i < 30; i++) putDead(harness, `r${i}`);
    const before = harness.store.items();
    expect(await operatorOf(harness).redrive({ queue: 'q' }, { dryRun: true })).toMatchObject({
      matched: 30,
      changed: 30,
      examples: [expect.any(String), ...Array(4).fill(expect.any(String))],
    });
    expect(harness.store.items()).toEqual(before);
  });

  it('counts no more in a dry run than its limit allows', async () => {
    const harness = new Harness();
    for (let i = 0; i < 250; i++) putDead(harness, `r${i}`);
    const options = { dryRun: true, limit: 120 };
    expect(await operatorOf(harness).redrive({ queue: 'q' }, options)).toMatchObject({
      changed: 120,
      ended: 'limit',
    });
  });

  it('comes to all records of a table', async () => {
    const harness = new Harness();
    for (let i = 0; i < 250; i++) putDead(harness, `r${i}`);
    expect(await operatorOf(harness).redrive({ status: 'DEAD' })).toMatchObject({
      matched: 250,
      changed: 250,
    });
  });

  it('says of each id why it was left', async () => {
    const harness = new Harness();
    putDead(harness, 'dead ü/#1');
    harness.put('new');
    putDead(harness, 'later', { backlogFormat: 99 });
    const ids = ['dead ü/#1', 'new', 'nobody', 'later', 'dead ü/#1'];
    expect(await operatorOf(harness).redrive(ids)).toMatchObject({
      matched: 4,
      changed: 1,
      skipped: { otherStatus: 1, notFound: 1, newer: 1 },
    });
  });

  it('brings back what is quarantined, whatever its version', async () => {
    const harness = new Harness();
    putDead(harness, 'odd', { backlogFormat: 99, deadReason: 'quarantined: of a newer version' });
    putDead(harness, 'unwanted', { backlogFormat: 99, deadReason: 'quarantined: of a newer version' });
    const operator = operatorOf(harness);
    expect(await operator.redrive('odd')).toMatchObject({ changed: 1 });
    expect(harness.item('odd')).toMatchObject({ status: 'NEW', lane: 'q', payload: {} });
    expect(await operator.discard('unwanted')).toMatchObject({ changed: 1 });
    expect(await operator.discard('unwanted', { delete: true })).toMatchObject({ changed: 1 });
  });

  it('takes as many as its limit allows, and the next call goes on', async () => {
    const harness = new Harness();
    for (let i = 0; i < 250; i++) putDead(harness, `r${i}`);
    const operator = operatorOf(harness);
    expect(await operator.redrive({ queue: 'q' }, { limit: 120 })).toMatchObject({
      changed: 120,
      ended: 'limit',
    });
    expect(harness.statuses()).toEqual({ NEW: 120, DEAD: 130 });
    expect(await operator.redrive({ queue: 'q' }, { limit: 131 })).toMatchObject({
      changed: 130,
      ended: 'complete',
    });
  });

  it('does not count records toward its limit that cannot be changed, or that others have changed first', async () => {
    const harness = new Harness();
    for (let i = 100; i < 350; i++) putDead(harness, `r${i}`);
    const store = interrupted(harness.store, {
      'records.change': ({ id }: { readonly id: string }) => {
        if (id < 'r130') throw new StoreError('no room in the item');
      },
    });
    const operator = operatorOf(harness, store);
    const first = await operator.redrive({ queue: 'q' }, { limit: 20 });
    expect(first).toMatchObject({ changed: 20, failed: 30, ended: 'limit' });
    const both = [operator, operatorOf(harness)].map((one) => one.redrive({ queue: 'q' }, { limit: 90 }));
    expect((await Promise.all(both)).map(({ changed }) => changed)).toEqual([90, 90]);
    expect(harness.statuses()).toEqual({ NEW: 200, DEAD: 50 });
  });

  it.each([50, 2, 0.5])('keeps a pace of %d a second', async (perSecond) => {
    const harness = new Harness();
    for (let i = 0; i < 11; i++) putDead(harness, `r${i}`);
    const began = harness.time.now;
    await harness.time.until(operatorOf(harness).redrive({ queue: 'q' }, { perSecond }));
    const seconds = (harness.time.now - began) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(10 / perSecond - 0.05);
    expect(seconds).toBeLessThan(11 / perSecond + 0.1);
    expect(harness.statuses()).toEqual({ NEW: 11 });
  });

  it('tells how far it is, and ends after the writes at hand when it is told to', async () => {
    const harness = new Harness();
    for (let i = 0; i < 1000; i++) putDead(harness, `r${i}`);
    const stop = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ looked, changed }: { looked: number; changed: number }) => {
      expect(changed).toBe(looked);
      seen.push(changed);
      if (changed >= 300) stop.abort();
    };
    const { signal } = stop;
    const result = await operatorOf(harness).redrive({ queue: 'q' }, { onProgress, signal });
    expect(result).toMatchObject({ changed: 300, ended: 'aborted' });
    expect(seen).toEqual([100, 200, 300]);
    expect(await operatorOf(harness).redrive({ queue: 'q' })).toMatchObject({ changed: 700 });
  });

  it('ends a long wait for its pace when it is told to', async () => {
    const harness = new Harness();
    for (let i = 0; i < 5; i++) putDead(harness, `r${i}`);
    const stop = new AbortController();
    const redriving = operatorOf(harness).redrive({ queue: 'q' }, { perSecond: 0.01, signal: stop.signal });
    await harness.pass(5);
    stop.abort();
    const began = harness.time.now;
    expect(await harness.time.until(redriving)).toMatchObject({ changed: 1, ended: 'aborted' });
    expect(harness.time.now).toBe(began);
  });

  it('goes on past a record that the table refuses', async () => {
    const harness = new Harness();
    for (const id of ['a', 'bad', 'c']) putDead(harness, id);
    const store = interrupted(harness.store, {
      'records.change': ({ id }: { id: string }) => {
        if (id === 'bad') throw new StoreError('UpdateItem (table t): ValidationException: item size');
      },
    });
    expect(await operatorOf(harness, store).redrive({ queue: 'q' })).toMatchObject({
      matched: 3,
      changed: 2,
      failed: 1,
      failures: [{ id: 'bad', reason: expect.stringMatching(/item size/) }],
    });
  });

  it('waits while DynamoDB throttles', async () => {
    const harness = new Harness();
    for (let i = 0; i < 3; i++) putDead(harness, `r${i}`);
    let throttled = 0;
    const store = interrupted(harness.store, {
      'records.change': () => {
        if (throttled++ < 4) throw new StoreThrottledError('DynamoDB throttles');
      },
    });
    const reported: string[] = [];
    const redriving = operatorOf(harness, store).redrive(
      { queue: 'q' },
      { onTrouble: (message) => void reported.push(message) },
    );
    expect(await harness.time.until(redriving)).toMatchObject({ changed: 3 });
    expect(reported).toEqual(Array(4).fill('DynamoDB throttles'));
  });

  it('says what it has done when the table cannot be used any more', async () => {
    const harness = new Harness();
    for (let i = 0; i < 300; i++) putDead(harness, `r${i}`);
    let writes = 0;
    const store = interrupted(harness.store, {
      'records.change': () => {
        if (++writes > 150) throw new StoreAccessError('access denied');
      },
    });
    const error = await operatorOf(harness, store)
      .redrive({ queue: 'q' })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(OperationInterruptedError);
    expect(error.message).toBe('stopped with 150 changed: access denied');
    expect(error.result).toMatchObject({ changed: 150, ended: 'aborted' });
    expect(harness.statuses()).toEqual({ NEW: 150, DEAD: 150 });
  });

  it.each<[string, Error]>([
    ['what interrupts a request', new DOMException('aborted', 'AbortError')],
    ['an error of the store', new StoreError('query: error')],
  ])('says what it has done before %s', async (_, cause) => {
    const harness = new Harness();
    putDead(harness, 'a');
    const onProgress = () => {
      throw cause;
    };
    const redriving = operatorOf(harness).redrive('a', { onProgress });
    await expect(redriving).rejects.toMatchObject({
      name: 'OperationInterruptedError',
      result: { changed: 1 },
      cause,
    });
  });

  it.each(['change', 'onProgress'])('throws a programming error in %s as it is', async (where) => {
    const mistake = new TypeError('x is not a function');
    const throws = () => {
      throw mistake;
    };
    const harness = new Harness();
    putDead(harness, 'a');
    const store = interrupted(harness.store, where === 'change' ? { 'records.change': throws } : {});
    const onProgress = where === 'onProgress' ? throws : undefined;
    await expect(operatorOf(harness, store).redrive('a', { onProgress })).rejects.toBe(mistake);
  });

  it('gives up on a record that others change all the time', async () => {
    const harness = new Harness();
    putDead(harness, 'a');
    putDead(harness, 'b');
    const store = interrupted(harness.store, {
      'records.change': ({ id }: { id: string }) => {
        if (id === 'a') putDead(harness, 'a', { rev: String(Math.random()) });
      },
    });
    expect(await operatorOf(harness, store).redrive({ queue: 'q' })).toMatchObject({
      changed: 1,
      skipped: { changedMeanwhile: 1 },
    });
  });

  it('of two operators at once each record is changed by one', async () => {
    const harness = new Harness();
    for (let i = 0; i < 300; i++) putDead(harness, `r${i}`);
    const operators = [operatorOf(harness), operatorOf(harness)];
    const results = await Promise.all(operators.map((operator) => operator.redrive({ queue: 'q' })));
    expect((results[0]?.changed ?? 0) + (results[1]?.changed ?? 0)).toBe(300);
    expect(harness.statuses()).toEqual({ NEW: 300 });
  });

  it('finds a record that is not indexed by its id, and by the whole table', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'bare', status: 'DEAD', payload: 1, queue: 'q' });
    harness.store.put({ id: 'bare-too', status: 'DEAD', payload: 1, queue: 'q' });
    const operator = operatorOf(harness);
    expect(await operator.redrive({ queue: 'q' })).toMatchObject({ matched: 0 });
    expect(await operator.redrive('bare')).toMatchObject({ changed: 1 });
    expect(await operator.redrive({ status: 'DEAD' })).toMatchObject({ changed: 1 });
    expect(harness.item('bare')).toMatchObject({ status: 'NEW', lane: 'q', dueAt: iso(0) });
  });

  it.each([
    [{ table: 'records' }, /controlTable/],
    [{ table: 'r', controlTable: 'control' }, /table/],
    [{ table: 'records', controlTable: 'control', tabel: 1 }, /did you mean "table"/],
    [{ table: 'records', controlTable: 'control', store: {} }, /store: .*expected a store/],
  ])('needs options that make sense: %j', (options, message) => {
    expect(() => new BacklogOperator(options as never)).toThrow(message);
  });

  it.each([
    { limit: 0 },
    { perSecond: 0 },
    { perSecond: -1 },
    { concurrency: 0 },
    { dryrun: true },
    { signal: 1 },
  ])('refuses %j', async (options) => {
    await expect(operatorOf(new Harness()).redrive('a', options as never)).rejects.toThrow(/redrive/);
  });
});

describe('export', () => {
  it('gives the items unchanged, of whatever status', async () => {
    const harness = new Harness();
    harness.put('a', { status: 'SUCCESS', lane: undefined, dueAt: undefined, own: { x: 1 } });
    putDead(harness, 'b', { insertedAt: 12345 });
    harness.put('c', { queue: 'r', lane: 'r' });
    const exported = [];
    for await (const item of operatorOf(harness).export({ queue: 'q', status: ['DEAD', 'SUCCESS'] }))
      exported.push(item);
    expect(exported).toEqual([harness.item('a'), harness.item('b')]);
  });

  it('of ids, or as many as wanted', async () => {
    const harness = new Harness();
    for (let i = 0; i < 5; i++) putDead(harness, `r${i}`);
    const idsOf = async (...args: Parameters<BacklogOperator['export']>) => {
      const ids = [];
      for await (const { id } of operatorOf(harness).export(...args)) ids.push(id);
      return ids;
    };
    expect(await idsOf(['r3', 'nobody', 'r1'])).toEqual(['r3', 'r1']);
    expect(await idsOf({ queue: 'q', status: 'DEAD' }, { limit: 2 })).toEqual(['r0', 'r1']);
  });
});

function definedOf(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}
