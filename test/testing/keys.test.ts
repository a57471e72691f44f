import { expect, it } from 'vitest';
import { Dead, defineTask } from '../../src/index.js';
import { assertInserted, perform, testBacklog } from '../../src/testing/index.js';

it('attempts see the key of their record, from a client, a task, a bare producer and a handler', async () => {
  const seen: (readonly [string, string | undefined])[] = [];
  const see = ({ id, key }: { id: string; key?: string | undefined }) => void seen.push([id, key]);
  const mail = defineTask<{ customer?: string }>({
    name: 'mail',
    key: ({ customer }) => customer,
    perform: (_, { record }) => see(record),
  });
  const backlog: ReturnType<typeof testBacklog> = testBacklog({
    queues: {
      default: { tasks: [mail], process: see },
      orders: {
        process: async (record) => {
          see(record);
          await backlog.client.insert({ id: 'invoice', payload: 1, key: record.key });
        },
      },
    },
  });
  const { client } = backlog;
  await client.insert({ id: 'order', queue: 'orders', payload: 1, key: 'Zoë' });
  await client.insert(mail, { customer: 'c-7' }, { id: 'mail' });
  await client.insert(mail, {}, { id: 'nobody' });
  await backlog.insert({ id: 'bare', key: '__proto__' });
  await backlog.insert({ id: 'number', key: 7 as never });
  await backlog.insert({ id: 'long', key: 'é'.repeat(129) });
  await backlog.drain();
  expect(seen.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
    ['bare', '__proto__'],
    ['invoice', 'Zoë'],
    ['long', undefined],
    ['mail', 'c-7'],
    ['nobody', undefined],
    ['number', undefined],
    ['order', 'Zoë'],
  ]);
  expect(backlog.records({ key: 'Zoë' }).map(({ id }) => id)).toEqual(['order', 'invoice']);
  assertInserted(backlog, { task: 'mail', key: 'c-7' });
  expect(() => assertInserted(backlog, { key: 'c-8' })).toThrow();
});

it('the attempt of a task alone sees the key that a test gives its record', async () => {
  const mail = defineTask<{ to: string }>({
    name: 'mail',
    perform: (_, { record }) => {
      throw new Dead(`not for ${record.key}`);
    },
  });
  const { reason } = await perform(mail, { to: 'a' }, { record: { key: 'c-7' } });
  expect(reason).toBe('not for c-7');
});

it('a key is paused on virtual time, on arrival and by rules, until its end or a resume', async () => {
  const attempted: string[] = [];
  const backlog = testBacklog({ queues: { orders: { process: ({ id }) => void attempted.push(id) } } });
  const put = (id: string, key: string) => backlog.client.insert({ id, queue: 'orders', payload: 1, key });
  await backlog.operator.pauseKey('orders', 'c-7', { until: '3h' });
  await put('a', 'c-7');
  await put('b', 'c-8');
  await backlog.drain();
  await backlog.advance('2h');
  expect(attempted).toEqual(['b']);
  await backlog.runUntilSettled();
  expect(attempted).toEqual(['b', 'a']);
  expect(backlog.record('a')).toMatchObject({ status: 'SUCCESS', attempts: 1 });

  await backlog.operator.pauseKey('orders', 'c-7');
  await put('c', 'c-7');
  await backlog.drain();
  await expect(backlog.runUntilSettled()).rejects.toThrow(
    'the key "c-7" of the queue "orders" is paused, and the record "c" waits for it',
  );
  expect(await backlog.operator.resumeKey('orders', 'c-7')).toMatchObject({ resumed: true, changed: 1 });
  await backlog.runUntilSettled();
  expect(attempted).toEqual(['b', 'a', 'c']);
});

it.each([
  [
    { fairness: true, progressive: true },
    'fairness: expected nothing, or false, on a progressive queue, got true',
  ],
  [
    { fairness: true, shards: 25 },
    'fairness: expected at most 24 shards beside it, as busy keys need lanes of their own, got 25',
  ],
  [{ concurrencyPerKey: 2 }, 'concurrencyPerKey: expected "fairness": true beside it, as records of a key'],
  [
    { attemptsPerSecondPerKey: 0.5 },
    'attemptsPerSecondPerKey: expected "fairness": true beside it, as records of a key',
  ],
] as const)('refuses the lanes of %j, as synthesis does', (options, message) => {
  const queues = { orders: { process: () => {}, ...options } };
  expect(() => testBacklog({ queues })).toThrow(`testBacklog.queues.orders.${message}`);
});
