import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliverByHttp } from '../../src/delivery/index.js';
import { attempt, listen } from '../delivery/support.js';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe('the examples of handlers', () => {
  it.each([
    ['orders', 'handlers'],
    ['payouts', 'handlers'],
    ['invoices', 'handlers'],
    ['webhooks', 'delivery'],
  ])('%s.ts stands in docs/%s.md as it is', (name, page) => {
    expect(read(`docs/${page}.md`)).toContain(read(`examples/handler/${name}.ts`));
  });

  it.each([
    [200, { ok: true }],
    [422, { error: { name: 'Dead', message: 'the ERP does not take this order' } }],
    [503, { error: { name: 'RetryAfter', seconds: 3600 } }],
    [500, { error: { name: 'Error', message: 'the ERP answered 500' } }],
  ])('orders: an ERP that answers %i', async (status, ending) => {
    await using server = await listen((_request, response) => response.writeHead(status).end());
    vi.stubEnv('ERP_URL', server.origin);
    const { sendOrder } = await import('../../examples/handler/orders.js');
    expect(await attempt(sendOrder, { id: 'order 7', payload: { lines: 2 } })).toMatchObject(ending);
    expect(server.received[0]).toMatchObject({ method: 'PUT', url: '/orders/order%207' });
    expect(String(server.received[0]?.body)).toBe('{"lines":2}');
  });

  it('signed webhooks: the receiver stands in the documentation as it is', () => {
    expect(read('docs/delivery.md')).toContain(read('examples/signed-webhooks/receive.ts'));
  });

  it('signed webhooks: the receiver takes what is signed, once, and nothing else', async () => {
    const { receiver } = await import('../../examples/signed-webhooks/receive.js');
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const taken: unknown[] = [];
    const receive = receiver(secret, (id, payload) => void taken.push([id, payload]));
    const server = createServer(receive).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const item = { id: 'order 7', payload: { note: 'größer' } };
    for (let i = 0; i < 2; i++)
      expect(await attempt(deliverByHttp({ url, secret }), item)).toEqual({ ok: true });
    expect(taken).toEqual([['order%207', { note: 'größer' }]]);
    const refusals = [
      deliverByHttp({ url }),
      deliverByHttp({ url, secret: `whsec_${Buffer.alloc(24, 8).toString('base64')}` }),
      deliverByHttp({ url, secret, now: () => Date.now() - 600_000 }),
    ];
    for (const deliver of refusals) {
      expect(await attempt(deliver, item)).toMatchObject({
        error: { message: expect.stringContaining('HTTP 401') },
      });
    }
    expect(taken).toHaveLength(1);
    server.close();
  });

  it.each([
    [200, { ok: true }, undefined],
    [410, { error: { name: 'Cancel', message: 'the customer has withdrawn it' } }, undefined],
    [425, { error: { name: 'Snooze', seconds: 43_200 } }, undefined],
    [429, { error: { name: 'Error' } }, { wait: 'exponential', queue: 'payouts-slow' }],
    [500, { error: { name: 'Error', message: 'the bank answered 500' } }, 10],
  ])('payouts: a bank that answers %i', async (status, ending, answer) => {
    await using server = await listen((_request, response) => response.writeHead(status).end());
    vi.stubEnv('BANK_URL', server.origin);
    const { payOut, retry } = await import('../../examples/handler/payouts.js');
    const ended = await attempt(payOut, { id: 'p 1', payload: { euros: 7 } });
    expect(ended).toMatchObject(ending);
    if (answer === undefined) return;
    const { error } = ended as { error: Error };
    expect(retry(error, {} as never, 0)).toEqual(answer);
    expect(retry(error, {} as never, 3)).toEqual(typeof answer === 'number' ? false : answer);
  });

  it('webhooks: the delivery of a body that the handler made', async () => {
    await using server = await listen((_request, response) => response.end());
    vi.stubEnv('WEBHOOK_URL', server.origin);
    const { deliverEvent } = await import('../../examples/handler/webhooks.js');
    const insertedAt = '2025-12-31T23:00:00.000Z';
    expect(await attempt(deliverEvent, { id: 'e1', insertedAt, payload: 7 })).toEqual({ ok: true });
    expect(JSON.parse(String(server.received[0]?.body))).toEqual({ event: 'e1', insertedAt, data: 7 });
    expect(server.received[0]?.headers['idempotency-key']).toBe('e1');
  });
});
