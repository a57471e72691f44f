import { describe, expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import type { Item } from '../../../src/record/index.js';
import { context, workbench } from '../support.js';

const QUEUES = {
  default: { retryMode: 'perRecord' },
  orders: { retryMode: 'perRecord', shards: 2 },
  bulk: { retryMode: 'perRecord' },
} as const;
const DUE = '2026-11-20T08:00:00.000Z';

function bench() {
  const made = workbench(QUEUES);
  const started: unknown[] = [];
  const sent: unknown[] = [];
  const invoker: Invoker = {
    invoke: async ({ event }) => {
      started.push(event);
      return 'accepted';
    },
    sendToRedelivery: async (...message) => void sent.push(message),
    async sendShortWait() {},
    async giveUp() {},
  };
  const env = {
    ...made.overrides.env,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Fast: Object.keys(QUEUES) }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
  const intake = intakeHandler({ ...made.overrides, env, invoker });
  const put = (item: Item) => made.changesOf(() => made.store.put(item));
  return { ...made, put, started, sent, take: (Records: unknown[]) => intake({ Records }, context) };
}

/** An item of a producer that chooses the place itself. */
const indexed = (more: Item): Item => ({ id: 'r', status: 'NEW', payload: { n: 1 }, dueAt: DUE, ...more });

describe('a place that the producer has chosen', () => {
  it.each<[string, Item, string]>([
    ['another queue', { queue: 'orders', lane: 'bulk' }, 'orders#1'],
    ['no queue at all', { queue: 'bulk', lane: 'nosuch' }, 'bulk'],
    ['no queue at all, and the record names none', { lane: 'nosuch' }, 'default'],
    ['a shard that no queue has, and the record names no queue', { lane: 'bulk#1' }, 'default'],
    ['a shard that no queue can have, and the record names none', { lane: 'bulk#-1' }, 'default'],
    ['nothing that is a name', { queue: 'bulk', lane: ' ' }, 'bulk'],
    ['the dead, and the record waits', { queue: 'orders', lane: 'orders#1/dead' }, 'orders#1'],
    ['a shard below none', { queue: 'bulk', lane: 'bulk#-1' }, 'bulk'],
    ['the dead of another queue', { queue: 'bulk', lane: 'orders/dead' }, 'bulk'],
    ['a shard of another queue', { queue: 'bulk', lane: 'orders#1' }, 'bulk'],
    ['a shard that the queue has not', { queue: 'bulk', lane: 'bulk#7' }, 'bulk'],
    ['a shard that no queue can have', { queue: 'bulk', lane: 'bulk#77' }, 'bulk'],
    ['a queue that is none', { queue: 'q'.repeat(200), lane: 'q'.repeat(200) }, 'default'],
  ])('is corrected where its lane names %s', async (_, item, lane) => {
    const { put, take, store, started, measured } = bench();
    expect(await take(put(indexed(item)))).toEqual({ batchItemFailures: [] });
    expect(store.items()).toMatchObject([
      { lane, status: 'NEW', payload: { n: 1 }, rev: expect.any(String) },
    ]);
    expect(started).toEqual([]);
    expect(measured).toMatchObject([[{ indexed: 1 }, 'records-table']]);
  });

  it('keeps its due time, which is its producer’s delay', async () => {
    const { put, take, store } = bench();
    await take(put(indexed({ queue: 'bulk', lane: 'orders', dueAt: '2026-12-01T00:00:00.000Z' })));
    expect(store.items()).toMatchObject([{ lane: 'bulk', dueAt: '2026-12-01T00:00:00.000Z' }]);
  });

  it.each<[string, Item, Item]>([
    [
      'a due time that no rule reaches',
      { dueAt: 'soon' },
      { dueAt: expect.stringMatching(/^2026-11-20T09:30/) },
    ],
    [
      'a due time that no rule reaches, in the lane of a queue that it does not name',
      { queue: undefined, lane: 'orders', dueAt: 'soon' },
      { lane: 'default', dueAt: expect.stringMatching(/^2026-11-20T09:30/) },
    ],
    ['no due time', { dueAt: undefined }, { dueAt: expect.stringMatching(/^2026-11-20T09:30/) }],
  ])('is corrected where it has %s', async (_, wrong, right) => {
    const { put, take, store } = bench();
    await take(put(indexed({ queue: 'bulk', lane: 'bulk', ...wrong })));
    expect(store.items()).toMatchObject([{ lane: 'bulk', rev: expect.any(String), ...right }]);
  });

  it('is not removed by DynamoDB before its turn', async () => {
    const { put, take, store } = bench();
    await take(put(indexed({ queue: 'bulk', lane: 'bulk', expiresAt: 1_800_000_000 })));
    expect(store.items()).toMatchObject([{ lane: 'bulk', dueAt: DUE }]);
    expect(store.items()[0]?.expiresAt).toBeUndefined();
  });

  it('lists a dead record with the dead of its queue', async () => {
    const { put, take, store } = bench();
    await take(put(indexed({ status: 'DEAD', queue: 'bulk', lane: 'bulk' })));
    expect(store.items()).toMatchObject([{ lane: 'bulk/dead', status: 'DEAD' }]);
  });

  it.each<[string, Item]>([
    ['the queue', { queue: 'bulk', lane: 'bulk' }],
    ['one of its shards', { queue: 'orders', lane: 'orders#1' }],
    ['the queue that its rule serves, and names none', { lane: 'bulk' }],
    ['the queue, with a rev of the library', { queue: 'bulk', lane: 'bulk', rev: 'abcdefgh' }],
    ['done', { status: 'SUCCESS', lane: 'bulk' }],
  ])('is left alone where it is right: %s', async (_, item) => {
    const { put, take, store, started, sent, overrides } = bench();
    const before = put(indexed(item));
    const items = store.items();
    // An item that is put again is left alone, too: there is no run to wait for.
    const again = put(indexed({ ...item, payload: { n: 2 } }));
    expect(await take([...before, ...again])).toEqual({ batchItemFailures: [] });
    expect(store.items()).toEqual([{ ...items[0], payload: { n: 2 } }]);
    expect([started, sent]).toEqual([[], []]);
    expect(overrides.store).toBe(store);
  });

  it('waits for a run that may have it, where it was put over a record', async () => {
    const { put, take, store, sent } = bench();
    put({ id: 'r', status: 'NEW', payload: 1, queue: 'orders' });
    await take(put(indexed({ queue: 'orders', lane: 'bulk' })));
    expect(store.items()).toMatchObject([{ lane: 'bulk' }]);
    expect(sent).toEqual([[['r'], 75]]);
  });
});
