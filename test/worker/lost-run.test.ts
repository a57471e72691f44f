import { describe, expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/store.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, START, succeed } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

describe('after a run was lost', () => {
  /** The lease of a run that never came back, with these records under attempt, for certain or perhaps. */
  async function lose(ids: readonly string[], begun?: true): Promise<Harness> {
    const harness = new Harness();
    for (const id of ids) harness.put(id);
    const lost = { holder: 'lost', until: START + 70_000, ids, begun, rev: 'unwritten' };
    await harness.store.leases.hold('q', lost);
    return harness;
  }

  /** The ids that the lease of the lane names at the moment. */
  async function journal(harness: Harness): Promise<string[]> {
    const answer = await harness.store.leases.hold('q', { holder: 'spy', until: 0, ids: [], rev: '' });
    return answer.held ? [] : [...(answer.lease?.ids ?? [])];
  }

  it('its lane is blocked until its lease has run out, and not longer', async () => {
    const harness = await lose(['a', 'b']);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
    await harness.pass(74);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
    await harness.pass(2);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'drained', succeeded: 2 });
  });

  it('the only record whose attempt had begun gets a failure without another attempt', async () => {
    const harness = await lose(['a'], true);
    await harness.pass(80);
    const attempted: string[] = [];
    await harness.run((record) => void attempted.push(record.id));
    expect(attempted).toEqual([]);
    expect(harness.item('a')).toMatchObject({
      status: 'ERROR',
      attempts: 1,
      failures: 1,
      lastError: { name: 'WorkerLost' },
    });
    expect(harness.failures).toMatchObject([
      {
        level: 'WARN',
        message: 'attempt failed',
        id: 'a',
        attempt: 1,
        error: 'WorkerLost',
        nextAt: iso(140),
      },
    ]);
  });

  it('of two attempts that ignored their signal, neither is blamed: each is attempted alone', async () => {
    const harness = await lose(['a', 'b'], true);
    await harness.pass(80);
    const journals: string[][] = [];
    await harness.run(async () => {
      journals.push(await journal(harness));
    });
    expect(journals).toEqual([['a'], ['b']]);
    expect(harness.failures).toEqual([]);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
  });

  it('it gets its failure while its queue is paused, too: the proof would be gone with the journal', async () => {
    const harness = await lose(['a'], true);
    await harness.pass(80);
    await harness.store.queues.setPaused('q', true);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'paused', attempted: 0 });
    expect(harness.item('a')).toMatchObject({ attempts: 1, lastError: { name: 'WorkerLost' } });
  });

  it('it gets its failure while the breaker is open, which its attempt was to probe', async () => {
    const harness = await lose(['a'], true);
    const open = { until: START + 600_000, since: START, token: 't' };
    await harness.store.breakers.set('q', '*', open, undefined);
    await harness.pass(80);
    expect(await harness.run(succeed, { breaker: true })).toMatchObject({
      ended: 'breakerOpen',
      attempted: 0,
    });
    expect(harness.item('a')).toMatchObject({ attempts: 1, lastError: { name: 'WorkerLost' } });
  });

  it('several are attempted alone, one after the other, each journalled by itself', async () => {
    const harness = await lose(['a', 'b', 'c']);
    await harness.pass(80);
    harness.put('other');
    const journals: string[][] = [];
    await harness.run(async () => {
      journals.push(await journal(harness));
      await harness.sleep(1);
    });
    expect(journals.slice(0, 3)).toEqual([['a'], ['b'], ['c']]);
    expect(journals[3]).toContain('other');
  });

  it('those that a run gives back in doubt are attempted alone by the next one, and the others behind them', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'other']) harness.put(id);
    await harness.store.leases.hold('q', { holder: 'ended', until: START, ids: [], rev: 'r' });
    await harness.store.leases.release('q', 'ended', { suspects: ['a', 'b'] });
    const journals: Record<string, string[]> = {};
    await harness.run(async ({ id }) => {
      journals[id] = await journal(harness);
      await harness.sleep(1);
    });
    expect(journals).toMatchObject({ a: ['a'], b: ['b'] });
    expect(journals.other).toContain('other');
  });

  it('suspects remain suspects while the queue is paused', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b', 'c']) harness.put(id);
    const lost = {
      holder: 'lost',
      until: START + 70_000,
      ids: ['a'],
      rev: 'unwritten',
      suspects: ['b', 'c'],
    };
    await harness.store.leases.hold('q', lost);
    await harness.pass(80);
    await harness.store.queues.setPaused('q', true);
    expect(await harness.run(succeed)).toMatchObject({ ended: 'paused', attempted: 0 });
    await harness.store.queues.setPaused('q', false);
    const journals: string[][] = [];
    await harness.run(async () => {
      journals.push(await journal(harness));
      await harness.sleep(1);
    });
    expect(journals).toEqual([['a'], ['b'], ['c']]);
  });

  it('a record that ended its process is attempted alone ever after, behind the others', async () => {
    const harness = new Harness();
    const lastError = { name: 'WorkerLost', message: 'gone', at: iso(-60), attempt: 1 };
    harness.put('poison', {
      status: 'ERROR',
      attempts: 1,
      failures: 1,
      lastFailureAt: iso(-60),
      lastError,
      dueAt: iso(-1),
    });
    for (let i = 0; i < 5; i++) harness.put(`good-${i}`);
    const order: string[] = [];
    await harness.run((record) => void order.push(record.id), { concurrency: 1 });
    expect(order).toHaveLength(6);
    expect(order.at(-1)).toBe('poison');
  });

  it('no more than a hundred are attempted alone in one run', async () => {
    const harness = new Harness();
    const lastError = { name: 'WorkerLost', message: 'gone', at: iso(-60), attempt: 1 };
    for (let i = 0; i < 130; i++) {
      harness.put(`p${i}`, {
        status: 'ERROR',
        attempts: 1,
        failures: 1,
        lastFailureAt: iso(-60),
        lastError,
        dueAt: iso(-1),
      });
    }
    expect(await harness.run(succeed)).toMatchObject({ attempted: 100, leftOver: 30 });
    expect(await harness.run(succeed)).toMatchObject({ attempted: 30, ended: 'drained' });
  });

  it('a lost worker kills no record before its second attempt, under any policy', async () => {
    const once = { type: 'none' as const };
    const harness = await lose(['a'], true);
    await harness.pass(80);
    await harness.run(succeed, { retry: once });
    expect(harness.item('a')).toMatchObject({ status: 'ERROR', attempts: 1 });
    await harness.store.leases.hold('q', {
      holder: 'lost',
      until: harness.clock.wall() + 120_000,
      ids: ['a'],
      begun: true,
      rev: 'unwritten',
    });
    await harness.pass(200);
    await harness.run(succeed, { retry: once });
    expect(harness.item('a')).toMatchObject({ status: 'DEAD', deadReason: 'maxAttempts', attempts: 2 });
  });
});

/** A store whose reads of pages, and what gives a lease back, have no answer while they are to have none. */
function troubled(harness: Harness, isDown: () => boolean): BacklogStore {
  const answer = <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args) => {
      if (isDown()) throw new StoreUnavailableError('no answer');
      return call(...args);
    };
  };
  const { store } = harness;
  return replacing(
    {
      pages: { read: answer((...args: Parameters<typeof store.pages.read>) => store.pages.read(...args)) },
      leases: {
        release: answer((...args: Parameters<typeof store.leases.release>) => store.leases.release(...args)),
      },
    },
    store,
  );
}

describe('a run that was lost before its first attempt', () => {
  const twice = { type: 'constant', interval: 60, jitter: 'none', maxAttempts: 2 } as const;

  it.each([1, 2])('counts as an attempt of none of its page of %s', async (count) => {
    const harness = new Harness();
    for (let i = 0; i < count; i++) harness.put(`r${i}`);
    const store = troubled(harness, () => true);
    expect(await harness.run(succeed, { store })).toMatchObject({ ended: 'storeError', attempted: 0 });
    await harness.pass(80);
    expect(await harness.run(fail, { retry: twice })).toMatchObject({ attempted: count, failed: count });
    for (const { status, attempts, lastError } of harness.store.items())
      expect([status, attempts, lastError]).toEqual(['ERROR', 1, expect.objectContaining({ name: 'Error' })]);
  });

  it('nor of a page that comes behind others', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    const store = troubled(harness, () => harness.statuses().SUCCESS !== undefined);
    const onePerPage = { concurrency: 1, attemptTimeout: 60 };
    const summary = await harness.run(succeed, { store, ...onePerPage });
    expect(summary).toMatchObject({ ended: 'storeError', succeeded: 1 });
    await harness.pass(80);
    expect(await harness.run(fail, { retry: twice })).toMatchObject({ attempted: 1, failed: 1 });
    const left = harness.store.items().filter(({ status }) => status !== 'SUCCESS');
    expect(left).toEqual([
      expect.objectContaining({ attempts: 1, lastError: expect.objectContaining({ name: 'Error' }) }),
    ]);
  });

  it('nor of one that it was to attempt alone', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    await harness.store.leases.hold('q', { holder: 'ended', until: START, ids: [], rev: 'r' });
    await harness.store.leases.release('q', 'ended', { suspects: ['a', 'b'] });
    const store = troubled(harness, () => true);
    expect(await harness.run(succeed, { store })).toMatchObject({ ended: 'storeError', attempted: 0 });
    await harness.pass(80);
    expect(await harness.run(fail, { retry: twice })).toMatchObject({ attempted: 2, failed: 2 });
    for (const { attempts } of harness.store.items()) expect(attempts).toBe(1);
  });

  it('leaves its suspects in doubt: a read without an answer clears no record', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    await harness.store.leases.hold('q', { holder: 'ended', until: START, ids: [], rev: 'r' });
    await harness.store.leases.release('q', 'ended', { suspects: ['a', 'b'] });
    const readPage: BacklogStore['pages']['read'] = async () => {
      throw new StoreUnavailableError('no answer');
    };
    await harness.run(succeed, { store: replacing({ pages: { read: readPage } }, harness.store) });
    const answer = await harness.store.leases.hold('q', { holder: 'spy', until: 0, ids: [], rev: '' });
    expect(answer).toMatchObject({ held: true, suspects: ['a', 'b'] });
  });
});

it('a poison record is found by its second crash, although its page has no other', async () => {
  const harness = new Harness();
  harness.put('poison');
  let attempts = 0;
  let isLost = false;
  for (let tick = 0; tick < 3; tick++) {
    isLost = false;
    const store = intercepted(harness.store, (_, call) => (isLost ? new Promise(() => {}) : call()));
    const die: Process = () => {
      attempts++;
      isLost = true;
      return new Promise<never>(() => {});
    };
    void harness.start(die, { store });
    await harness.pass(80);
  }
  expect(attempts).toBe(2);
  expect(harness.item('poison')).toMatchObject({
    status: 'ERROR',
    failures: 1,
    lastError: { name: 'WorkerLost' },
  });
});
