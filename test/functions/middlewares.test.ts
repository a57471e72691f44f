import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { backlogHandler, type Process } from '../../functions/index.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import { context, workbench } from './support.js';

const QUEUES = { default: { retryMode: 'perRecord' } } as const;
/** The time that an invocation has left: a little more than a run keeps for its end. */
const TIME_MS = 5_500;
const EVENT = { queue: 'default' };

/** A middleware that says what it is called for. */
const telling = (reported: string[], name: string) => ({
  before: () => void reported.push(`before ${name}`),
  after: ({ response }: { response: unknown }) =>
    void reported.push(`after ${name}: ${(response as { succeeded: number }).succeeded}`),
  onError: ({ error }: { error: unknown }) => void reported.push(`error ${name}: ${(error as Error).name}`),
});

async function bench(process: Process) {
  const { insert, overrides, log, store } = workbench(QUEUES);
  await insert({ id: 'a' });
  return { handler: backlogHandler({ queue: 'default', process, ...overrides }), log, store };
}

describe.each(['use', 'wrapped'])('middlewares of a handler, %s', (how) => {
  it('wrap the run, the last one nearest to it', async () => {
    const reported: string[] = [];
    const { handler, store } = await bench(() => void reported.push('attempt'));
    const outer = how === 'use' ? handler : middy(handler);
    const both = outer.use(telling(reported, 'one')).use([telling(reported, 'two')]);
    expect(await both(EVENT, context as never)).toMatchObject({ succeeded: 1 });
    expect(reported).toEqual(['before one', 'before two', 'attempt', 'after two: 1', 'after one: 1']);
    expect(store.items()).toMatchObject([{ status: 'SUCCESS' }]);
  });

  it('get the error of a run that fails', async () => {
    const reported: string[] = [];
    const { handler, store } = await bench(() => {});
    store.pages.query = () => Promise.reject(new StoreUnavailableError('no answer'));
    const outer = (how === 'use' ? handler : middy(handler)).use(telling(reported, 'one'));
    await expect(outer(EVENT, context as never)).rejects.toThrow('the run ended early');
    expect(reported).toEqual(['before one', 'error one: RunFailedError']);
  });

  it('that throw fail the invocation, and no record is attempted', async () => {
    const { handler, store } = await bench(() => {});
    const outer = (how === 'use' ? handler : middy(handler)).use({
      before: () => {
        throw new Error('no secret');
      },
    });
    await expect(outer(EVENT, context as never)).rejects.toThrow('no secret');
    expect(store.items()).toMatchObject([{ status: 'NEW' }]);
    expect(store.items()[0]).not.toHaveProperty('attempts');
  });

  it('that answer themselves end the invocation before its run', async () => {
    const { handler, store } = await bench(() => {});
    const outer = (how === 'use' ? handler : middy(handler)).use({ before: () => 'closed for maintenance' });
    expect(await outer(EVENT, context as never)).toBe('closed for maintenance');
    expect(store.items()).toMatchObject([{ status: 'NEW' }]);
  });
});

describe('a handler of middy', () => {
  it('names the invocation in the log before any middleware of the user is called', async () => {
    const { overrides, log } = workbench(QUEUES);
    const handler = backlogHandler({ queue: 'default', process: () => {}, ...overrides });
    await handler.before(() => overrides.logger.info('mine'))(EVENT, context);
    expect(log().find(({ message }) => message === 'mine')).toMatchObject({
      function_request_id: 'request-1',
    });
  });

  it('takes before, after and onError by themselves', async () => {
    const reported: string[] = [];
    const { handler } = await bench(() => {});
    const { before, after } = telling(reported, 'mine');
    await handler.before(before).after(after)(EVENT, context);
    expect(reported).toEqual(['before mine', 'after mine: 1']);
  });

  it('refuses what is no middleware', async () => {
    const { handler } = await bench(() => {});
    expect(() => handler.use({})).toThrow('at least one key among "before", "after", "onError"');
  });

  it('is not cut off by the early timeout of a middy around it: the run ends before, and gives its lease back', async () => {
    const { overrides, insert, store } = workbench(QUEUES);
    for (let i = 0; i < 100; i++) await insert({ id: `r${i}` });
    const process: Process = () => new Promise((resolve) => setTimeout(resolve, 50));
    // In real time, as middy's timer is.
    const clock = { ...overrides.clock, wall: () => performance.now() };
    const options = { ...overrides, clock, process, concurrency: 1, attemptTimeout: 1 };
    const handler = middy(backlogHandler({ queue: 'default', ...options }));
    const endsAt = performance.now() + TIME_MS;
    const getRemainingTimeInMillis = () => endsAt - performance.now();
    const summary = await handler(EVENT, { ...context, getRemainingTimeInMillis } as never);
    expect(summary).toMatchObject({ ended: 'deadline', failed: 0, unsettled: 0 });
    expect(summary.attempted).toBeGreaterThan(0);
    expect(summary.attempted).toBeLessThan(100);
    // The early timeout would have come 5 ms before its end.
    expect(endsAt - performance.now()).toBeGreaterThan(1_000);
    expect((await store.leases.readAll()).has('default')).toBe(false);
  });
});
