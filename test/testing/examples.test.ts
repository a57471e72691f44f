import { expect, it } from 'vitest';
import { backlogMatchers, testBacklog } from '../../src/testing/index.js';

await import('../../examples/testing/orders.test.js');

expect.extend(backlogMatchers);

it('a producer that makes a client of its own', async () => {
  const { orderPlaced, priceChangesSoon } = await import('../../examples/producer/insert.js');
  const process = () => {};
  const backlog = testBacklog({
    queues: { orders: { process }, 'price-list': { process, progressive: true } },
  });
  const end = backlog.redirectClients();
  try {
    expect(await orderPlaced({ id: 'order-7', total: 12 })).toBe(true);
    expect(await orderPlaced({ id: 'order-7', total: 99 })).toBe(false);
    await priceChangesSoon('mug');
  } finally {
    end();
  }
  expect(backlog).toHaveBeenInserted({ id: 'order-7', queue: 'orders', payload: { total: 12 } });
  await backlog.drain();
  expect(backlog.record('order-7')).toHaveSucceeded();
  const [price] = backlog.records({ queue: 'price-list' });
  expect(price).toBeWaiting({ for: '2h', within: '5m' });
  await backlog.runUntilSettled();
  expect(backlog.records({ status: 'SUCCESS' })).toHaveLength(2);
});
await import('../../examples/erp-at-night/night.test.js');
await import('../../examples/from-sqs/forward.test.js');
