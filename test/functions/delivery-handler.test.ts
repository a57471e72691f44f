import { describe, expect, it } from 'vitest';
import { deliveryHandler } from '../../functions/delivery-handler.js';
import { listen } from '../delivery/support.js';
import { context, TIER_1, workbench } from './support.js';

const answering = (statusOf: (key: string) => number) =>
  listen((request, response) => {
    response.writeHead(statusOf(String(request.headers['idempotency-key']))).end('answer');
  });

describe('the built-in delivery', () => {
  it('delivers the records of each queue to its own URL', async () => {
    await using erp = await answering(() => 200);
    await using shop = await answering(() => 200);
    const bench = workbench({
      default: { way: 'retry', deliverTo: erp.url },
      orders: { way: 'retry', deliverTo: shop.url },
    });
    await bench.insert({ id: 'a', payload: 1 });
    await bench.insert({ id: 'b', payload: 2, queue: 'orders' });
    const handler = deliveryHandler('retry', bench.seams);
    for (const queue of ['default', 'orders']) {
      expect(await handler({ queue }, context)).toMatchObject({ attempted: 1, succeeded: 1 });
    }
    expect(erp.received.map(({ body }) => String(body))).toEqual(['1']);
    expect(shop.received.map(({ body }) => String(body))).toEqual(['2']);
  });

  it('settles by the answer, and shows neither payload nor URL in its log', async () => {
    const status: Record<string, number> = { good: 200, later: 503, wrong: 422, moved: 307 };
    await using erp = await answering((key) => status[key] ?? 500);
    const bench = workbench(
      { default: { way: 'retry', deliverTo: erp.url } },
      { logLevel: 'DEBUG' as 'INFO' },
    );
    for (const id of Object.keys(status)) await bench.insert({ id, payload: { card: 'secret-payload' } });
    const summary = await deliveryHandler('retry', bench.seams)({ queue: 'default' }, context);
    expect(summary).toMatchObject({ attempted: 4, succeeded: 1, failed: 1, dead: 2 });
    expect(await bench.store.get('later')).toMatchObject({
      status: 'ERROR',
      lastError: { name: 'HttpError', message: `HTTP 503 from ${erp.origin}: answer` },
    });
    expect(await bench.store.get('wrong')).toMatchObject({ status: 'DEAD', deadReason: 'HTTP 422: answer' });
    expect(await bench.store.get('moved')).toMatchObject({
      status: 'DEAD',
      deadReason: `HTTP 307 from ${erp.origin}: redirects are not followed`,
    });
    expect(bench.lines.join('\n')).not.toMatch(/secret/);
    expect(bench.lines.length).toBeGreaterThan(0);
  });

  it('delivers as the queue says: method, headers, and what answers mean', async () => {
    await using erp = await answering((key) => (key === 'gone' ? 410 : 404));
    const deliverTo = {
      url: erp.url,
      method: 'PUT',
      headers: { 'x-tenant': 'blue' },
      answers: { success: [410], retry: [404] },
    } as const;
    const bench = workbench({ default: { way: 'retry', deliverTo } });
    for (const id of ['gone', 'missing']) await bench.insert({ id });
    const summary = await deliveryHandler('retry', bench.seams)({ queue: 'default' }, context);
    expect(summary).toMatchObject({ attempted: 2, succeeded: 1, failed: 1, dead: 0 });
    for (const request of erp.received) {
      expect(request).toMatchObject({ method: 'PUT', headers: { 'x-tenant': 'blue' } });
    }
  });

  it('keeps the beginning of the answer in the history of a record that failed', async () => {
    await using erp = await listen((_request, response) => {
      response.writeHead(503).end(`out of order ${'.'.repeat(10_000)}`);
    });
    const bench = workbench({ default: { way: 'retry', deliverTo: erp.url } });
    await bench.insert({ id: 'a' });
    await deliveryHandler('retry', bench.seams)({ queue: 'default' }, context);
    const record = await bench.store.get('a');
    const message = `HTTP 503 from ${erp.origin}: out of order ${'.'.repeat(187)}`;
    expect(record?.errors).toMatchObject([{ name: 'HttpError', message, attempt: 1 }]);
  });

  it('serves progressive queues by the other function', async () => {
    await using erp = await answering(() => 200);
    const bench = workbench({ bulk: { way: 'progressive', deliverTo: erp.url } });
    await bench.insert({ id: 'a', queue: 'bulk' });
    const event = { queue: 'bulk', tier: TIER_1 };
    expect(await deliveryHandler('progressive', bench.seams)(event, context)).toMatchObject({ succeeded: 1 });
  });

  it.each([
    [
      'retry',
      { queue: 'bulk', tier: TIER_1 },
      'expected a queue of the way "retry", got "bulk" of the way "progressive"',
    ],
    [
      'progressive',
      { queue: 'default' },
      'expected a queue of the way "progressive", got "default" of the way "retry"',
    ],
  ] as const)('the %s function refuses a queue of the other way', async (way, event, message) => {
    const bench = workbench({ default: { way: 'retry' }, bulk: { way: 'progressive' } });
    await expect(deliveryHandler(way, bench.seams)(event, context)).rejects.toThrow(
      `event.queue: ${message}`,
    );
  });

  it('a queue without a URL is a clear error', async () => {
    const bench = workbench({ default: { way: 'retry' } });
    await expect(deliveryHandler('retry', bench.seams)({ queue: 'default' }, context)).rejects.toThrow(
      'BACKLOG_QUEUES.default.deliverTo: expected a URL such as https://erp.example.com/orders, got nothing',
    );
  });
});
