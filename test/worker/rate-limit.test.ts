import { describe, expect, it } from 'vitest';
import type { BacklogStore } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START, succeed, YOUNG } from './harness.js';

describe('a pace', () => {
  it('lets attempts start evenly, at most the given number at once', async () => {
    const harness = new Harness();
    for (let i = 0; i < 40; i++) harness.put(`r${i}`);
    let now = 0;
    let most = 0;
    const starts: number[] = [];
    await harness.run(
      async () => {
        starts.push(harness.time.now - START);
        most = Math.max(most, ++now);
        await harness.sleep(2);
        now--;
      },
      { concurrency: 4, attemptsPerSecond: 1 },
    );
    expect(most).toBeLessThanOrEqual(4);
    expect(starts).toHaveLength(40);
    expect(starts.every((start, i) => start >= i * 1000)).toBe(true);
    expect(harness.statuses()).toEqual({ SUCCESS: 40 });
  });

  it('slower than one attempt per lease keeps on within one run', async () => {
    const harness = new Harness();
    for (let i = 0; i < 10; i++) harness.put(`r${i}`);
    const starts: number[] = [];
    const summary = await harness.run(
      () => {
        starts.push((harness.time.now - START) / 1000);
      },
      { attemptsPerSecond: 0.02 },
    );
    expect(starts).toEqual([0, 50, 100, 150, 200, 250]);
    expect(summary).toMatchObject({ attempted: 6, succeeded: 6, leftOver: 4, ended: 'deadline' });
    expect(harness.time.now).toBeLessThan(START + 300_000);
  });

  it('holds on from page to page, and for records attempted alone', async () => {
    const harness = new Harness();
    const lastError = { name: 'WorkerLost', message: 'gone', at: '', attempt: 1 };
    for (let i = 0; i < 3; i++) harness.put(`lost-${i}`, { attempts: 1, lastError });
    for (let i = 0; i < 3; i++) harness.put(`r${i}`);
    const starts: number[] = [];
    const summary = await harness.run(
      () => {
        starts.push((harness.time.now - START) / 1000);
      },
      { attemptsPerSecond: 0.025 },
    );
    expect(starts).toEqual([0, 40, 80, 120, 160, 200]);
    expect(summary).toMatchObject({ succeeded: 6, ended: 'drained' });
  });

  it('goes on with the next rule where a pile takes longer than one function', async () => {
    const harness = new Harness();
    for (let i = 0; i < 900; i++) harness.put(`r${i}`);
    const starts: number[] = [];
    const note = () => void starts.push((harness.time.now - START) / 1000);
    for (let minute = 0; minute < 15; minute++) {
      void harness.start(note, { attemptsPerSecond: 1 });
      await harness.pass(60);
    }
    const ofOne = (from: number) => Array.from({ length: 266 }, (_, second) => from + second);
    expect(starts).toEqual([...ofOne(0), ...ofOne(300), ...ofOne(600)]);
  });

  it('is kept by all runs of the queue together', async () => {
    const harness = new Harness();
    for (let i = 0; i < 40; i++) {
      harness.put(`r${i}`);
      harness.put(`old-${i}`, { insertedAt: new Date(START - 2 * 86_400_000).toISOString() });
      harness.store.put({ id: `new-${i}`, status: 'NEW', queue: 'q', payload: {} });
    }
    const starts: number[] = [];
    const process = () => void starts.push(harness.time.now - START);
    const ids = Array.from({ length: 40 }, (_, i) => `new-${i}`);
    const hourly = { ...YOUNG, number: 2, fromAge: 86_400, untilAge: 7 * 86_400 };
    const runs = [
      harness.start(process, { attemptsPerSecond: 2, band: YOUNG }),
      harness.start(process, { attemptsPerSecond: 2, band: hourly }),
      harness.start(process, {
        attemptsPerSecond: 2,
        retryMode: 'progressive',
        arrivals: { batch: 'b', ids },
      }),
    ];
    await harness.time.until(Promise.all(runs));
    expect(starts.length).toBeGreaterThan(80);
    expect(starts.sort((a, b) => a - b)).toEqual(starts.map((_, i) => (starts[0] as number) + i * 500));
  });

  it.each([0.1, 2])('goes on from run to run: %d a second', async (attemptsPerSecond) => {
    const harness = new Harness();
    const starts: number[] = [];
    const process = () => void starts.push(((harness.time.now - START) * attemptsPerSecond) / 1000);
    for (let i = 0; i < 3; i++) {
      harness.put(`r${i}`);
      await harness.run(process, { attemptsPerSecond });
    }
    expect(starts).toEqual([0, 1, 2]);
  });

  it('slower than one attempt per run has all its turns used: none is taken by a run that ends before it', async () => {
    const harness = new Harness();
    for (let i = 0; i < 5; i++) harness.put(`r${i}`);
    const starts: number[] = [];
    const process = () => void starts.push((harness.time.now - START) / 1000);
    for (let minutes = 1; minutes <= 75; minutes++) {
      await harness.run(process, { attemptsPerSecond: 0.001, deadlineSeconds: 120 });
      await harness.pass(60 * minutes - (harness.time.now - START) / 1000);
    }
    expect(starts).toEqual([0, 1000, 2000, 3000, 4000]);
  });

  it.each([30, 5])('makes nothing up that a run was too slow for: %d s', async (attemptTimeout) => {
    const harness = new Harness();
    for (let i = 0; i < 10; i++) harness.put(`r${i}`);
    const starts: number[] = [];
    await harness.run(
      async () => {
        starts.push(harness.time.now - START);
        if (starts.length === 1) await harness.sleep(3.25);
      },
      { concurrency: 1, attemptsPerSecond: 1, attemptTimeout },
    );
    expect(starts).toEqual([0, ...Array.from({ length: 9 }, (_, i) => 3_250 + i * 1000)]);
  });

  it('uses no turns beyond those that it has taken, where it has missed some', async () => {
    const harness = new Harness();
    for (let i = 0; i < 5; i++) harness.put(`r${i}`);
    let [begun, taken] = [0, 0];
    const acquirePermits: BacklogStore['permits']['acquire'] = (queue, turns) => {
      taken += turns.count;
      return harness.store.permits.acquire(queue, turns);
    };
    const store = replacing({ permits: { acquire: acquirePermits } }, harness.store);
    const process: Process = () => (++begun === 1 ? harness.sleep(3.25) : undefined);
    await harness.run(process, { concurrency: 1, attemptsPerSecond: 1, attemptTimeout: 5, store });
    // Five attempts, and the turns of the seconds 1 and 2.
    expect(taken).toBe(7);
  });

  it('is kept where a request takes longer than a permit', async () => {
    const harness = new Harness();
    for (let i = 0; i < 500; i++) harness.put(`r${i}`);
    let requests = 0;
    const acquire: BacklogStore['permits']['acquire'] = async (...args) => {
      requests++;
      await harness.sleep(0.003);
      const first = await harness.store.permits.acquire(...args);
      await harness.sleep(0.003);
      return first;
    };
    const store = replacing({ permits: { acquire } }, harness.store);
    const starts: number[] = [];
    const process: Process = () => void starts.push(harness.time.now - START);
    const summary = await harness.run(process, { attemptsPerSecond: 300, concurrency: 50, store });
    expect(summary).toMatchObject({ succeeded: 500, ended: 'drained' });
    expect(starts.every((start, i) => start >= (i * 1000) / 300)).toBe(true);
    // 500 attempts at that pace, and the time of each request.
    expect(starts.at(-1)).toBeLessThan(1_800);
    // One for each page, and one for the permit that the first one missed.
    expect(requests).toBeLessThan(10);
  });

  it('keeps no run that is told to end, however late its permits come', async () => {
    const harness = new Harness();
    harness.put('a');
    const stop = new AbortController();
    const acquire: BacklogStore['permits']['acquire'] = async (_, { now }) => {
      await harness.sleep(1);
      return now - 60_000;
    };
    const store = replacing({ permits: { acquire } }, harness.store);
    // The calls of a process that lives on are not bounded by a deadline.
    const living = { attemptTimeout: 3_600, onLongAttempt() {} };
    const run = harness.start(succeed, { attemptsPerSecond: 300, store, stop: stop.signal, ...living });
    let ended: string | undefined;
    void run.then((summary) => {
      ended = summary.ended;
    });
    await harness.pass(10);
    stop.abort();
    await harness.pass(10);
    expect(ended).toBe('stopped');
  });

  it('does not slow down what needs no attempt', async () => {
    const harness = new Harness();
    const old = new Date(START - 400 * 86_400_000).toISOString();
    for (let i = 0; i < 5; i++) harness.put(`old-${i}`, { insertedAt: old, attempts: 3 });
    expect(await harness.run(succeed, { attemptsPerSecond: 0.02 })).toMatchObject({ dead: 5, attempted: 0 });
    expect(harness.time.now).toBe(START);
  });

  it('does not put long attempts one behind the other', async () => {
    const harness = new Harness();
    for (let i = 0; i < 10; i++) harness.put(`r${i}`);
    let [now, most] = [0, 0];
    await harness.run(
      async () => {
        most = Math.max(most, ++now);
        await harness.sleep(50);
        now--;
      },
      { attemptsPerSecond: 2, attemptTimeout: 60 },
    );
    expect(most).toBeGreaterThanOrEqual(5);
  });
});

it('a record whose permit came while the process was frozen is attempted all the same, under a lease of its own', async () => {
  const harness = new Harness();
  for (const id of ['a', 'b', 'c']) harness.put(id);
  const { sleep } = harness.clock;
  let froze = false;
  harness.clock.sleep = (milliseconds, signal) => {
    // The first wait for a turn lasts far beyond the lease of its page.
    const freezes = !froze && signal === undefined;
    froze ||= freezes;
    return sleep(freezes ? 100_000 : milliseconds, signal);
  };
  const summary = await harness.run(succeed, { concurrency: 2, attemptsPerSecond: 1 });
  expect(froze).toBe(true);
  expect(harness.time.now).toBeGreaterThanOrEqual(START + 100_000);
  expect(summary).toMatchObject({ attempted: 3, succeeded: 3, leftOver: 0, ended: 'drained' });
});
