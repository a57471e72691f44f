import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/record/busy-keys.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import type { Permits } from '../../src/store/store.js';
import type { Process } from '../../src/worker/index.js';
import { PageTurns } from '../../src/worker/page-turns.js';
import { FAIR, FairQueue } from './fair-queue.js';
import { fail, type RunChoices, START, succeed } from './harness.js';

/** A process that notes when the attempts of each key began, in seconds. */
function watched(harness: FairQueue, seconds: number | ((id: string) => number) = 0.1) {
  const starts = new Map<string, number[]>();
  const order: string[] = [];
  const process: Process = async ({ id, key = '' }) => {
    order.push(id);
    starts.set(key, [...(starts.get(key) ?? []), harness.seconds()]);
    await harness.sleep(typeof seconds === 'number' ? seconds : seconds(id));
  };
  /** The least time between two starts of attempts of a key. */
  const least = (key: string) => {
    const own = (starts.get(key) ?? []).toSorted((a, b) => a - b);
    return Math.min(...own.slice(1).map((at, i) => at - (own[i] ?? 0)));
  };
  return { process, starts, order, least };
}

function counted(harness: FairQueue) {
  const calls: string[] = [];
  const store = intercepted(harness.store, (name, call) => {
    calls.push(name);
    return call();
  });
  return { calls, store, permits: () => calls.filter((name) => name === 'permits.acquire').length };
}

describe('a batch on arrival', () => {
  it('starts the attempts of each key evenly, and those of other keys beside them', async () => {
    const harness = new FairQueue();
    const ids = [...harness.bare(5, 'a'), ...harness.bare(4, 'b'), ...harness.bare(1, 'c')];
    const { process, starts } = watched(harness, 1);
    const options = { ...FAIR, attemptsPerSecondPerKey: 4 };
    const summary = await harness.run(process, { ...options, arrivals: { batch: 'b', ids } });
    expect(summary).toMatchObject({ ended: 'drained', succeeded: 10, leftOver: 0 });
    expect(Object.fromEntries(starts)).toEqual({
      a: [0, 0.25, 0.5, 0.75, 1],
      b: [0, 0.25, 0.5, 0.75],
      c: [0],
    });
  });

  it('keeps to the moment of each permit, beside a limit of attempts at once', async () => {
    const harness = new FairQueue();
    const ids = harness.bare(5, 'a');
    const { process, starts } = watched(harness, 0.3);
    const options = { ...FAIR, attemptsPerSecondPerKey: 4, concurrencyPerKey: 5 };
    await harness.run(process, { ...options, arrivals: { batch: 'b', ids } });
    expect(starts.get('a')).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  it('puts those into the lane of their key that would wait for long, and drains it at that pace', async () => {
    const harness = new FairQueue();
    const { process, starts } = watched(harness);
    const ids = [...harness.bare(8, 'a'), ...harness.bare(1, 'b')];
    const options = { ...FAIR, attemptsPerSecondPerKey: 1 };
    const run = harness.start(process, { ...options, arrivals: { batch: 'b', ids } });
    await harness.pass(2.5);
    expect(harness.lanesInUse()).toEqual({ undefined: 4, 'q#31': 5 });
    expect(await harness.time.until(run)).toMatchObject({ ended: 'drained', succeeded: 9, leftOver: 0 });
    expect(starts.get('a')).toEqual([0, 1, 2, 3.1, 4.1, 5.1, 6.1, 7.1]);
  });

  it('acquires the permits of each key by one write, and none for records without a key', async () => {
    const harness = new FairQueue();
    const ids = [...harness.bare(3, 'a'), ...harness.bare(2, 'b'), 'n0'];
    harness.store.put({ id: 'n0', status: 'NEW', queue: 'q', payload: {} });
    const { calls, store, permits } = counted(harness);
    const options = { ...FAIR, attemptsPerSecondPerKey: 10, store };
    await harness.run(watched(harness).process, { ...options, arrivals: { batch: 'b', ids } });
    expect(permits()).toBe(2);
    expect(calls.filter((name) => name.startsWith('keySlots') || name === 'queues.noteBusyKeys')).toEqual([]);
  });

  it('indexes at once what has no permit within two seconds', async () => {
    const harness = new FairQueue();
    const options = { ...FAIR, attemptsPerSecondPerKey: 0.1 };
    const { process, starts } = watched(harness);
    await harness.run(process, { ...options, arrivals: { batch: '1', ids: harness.bare(1, 'a') } });
    harness.store.put({ id: 'a7', status: 'NEW', queue: 'q', payload: {}, key: 'a' });
    const run = harness.start(process, { ...options, arrivals: { batch: '2', ids: ['a7'] } });
    await harness.pass(0.5);
    expect(harness.item('a7').lane).toBe('q#31');
    expect(await harness.time.until(run)).toMatchObject({ ended: 'drained', succeeded: 1 });
    expect(starts.get('a')).toEqual([0, 10]);
  });
});

describe('a run of the rule', () => {
  it('moves those into the lane of their key whose permits do not come within a second, and goes on with others', async () => {
    const harness = new FairQueue();
    harness.putMany(5, 'a', 'q');
    harness.putMany(12, 'b', 'q');
    const { process, starts } = watched(harness, 0.5);
    const summary = await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 2 });
    expect(summary).toMatchObject({ ended: 'drained', succeeded: 17, leftOver: 0 });
    const [a = [], b = []] = [starts.get('a'), starts.get('b')];
    expect([a.slice(0, 3), b.slice(0, 3)]).toEqual([
      [0, 0.5, 1],
      [0, 0.5, 1],
    ]);
    // Both lanes are drained a second later, at the same time.
    expect([a.slice(3), b.slice(3)]).toEqual([[2.5, 3], Array.from({ length: 9 }, (_, i) => 2.5 + i / 2)]);
  });

  it('keeps the pace of each busy key to its end, with any number of them, in their order', async () => {
    const harness = new FairQueue();
    const keys = [...'abcdefgh'];
    await harness.noteKeys(keys);
    for (const [i, key] of keys.entries()) {
      for (let n = 0; n < 30; n++) {
        const dueAt = new Date(START - 60_000 + n).toISOString();
        harness.put(`${key}${String(n).padStart(2, '0')}`, { lane: `q#${31 - i}`, key, dueAt });
      }
    }
    const { process, starts, order } = watched(harness);
    await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 0.2 });
    for (const key of keys) expect(starts.get(key)).toEqual(Array.from({ length: 30 }, (_, i) => i * 5));
    const ofA = order.filter((id) => id.startsWith('a'));
    expect(ofA).toEqual(ofA.toSorted());
  });

  it('leaves a lane at once whose next permit comes after its end, and the next run goes on', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a', 'b']);
    harness.putMany(3, 'a', 'q#31');
    harness.putMany(2, 'b', 'q#30');
    const { process, starts } = watched(harness);
    const options = { ...FAIR, attemptsPerSecondPerKey: 1 / 600 };
    const ended: string[] = [];
    const until = START + 1_300_000;
    while (harness.time.now < until) {
      const before = harness.time.now;
      ended.push((await harness.run(process, options)).ended);
      expect(harness.time.now - before).toBeLessThanOrEqual(61_000);
      await harness.pass(60);
    }
    expect(ended[0]).toBe('keyLimited');
    expect(starts.get('a')).toHaveLength(3);
    expect(harness.statuses()).toEqual({ SUCCESS: 5 });
    // No sooner than the pace, and no more than a tick later.
    for (const key of 'ab') {
      expect(starts.get(key)?.[1]).toBeGreaterThanOrEqual(600);
      expect(starts.get(key)?.[1]).toBeLessThanOrEqual(665);
    }
  });

  it.each([
    ['a slow rate', { attemptsPerSecondPerKey: 0.1 }, 0],
    ['a limit of attempts at once', { concurrencyPerKey: 1 }, 4],
  ])(
    'has no key wait for long behind the pile of another one with %s, where both share a lane',
    async (_, limits, seconds) => {
      const harness = new FairQueue();
      await harness.noteKeys(Array.from({ length: 24 }, (_, i) => `key ${i}`));
      for (let i = 0; i < 500; i++) harness.put(`a${i}`, { lane: 'q#20', key: 'a' });
      await harness.pass(1);
      for (const key of ['b', 'c']) harness.putMany(2, key, 'q#20');
      const { calls, store } = counted(harness);
      const { process, starts } = watched(harness, seconds);
      const summary = await harness.run(process, { ...FAIR, ...limits, store });
      expect(Math.max(...(starts.get('b') ?? []), ...(starts.get('c') ?? []))).toBeLessThanOrEqual(31);
      expect([starts.get('b')?.length, starts.get('c')?.length]).toEqual([2, 2]);
      // The key with the pile makes its attempts all the same, as many as it may.
      const ofA = starts.get('a')?.length ?? 0;
      expect(ofA).toBeGreaterThanOrEqual(seconds > 0 ? 55 : 25);
      expect(summary).toMatchObject({ succeeded: ofA + 4, leftOver: 500 - ofA });
      // The pile is read once, and then what may start.
      expect(calls.filter((name) => name === 'pages.read').length).toBeLessThanOrEqual(35);
    },
  );

  it('has the next record of a page wait for its turn alone where the queue is not fair', async () => {
    const harness = new FairQueue();
    harness.putMany(4, 'a', 'q');
    harness.putMany(3, 'b', 'q');
    const { process, starts } = watched(harness);
    expect(await harness.run(process, { attemptsPerSecondPerKey: 0.5 })).toMatchObject({
      ended: 'drained',
      succeeded: 7,
    });
    expect(Object.fromEntries(starts)).toEqual({ a: [0, 2, 4, 6], b: [0, 2, 4] });
  });

  it('keeps the pace over the end of its lease, and while it goes through many pages', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(40, 'a', 'q#31');
    const { process, least, starts } = watched(harness);
    const summary = await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 0.04 });
    expect(summary).toMatchObject({ ended: 'keyLimited' });
    expect(least('a')).toBe(25);
    expect(starts.get('a')).toHaveLength(11);
  });

  it('ends its turn after two seconds where queues take turns', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['a']);
    harness.putMany(6, 'a', 'q#31');
    const all = new PageTurns(new Map([['q', 1]]), () => 0.5).of('q');
    const turns = { ...all, take: (isBusy?: boolean) => timed(all.take(isBusy)) };
    let longest = 0;
    const timed = async (taken: Promise<() => void>) => {
      const end = await taken;
      const from = harness.seconds();
      return () => {
        longest = Math.max(longest, harness.seconds() - from);
        end();
      };
    };
    const { process, starts } = watched(harness);
    await harness.run(process, { ...FAIR, attemptsPerSecondPerKey: 0.25, turns });
    expect(starts.get('a')).toEqual([0, 4, 8, 12, 16, 20]);
    expect(longest).toBeLessThanOrEqual(2.1);
  });
});

describe('all runs of a queue together', () => {
  it('start the attempts of a key at its pace: on arrival, by rules, in lanes of keys, and while some fail', async () => {
    const harness = new FairQueue();
    const { process, starts, least } = watched(harness, 0.7);
    const options = { ...FAIR, attemptsPerSecondPerKey: 2, retry: { type: 'none' } } as const;
    harness.putMany(20, 'a', 'q');
    const failing: Process = async (record, context) => {
      await process(record, context);
      if (record.id.endsWith('3')) throw new Error('down');
    };
    for (let second = 0; second < 40; second++) {
      for (let batch = 0; batch < 3; batch++) {
        const ids = [`a-${second}-${batch}`, `b-${second}-${batch}`];
        for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {}, key: id[0] });
        if (second < 10)
          void harness.start(failing, { ...options, arrivals: { batch: `${second}-${batch}`, ids } });
      }
      if (second % 10 === 0) void harness.start(failing, options);
      await harness.pass(1);
    }
    await harness.pass(300);
    expect(least('a')).toBeGreaterThanOrEqual(0.499);
    expect(least('b')).toBeGreaterThanOrEqual(0.499);
    expect([starts.get('a')?.length, starts.get('b')?.length]).toEqual([50, 30]);
    // The pace is kept, and used: 50 attempts take 25 s and what runs lose between them.
    expect(Math.max(...(starts.get('a') ?? []))).toBeLessThanOrEqual(45);
  });

  it('keep the limit of attempts at once beside it, and that of the queue', async () => {
    const harness = new FairQueue();
    for (const key of ['a', 'b', 'c']) harness.putMany(8, key, 'q');
    const now = { a: 0, b: 0, c: 0 } as Record<string, number>;
    let most = 0;
    const { process, starts, least } = watched(harness, 2.5);
    const counting: Process = async (record, context) => {
      const key = record.key ?? '';
      now[key] = (now[key] ?? 0) + 1;
      most = Math.max(most, now[key] ?? 0);
      await process(record, context);
      now[key] = (now[key] ?? 0) - 1;
    };
    const limits = { concurrencyPerKey: 2, attemptsPerSecondPerKey: 1, attemptsPerSecond: 2 };
    const summary = await harness.run(counting, { ...FAIR, ...limits });
    expect(summary).toMatchObject({ succeeded: 24, ended: 'drained' });
    expect(most).toBe(2);
    for (const key of 'abc') expect(least(key)).toBeGreaterThanOrEqual(0.999);
    const all = [...starts.values()].flat().toSorted((a, b) => a - b);
    expect(Math.min(...all.slice(1).map((at, i) => at - (all[i] ?? 0)))).toBeGreaterThanOrEqual(0.499);
  });

  it('make as many attempts as the rate of the queue lets them, however many keys wait for its permits', async () => {
    const harness = new FairQueue();
    for (let i = 0; i < 100; i++) harness.put(`r${i}`, { key: `key ${i}` });
    const { store, permits } = counted(harness);
    const { process } = watched(harness);
    const limits = { attemptsPerSecondPerKey: 1, attemptsPerSecond: 5 };
    const summary = await harness.run(process, { ...FAIR, ...limits, store });
    expect(summary).toMatchObject({ succeeded: 100, ended: 'drained' });
    expect(harness.seconds()).toBeLessThanOrEqual(21);
    expect(permits()).toBeLessThanOrEqual(200);
  });

  it('keep the rate of the queue while the permit of a key is replaced', async () => {
    const harness = new FairQueue();
    for (let i = 0; i < 40; i++) harness.put(`r${i}`, { key: `key ${i}` });
    const store = intercepted(harness.store, async (name, call) => {
      if (name === 'permits.acquire') await harness.sleep(harness.time.now % 3 === 0 ? 0.01 : 0.09);
      return call();
    });
    const { process, starts } = watched(harness);
    const limits = { attemptsPerSecondPerKey: 1, attemptsPerSecond: 5 };
    expect(await harness.run(process, { ...FAIR, ...limits, store })).toMatchObject({ succeeded: 40 });
    const all = [...starts.values()].flat().toSorted((a, b) => a - b);
    expect(Math.min(...all.slice(1).map((at, i) => at - (all[i] ?? 0)))).toBeGreaterThanOrEqual(0.199);
  });

  it('attempt a record in the same run although others take its permits at the last moment', async () => {
    const harness = new FairQueue();
    await harness.noteKeys(['k']);
    for (let i = 0; i < 20; i++) harness.put(`k${i}`, { key: 'k', lane: 'q#31' });
    for (let i = 0; i < 20; i++) harness.put(`r${i}`, { key: `key ${i}` });
    // Whenever this run asks, another one has been quicker.
    const store = intercepted(harness.store, async (name, call, [queue, ask]) => {
      const permits = ask as Permits;
      if (name === 'permits.acquire' && permits.key === hashOfKey('k'))
        await harness.store.permits.acquire(String(queue), { ...permits, count: 0.5 });
      return call();
    });
    const { process, least } = watched(harness);
    const limits = { attemptsPerSecondPerKey: 1, attemptsPerSecond: 2 };
    expect(await harness.run(process, { ...FAIR, ...limits, store })).toMatchObject({
      succeeded: 40,
      ended: 'drained',
      leftOver: 0,
    });
    expect(least('k')).toBeGreaterThanOrEqual(0.8);
  });

  it('have the lanes of keys take turns as they do without it, where attempts at once are few', async () => {
    const keys = Array.from({ length: 24 }, (_, i) => `key ${i} `);
    /** The first start of the last key, and the fewest starts of a key, in a run of 90 seconds. */
    async function played(limits: Pick<RunChoices, 'attemptsPerSecondPerKey'>) {
      const harness = new FairQueue();
      await harness.noteKeys(keys);
      for (let i = 0; i < 600; i++) harness.put(`n${i}`);
      for (const [i, key] of keys.entries()) harness.putMany(8, key, `q#${31 - i}`);
      const { process, starts } = watched(harness, 1);
      await harness.run(process, { ...FAIR, ...limits, deadlineSeconds: 90 });
      const of = keys.map((key) => starts.get(key) ?? []);
      const firsts = of.map(([first = Number.POSITIVE_INFINITY]) => first);
      return { lastFirst: Math.max(...firsts), fewest: Math.min(...of.map(({ length }) => length)) };
    }
    const without = await played({});
    const limited = await played({ attemptsPerSecondPerKey: 1 });
    expect(without.fewest).toBeGreaterThanOrEqual(3);
    expect(limited.fewest).toBeGreaterThanOrEqual(without.fewest - 1);
    // All keys have had a turn after about the same rounds of attempts, which last a second each.
    expect(limited.lastFirst).toBeLessThanOrEqual(without.lastFirst + 2);
  });

  it('keep to it where one of them uses a permit late, as its attempts at once are few', async () => {
    const harness = new FairQueue();
    const put = (id: string, key: Record<string, string> = {}) =>
      harness.store.put({ id, status: 'NEW', queue: 'q', payload: {}, ...key });
    put('x0');
    for (const id of ['a0', 'a1']) put(id, { key: 'a' });
    const { process, starts, least } = watched(harness, (id) => (id === 'x0' ? 11.5 : 0.1));
    const options = { attemptsPerSecondPerKey: 1 / 12, concurrency: 1 };
    const first = harness.start(process, { ...options, arrivals: { batch: '1', ids: ['x0', 'a0'] } });
    await harness.pass(11);
    await harness.run(process, { ...options, arrivals: { batch: '2', ids: ['a1'] } });
    await harness.time.until(first);
    expect(starts.get('a')?.length).toBeGreaterThanOrEqual(1);
    expect(least('a')).toBeGreaterThanOrEqual(11.8);
  });

  it('keep to it where attempts may go on without their run', async () => {
    const harness = new FairQueue();
    harness.putMany(4, 'a', 'q');
    const { process, starts } = watched(harness, 90);
    const long = { onLongAttempt: () => {}, attemptTimeout: 120, deadlineSeconds: 3_600 };
    const run = harness.start(process, { ...FAIR, ...long, attemptsPerSecondPerKey: 0.05 });
    await harness.pass(400);
    await harness.time.until(run);
    const own = starts.get('a') ?? [];
    expect(own).toHaveLength(4);
    expect(Math.min(...own.slice(1).map((at, i) => at - (own[i] ?? 0)))).toBeGreaterThanOrEqual(19.999);
  });
});

describe('trouble with the permits of keys', () => {
  it.each([new StoreUnavailableError('no answer'), new StoreThrottledError('too many')])(
    'lets no attempt of a key start without one, and other records go on (%o)',
    async (error) => {
      const harness = new FairQueue();
      harness.putMany(3, 'a', 'q');
      harness.put('n0');
      let isDown = true;
      let asked = 0;
      const store = intercepted(harness.store, (name, call) => {
        if (name !== 'permits.acquire') return call();
        asked++;
        if (isDown) throw error;
        return call();
      });
      const { process, starts, order } = watched(harness);
      const run = harness.start(process, { ...FAIR, attemptsPerSecondPerKey: 5, store });
      await harness.pass(5);
      expect(order).toEqual(['n0']);
      expect(harness.warnings).toContain('permits of keys could not be acquired');
      // It is asked for again, but not without a pause.
      expect(asked).toBeLessThanOrEqual(10);
      isDown = false;
      expect(await harness.time.until(run)).toMatchObject({ succeeded: 4, ended: 'drained' });
      const [first = 0] = starts.get('a') ?? [];
      expect(first).toBeGreaterThanOrEqual(5);
      expect(starts.get('a')).toHaveLength(3);
    },
  );

  it('ends the run where the store does not know what is wrong', async () => {
    const harness = new FairQueue();
    harness.putMany(3, 'a', 'q');
    const store = intercepted(harness.store, (name, call) => {
      if (name === 'permits.acquire') throw new Error('broken');
      return call();
    });
    await expect(harness.run(succeed, { ...FAIR, attemptsPerSecondPerKey: 5, store })).rejects.toThrow(
      'broken',
    );
  });

  it('uses no permit of a record that an open breaker puts off', async () => {
    const harness = new FairQueue();
    harness.putMany(30, 'a', 'q');
    harness.putMany(5, 'b', 'q');
    const breaker = { minimumAttempts: 3, failureThreshold: 0.5 };
    const destination = ({ key = '' }) => key;
    const process: Process = (record, context) => {
      if (record.key === 'a') return fail(record, context);
    };
    const summary = await harness.run(process, {
      ...FAIR,
      ...{ attemptsPerSecondPerKey: 1, breaker, destination },
    });
    expect(harness.statuses()).toMatchObject({ SUCCESS: 5, ERROR: 3 });
    expect(harness.seconds()).toBeLessThan(15);
    expect(summary).toMatchObject({ attempted: 8 });
  });
});
