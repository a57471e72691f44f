import { describe, expect, it } from 'vitest';
import { backlogHandler, RetryAfter } from '../../functions/index.js';
import { backlogMatchers, failTimes, type TestQueue, testBacklog } from '../../src/testing/index.js';

expect.extend(backlogMatchers);

const NOW = '2026-01-01T00:00:00Z';
const POLICY = { type: 'constant', interval: 60, maxAttempts: 2, jitter: 'none' } as const;

/** A backlog with a queue with order, whose attempts fail where a function says so. */
function ordered(fails: (id: string, attempt: number) => boolean, queue: Partial<TestQueue> = {}) {
  const attempts: string[] = [];
  let atWork = 0;
  const handler = backlogHandler({
    process: async ({ id }, { attempt }) => {
      expect(++atWork).toBe(1);
      await null;
      atWork--;
      attempts.push(id);
      if (fails(id, attempt)) throw new Error('refused');
    },
  });
  const backlog = testBacklog({
    queues: { orders: { handler, retry: POLICY, order: 'key', ...queue } },
    now: NOW,
  });
  const insert = (...numbers: number[]) =>
    Promise.all(
      numbers.map((seq) => backlog.insert({ id: `a-${seq}`, queue: 'orders', key: 'a', seq, payload: seq })),
    );
  return { backlog, attempts, insert };
}

const never = () => false;

describe.each(['onInsert', 'scheduled'] as const)(
  'a queue with order whose first attempt is %s',
  (firstAttempt) => {
    it('attempts the records of a key one after another, whatever order they come in', async () => {
      const { backlog, attempts, insert } = ordered((id, attempt) => id === 'a-2' && attempt === 1, {
        firstAttempt,
      });
      await insert(3, 2, 5, 1, 4);
      await backlog.drain();
      expect(attempts).toEqual(['a-1', 'a-2']);
      expect(await backlog.lines.get({ queue: 'orders', key: 'a' })).toMatchObject({
        state: 'retrying',
        head: { id: 'a-2', error: 'Error: refused' },
        waiting: 3,
      });
      expect(backlog.record('a-2')).toBeWaiting({ for: '1m' });
      expect(backlog.record('a-3').nextAttemptAt).toBeUndefined();
      await backlog.runUntilSettled();
      expect(attempts).toEqual(['a-1', 'a-2', 'a-2', 'a-3', 'a-4', 'a-5']);
      expect(backlog.now.getTime()).toBeLessThan(Date.parse(NOW) + 300_000);
    });

    it('lets no key wait for another one', async () => {
      const { backlog, attempts, insert } = ordered((id) => id.startsWith('a'), {
        firstAttempt,
        concurrency: 1,
      });
      await insert(1, 2);
      for (const seq of [1, 2]) await backlog.insert({ id: `b-${seq}`, queue: 'orders', key: 'b', seq });
      await backlog.drain();
      expect(attempts.sort()).toEqual(['a-1', 'b-1', 'b-2']);
    });
  },
);

describe('a dead head', () => {
  it('holds the records behind it, which the error of a test that waits for them says, until it is redriven', async () => {
    let isDown = true;
    const { backlog, attempts, insert } = ordered((id) => isDown && id === 'a-1');
    await insert(1, 2, 3);
    await expect(backlog.runUntilSettled('1h')).rejects.toThrow(
      /a-2[^\n]*waits for its turn, as number 2 of its key[\s\S]*\nthe line of the key "a" in the queue "orders" is held by the dead record "a-1": redrive or discard it$/,
    );
    expect(attempts).toEqual(['a-1', 'a-1']);
    isDown = false;
    await backlog.operator.redrive('a-1');
    await backlog.runUntilSettled('5m');
    expect(attempts).toEqual(['a-1', 'a-1', 'a-1', 'a-2', 'a-3']);
  });

  it.each([
    ['discarded', (backlog: ReturnType<typeof testBacklog>) => backlog.operator.discard('a-1')],
    [
      'removed',
      (backlog: ReturnType<typeof testBacklog>) => backlog.operator.discard('a-1', { delete: true }),
    ],
  ])('lets the next one have its turn when it is %s', async (_, end) => {
    const { backlog, attempts, insert } = ordered((id) => id === 'a-1');
    await insert(1, 2);
    await backlog.advance('5m');
    expect(attempts).toEqual(['a-1', 'a-1']);
    await end(backlog);
    await backlog.runUntilSettled('20m');
    expect(attempts.at(-1)).toBe('a-2');
    expect(backlog.record('a-2')).toHaveSucceeded();
  });

  it.each([
    ['skip', 'SUCCESS', ['a-1', 'a-1', 'a-2']],
    ['cancel', 'DEAD', ['a-1', 'a-1']],
  ] as const)('with %s leaves the next one as %s', async (onDeadHead, status, expected) => {
    const { backlog, attempts, insert } = ordered((id) => id === 'a-1', { onDeadHead });
    await insert(1, 2);
    await backlog.runUntilSettled('20m');
    expect(backlog.record('a-2').status).toBe(status);
    expect(attempts).toEqual(expected);
  });
});

describe('a number that does not come', () => {
  it('is left out after two minutes, or after `skipGapAfter`', async () => {
    const gapOf = async (queue: Partial<TestQueue>) => {
      const { backlog, attempts, insert } = ordered(never, queue);
      await insert(2);
      await backlog.runUntilSettled();
      expect(attempts).toEqual(['a-2']);
      return backlog.now.getTime() - Date.parse(NOW);
    };
    // A rule attempts it then, within a minute.
    expect(await gapOf({})).toBe(180_000);
    expect(await gapOf({ skipGapAfter: '2h' })).toBe(7_260_000);
  });

  it('is waited for with `never`, which the error of a test says', async () => {
    const { backlog, attempts, insert } = ordered(never, { skipGapAfter: 'never' });
    await insert(2);
    await expect(backlog.runUntilSettled('30d')).rejects.toThrow(
      /\nthe line of the key "a" in the queue "orders" waits for number 1, which has not come$/,
    );
    await insert(1);
    await backlog.drain();
    expect(attempts).toEqual(['a-1', 'a-2']);
  });
});

it('numbers the records that `lines` inserts, in a queue without order, too', async () => {
  const { backlog, attempts } = ordered(never);
  const records = (queue: string) =>
    [1, 2, 3].map((i) => ({ id: `${queue}-${i}`, queue, key: 'a', payload: i }));
  expect(await backlog.lines.insert(records('orders'))).toMatchObject({ inserted: 3 });
  await backlog.drain();
  expect(attempts).toEqual(['orders-1', 'orders-2', 'orders-3']);
  expect(backlog.record('orders-3').seq).toBe(3);
  const plain = testBacklog({ queues: { plain: { process: () => {} } } });
  await plain.lines.insert(records('plain'));
  expect(await plain.drain()).toMatchObject({ succeeded: 3 });
});

it('keeps the turn of a record that waits for seconds, snoozes, or is delivered again', async () => {
  const seen: string[] = [];
  const times = failTimes(1, new RetryAfter('5s'));
  const backlog = testBacklog({
    queues: {
      orders: {
        process: async ({ id }) => {
          seen.push(id);
          if (id === 'a-1') await times();
        },
        retry: POLICY,
        order: 'key',
      },
    },
    now: NOW,
  });
  for (const seq of [2, 1]) await backlog.insert({ id: `a-${seq}`, queue: 'orders', key: 'a', seq });
  await backlog.drain();
  expect(seen).toEqual(['a-1']);
  await backlog.redeliver('a-1');
  await backlog.runUntilSettled('5m');
  expect(seen).toEqual(['a-1', 'a-1', 'a-2']);
});

it('gives a record that was indexed before its queue had order its place when it is due', async () => {
  const { backlog, attempts, insert } = ordered(never);
  const indexed = {
    queue: 'orders',
    lane: 'orders',
    rev: 'r',
    insertedAt: '2025-12-31T00:00:00.000Z',
    key: 'a',
  };
  await backlog.insert({ ...indexed, id: 'a-7', seq: 7, dueAt: '2026-01-01T00:01:00.000Z' });
  await backlog.insert({ ...indexed, id: 'a-8', seq: 8, dueAt: '2026-01-01T01:00:00.000Z' });
  await backlog.advance('2m');
  expect(attempts).toEqual([]);
  expect(backlog.record('a-7').lane).toBeUndefined();
  await insert(9);
  await backlog.runUntilSettled();
  expect(attempts).toEqual(['a-7', 'a-9', 'a-8']);
});

it('leaves a record without a number in no order, and says so', async () => {
  const { backlog, attempts, insert } = ordered((id) => id === 'a-1');
  await insert(1, 2);
  await backlog.insert({ id: 'loose', queue: 'orders', key: 'a' });
  await backlog.drain();
  expect(attempts.sort()).toEqual(['a-1', 'loose']);
  expect(backlog.logs.map(({ message }) => message)).toContain(
    'a record with a key has no number, and is attempted in no order',
  );
});

it.each([
  [{ order: 'seq' }, 'testBacklog.queues.orders.order: expected "key", got "seq"'],
  [
    { order: undefined, onDeadHead: 'skip' },
    'testBacklog.queues.orders.onDeadHead: expected "order": "key" beside it, got "skip"',
  ],
  [
    { onDeadHead: 'stop' },
    'testBacklog.queues.orders.onDeadHead: expected "hold", "skip" or "cancel", got "stop"',
  ],
  [{ skipGapAfter: '15d' }, 'testBacklog.queues.orders.skipGapAfter'],
  [{ skipGapAfter: 'ever' }, 'or "never", got "ever"'],
  [
    { retry: undefined, progressive: true },
    'testBacklog.queues.orders.progressive: expected nothing beside "order"',
  ],
])('refuses %j', (queue, message) => {
  expect(() => ordered(never, queue as Partial<TestQueue>)).toThrow(message);
});
