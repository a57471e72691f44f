import { backlogMatchers, fakeFetch, testBacklog } from 'dynamo-backlog/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { handler } from '../src/handler.js';
import { placeOrder } from '../src/place-order.js';
import { sendOrder } from '../src/send-order.js';

expect.extend(backlogMatchers);

beforeEach(() => vi.stubEnv('ERP_URL', 'https://erp.example.com'));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const order = { id: 'order-7', article: 'mug', quantity: 2 };

/** A backlog in memory, whose time is virtual. */
const newBacklog = () => testBacklog({ queues: { orders: { handler } } });

it('sends an order again when the ERP was down', async () => {
  const fetch = fakeFetch(503, 503, 200);
  vi.stubGlobal('fetch', fetch);
  const backlog = newBacklog();
  await placeOrder(order, backlog.client);
  await backlog.drain();
  expect(backlog.record('order-7')).toBeWaiting({ for: '1m' });
  await backlog.runUntilSettled();
  expect(backlog.record('order-7')).toHaveSucceeded();
  expect(fetch.requests).toHaveLength(3);
  expect(fetch.requests[2]?.url).toBe('https://erp.example.com/orders/order-7');
  expect(fetch.requests[2]?.body).toBe('{"article":"mug","quantity":2}');
});

it('gives up an order that the ERP refuses', async () => {
  vi.stubGlobal('fetch', fakeFetch(422));
  const backlog = newBacklog();
  await placeOrder(order, backlog.client);
  await backlog.drain();
  expect(backlog.record('order-7')).toBeDead({ reason: 'the ERP refuses this order' });
});

it('does not send an order without an article, whatever inserted it', async () => {
  const fetch = fakeFetch(200);
  vi.stubGlobal('fetch', fetch);
  const backlog = newBacklog();
  await expect(placeOrder({ ...order, article: '' }, backlog.client)).rejects.toThrow('payload.article');
  await backlog.insert({ id: 'order-8', queue: 'orders', task: 'send-order', payload: { quantity: 2 } });
  await backlog.drain();
  expect(backlog.record('order-8')).toBeDead({ reason: /payload\.article/ });
  expect(fetch.requests).toEqual([]);
});

it('places an order once', async () => {
  const backlog = newBacklog();
  expect(await placeOrder(order, backlog.client)).toBe(true);
  expect(await placeOrder({ ...order, quantity: 99 }, backlog.client)).toBe(false);
  expect(backlog).toHaveBeenInserted({
    id: 'order-7',
    task: sendOrder,
    payload: { article: 'mug', quantity: 2 },
  });
});

it('sends an order twice as one order', async () => {
  const erp = new Map<string, unknown>();
  vi.stubGlobal('fetch', async (url: URL, { body }: { body: string }) => {
    erp.set(url.href, JSON.parse(body));
    return new Response();
  });
  const backlog = newBacklog();
  await placeOrder(order, backlog.client);
  await backlog.expectIdempotent('order-7', () => [...erp]);
});
