import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MessageQueue } from '../../../tools/src/local/queues/message-queue.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Received {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
}

function queueWith(
  answer: (records: readonly Received[]) => unknown = () => undefined,
  options: { batchSize?: number; maxReceives?: number; read?: boolean } = {},
) {
  const { batchSize = 10, maxReceives = Number.POSITIVE_INFINITY, read = true } = options;
  const batches: Received[][] = [];
  const dead: string[] = [];
  const unread: string[] = [];
  const queue = new MessageQueue({
    arn: 'arn:aws:sqs:us-east-1:000000000000:Redelivery',
    region: 'us-east-1',
    batchSize,
    maxReceives,
    deliver: read
      ? async ({ Records }) => {
          batches.push(Records as Received[]);
          return answer(Records as Received[]);
        }
      : undefined,
    onDead: (body) => dead.push(body),
    onUnread: (body) => unread.push(body),
  });
  return { queue, batches, dead, unread, bodies: () => batches.map((some) => some.map(({ body }) => body)) };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

describe('a message queue', () => {
  it('hands over a message that came while the clock was days ahead, once the clock is correct', async () => {
    const { queue, bodies } = queueWith();
    const now = Date.now();
    vi.setSystemTime(now + 3 * 86_400_000);
    queue.send('a', 30);
    vi.setSystemTime(now);
    await seconds(29);
    expect(bodies()).toEqual([]);
    await seconds(2);
    expect(bodies()).toEqual([['a']]);
  });

  it('hands over what came together as one event, as Lambda has it from SQS', async () => {
    const { queue, batches } = queueWith();
    queue.send('a');
    queue.send('b');
    await seconds(1);
    expect(batches).toHaveLength(1);
    expect(batches[0]).toMatchObject([
      { body: 'a', eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:Redelivery' },
      { body: 'b', awsRegion: 'us-east-1', attributes: { ApproximateReceiveCount: '1' } },
    ]);
    const ids = batches[0]?.map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(2);
    await seconds(3600);
    expect(batches).toHaveLength(1);
  });

  it('hands over no more than a batch at a time, one after the other', async () => {
    let atWork = 0;
    let most = 0;
    const { queue, bodies } = queueWith(
      async () => {
        most = Math.max(most, ++atWork);
        await new Promise((resolve) => setTimeout(resolve, 100));
        atWork--;
      },
      { batchSize: 2 },
    );
    for (const body of ['a', 'b', 'c']) queue.send(body);
    await vi.advanceTimersByTimeAsync(50);
    queue.send('d');
    await seconds(1);
    expect(bodies()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(most).toBe(1);
  });

  it('keeps a message for its delay, while others go before it', async () => {
    const { queue, bodies } = queueWith();
    queue.send('later', 75);
    queue.send('now');
    await seconds(74.9);
    expect(bodies()).toEqual([['now']]);
    await seconds(0.2);
    expect(bodies()).toEqual([['now'], ['later']]);
  });

  it('keeps the longest delay that SQS knows', async () => {
    const { queue, bodies } = queueWith();
    queue.send('sweep', 900);
    await seconds(899);
    expect(bodies()).toEqual([]);
    await seconds(2);
    expect(bodies()).toEqual([['sweep']]);
  });

  it('hands over again, after its visibility timeout, what the answer names, and nothing else', async () => {
    let fails = true;
    const { queue, batches, bodies } = queueWith((records) => {
      const bad = records.filter(({ body }) => fails && body === 'bad');
      return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    for (const body of ['good', 'bad']) queue.send(body);
    await seconds(4.9);
    expect(bodies()).toEqual([['good', 'bad']]);
    fails = false;
    await seconds(60);
    expect(bodies()).toEqual([['good', 'bad'], ['bad']]);
    expect(batches[1]?.[0]?.attributes.ApproximateReceiveCount).toBe('2');
    expect(batches[1]?.[0]?.messageId).toBe(batches[0]?.[1]?.messageId);
  });

  it('hands over all of a batch again whose function failed, and others meanwhile', async () => {
    const { queue, bodies } = queueWith((records) => {
      if (bodies().length === 1) throw new Error(`exit at ${records.length}`);
    });
    queue.send('a');
    queue.send('b');
    await seconds(1);
    queue.send('c');
    await seconds(1);
    expect(bodies()).toEqual([['a', 'b'], ['c']]);
    await seconds(10);
    expect(bodies()).toEqual([['a', 'b'], ['c'], ['a', 'b']]);
  });

  it('gives a message up to its dead letters that was handed over so often, and no more often', async () => {
    const { queue, bodies, dead } = queueWith(() => Promise.reject(new Error('exit')), { maxReceives: 3 });
    queue.send('poison');
    await seconds(3600);
    expect(bodies()).toEqual([['poison'], ['poison'], ['poison']]);
    expect(dead).toEqual(['poison']);
  });

  it('tries for ever without dead letters', async () => {
    const { queue, batches, dead } = queueWith(() => Promise.reject(new Error('exit')));
    queue.send('poison');
    await seconds(600);
    expect(batches.length).toBeGreaterThan(100);
    expect(dead).toEqual([]);
  });

  it('lists the messages that nothing reads', () => {
    const { queue, unread } = queueWith(undefined, { read: false });
    queue.send('given up', 10);
    expect(unread).toEqual(['given up']);
  });

  it('ends with the runtime', async () => {
    const { queue, batches } = queueWith();
    queue.send('a', 10);
    queue.stop();
    queue.send('b');
    await seconds(60);
    expect(batches).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
