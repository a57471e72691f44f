import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { changes } from '../../examples/batches/put.js';
import { shop } from '../../examples/batches/shop.js';
import { deliverByHttp } from '../../functions/index.js';
import { testBacklog } from '../../src/testing/index.js';

const lines: string[] = [];

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  vi.stubEnv('SHOP_URL', `http://127.0.0.1:${(shop.address() as AddressInfo).port}`);
});
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  shop.closeAllConnections();
  shop.close();
});

/** The number of changes in each request to a path. */
const sizes = (path: string) =>
  lines.filter((line) => line.startsWith(path)).map((line) => Number(/(\d+) changes/.exec(line)?.[1]));

it('the example sends many changes in one request, and one that breaks it has no other one fail', async () => {
  // It reads the shop's URL when it is loaded.
  const { handler } = await import('../../examples/batches/stock.js');
  const prices = deliverByHttp({ url: `${process.env.SHOP_URL}/prices`, batch: { maxRecords: 50 } });
  const backlog = testBacklog({
    queues: { stock: { handler }, prices: { process: prices, concurrency: 50 } },
  });
  await backlog.client.insertMany(changes());
  await backlog.drain();
  const statuses = (queue: string) => {
    const counts: Record<string, number> = {};
    for (const { status } of backlog.records({ queue })) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  expect(statuses('stock')).toEqual({ SUCCESS: 198, DEAD: 1, ERROR: 1 });
  expect(statuses('prices')).toEqual({ SUCCESS: 199, DEAD: 1 });
  expect(backlog.record('stock-77')).toMatchObject({ lastError: { message: 'the shop answered 400' } });
  expect(backlog.record('stock-13')).toMatchObject({ deadReason: 'no such article' });
  expect(backlog.record('price-13')).toMatchObject({ deadReason: 'HTTP 404' });
  expect(sizes('/stock:').length).toBeLessThan(25);
  expect(sizes('/prices:').length).toBeLessThan(10);
  expect(Math.max(...sizes('/prices:'))).toBe(50);
});
