import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { deliveryHandler } from '../../functions/delivery-handler.js';
import { backlogHandler, type Process } from '../../functions/index.js';
import { backlogMatchers, failTimes, hang, testBacklog } from '../../src/testing/index.js';

expect.extend(backlogMatchers);

const EXACT = { type: 'constant', interval: '5m', jitter: 'none' } as const;
const START = { now: '2026-01-01T00:00:00Z' };
const NONE = { attempted: 0, succeeded: 0, failed: 0, dead: 0, snoozed: 0, pending: 0, cancelled: 0 };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const fail: Process = () => {
  throw new Error('down');
};
const done: Process = () => {};

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

  it('may insert records itself: they are attempted, too', async () => {
    const backlog: ReturnType<typeof testBacklog> = testBacklog({
      queues: {
        orders: {
          process: async ({ id }) => {
            await backlog.client.insert({ id: `${id}/mail`, queue: 'mails', payload: {} });
          },
        },
        mails: { process: done },
      },
      ...START,
    });
    await backlog.insert({ id: 'o', queue: 'orders' });
    expect(await backlog.drain()).toEqual({ ...NONE, attempted: 2, succeeded: 2 });
  });

  it('that serves another queue than the one it is given for says so', async () => {
    const handler = backlogHandler({ queue: 'orders', process: done });
    const backlog = testBacklog({ queues: { mails: { handler } } });
    await backlog.insert({ queue: 'mails' });
    await expect(backlog.drain()).rejects.toThrow('event.queue: expected "orders"');
  });

  it('is imported without any environment; what is missing is said at its first invocation', async () => {
    const own = { env: {}, logger: SILENT };
    const handlers = [
      backlogHandler({ queue: 'orders', process: done, ...own }),
      deliveryHandler('perRecord', own),
    ];
    const context = { getRemainingTimeInMillis: () => 300_000 };
    for (const handler of handlers) {
      await expect(handler({ queue: 'orders' }, context)).rejects.toThrow(
        'BACKLOG_TABLE: expected string, got nothing',
      );
    }
  });
});

it('leaves the signals of the process to the test runner', async () => {
  const before = process.listenerCount('SIGTERM');
  const handler = backlogHandler({ process: fail });
  const queues = {
    a: { handler },
    b: { process: fail, retry: EXACT },
    c: { deliverTo: 'http://127.0.0.1:9/' },
  };
  const backlog = testBacklog({ queues, ...START });
  for (const queue of Object.keys(queues)) await backlog.insert({ queue });
  expect(await backlog.drain()).toMatchObject({ attempted: 3, failed: 3 });
  expect(process.listenerCount('SIGTERM')).toBe(before);
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
