import { describe, expect, it } from 'vitest';
import type { BacklogStore } from '../../src/store/store.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

/** A record whose last attempt ended with its worker. */
function putLost(harness: Harness, id: string, insertedAt = iso(-600)): void {
  const lastError = { name: 'WorkerLost', message: 'gone', at: iso(-400), attempt: 1 };
  harness.put(id, {
    status: 'ERROR',
    attempts: 1,
    failures: 1,
    firstFailureAt: iso(-400),
    lastFailureAt: iso(-400),
    lastAttemptAt: iso(-400),
    lastError,
    insertedAt,
  });
}

/** A store that answers nothing any more once its worker is lost. */
function mortal(store: BacklogStore) {
  let lost = false;
  const proxy = new Proxy(store, {
    get:
      (_, name) =>
      (...args: unknown[]) => {
        const method = store[name as keyof BacklogStore] as unknown as (...args: unknown[]) => unknown;
        return lost ? new Promise(() => {}) : method.apply(store, args);
      },
  });
  const die = () => {
    lost = true;
    return new Promise<never>(() => {});
  };
  return { store: proxy, die };
}

describe('a record that a worker was lost on', () => {
  it('is attempted although younger ones end the process at every turn', async () => {
    const harness = new Harness();
    putLost(harness, 'innocent', iso(-700));
    putLost(harness, 'poison-1', iso(-650));
    putLost(harness, 'poison-2', iso(-600));
    for (let tick = 0; tick < 6; tick++) {
      const { store, die } = mortal(harness.store);
      void harness.start((record) => (record.id === 'innocent' ? undefined : die()), { store, band: YOUNG });
      await harness.pass(300);
    }
    expect(harness.item('innocent')).toMatchObject({ status: 'SUCCESS' });
  });

  it.each([
    ['the limit', { maxRecords: 5 }, 0],
    ['the time', { concurrency: 1, deadlineSeconds: 120 }, 20],
  ])('is attempted by the next run where every run uses up %s', async (_, limits, seconds) => {
    const harness = new Harness();
    putLost(harness, 'in doubt', iso(-700));
    for (let i = 0; i < 40; i++) harness.put(`r${i}`, { insertedAt: iso(-300) });
    for (let runs = 0; runs < 2; runs++) {
      const summary = await harness.run(() => harness.sleep(seconds), limits);
      expect(summary.ended).toMatch(/maxRecords|deadline/);
    }
    expect(harness.item('in doubt')).toMatchObject({ status: 'SUCCESS' });
  });

  it('leaves the others their turn where the function has time for one attempt only', async () => {
    const harness = new Harness();
    putLost(harness, 'in doubt', iso(-700));
    harness.put('r', { insertedAt: iso(-300) });
    const attempted: string[] = [];
    let writes = 0;
    const holdLease: BacklogStore['holdLease'] = async (key, hold) => {
      if (++writes > 20) throw new TypeError('the lease is written again and again');
      return harness.store.holdLease(key, hold);
    };
    const process: Process = async ({ id }) => {
      attempted.push(id);
      await harness.sleep(20);
    };
    const store = replacing({ holdLease }, harness.store);
    for (let runs = 0; runs < 2; runs++) await harness.run(process, { deadlineSeconds: 50, store });
    expect(attempted).toEqual(['r', 'in doubt']);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
  });

  it('takes no more than the limit allows', async () => {
    const harness = new Harness();
    for (let i = 0; i < 3; i++) putLost(harness, `in doubt ${i}`);
    for (let i = 0; i < 10; i++) harness.put(`r${i}`);
    expect(await harness.run(succeed, { maxRecords: 5 })).toMatchObject({
      attempted: 5,
      ended: 'maxRecords',
    });
    expect(await harness.run(succeed, { maxRecords: 1 })).toMatchObject({
      attempted: 1,
      ended: 'maxRecords',
    });
  });
});

describe('records that a lost run left in doubt', () => {
  const tier5 = {
    number: 5,
    every: 96 * 3600,
    fromAge: 30 * 86_400,
    untilAge: 180 * 86_400,
    last: true,
  };

  it('do not wait for the next turn of a slow tier when one run cannot see to all of them', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 50 }, (_, i) => `r${i}`);
    for (const id of ids) harness.put(id, { insertedAt: iso(-40 * 86_400) });
    await harness.store.holdLease('q#5', { holder: 'lost', until: START, ids, rev: 'unwritten' });
    await harness.pass(10);
    expect(await harness.run(fail, { band: tier5, concurrency: 50 })).toMatchObject({
      attempted: 40,
      leftOver: 10,
      ended: 'maxRecords',
    });
    const hourly = { ...YOUNG, number: 2, every: 3600 };
    expect(await harness.run(fail, { band: hourly, catchUp: [tier5] })).toMatchObject({
      attempted: 10,
      caughtUp: [5],
    });
  });
});
