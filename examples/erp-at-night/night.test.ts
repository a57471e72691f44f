import { backlogMatchers, fakeFetch, testBacklog } from 'dynamo-backlog/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { handler } from './orders.js';

expect.extend(backlogMatchers);
// The handler looks at the clock, so the clock of the test follows the backlog's.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('leaves the ERP alone at night, and sends the order when it opens', async () => {
  const fetch = fakeFetch(200);
  vi.stubGlobal('fetch', fetch);
  vi.setSystemTime('2026-03-02T23:30:00Z');
  const backlog = testBacklog({ queues: { orders: { handler } }, now: new Date() });
  await backlog.client.insert({ id: 'order-7', queue: 'orders', payload: { total: 12 } });
  await backlog.drain();
  expect(backlog.record('order-7')).toBeWaiting({ until: '2026-03-03T06:00:00Z' });
  expect(fetch.requests).toEqual([]);

  vi.setSystemTime('2026-03-03T06:00:30Z');
  await backlog.advanceTo('2026-03-03T06:02:00Z');
  expect(backlog.record('order-7')).toHaveSucceeded();
});
