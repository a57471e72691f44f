import { expect, it } from 'vitest';
import { BacklogClient } from '../../src/index.js';
import { type TestBacklog, testBacklog } from '../../src/testing/index.js';

it('a producer asks what became of its record, and lists those that were given up', async () => {
  const backlog = testBacklog({
    queues: {
      orders: {
        process: ({ payload }) => {
          if (payload === 'yeti') throw new Error('no such article');
        },
        retry: { type: 'fibonacci', maxAttempts: 1 },
      },
    },
  });
  const end = backlog.redirectClients();
  const client = new BacklogClient({ table: 'orders-backlog' });
  await client.insert({ id: 'order-7', queue: 'orders', payload: 'mug' });
  await client.insert({ id: 'order-8', queue: 'orders', payload: 'yeti' });
  await backlog.drain();
  expect(await client.get('order-7')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  const dead: unknown[] = [];
  for await (const { id, lastError } of client.list({ queue: 'orders', status: 'DEAD' }))
    dead.push([id, lastError?.message]);
  expect(dead).toEqual([['order-8', 'no such article']]);
  end();
});

/** A backlog whose handler does something while it attempts a record for the first time. */
function whileAttempted(act: (backlog: TestBacklog, id: string) => Promise<unknown>): TestBacklog {
  let isFirst = true;
  const backlog: TestBacklog = testBacklog({
    queues: {
      orders: {
        process: async ({ id }) => {
          if (!isFirst) return;
          isFirst = false;
          await act(backlog, id);
        },
      },
    },
  });
  return backlog;
}

it('a record that is cancelled before its first attempt is never attempted', async () => {
  const backlog = testBacklog({ queues: { orders: { process: () => {} } } });
  const { client } = backlog;
  for (const delay of [0, '2h']) {
    const { id } = await client.insert({ queue: 'orders', payload: 1 }, { delay });
    expect(await client.cancel(id)).toEqual({ id, cancelled: true });
  }
  expect(await backlog.runUntilSettled()).toMatchObject({ attempted: 0 });
});

it.each([0, '5m'])(
  'cancelled during its attempt (inserted with a delay of %j), its outcome is not written',
  async (delay) => {
    const backlog = whileAttempted(({ client }, id) => client.cancel(id));
    const { id } = await backlog.client.insert({ queue: 'orders', payload: 1 }, { delay });
    expect(await backlog.runUntilSettled()).toMatchObject({ attempted: 1 });
    expect(await backlog.client.get(id)).toMatchObject({
      status: 'DEAD',
      deadReason: 'cancelled: by its producer',
      attempts: 0,
    });
  },
);

it('a redrive does not start a second attempt beside one in which the record was cancelled', async () => {
  const results: unknown[] = [];
  const backlog = whileAttempted(async ({ client, operator }, id) => {
    await client.cancel(id);
    results.push(await operator.redrive([id]));
  });
  await backlog.client.insert({ id: 'a', queue: 'orders', payload: 1 });
  await backlog.drain();
  expect(results).toMatchObject([{ changed: 0, skipped: { inFlight: 1 } }]);
});
