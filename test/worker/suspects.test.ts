import { describe, expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreAccessError } from '../../src/store/errors.js';
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
  const ending = intercepted(store, (_, call) => (lost ? new Promise(() => {}) : call()));
  const die = () => {
    lost = true;
    return new Promise<never>(() => {});
  };
  return { store: ending, die };
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
    const holdLease: BacklogStore['leases']['hold'] = async (key, hold) => {
      if (++writes > 20) throw new TypeError('the lease is written again and again');
      return harness.store.leases.hold(key, hold);
    };
    const process: Process = async ({ id }) => {
      attempted.push(id);
      await harness.sleep(20);
    };
    const store = replacing({ leases: { hold: holdLease } }, harness.store);
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

  it('do not wait for the next turn of a slow tier when one run cannot attempt all of them', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 250 }, (_, i) => `r${i}`);
    for (const id of ids) harness.put(id, { insertedAt: iso(-40 * 86_400) });
    await harness.store.leases.hold('q#5', { holder: 'lost', until: START, ids, rev: 'unwritten' });
    await harness.pass(10);
    expect(await harness.run(fail, { band: tier5, concurrency: 50 })).toMatchObject({
      attempted: 200,
      leftOver: 50,
      ended: 'maxRecords',
    });
    const hourly = { ...YOUNG, number: 2, every: 3600 };
    expect(await harness.run(fail, { band: hourly, catchUp: [tier5] })).toMatchObject({
      attempted: 50,
      caughtUp: [5],
    });
  });
});

describe('suspects', () => {
  /** A lane whose lease names these suspects, with these other records, all of them due. */
  async function suspected(suspects: readonly string[], others: readonly string[] = []): Promise<Harness> {
    const harness = new Harness();
    for (const id of [...suspects, ...others]) harness.put(id);
    await harness.store.leases.hold('q', { holder: 'ended', until: START, ids: [], rev: 'r' });
    await harness.store.leases.release('q', 'ended', { suspects });
    return harness;
  }

  /** The suspects that the lane's lease names when it is free. */
  async function left(harness: Harness): Promise<readonly string[]> {
    const answer = await harness.store.leases.hold('q', { holder: 'spy', until: 0, ids: [], rev: '' });
    return (answer.held && answer.suspects) || [];
  }

  /** The journal, as the attempts find it. */
  const journal = async (harness: Harness) =>
    [...(await harness.store.leases.readAll()).values()].flatMap(({ ids }) => ids);

  it('are not attempted as they were read when the lease has run out since', async () => {
    const harness = await suspected(['a']);
    const seen: string[] = [];
    const store = replacing(
      {
        pages: {
          read: async (...args: Parameters<BacklogStore['pages']['read']>) => {
            const page = await harness.store.pages.read(...args);
            seen.push('read');
            if (seen.length === 1) await harness.sleep(80);
            return page;
          },
        },
      },
      harness.store,
    );
    await harness.run(() => void seen.push('attempted'), { store });
    // Read again with its page, and once more before its attempt.
    expect(seen).toEqual(['read', 'read', 'read', 'attempted']);
  });

  it('remain suspects while the breaker of their destination is open', async () => {
    const harness = await suspected(['a']);
    const open = { until: START + 3_600_000, since: START, token: 't' };
    await harness.store.breakers.set('q', 'down', open, undefined);
    const choices = { breaker: true, destination: () => 'down' };
    expect(await harness.run(succeed, choices)).toMatchObject({ attempted: 0, ended: 'maxRecords' });
    expect(await left(harness)).toEqual(['a']);
  });

  it('leave half of the time to the others', async () => {
    const suspects = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const harness = await suspected(suspects, ['other']);
    const order: string[] = [];
    await harness.run(async ({ id }) => {
      order.push(id);
      await harness.sleep(25);
    });
    expect(order.indexOf('other')).toBe(7);
  });

  it('are no more than a hundred, however many records have lost a worker', async () => {
    const harness = new Harness();
    for (let i = 0; i < 130; i++) putLost(harness, `p${i}`);
    let most = 0;
    const holdLease: BacklogStore['leases']['hold'] = (key, hold) => {
      most = Math.max(most, hold.suspects?.length ?? 0);
      return harness.store.leases.hold(key, hold);
    };
    await harness.run(succeed, { store: replacing({ leases: { hold: holdLease } }, harness.store) });
    expect(most).toBe(100);
  });

  it('are attempted when no attempt of the pages goes on any more', async () => {
    const harness = new Harness();
    harness.put('straggler', { dueAt: iso(-100) });
    putLost(harness, 'in doubt', iso(-700));
    const events: string[] = [];
    await harness.run(async ({ id }) => {
      events.push(`${id} begins`);
      if (id === 'straggler') await harness.sleep(70);
      events.push(`${id} ends`);
    });
    expect(events).toEqual(['straggler begins', 'straggler ends', 'in doubt begins', 'in doubt ends']);
  });

  it('keep the others waiting while the attempt of one goes on', async () => {
    const harness = await suspected(['a'], ['other']);
    const events: string[] = [];
    await harness.run(async ({ id }) => {
      events.push(`${id} begins`);
      if (id === 'a') await harness.sleep(70);
      events.push(`${id} ends`);
    });
    expect(events).toEqual(['a begins', 'a ends', 'other begins', 'other ends']);
  });

  it('come behind the others after a run that was lost with one of them', async () => {
    const harness = new Harness();
    for (const id of ['poison', 'b', 'c', 'x', 'y']) harness.put(id);
    const lost = { holder: 'lost', until: START, ids: ['poison'], begun: true, rev: 'unwritten' } as const;
    await harness.store.leases.hold('q', { ...lost, suspects: ['b', 'c'] });
    await harness.pass(10);
    const order: string[] = [];
    const alone: Record<string, string[]> = {};
    await harness.run(async ({ id }) => {
      order.push(id);
      alone[id] = await journal(harness);
      await harness.sleep(1);
    });
    expect([order.slice(0, 2).sort(), order.slice(2)]).toEqual([
      ['x', 'y'],
      ['b', 'c'],
    ]);
    expect(alone).toMatchObject({ b: ['b'], c: ['c'] });
    expect(harness.item('poison')).toMatchObject({ lastError: { name: 'WorkerLost' } });
  });

  it('report it when the outcome of the last of them cannot be written', async () => {
    const harness = new Harness();
    putLost(harness, 'a');
    const settle: BacklogStore['records']['settle'] = async () => {
      throw new StoreAccessError('no rights');
    };
    const summary = await harness.run(succeed, { store: replacing({ records: { settle } }, harness.store) });
    expect(summary).toMatchObject({ ended: 'storeError', trouble: 'StoreAccessError: no rights' });
  });
});

it('records of a lost run that are too large to be read at once stay suspects, each attempted alone', async () => {
  const harness = new Harness();
  harness.put('slow', { insertedAt: iso(-1) });
  for (let i = 1; i < 200; i++) harness.put(`r${i}`);
  const process: Process = ({ id }) => harness.sleep(id === 'slow' ? 25 : 0.5);
  const { store } = mortal(harness.store);
  const lost = intercepted(store, (_, call) =>
    harness.time.now > START + 5_000 ? new Promise(() => {}) : call(),
  );
  void harness.start(process, { store: lost });
  await harness.pass(120);
  // Reads of 20 records, as of a page that has more than memory should hold: the slow one stands last in the journal.
  const read: BacklogStore['pages']['read'] = async (ids, queue) => ({
    ...(await harness.store.pages.read(ids.slice(0, 20), queue)),
    unread: ids.slice(20),
  });
  let underWay = 0;
  let beside = -1;
  const counting: Process = async ({ id }) => {
    underWay++;
    await harness.sleep(1);
    if (id === 'slow') beside = underWay - 1;
    underWay--;
  };
  await harness.run(counting, { store: replacing({ pages: { read } }, harness.store) });
  expect(beside).toBe(0);
  expect(harness.statuses()).toEqual({ SUCCESS: 200 });
});

it('a record that is named again while its attempt ignores its signal is not attempted beside it', async () => {
  const harness = new Harness();
  for (const [i, id] of ['slow', 'a', 'b', 'c'].entries()) harness.put(id, { dueAt: iso(-100 + 10 * i) });
  let underway = 0;
  let attempts = 0;
  let most = 0;
  const process: Process = async ({ id }) => {
    if (id === 'a') harness.put('slow', { dueAt: iso(-50) });
    if (id !== 'slow') return;
    attempts++;
    most = Math.max(most, ++underway);
    await harness.sleep(100);
    underway--;
  };
  // Pages of two: its producer replaces the record, so that a later page names it.
  await harness.run(process, { concurrency: 2, attemptTimeout: 60 });
  expect({ attempts, most }).toEqual({ attempts: 1, most: 1 });
});
