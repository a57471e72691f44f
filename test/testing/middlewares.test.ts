import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { backlogHandler, type Process } from '../../functions/index.js';
import { backlogMatchers, testBacklog } from '../../src/testing/index.js';

expect.extend(backlogMatchers);

const handlerOf = (process: Process = () => {}) =>
  backlogHandler({ queue: 'orders', process, retry: { type: 'constant', interval: '5m', jitter: 'none' } });

/** One that ends with its own function, as other wrappers are made. */
const plainly =
  (handler: ReturnType<typeof handlerOf>, reported: string[]) => async (event: unknown, context: never) => {
    reported.push('before');
    try {
      return await handler(event, context);
    } finally {
      reported.push('after');
    }
  };

describe('the testing kit runs the middlewares of', () => {
  it.each([
    [
      'backlogHandler(…).use(…)',
      (reported: string[]) =>
        handlerOf(() => void reported.push('attempt')).use({
          before: () => void reported.push('before'),
          after: () => void reported.push('after'),
        }),
    ],
    [
      'middy(backlogHandler(…)).use(…)',
      (reported: string[]) =>
        middy(handlerOf(() => void reported.push('attempt'))).use({
          before: () => void reported.push('before'),
          after: () => void reported.push('after'),
        }),
    ],
    [
      'any other wrapper',
      (reported: string[]) =>
        plainly(
          handlerOf(() => void reported.push('attempt')),
          reported,
        ),
    ],
  ])('%s, on arrival and by rules', async (_, make) => {
    const reported: string[] = [];
    const backlog = testBacklog({ queues: { orders: { handler: make(reported) } } });
    await backlog.insert({ id: 'o', queue: 'orders' });
    await backlog.drain();
    expect(backlog.record('o')).toHaveSucceeded();
    expect(reported).toEqual(['before', 'attempt', 'after']);
    reported.length = 0;
    await backlog.insert({
      id: 'p',
      queue: 'orders',
      availableAt: new Date(+backlog.now + 600_000).toISOString(),
    });
    await backlog.runUntilSettled();
    expect(backlog.record('p')).toHaveSucceeded();
    expect(reported).toEqual(expect.arrayContaining(['before', 'attempt', 'after']));
  });
});

describe('a middleware, in the testing kit', () => {
  it('that fails is a failed run: the error is thrown, no failure is counted, and the next run attempts the record', async () => {
    let isBroken = true;
    const handler = middy(handlerOf()).before(() => {
      if (isBroken) throw new Error('no secret');
    });
    const backlog = testBacklog({ queues: { orders: { handler } } });
    await backlog.insert({ id: 'o', queue: 'orders' });
    await expect(backlog.drain()).rejects.toThrow('no secret');
    expect(backlog.record('o')).toMatchObject({ status: 'NEW', attempts: 0, failures: 0 });
    isBroken = false;
    await backlog.advance('2m');
    expect(backlog.record('o')).toHaveSucceeded();
  });

  it('that fails after a run fails the run, and what the run has done stays', async () => {
    const handler = handlerOf().after(() => {
      throw new Error('the flush failed');
    });
    const backlog = testBacklog({ queues: { orders: { handler } } });
    await backlog.insert({ id: 'o', queue: 'orders' });
    await expect(backlog.drain()).rejects.toThrow('the flush failed');
    expect(backlog.record('o')).toHaveSucceeded();
  });

  it('that answers itself is in the log, and its records are found by the sweep', async () => {
    let isClosed = true;
    const handler = handlerOf().before(() => (isClosed ? 'closed' : undefined));
    const backlog = testBacklog({ queues: { orders: { handler } } });
    await backlog.insert({ id: 'o', queue: 'orders' });
    await backlog.drain();
    expect(backlog.record('o')).toMatchObject({ status: 'NEW', attempts: 0 });
    expect(backlog.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'a middleware ended the invocation before its run' }),
    );
    isClosed = false;
    await backlog.advance('62m');
    expect(backlog.record('o')).toHaveSucceeded();
  });

  it('sees one backlog only: each has the handler to itself', async () => {
    const seen: string[] = [];
    const handler = handlerOf(({ id }) => void seen.push(id)).use({ before: () => {} });
    const [one, other] = [1, 2].map(() => testBacklog({ queues: { orders: { handler } } }));
    await one?.insert({ id: 'one', queue: 'orders' });
    await other?.insert({ id: 'other', queue: 'orders' });
    await one?.drain();
    expect(seen).toEqual(['one']);
    await other?.drain();
    expect(seen).toEqual(['one', 'other']);
  });
});

it('a function that is no handler is refused at its first event', async () => {
  const backlog = testBacklog({ queues: { orders: { handler: () => {} } } });
  await backlog.insert({ id: 'o', queue: 'orders' });
  await expect(backlog.drain()).rejects.toThrow(
    'expected each "handler" to be what backlogHandler has returned, or what wraps it',
  );
});
