import { describe, expect, it } from 'vitest';
import { backlogHandler, Cancel, Dead, type Process, Snooze } from '../../functions/index.js';
import { backlogMatchers, failTimes, hang, retryAfter, testBacklog } from '../../src/testing/index.js';

expect.extend(backlogMatchers);

const EXACT = { type: 'constant', interval: '5m', jitter: 'none' } as const;
const DAY = '2026-01-01';
const at = (time: string) => new Date(`${DAY}T${time}:00.000Z`);
const START = { now: `${DAY}T00:00:00Z` };
const NONE = { attempted: 0, succeeded: 0, failed: 0, dead: 0, snoozed: 0, cancelled: 0 };
const fail: Process = () => {
  throw new Error('down');
};
const done: Process = () => {};
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** When each attempt was made, in minutes from the start. */
function attemptsIn(minutes: number[], process: Process, clock: () => Date): Process {
  const start = Date.parse(START.now);
  return (record, context) => {
    minutes.push((clock().getTime() - start) / 60_000);
    return process(record, context);
  };
}

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

  it('a year of the default tiers', async () => {
    const backlog = testBacklog({ queues: { bulk: { process: fail, progressive: true } }, ...START });
    await backlog.insert({ id: 'b', queue: 'bulk' });
    const { attempted } = await backlog.runUntilSettled('400d');
    expect(attempted).toBeGreaterThan(515);
    expect(attempted).toBeLessThan(530);
  });
});

describe('a handler of a module', () => {
  it('is run with the store of the test, and keeps its choices and its logger', async () => {
    const lines: unknown[] = [];
    const log = (message: string) => void lines.push(message);
    const handler = backlogHandler({
      queue: 'orders',
      process: (_, { logger }) => {
        logger.info('sent');
        throw new Error('down');
      },
      retry: { ...EXACT, maxAttempts: 2 },
      // The four methods alone: a logger of the user's own need not have more.
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const backlog = testBacklog({ queues: { orders: { handler } }, ...START });
    await backlog.insert({ id: 'o', queue: 'orders' });
    await backlog.runUntilSettled();
    expect(backlog.record('o')).toBeDead();
    expect(lines.filter((line) => line === 'sent')).toHaveLength(2);
    expect(backlog.logs).toContainEqual({ level: 'info', message: 'sent', extra: {} });
  });

  it('of several queues: they share it by their weights', async () => {
    const queues: string[] = [];
    const handler = backlogHandler({ process: ({ queue }) => void queues.push(queue) });
    const one = { handler, firstAttempt: 'scheduled' } as const;
    const backlog = testBacklog({ queues: { urgent: { ...one, weight: 6 }, calm: one }, ...START });
    await backlog.insert({ queue: 'urgent' });
    await backlog.insert({ queue: 'calm' });
    await backlog.drain();
    expect(queues.sort()).toEqual(['calm', 'urgent']);
  });

  it('that serves another queue than the one it is given for says so', async () => {
    const handler = backlogHandler({ queue: 'orders', process: done });
    const backlog = testBacklog({ queues: { mails: { handler } } });
    await backlog.insert({ queue: 'mails' });
    await expect(backlog.drain()).rejects.toThrow('event.queue: expected "orders"');
  });

  it('is imported without any environment; what is missing is said at its first invocation', async () => {
    const handler = backlogHandler({ queue: 'orders', process: done, env: {}, logger: SILENT });
    const context = { getRemainingTimeInMillis: () => 300_000 };
    await expect(handler({ queue: 'orders' }, context)).rejects.toThrow(
      'BACKLOG_TABLE: expected string, got nothing',
    );
  });
});

describe('the operator', () => {
  it('redrives, discards and pauses', async () => {
    const backlog = testBacklog({
      queues: { default: { process: failTimes(2), retry: { type: 'none' } } },
      ...START,
    });
    await backlog.insert({ id: 'a' });
    await backlog.insert({ id: 'b' });
    await backlog.drain();
    expect(backlog.records({ status: 'DEAD' })).toHaveLength(2);
    expect(await backlog.operator.redrive('a')).toMatchObject({ changed: 1 });
    await backlog.operator.discard('b', { delete: true });
    expect(() => backlog.record('b')).toThrow('no record "b": there are "a"');
    await backlog.operator.pause('default');
    await expect(backlog.runUntilSettled()).rejects.toThrow('the queue "default" is paused');
    expect(await backlog.drain()).toEqual(NONE);
    await backlog.operator.resume('default');
    await backlog.drain();
    expect(backlog.record('a')).toHaveSucceeded();
  });
});

describe('what does not settle', () => {
  it('is named, with where it stands', async () => {
    const backlog = testBacklog({ queues: { default: { process: fail, retry: EXACT } }, ...START });
    await backlog.insert({ id: 'stuck' });
    const error = await backlog.runUntilSettled('1h').catch(({ message }: Error) => message);
    expect(error).toBe(
      'runUntilSettled: after 1 h, 1 of 1 records still wait:\n' +
        '  record "stuck" (queue "default"): ERROR, 13 attempts, 13 failures, last error Error: down, ' +
        'due in 5 min (2026-01-01T01:05:00.000Z)',
    );
  });

  it('a record of a queue that is not there', async () => {
    const backlog = testBacklog({ queues: { orders: { process: done } } });
    await backlog.insert({ id: 'lost', queue: 'order' });
    await expect(backlog.runUntilSettled()).rejects.toThrow(
      'no queue "order", which the record "lost" waits in',
    );
  });

  it('two calls at once', async () => {
    const backlog = testBacklog({ queues: { default: { process: hang() } }, grace: 0.05 });
    await backlog.insert({});
    const first = backlog.drain();
    await expect(backlog.advance('1h')).rejects.toThrow('the backlog is at work: await drain first');
    await first;
  });
});
