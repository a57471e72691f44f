import { describe, expect, it } from 'vitest';
import { Cancel, Dead, type Process, Snooze } from '../../functions/index.js';
import { backlogMatchers, failTimes, retryAfter, testBacklog } from '../../src/testing/index.js';
import { listen } from '../delivery/support.js';

expect.extend(backlogMatchers);

const EXACT = { type: 'constant', interval: '5m', jitter: 'none' } as const;
const DAY = '2026-01-01';
const at = (time: string) => new Date(`${DAY}T${time}:00.000Z`);
const START = { now: `${DAY}T00:00:00Z` };
const NONE = { attempted: 0, succeeded: 0, failed: 0, dead: 0, snoozed: 0, pending: 0, cancelled: 0 };
const fail: Process = () => {
  throw new Error('down');
};
const done: Process = () => {};

/** When each attempt was made, in minutes from the start. */
function attemptsIn(minutes: number[], process: Process, clock: () => Date): Process {
  const start = Date.parse(START.now);
  return (record, context) => {
    minutes.push((clock().getTime() - start) / 60_000);
    return process(record, context);
  };
}

it('a queue named __proto__ is refused, and one named constructor is a queue like any other', async () => {
  const json = JSON.parse('{"__proto__":{"retry":{"type":"none"}}}');
  for (const queues of [json, { orders: { process: done }, __proto__: { process: done } }]) {
    expect(() => testBacklog({ queues })).toThrow(
      'testBacklog.queues: "__proto__" cannot be the name of one',
    );
  }
  const backlog = testBacklog({
    queues: { constructor: { process: done, retry: EXACT } } as never,
    ...START,
  });
  await backlog.client.insert({ id: 'a', payload: 1, queue: 'constructor' });
  expect(await backlog.drain()).toEqual({ ...NONE, attempted: 1, succeeded: 1 });
});

describe('a queue that retries per record', () => {
  it('attempts what is inserted, and again when its wait is over', async () => {
    const seen: number[] = [];
    const failing = failTimes(2);
    const process: Process = (_, { attempt }) => {
      seen.push(attempt);
      return failing();
    };
    const backlog = testBacklog({ queues: { orders: { process, retry: EXACT } }, ...START });
    await backlog.client.insert({ id: 'order-7', payload: { total: 12 }, queue: 'orders' });
    expect(backlog.record('order-7')).toBeWaiting();
    expect(await backlog.drain()).toEqual({ ...NONE, attempted: 1, failed: 1 });
    expect(backlog.now).toEqual(at('00:00'));
    expect(backlog.record('order-7')).toBeWaiting({ for: '5m', within: 0 });
    expect(backlog.record('order-7').nextAttemptAt).toEqual(at('00:05'));
    expect(await backlog.advance('299s')).toEqual(NONE);
    expect(await backlog.advance('1s')).toEqual({ ...NONE, attempted: 1, failed: 1 });
    expect(await backlog.advanceTo(at('00:10'))).toEqual({ ...NONE, attempted: 1, succeeded: 1 });
    expect(backlog.record('order-7')).toHaveSucceeded();
    expect(seen).toEqual([1, 2, 3]);
    expect(backlog.history('order-7').map(({ message, outcome }) => message ?? outcome)).toEqual([
      'failure 1 of 2',
      'failure 2 of 2',
      'succeeded',
    ]);
  });

  it('a policy that gives up, typed outcomes, and names of errors that no retry helps', async () => {
    const work: Record<string, Process> = {
      limited: fail,
      dead: () => new Dead('no such customer'),
      cancelled: () => {
        throw new Cancel('withdrawn');
      },
      snoozed: (_, { attempt }) => (attempt === 1 ? new Snooze('1d') : undefined),
      wrong: () => {
        throw new TypeError('not a number');
      },
    };
    const process: Process = (record, context) => work[record.id]?.(record, context);
    const retry = { ...EXACT, maxAttempts: 3 };
    const backlog = testBacklog({ queues: { default: { process, retry, deadOn: ['TypeError'] } }, ...START });
    for (const id of Object.keys(work)) await backlog.insert({ id });
    expect(await backlog.drain()).toEqual({
      ...NONE,
      attempted: 5,
      failed: 1,
      dead: 2,
      cancelled: 1,
      snoozed: 1,
    });
    expect(backlog.record('snoozed')).toBeWaiting({ for: '1d' });
    expect(await backlog.runUntilSettled()).toEqual({
      ...NONE,
      attempted: 3,
      failed: 1,
      dead: 1,
      succeeded: 1,
    });
    expect(backlog.record('limited')).toBeDead({ error: /down/, reason: 'maxAttempts' });
    expect(backlog.record('dead')).toBeDead({ reason: 'no such customer' });
    expect(backlog.record('cancelled')).toBeDead({ reason: 'cancelled: withdrawn' });
    expect(backlog.record('wrong')).toBeDead({ error: 'TypeError' });
    expect(backlog.record('snoozed')).toHaveSucceeded();
    // The day of the snooze, and no more than a tick after it.
    expect(backlog.now.getTime() - Date.parse('2026-01-02T00:00:00Z')).toBeLessThanOrEqual(60_000);
  });

  it('keeps a Retry-After, and short waits to the second', async () => {
    const backlog = testBacklog({
      queues: {
        asked: { process: retryAfter('2h'), retry: EXACT },
        short: { process: failTimes(1), retry: { type: 'constant', interval: 20, jitter: 'none' } },
      },
      ...START,
    });
    await backlog.insert({ id: 'a', queue: 'asked' });
    await backlog.insert({ id: 's', queue: 'short' });
    await backlog.drain();
    expect(backlog.record('a')).toBeWaiting({ until: at('02:00'), within: 60 });
    expect(await backlog.advance('19s')).toEqual(NONE);
    expect(await backlog.advance('2s')).toEqual({ ...NONE, attempted: 1, succeeded: 1 });
    expect(await backlog.advanceTo(at('01:59'))).toEqual(NONE);
    expect(await backlog.advance('2m')).toEqual({ ...NONE, attempted: 1, succeeded: 1 });
  });

  it('a retry function in the code of the test, and another queue', async () => {
    const backlog = testBacklog({
      queues: {
        fast: { process: fail, retry: () => ({ wait: '10m', queue: 'slow' }) },
        slow: { process: done, retry: EXACT },
      },
      ...START,
    });
    await backlog.insert({ id: 'r', queue: 'fast' });
    await backlog.drain();
    expect(backlog.record('r')).toMatchObject({ queue: 'slow', status: 'ERROR' });
    await backlog.advance('10m');
    expect(backlog.record('r')).toHaveSucceeded();
  });

  it('a drain attempts a record once, and goes on in the queue that it moved to', async () => {
    const backlog = testBacklog({
      queues: {
        again: { process: () => new Snooze(0) },
        first: { process: fail, retry: () => ({ wait: 0, queue: 'second' }), firstAttempt: 'scheduled' },
        second: { process: done },
      },
      ...START,
    });
    await backlog.insert({ id: 'a', queue: 'again' });
    await backlog.insert({ id: 'f', queue: 'first' });
    await backlog.advance('1s');
    expect(await backlog.drain()).toMatchObject({ failed: 1, succeeded: 1 });
    expect(backlog.record('a').attempts).toBeLessThanOrEqual(2);
    expect(backlog.record('f')).toHaveSucceeded();
  });

  it('delivers by HTTP to a server of the test', async () => {
    const asked: string[] = [];
    await using server = await listen((request, response) => {
      asked.push(String(request.headers['idempotency-key']));
      response.writeHead(asked.length === 1 ? 503 : 200, { 'retry-after': '3600' }).end();
    });
    const backlog = testBacklog({
      queues: { hooks: { deliverTo: `${server.origin}/hook`, retry: EXACT } },
      ...START,
    });
    await backlog.insert({ id: 'h', queue: 'hooks', payload: { total: 7 } });
    await backlog.drain();
    expect(backlog.record('h')).toBeWaiting({ for: '1h' });
    await backlog.runUntilSettled();
    expect(asked).toEqual(['h', 'h']);
  });

  it('a delivery whose answer says "not yet" is no failure, and waits as its policy says', async () => {
    let asked = 0;
    await using server = await listen((_request, response) => {
      response.writeHead(++asked < 3 ? 202 : 200).end('open');
    });
    const deliverTo = { url: `${server.origin}/orders`, answers: { notReady: [202] } } as const;
    const backlog = testBacklog({ queues: { orders: { deliverTo, retry: EXACT } }, ...START });
    await backlog.insert({ id: 'o', queue: 'orders', payload: 1 });
    expect(await backlog.drain()).toMatchObject({ snoozed: 1, failed: 0 });
    const waiting = { status: 'NEW', attempts: 1, failures: 0, notReady: 1, lastError: undefined };
    expect(backlog.record('o')).toMatchObject(waiting);
    expect(backlog.history('o')).toMatchObject([{ outcome: 'snoozed', message: 'HTTP 202: open' }]);
    await backlog.runUntilSettled();
    expect(backlog.record('o')).toMatchObject({ status: 'SUCCESS', attempts: 3, failures: 0 });
  });

  it('firstAttempt "scheduled": the next rule attempts it, or a drain', async () => {
    const queues = { jobs: { process: done, firstAttempt: 'scheduled' } } as const;
    for (const drains of [true, false]) {
      const backlog = testBacklog({ queues, ...START });
      await backlog.insert({ id: 'j', queue: 'jobs' });
      expect(drains ? await backlog.drain() : await backlog.advance('1m')).toMatchObject({ succeeded: 1 });
    }
  });

  it('a delay, and many records in pages', async () => {
    const backlog = testBacklog({ queues: { default: { process: done, shards: 4 } }, ...START });
    await backlog.client.insertMany(Array.from({ length: 250 }, (_, i) => ({ id: `r${i}`, payload: i })));
    await backlog.client.insert({ id: 'later', payload: 1 }, { delay: '3h' });
    expect(await backlog.drain()).toEqual({ ...NONE, attempted: 250, succeeded: 250 });
    await backlog.advance('179m');
    expect(backlog.record('later')).toBeWaiting({ until: at('03:00') });
    await backlog.advance('2m');
    expect(backlog.record('later')).toHaveSucceeded();
  });

  it('a rate limit and a breaker take virtual time', async () => {
    const backlog = testBacklog({
      queues: {
        slow: { process: done, attemptsPerSecond: 1, firstAttempt: 'scheduled' },
        down: { process: fail, retry: EXACT, breaker: true, firstAttempt: 'scheduled' },
      },
      ...START,
    });
    for (let i = 0; i < 30; i++) await backlog.insert({ id: `s${i}`, queue: 'slow' });
    for (let i = 0; i < 40; i++) await backlog.insert({ id: `d${i}`, queue: 'down' });
    await backlog.drain();
    expect(backlog.records({ queue: 'slow', status: 'SUCCESS' }).length).toBeLessThan(5);
    expect(backlog.records({ queue: 'down', status: 'NEW' }).length).toBeGreaterThan(10);
    await backlog.advance('1m');
    expect(backlog.records({ queue: 'slow', status: 'SUCCESS' })).toHaveLength(30);
  });
});

describe('a progressive queue', () => {
  it('is not attempted by `drain`, as none of its rules fires then', async () => {
    const tiers = [{ every: '10m', untilAge: '1d' }];
    const backlog = testBacklog({ queues: { bulk: { process: fail, progressive: { tiers } } }, ...START });
    await backlog.insert({ id: 'r', queue: 'bulk' });
    expect(await backlog.drain()).toEqual({ ...NONE, attempted: 1, failed: 1 });
    // Its next turn is three minutes away.
    await backlog.advance('7m');
    expect(await backlog.drain()).toEqual(NONE);
    expect(await backlog.advance('3m')).toEqual({ ...NONE, attempted: 1, failed: 1 });
  });

  it('fires its tiers at their times, in order', async () => {
    const minutes: number[] = [];
    const tiers = [
      { every: '10m', untilAge: '30m' },
      { every: '1h', untilAge: '1d' },
    ];
    const backlog: ReturnType<typeof testBacklog> = testBacklog({
      queues: { bulk: { process: attemptsIn(minutes, fail, () => backlog.now), progressive: { tiers } } },
      ...START,
    });
    await backlog.insert({ id: 'b', queue: 'bulk' });
    await backlog.drain();
    expect(backlog.record('b').nextAttemptAt).toEqual(at('00:10'));
    await backlog.advance('3h');
    expect(minutes).toEqual([0, 10, 20, 30, 60, 120, 180]);
    await backlog.runUntilSettled('2d');
    expect(backlog.record('b')).toBeDead({ reason: 'expired' });
  });

  it('a tier that had nothing to do counts as run: the hourly rule makes up for none', async () => {
    const hours: Record<string, number[]> = {};
    const backlog: ReturnType<typeof testBacklog> = testBacklog({
      queues: {
        bulk: {
          process: ({ id }) => {
            hours[id] = [...(hours[id] ?? []), (backlog.now.getTime() - Date.parse(START.now)) / 3_600_000];
            throw new Error('down');
          },
          progressive: {
            tiers: [
              { every: '10m', untilAge: '30m' },
              { every: '1h', untilAge: '1d' },
              { every: '4h', untilAge: '10d' },
            ],
          },
        },
      },
      ...START,
    });
    await backlog.insert({ id: 'old', queue: 'bulk', insertedAt: '2025-12-27T00:00:00.000Z' });
    await backlog.advance('150m');
    await backlog.insert({ id: 'new', queue: 'bulk', insertedAt: '2026-01-01T01:30:00.000Z' });
    await backlog.advance('2h');
    expect(hours).toEqual({ old: [0, 4], new: [2.5, 3, 4] });
  });

  it('a year of the default tiers', async () => {
    const backlog = testBacklog({ queues: { bulk: { process: fail, progressive: true } }, ...START });
    await backlog.insert({ id: 'b', queue: 'bulk' });
    const { attempted } = await backlog.runUntilSettled('400d');
    expect(attempted).toBeGreaterThan(515);
    expect(attempted).toBeLessThan(530);
  });
});
