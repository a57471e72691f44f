import { beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/engine.js';
import { BacklogClient, ConfigurationError } from '../../src/index.js';
import type { BacklogRecord } from '../../src/record/index.js';
import { MemoryStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { dynamoDbForFile } from '../store/dynamodb-for-file.js';
import type { DynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { iso, NOW } from '../store/records.js';

const clock: Clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };
const HOUR = 3_600_000;

const dynamoDb = dynamoDbForFile();
let underTest: DynamoDbUnderTest;
let backlog: BacklogClient;

beforeAll(() => {
  ({ underTest } = dynamoDb);
  backlog = new BacklogClient({ table: underTest.tables.records, endpoint: dynamoDb.endpoint, clock });
});

async function all(records: AsyncIterable<BacklogRecord>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of records) ids.push(id);
  return ids.sort();
}

const failed = {
  status: 'ERROR',
  lane: 'orders',
  dueAt: iso(HOUR),
  attempts: 2,
  failures: 2,
  lastError: { name: 'HttpError', message: 'answered 503', at: iso(), attempt: 2 },
};

describe('get', () => {
  it('gives what became of a record: its status, attempts, error, and when it is due', async () => {
    await underTest.put({ id: 'order-7', queue: 'orders', payload: { amount: 12 }, rev: 'r', ...failed });
    const record = await backlog.get<{ amount: number }>('order-7');
    expect(record).toMatchObject({
      status: 'ERROR',
      attempts: 2,
      dueAt: iso(HOUR),
      lastError: { message: 'answered 503' },
    });
    expect(record?.payload.amount).toBe(12);
  });

  it('is undefined where there is none', async () => {
    expect(await backlog.get('absent')).toBeUndefined();
  });

  it.each(['', 7, undefined])('refuses %j as an id', async (id) => {
    await expect(backlog.get(id as string)).rejects.toThrow(/^get: id: /);
  });
});

describe('list', () => {
  it('gives the records of a queue that wait, or were given up, up to a limit', async () => {
    for (let i = 0; i < 5; i++)
      await underTest.put({
        id: `l-${i}`,
        queue: 'list',
        payload: i,
        ...failed,
        lane: i < 3 ? 'list' : 'list#7',
      });
    await underTest.put({ id: 'l-dead', queue: 'list', status: 'DEAD', lane: 'list/dead', dueAt: iso() });
    await underTest.put({ id: 'l-sent', queue: 'list', status: 'SUCCESS' });
    expect(await all(backlog.list({ queue: 'list', status: 'ERROR' }))).toEqual([
      'l-0',
      'l-1',
      'l-2',
      'l-3',
      'l-4',
    ]);
    expect(await all(backlog.list({ queue: 'list', status: 'DEAD' }))).toEqual(['l-dead']);
    expect(await all(backlog.list({ queue: 'list', status: 'NEW' }))).toEqual([]);
    expect(await all(backlog.list({ queue: 'list', status: 'ERROR', limit: 2 }))).toHaveLength(2);
  });

  it.each([
    [
      { queue: 'list', status: 'SUCCESS' },
      'list.status: expected "NEW", "ERROR" or "DEAD" (a record that succeeded is in no',
    ],
    [{ status: 'DEAD' }, 'list.queue: '],
    [{ queue: 'list' }, 'list.status: '],
    [{ queue: 'list', status: 'DEAD', cursor: 'x' }, 'list: unknown option "cursor"'],
    [{ queue: 'list', status: 'DEAD', limit: 0 }, 'list.limit: '],
  ])('refuses %j', async (options, message) => {
    await expect(all(backlog.list(options as never))).rejects.toThrow(message);
  });
});

describe('cancel', () => {
  it('gives a record up that waits: dead with the reason, removed after 30 days', async () => {
    await underTest.put({ id: 'c-1', queue: 'orders', payload: 1, rev: 'r', ...failed });
    expect(await backlog.cancel('c-1', { reason: 'the customer withdrew' })).toEqual({
      id: 'c-1',
      cancelled: true,
    });
    expect(await underTest.raw('c-1')).toMatchObject({
      status: 'DEAD',
      lane: 'orders/dead',
      deadReason: 'cancelled: the customer withdrew',
      expiresAt: Math.floor(NOW / 1000) + 30 * 86_400,
      attempts: 2,
      notBefore: { lane: 'orders' },
    });
    // Again, it is as it was.
    expect(await backlog.cancel('c-1')).toEqual({ id: 'c-1', cancelled: true });
    expect(await underTest.raw('c-1')).toMatchObject({ deadReason: 'cancelled: the customer withdrew' });
  });

  it('gives a record up that was just inserted, before it is indexed', async () => {
    await backlog.insert({ id: 'c-new', payload: 1, queue: 'orders' });
    expect(await backlog.cancel('c-new')).toEqual({ id: 'c-new', cancelled: true });
    expect(await underTest.raw('c-new')).toMatchObject({
      status: 'DEAD',
      lane: 'orders/dead',
      deadReason: 'cancelled: by its producer',
      notBefore: { lane: 'orders' },
    });
  });

  it.each([
    ['succeeded', { status: 'SUCCESS', rev: 'r' }],
    ['dead', { status: 'DEAD', lane: 'orders/dead', dueAt: iso(), deadReason: 'maxAttempts', rev: 'r' }],
    ['newer', { ...failed, rev: 'r', backlogFormat: 99 }],
  ])('leaves a record alone, and says %s', async (reason, attributes) => {
    const item = { id: `c-${reason}`, queue: 'orders', payload: 1, ...attributes };
    await underTest.put(item);
    expect(await backlog.cancel(item.id)).toEqual({ id: item.id, cancelled: false, reason });
    expect(await underTest.raw(item.id)).toEqual(item);
  });

  it('asks a long attempt to end, once, and says that and nothing more', async () => {
    const notBefore = { until: iso(60_000) };
    const item = { id: 'c-long', queue: 'orders', payload: 1, ...failed, rev: 'r', notBefore };
    await underTest.put(item);
    const answer = { id: 'c-long', cancelled: false, reason: 'cancelRequested' };
    for (const reason of ['the customer withdrew', 'for another reason'])
      expect(await backlog.cancel('c-long', { reason })).toEqual(answer);
    const marked = { ...item, notBefore: { ...notBefore, cancel: 'the customer withdrew' } };
    expect(await underTest.raw('c-long')).toEqual(marked);
  });

  it('says that there is no record', async () => {
    expect(await backlog.cancel('absent')).toEqual({ id: 'absent', cancelled: false, reason: 'notFound' });
    expect(await underTest.raw('absent')).toBeUndefined();
  });

  it('decides again when a run was quicker', async () => {
    const store = new MemoryStore({ clock });
    store.put({ id: 'raced', queue: 'orders', payload: 1, rev: 'r', ...failed });
    let writes = 0;
    const change: MemoryStore['records']['change'] = async (...given) => {
      if (writes++ === 0)
        store.put({ id: 'raced', queue: 'orders', payload: 1, status: 'SUCCESS', rev: 'q' });
      return store.records.change(...given);
    };
    const racing = new BacklogClient({
      table: 'any',
      clock,
      store: replacing({ records: { change } }, store),
    });
    expect(await racing.cancel('raced')).toEqual({ id: 'raced', cancelled: false, reason: 'succeeded' });
    expect(writes).toBe(1);
  });

  it('writes nothing where a long attempt was asked to end before', async () => {
    const store = new MemoryStore({ clock });
    const notBefore = { until: iso(60_000), cancel: 'the customer withdrew' };
    store.put({ id: 'asked', queue: 'orders', payload: 1, ...failed, rev: 'r', notBefore });
    const note = () => Promise.reject(new Error('written'));
    const records = { note };
    const client = new BacklogClient({ table: 'any', clock, store: replacing({ records }, store) });
    expect(await client.cancel('asked')).toMatchObject({ reason: 'cancelRequested' });
  });

  it('decides again when a long attempt renewed its hold, or ended, in between', async () => {
    const store = new MemoryStore({ clock });
    const put = (attributes: object) =>
      store.put({ id: 'raced', queue: 'orders', payload: 1, ...failed, rev: 'r', ...attributes });
    const ends: [object, object][] = [
      [{ rev: 'q', notBefore: { until: iso(70_000) } }, { reason: 'cancelRequested' }],
      [{ rev: 'q', status: 'SUCCESS' }, { reason: 'succeeded' }],
      [{ rev: 'q', status: 'ERROR' }, { cancelled: true }],
    ];
    for (const [end, result] of ends) {
      put({ notBefore: { until: iso(60_000) } });
      let writes = 0;
      const note: MemoryStore['records']['note'] = async (...given) => {
        if (writes++ === 0) put(end);
        return store.records.note(...given);
      };
      const records = { note };
      const racing = new BacklogClient({ table: 'any', clock, store: replacing({ records }, store) });
      expect(await racing.cancel('raced')).toEqual({ id: 'raced', cancelled: false, ...result });
    }
  });

  it('refuses an option that it does not know', async () => {
    await expect(backlog.cancel('c-1', { why: 'x' } as never)).rejects.toThrow(ConfigurationError);
  });
});

it('a store that can insert only is refused when a record is looked up', async () => {
  const inserting = new BacklogClient({
    table: 'any',
    store: { records: { insert: async () => 'inserted' } },
  });
  await expect(inserting.get('a')).rejects.toThrow(
    'BacklogClient.store: expected a store whose records have get, list, change and note',
  );
});
