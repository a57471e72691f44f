import { backlogMatchers, fakeFetch, testBacklog } from 'dynamo-backlog/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { handler } from '../handler/orders.js';

expect.extend(backlogMatchers); // once, in a setup file
afterEach(() => vi.unstubAllGlobals());

const order = { id: 'order-7', queue: 'orders', payload: { total: 12 } };

it('sends an order again when the ERP was down', async () => {
  vi.stubGlobal('fetch', fakeFetch(500, 500, 200));
  const backlog = testBacklog({ queues: { orders: { handler } } });
  await backlog.client.insert(order);
  expect(await backlog.drain()).toMatchObject({ attempted: 1, failed: 1 });
  expect(backlog.record('order-7')).toBeWaiting({ for: '1m' });
  await backlog.runUntilSettled();
  expect(backlog.record('order-7')).toHaveSucceeded();
  expect(backlog.history('order-7')[0]?.message).toBe('the ERP answered 500');
});

it('waits as long as the ERP is closed, and gives up what it does not take', async () => {
  vi.stubGlobal('fetch', fakeFetch(503, 422));
  const backlog = testBacklog({ queues: { orders: { handler } } });
  await backlog.client.insert(order);
  await backlog.advance('59m');
  expect(backlog.record('order-7')).toBeWaiting({ for: '1m' });
  await backlog.advance('2m');
  expect(backlog.record('order-7')).toBeDead({ reason: 'the ERP does not take this order' });
});

it('sends the same order twice as one order', async () => {
  const erp = new Map<string, unknown>();
  vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
    erp.set(url, JSON.parse(body));
    return new Response();
  });
  const backlog = testBacklog({ queues: { orders: { handler } } });
  await backlog.client.insert(order);
  await backlog.expectIdempotent('order-7', () => [...erp]);
});
