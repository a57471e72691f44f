import { describe, expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import type { FailingMemory } from '../../src/worker/index.js';
import { operatorOf } from '../operate/support.js';
import { fail, Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const HOUR = 3_600_000;
const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** Attempts by key, and the record's own attributes after it. */
class Paused extends Harness {
  readonly attempted: string[] = [];
  readonly operator = operatorOf(this);

  work(options: RunChoices = {}) {
    return this.run(({ id }) => void this.attempted.push(id), options);
  }

  dueIn(id: string): number {
    return (Date.parse(String(this.item(id).dueAt)) - this.time.now) / 1000;
  }
}

it('no record of a paused key is attempted: it is put off for half an hour to an hour, and nothing is counted', async () => {
  const paused = new Paused();
  await paused.operator.pauseKey('q', 'acme');
  for (let i = 0; i < 40; i++) paused.put(`a${i}`, { key: 'acme' });
  paused.put('other', { key: 'other' });
  paused.put('none');
  expect(await paused.work()).toMatchObject({ attempted: 2, succeeded: 2, failed: 0, ended: 'drained' });
  expect(paused.attempted.sort()).toEqual(['none', 'other']);
  const due = Array.from({ length: 40 }, (_, i) => paused.dueIn(`a${i}`));
  expect(Math.min(...due)).toBeGreaterThanOrEqual(1_800);
  expect(Math.max(...due)).toBeLessThanOrEqual(3_601);
  // Spread, so that they do not come back together.
  expect(new Set(due).size).toBeGreaterThan(30);
  const { attempts, failures, history, status, lane } = paused.item('a0');
  expect({ attempts, failures, history, status, lane }).toEqual({ status: 'NEW', lane: 'q' });
  // The index names none of them before.
  expect(await paused.work()).toMatchObject({ attempted: 0, skipped: 0 });
  await paused.pass(3_700);
  expect(await paused.work()).toMatchObject({ attempted: 0, skipped: 40 });
});

it('a pause ends by itself, and its records are due then', async () => {
  const paused = new Paused();
  await paused.operator.pauseKey('q', 'acme', { until: '10m' });
  paused.put('a', { key: 'acme' });
  await paused.work();
  expect(paused.item('a')).toMatchObject({
    dueAt: iso(600),
    notBefore: { until: iso(600), lane: '#paused' },
  });
  await paused.pass(599);
  expect(await paused.work()).toMatchObject({ attempted: 0 });
  await paused.pass(2);
  expect(await paused.work()).toMatchObject({ succeeded: 1 });
  expect(paused.item('a').notBefore).toBeUndefined();
  expect((await paused.operator.stats()).queues[0]?.pausedKeys).toBeUndefined();
});

it('a pause that begins during a run holds from the next page on', async () => {
  const paused = new Paused();
  for (let i = 0; i < 100; i++) paused.put(`a${i}`, { key: 'acme' });
  const running = paused.start(() => paused.sleep(10), { concurrency: 5 });
  await paused.pass(15);
  await paused.operator.pauseKey('q', 'acme');
  const { attempted, ended } = await paused.time.until(running);
  // A page is no larger than what fits into a minute at the worst: of 5 at once that take 30 s, ten.
  expect(attempted).toBeLessThanOrEqual(20);
  expect(ended).toBe('drained');
});

it('a failed record keeps its failures and its status, and its age goes on', async () => {
  const paused = new Paused();
  paused.put('a', { key: 'acme' });
  const retry = { type: 'constant', interval: 60, jitter: 'none', maxAge: 7_200 } as const;
  await paused.run(fail, { retry });
  await paused.operator.pauseKey('q', 'acme');
  await paused.pass(60);
  await paused.work({ retry });
  expect(paused.item('a')).toMatchObject({ status: 'ERROR', attempts: 1, failures: 1 });
  expect(paused.dueIn('a')).toBeGreaterThanOrEqual(1_800);
  for (let hours = 0; hours < 4; hours++) {
    await paused.pass(3_600);
    await paused.work({ retry });
  }
  expect(paused.attempted).toEqual([]);
  expect(paused.item('a')).toMatchObject({ status: 'DEAD', deadReason: 'expired', attempts: 1 });
});

describe('on arrival', () => {
  it.each([
    ['per record', {}],
    ['progressive', { retryMode: 'progressive' as const, retry: { type: 'progressive' as const } }],
  ])('a record of a paused key is indexed with that time, by one write: %s', async (_, mode) => {
    const paused = new Paused();
    await paused.operator.pauseKey('q', 'acme', { until: '30m' });
    for (const [id, key] of [
      ['a', 'acme'],
      ['b', 'other'],
    ])
      paused.store.put({ id, status: 'NEW', queue: 'q', payload: {}, key });
    const arrivals = { batch: 'b', ids: ['a', 'b'] };
    expect(await paused.work({ arrivals, ...mode })).toMatchObject({
      attempted: 1,
      succeeded: 1,
      skipped: 1,
    });
    expect(paused.item('a')).toMatchObject({
      status: 'NEW',
      lane: 'q',
      dueAt: iso(1_800),
      insertedAt: iso(0),
    });
    expect(paused.attempted).toEqual(['b']);
  });
});

describe('progressive queues', () => {
  it('put it off, too, and it has its turn in its tier behind the pause', async () => {
    const paused = new Paused();
    await paused.operator.pauseKey('q', 'acme', { until: '3h' });
    paused.put('a', { key: 'acme' });
    for (let minutes = 0; minutes < 180; minutes += 5) {
      await paused.work({ band: YOUNG });
      await paused.pass(300);
    }
    expect(paused.attempted).toEqual([]);
    for (let turns = 0; turns < 3; turns++) {
      await paused.work({ band: YOUNG });
      await paused.pass(300);
    }
    expect(paused.attempted).toEqual(['a']);
  });
});

it('with fairness, a record of a busy key that is paused is put off by one write, before it is moved', async () => {
  const paused = new Paused();
  const keys = new Map();
  for (let i = 0; i < 30; i++) paused.put(`a${i}`, { key: 'acme' });
  // Ten failures make it busy.
  await paused.run(fail, { fairness: true, keys, concurrency: 10 });
  await paused.operator.pauseKey('q', 'acme');
  await paused.pass(120);
  let writes = 0;
  const store = intercepted(paused.store, async (name, call) => {
    if (name === 'records.settle') writes++;
    return call();
  });
  expect(await paused.work({ fairness: true, keys, store })).toMatchObject({ attempted: 0 });
  expect(paused.attempted).toEqual([]);
  expect(writes).toBe(30);
  for (let i = 0; i < 30; i++) expect(paused.dueIn(`a${i}`)).toBeGreaterThan(1_700);
});

it.each([
  ['concurrencyPerKey', { fairness: true, concurrencyPerKey: 1 }],
  ['attemptsPerSecondPerKey', { attemptsPerSecondPerKey: 1 }],
  ['attemptsPerSecond', { attemptsPerSecond: 1 }],
  ['globalConcurrency', { globalConcurrency: 2 }],
  ['breaker', { breaker: { minimumAttempts: 5 } }],
  ['maxRecords', { maxRecords: 2 }],
])('beside %s, a pile of a paused key takes no turn of another key', async (_, options) => {
  const paused = new Paused();
  await paused.operator.pauseKey('q', 'acme');
  for (let i = 0; i < 50; i++) paused.put(`a${i}`, { key: 'acme', insertedAt: iso(-1) });
  paused.put('b0', { key: 'other' });
  paused.put('b1', { key: 'other' });
  expect(await paused.work(options as RunChoices)).toMatchObject({ succeeded: 2 });
  expect(paused.attempted.sort()).toEqual(['b0', 'b1']);
});

it('a suspect of a paused key is put off, and attempted alone afterwards', async () => {
  const paused = new Paused();
  const lastError = { name: 'WorkerLost', message: 'the process ended', at: iso(0), attempt: 1 };
  paused.put('a', { key: 'acme', status: 'ERROR', attempts: 1, failures: 1, lastError });
  await paused.operator.pauseKey('q', 'acme');
  await paused.work();
  expect(paused.attempted).toEqual([]);
  expect(paused.dueIn('a')).toBeGreaterThan(1_700);
  await paused.operator.resumeKey('q', 'acme');
  await paused.work();
  expect(paused.attempted).toEqual(['a']);
});

it('no probe is made of a record whose key is paused', async () => {
  const paused = new Paused();
  const waits = [60, 60, 60, 60, 60, 3_600];
  const retry = { type: 'list', waits, afterwards: 'last', jitter: 'none' } as const;
  const failingMemory: FailingMemory = new Map();
  for (const id of ['a0', 'a1', 'a2']) paused.put(id, { key: 'acme' });
  for (let minutes = 0; minutes < 6; minutes++) {
    await paused.run(fail, { retry, failingMemory });
    await paused.pass(60);
  }
  const probe = async () => {
    for (let minutes = 0; minutes < 7; minutes++) {
      await paused.work({ retry, failingMemory });
      await paused.pass(60);
    }
  };
  await paused.operator.pauseKey('q', 'acme');
  await probe();
  expect(paused.attempted).toEqual([]);
  await paused.operator.resumeKey('q', 'acme');
  await probe();
  expect(paused.attempted.length).toBeGreaterThan(0);
});

it('what cannot be read of the paused keys is ignored, with one warning in a run', async () => {
  const paused = new Paused();
  const pauses = [{ key: 'acme', since: iso(0) }, { key: '' }, null];
  await paused.store.queues.notePausedKeys('q', JSON.stringify(pauses), undefined);
  for (let i = 0; i < 150; i++) paused.put(`b${i}`);
  paused.put('a', { key: 'acme' });
  expect(await paused.work()).toMatchObject({ succeeded: 150 });
  expect(paused.warnings).toEqual(['some paused keys of the queue cannot be read']);
});

it.each(['', 'null', '{}', '[', '[[[[', `[${'['.repeat(50_000)}`, 'x'.repeat(200_000), '[1,"acme"]'])(
  'a damaged text pauses nothing: %.20s',
  async (text) => {
    const paused = new Paused();
    await paused.store.queues.notePausedKeys('q', text, undefined);
    paused.put('a', { key: 'acme' });
    expect(await paused.work()).toMatchObject({ succeeded: 1 });
  },
);

it('a queue without a paused key makes no further request', async () => {
  const requests = async (isPaused: boolean) => {
    const paused = new Paused();
    if (isPaused) await paused.operator.pauseKey('q', 'another');
    for (let i = 0; i < 30; i++) paused.put(`a${i}`, { key: 'acme' });
    let calls = 0;
    const store = intercepted(paused.store, async (_, call) => {
      calls++;
      return call();
    });
    expect(await paused.run(succeed, { store })).toMatchObject({ succeeded: 30 });
    return calls;
  };
  expect(await requests(true)).toBe(await requests(false));
});

describe('resume', () => {
  it('makes what was put off due now, and leaves what waits for another reason', async () => {
    const paused = new Paused();
    paused.put('failed', { key: 'acme' });
    const retry = { type: 'constant', interval: 7_200, jitter: 'none' } as const;
    await paused.run(fail, { retry });
    paused.put('delayed', { key: 'acme', availableAt: iso(5_000), dueAt: iso(5_000) });
    await paused.operator.pauseKey('q', 'acme');
    await paused.operator.pauseKey('q', 'other');
    paused.put('a', { key: 'acme' });
    paused.put('b', { key: 'other' });
    await paused.pass(60);
    await paused.work();
    const before = { failed: paused.item('failed').dueAt, b: paused.item('b').dueAt };
    expect(await paused.operator.resumeKey('q', 'acme', { dryRun: true })).toMatchObject({
      resumed: false,
      changed: 1,
    });
    expect(await paused.operator.resumeKey('q', 'acme')).toMatchObject({
      resumed: true,
      matched: 1,
      changed: 1,
      examples: ['a'],
    });
    expect(await paused.operator.resumeKey('q', 'acme')).toMatchObject({ resumed: false, changed: 0 });
    expect(paused.item('failed').dueAt).toBe(before.failed);
    expect(paused.item('delayed').dueAt).toBe(iso(5_000));
    expect(paused.item('b').dueAt).toBe(before.b);
    expect(await paused.work({ retry })).toMatchObject({ succeeded: 1 });
    expect(paused.attempted).toEqual(['a']);
  });

  it('of a progressive queue gives the record back to its tier', async () => {
    const paused = new Paused();
    await paused.operator.pauseKey('q', 'acme');
    paused.put('a', { key: 'acme' });
    await paused.work({ band: YOUNG });
    await paused.pass(600);
    expect(await paused.operator.resumeKey('q', 'acme')).toMatchObject({ changed: 1 });
    expect(paused.item('a').dueAt).toBe(iso(0));
    await paused.work({ band: YOUNG });
    expect(paused.attempted).toEqual(['a']);
  });
});

it('a record that an operator has put off for longer waits for that', async () => {
  const paused = new Paused();
  await paused.operator.pauseKey('q', 'acme');
  paused.put('a', { key: 'acme' });
  await paused.work();
  const at = new Date(START + 5 * HOUR).toISOString();
  await paused.operator.snooze('a', { at });
  expect(await paused.operator.resumeKey('q', 'acme')).toMatchObject({ changed: 0 });
  expect(paused.item('a').dueAt).toBe(at);
});
