import { afterEach, describe, expect, it, vi } from 'vitest';
import { BacklogClient, Done, defineTask, WaitTimeoutError } from '../../src/index.js';
import { MemoryRecords } from '../../src/store/memory/records.js';
import { HandlerFindingError, perform, testBacklog } from '../../src/testing/index.js';
import { listen } from '../delivery/support.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const INVOICE = { invoice: 'INV-7' };

describe('a result in a test', () => {
  it('is on the record, and comes to the producer that waits for it', async () => {
    const process = () => new Done({ result: INVOICE });
    const backlog = testBacklog({ queues: { orders: { process } } });
    const end = backlog.redirectClients();
    const client = new BacklogClient({ table: 'orders-backlog' });
    const { id } = await client.insert({ queue: 'orders', payload: 1 });
    const waiting = client.wait(id);
    await backlog.drain();
    expect(await waiting).toMatchObject({ status: 'SUCCESS', result: INVOICE });
    expect(backlog.record(id).result).toEqual(INVOICE);
    end();
  });

  it('does not come within the time that passes', async () => {
    const process = () => Promise.reject(new Error('closed'));
    const backlog = testBacklog({ queues: { orders: { process, retry: { type: 'fibonacci' } } } });
    const { id } = await backlog.client.insert({ queue: 'orders', payload: 1 });
    const refused = expect(backlog.client.wait(id, { timeout: '10s' })).rejects.toThrow(WaitTimeoutError);
    await backlog.advance('20s');
    await refused;
  });

  it('is read again when time has passed or work is done, and not before', async () => {
    const process = () => Promise.reject(new Error('closed'));
    const retry = { type: 'constant', interval: '1h', jitter: 'none' } as const;
    const backlog = testBacklog({ queues: { orders: { process, retry } } });
    const { id } = await backlog.client.insert({ queue: 'orders', payload: 1 });
    const reads = vi.spyOn(MemoryRecords.prototype, 'get');
    const stopped = new AbortController();
    const waiting = backlog.client.wait(id, { timeout: '1h', signal: stopped.signal });
    await backlog.drain();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toHaveBeenCalledTimes(2);
    await backlog.advance('1s');
    expect(reads.mock.calls.length).toBeLessThan(10);
    reads.mockRestore();
    stopped.abort(new Error('not wanted'));
    await expect(waiting).rejects.toThrow('not wanted');
  });

  it('that has no room in its item is a finding, too', async () => {
    const process = () => new Done({ result: 'r'.repeat(1_000) });
    const backlog = testBacklog({ queues: { orders: { process } }, throwFindings: false });
    await backlog.insert({ id: 'full', queue: 'orders', payload: 'x'.repeat(407_450) });
    await backlog.drain();
    expect(backlog.findings).toMatchObject([{ type: 'lostResult', id: 'full' }]);
  });

  it('of before is not that of a record that waits again, and dies', async () => {
    const process = () => new Done({ result: INVOICE });
    const backlog = testBacklog({ queues: { orders: { process } } });
    await backlog.insert({ id: 'again', queue: 'orders', payload: 1, result: '{"invoice":"INV-1"}' });
    expect(await backlog.client.get('again')).not.toHaveProperty('result');
    await backlog.client.cancel('again');
    const ended = await backlog.client.wait('again');
    expect(ended).toMatchObject({ status: 'DEAD' });
    expect(ended).not.toHaveProperty('result');
  });

  it('of a task is what its perform has returned', async () => {
    const bill = defineTask({ name: 'bill', queue: 'orders', perform: () => new Done({ result: INVOICE }) });
    expect(await perform(bill, {})).toMatchObject({ outcome: 'succeeded', result: INVOICE });
    const backlog = testBacklog({ queues: { orders: { tasks: [bill] } } });
    const { id } = await backlog.client.insert(bill, {});
    await backlog.runUntilSettled();
    expect(backlog.record(id)).toMatchObject({ status: 'SUCCESS', result: INVOICE });
  });

  it.each([
    ['returned', () => new Done({ result: 'x'.repeat(2_000) })],
    [
      'thrown',
      () => {
        throw new Done({ result: 'x'.repeat(2_000) });
      },
    ],
  ] as const)('that is too large, %s, is a finding, and its record succeeds', async (_, process) => {
    const backlog = testBacklog({ queues: { orders: { process } } });
    const { id } = await backlog.client.insert({ queue: 'orders', payload: 1 });
    const message =
      `the result of attempt 1 of the record "${id}" (queue "orders") is not kept: ` +
      'expected at most 1024 bytes of JSON, got 2002';
    await expect(backlog.drain()).rejects.toThrow(new HandlerFindingError([{ message } as never]).message);
    expect(backlog.findings).toMatchObject([{ type: 'lostResult', id, queue: 'orders', attempt: 1 }]);
    expect(backlog.record(id)).toMatchObject({ status: 'SUCCESS', attempts: 1 });
    expect(backlog.record(id)).not.toHaveProperty('result');
    await expect(perform(process, 1)).rejects.toThrow('is not kept');
  });
});

it('the example keeps the number of an invoice for those who wait, and inserts its mail once', async () => {
  await using server = await listen((_request, response) => response.end('{"number":"INV-7"}'));
  vi.stubEnv('INVOICES_URL', server.origin);
  const { handler } = await import('../../examples/handler/invoices.js');
  const { invoiceNumber } = await import('../../examples/tasks/look-up.js');
  const backlog = testBacklog({ queues: { invoices: { handler }, mails: { process: () => {} } } });
  const end = backlog.redirectClients();
  await backlog.client.insert({ id: 'order-7', queue: 'invoices', payload: { total: 12 } });
  const number = invoiceNumber('order-7');
  await backlog.drain();
  expect(await number).toBe('INV-7');
  // The process has crashed between the work and the write of its outcome.
  await backlog.redeliver('order-7');
  expect(server.received.map(({ url }) => url)).toEqual(['/order-7', '/order-7']);
  expect(backlog.records({ queue: 'mails' })).toMatchObject([
    { id: 'order-7:mail', payload: { number: 'INV-7' }, status: 'SUCCESS', attempts: 1 },
  ]);
  expect(await invoiceNumber('order-8')).toBeUndefined();
  end();
});
