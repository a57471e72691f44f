import PQueue from 'p-queue';
import { expect, it } from 'vitest';
import { InvalidRecordError } from '../../../src/support/errors.js';
import { iso, item, read } from '../records.js';
import type { UnderTest } from './under-test.js';

const WEIRD_IDS = [
  'a/b#c',
  '🧾 order ✓',
  'ü'.repeat(1024),
  ' ',
  'lease#x',
  '__proto__',
  'line\nbreak',
  '"quoted"',
];

export function insertingAndReading(underTest: UnderTest): void {
  it('reads back what was inserted, with every default filled in', async () => {
    const { store } = underTest();
    const payload = { text: 'grüße', list: [1, 'two', null, true, { deep: '' }], n: -1.5e-7, empty: {} };
    expect(await store.records.insert(item('ins-1', { payload, customer: 'c-7' }))).toBe('inserted');
    expect(await store.records.get('ins-1')).toMatchObject({
      id: 'ins-1',
      status: 'NEW',
      payload,
      queue: 'orders',
      insertedAt: iso(),
      attempts: 0,
      failures: 0,
      history: [],
      rev: 'rev-0',
      attributes: { customer: 'c-7' },
      problems: [],
    });
  });

  it('knows no record that was never inserted', async () => {
    expect(await underTest().store.records.get('ins-none')).toBeUndefined();
  });

  it('leaves an existing record alone', async () => {
    const { store } = underTest();
    await store.records.insert(item('ins-2', { payload: 'first' }));
    expect(await store.records.insert(item('ins-2', { payload: 'second', rev: 'rev-other' }))).toBe(
      'duplicate',
    );
    expect((await read(store, 'ins-2')).payload).toBe('first');
  });

  it('leaves a foreign record without a rev alone, too', async () => {
    const { store, put } = underTest();
    await put({ id: 'ins-3', status: 'NEW', payload: 'foreign' });
    expect(await store.records.insert(item('ins-3'))).toBe('duplicate');
    expect(await store.records.insert({ id: 'ins-3', status: 'NEW', payload: 'foreign' })).toBe('duplicate');
  });

  it('reports an insert that is repeated because its answer was lost as inserted', async () => {
    const { store } = underTest();
    const same = item('ins-4', { rev: 'rev-own' });
    expect([await store.records.insert(same), await store.records.insert(same)]).toEqual([
      'inserted',
      'inserted',
    ]);
  });

  it.each(WEIRD_IDS)('takes the id %j', async (id) => {
    const { store } = underTest();
    expect(await store.records.insert(item(id, { payload: id }))).toBe('inserted');
    expect(await read(store, id)).toMatchObject({ id, payload: id });
    expect((await store.pages.read([id], 'orders')).records).toMatchObject([{ id }]);
  });

  it.each([
    ['an empty id', { id: '' }, /id/],
    ['an id of 2049 bytes', { id: `${'ü'.repeat(1024)}x` }, /2049 bytes/],
    ['a payload beyond 400 KB', { payload: 'x'.repeat(410_000) }, /bytes/],
    ['a function', { payload: { run: () => 1 } }, /payload\.run/],
    ['a date', { payload: { at: [new Date(0)] } }, /payload\.at\[0\].*toISOString/],
    ['not a number', { payload: { n: Number.NaN } }, /payload\.n is NaN/],
    ['infinity', { payload: [Number.POSITIVE_INFINITY] }, /payload\[0\] is Infinity/],
    ['a number out of range', { payload: { n: 1e200 } }, /payload\.n/],
    ['nesting of 33 levels', { payload: nested(32) }, /32 levels/],
    ['an empty set', { payload: { s: new Set() } }, /payload\.s/],
  ])('refuses %s, naming it', async (_, attributes: Record<string, unknown>, reason) => {
    const inserting = underTest().store.records.insert(item('ins-bad', attributes));
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(reason);
    expect(await underTest().store.records.get('ins-bad')).toBeUndefined();
  });

  it('takes what is just within the limits', async () => {
    const { store } = underTest();
    await store.records.insert(item('ins-large', { payload: 'x'.repeat(407_000) }));
    expect((await read(store, 'ins-large')).payload).toHaveLength(407_000);
    await store.records.insert(item('ins-deep', { payload: nested(31) }));
    expect((await read(store, 'ins-deep')).payload).toEqual(nested(31));
  });

  it('drops what is undefined inside a payload, as JSON does', async () => {
    const { store } = underTest();
    await store.records.insert(item('ins-undefined', { payload: { a: 1, b: undefined } }));
    expect((await read(store, 'ins-undefined')).payload).toStrictEqual({ a: 1 });
  });

  it('keeps numbers that JavaScript counts imprecisely', async () => {
    const { store } = underTest();
    const payload = { big: 123456789012345678901234567890n, float: 0.1 + 0.2, large: 2 ** 60, tiny: 5e-100 };
    await store.records.insert(item('ins-numbers', { payload }));
    const found = (await read(store, 'ins-numbers')).payload as typeof payload;
    expect(found).toMatchObject({ big: payload.big, float: payload.float, tiny: payload.tiny });
    expect(Number(found.large)).toBe(2 ** 60);
  });

  it('shares no state with its callers', async () => {
    const { store } = underTest();
    const payload = { list: ['as inserted'] };
    await store.records.insert(item('ins-shared', { payload }));
    payload.list[0] = 'changed';
    expect((await read(store, 'ins-shared')).payload).toEqual({ list: ['as inserted'] });
  });

  it('reads a page in its order, without those that are gone, naming none twice', async () => {
    const { store } = underTest();
    for (const id of ['page-a', 'page-b', 'page-c']) await store.records.insert(item(id));
    const page = await store.pages.read(['page-c', 'page-gone', 'page-a', 'page-c'], 'orders');
    expect(page.records.map(({ id }) => id)).toEqual(['page-c', 'page-a']);
  });

  it('reads an empty page', async () => {
    const page = await underTest().store.pages.read([], 'page-queue');
    expect(page).toEqual({
      records: [],
      queue: { paused: false, retryMode: undefined, tiers: new Map(), breakers: new Map() },
    });
  });

  it('reads a page of more than 100 records', async () => {
    const { store } = underTest();
    const ids = Array.from({ length: 130 }, (_, i) => `many-${i}`);
    // Few at a time: of 130 at once the last would pass the time limit of its request on a busy machine.
    await new PQueue({ concurrency: 8 }).addAll(
      ids.map((id) => () => store.records.insert(item(id, { lane: undefined, dueAt: undefined }))),
    );
    expect((await store.pages.read(ids, 'orders')).records.map(({ id }) => id)).toEqual(ids);
  });

  it('reads a page that is larger than one answer of DynamoDB', async () => {
    const { store, delete: remove } = underTest();
    // One answer has 16 MB at most; of the embedded DynamoDB, 1.4 MB.
    const count = process.env.BACKLOG_TEST_DYNAMODB_ENDPOINT ? 45 : 5;
    const ids = Array.from({ length: count }, (_, i) => `large-${i}`);
    const payload = 'x'.repeat(395_000);
    for (const id of ids)
      await store.records.insert(item(id, { payload, lane: undefined, dueAt: undefined }));
    const lengths: number[] = [];
    for (let left: readonly string[] = ids; left.length > 0; ) {
      const { records, unread = [] } = await store.pages.read(left, 'orders');
      lengths.push(...records.map((record) => (record.payload as string).length));
      left = unread;
    }
    expect(lengths).toEqual(ids.map(() => 395_000));
    // Every scan of the table would read them again.
    for (const id of ids) await remove(id);
  }, 60_000);

  it('reads the others of a page with an invalid record', async () => {
    const { store, put } = underTest();
    await put({
      id: 'sense-1',
      status: 7,
      payload: null,
      queue: ['x'],
      attempts: 'many',
      insertedAt: 'soon',
    });
    await put({ id: 'sense-2' });
    await store.records.insert(item('sense-3'));
    const { records } = await store.pages.read(['sense-1', 'sense-2', 'sense-3'], 'orders');
    expect(records.map(({ id, status }) => [id, status])).toEqual([
      ['sense-1', 'NEW'],
      ['sense-2', 'NEW'],
      ['sense-3', 'NEW'],
    ]);
    expect(records[0]?.problems.length).toBeGreaterThan(3);
  });
}

function nested(levels: number): unknown {
  let value: unknown = 'core';
  for (let i = 0; i < levels; i++) value = { in: value };
  return value;
}
