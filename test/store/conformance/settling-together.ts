import { expect, it } from 'vitest';
import type { BacklogRecord, Item, RecordChange } from '../../../src/record/index.js';
import { iso, item, read } from '../records.js';
import type { UnderTest } from './under-test.js';

const success: RecordChange = {
  set: { status: 'SUCCESS', attempts: 1, lastAttemptAt: iso(1000), expiresAt: 1_800_000_000 },
  remove: ['lane', 'dueAt', 'notBefore', 'deadReason'],
};
const failure = (text: string): RecordChange => ({
  set: { status: 'ERROR', dueAt: iso(61_000), attempts: 1, lastError: { name: 'E', message: text } } as never,
  remove: ['notBefore'],
});

interface Case {
  readonly called: string;
  readonly attributes: Record<string, unknown>;
  readonly change: RecordChange;
  /** Another process writes between the read and the settle. */
  readonly meanwhile?: (id: string, item: Item) => Item;
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`own attribute ${i}`, i]));

const CASES: readonly Case[] = [
  { called: 'success', attributes: {}, change: success },
  { called: 'failure', attributes: { customer: 'c-7' }, change: failure('503') },
  { called: 'bare', attributes: { rev: undefined, lane: undefined, dueAt: undefined }, change: success },
  { called: 'bare-many', attributes: { rev: undefined, ...many(150) }, change: success },
  { called: 'bare-long', attributes: { rev: undefined, ...many(110) }, change: failure('text') },
  {
    called: 'hostile-names',
    attributes: { rev: undefined, 'a"b': 1, "c'd": { 'e"f': ['"', "'"] }, 'g.h[0]': null, 'SELECT?': '?' },
    change: failure('"? \' OR "1"=1'),
  },
  {
    called: 'odd-values',
    attributes: { payload: { n: 1.5e-7, e: '', l: [], m: {} }, task: 't' },
    change: success,
  },
  { called: 'large', attributes: { payload: 'x'.repeat(300_000) }, change: success },
  {
    called: 'full',
    attributes: { payload: 'x'.repeat(408_500), customer: 'y'.repeat(500) },
    change: failure('z'.repeat(900)),
  },
  {
    called: 'changed',
    attributes: {},
    change: success,
    meanwhile: (_, before) => ({ ...before, rev: 'theirs', customer: 'new' }),
  },
  {
    called: 'payload-changed',
    attributes: {},
    change: success,
    meanwhile: (_, before) => ({ ...before, payload: { text: 'other' } }),
  },
  {
    called: 'overwritten',
    attributes: {},
    change: failure('503'),
    meanwhile: (id) => ({ id, status: 'NEW', payload: 'again' }),
  },
];

/** Changes that are settled at the same time: a store may write them by one request. */
export function settlingTogether(underTest: UnderTest): void {
  /** Puts and reads the records of the cases, so that they can be settled. Default: all of them. */
  async function prepare(prefix: string, cases = CASES): Promise<BacklogRecord[]> {
    const { store, put } = underTest();
    return Promise.all(
      cases.map(async ({ called, attributes, meanwhile }) => {
        const id = `${prefix}-${called}`;
        const before = item(id, { lane: prefix, ...attributes });
        await put(before);
        const record = await read(store, id);
        if (meanwhile) await put(meanwhile(id, before));
        return record;
      }),
    );
  }
  const settle = (record: BacklogRecord, i: number) =>
    underTest().store.records.settle(record, (CASES[i] as Case).change, `rev-${CASES[i]?.called}`);
  const rawOf = async (record: BacklogRecord) => {
    const stored = await underTest().raw(record.id);
    return stored && { ...stored, id: '', lane: stored.lane === undefined ? '' : 'a lane' };
  };

  it('has the answers and leaves the items that settling one by one does', async () => {
    const [single, crowd] = [await prepare('one'), await prepare('crowd')];
    const expected: string[] = [];
    for (const [i, record] of single.entries()) expected.push(await settle(record, i));
    expect(await Promise.all(crowd.map(settle))).toEqual(expected);
    for (const [i, record] of crowd.entries()) {
      expect(await rawOf(record), CASES[i]?.called).toEqual(await rawOf(single[i] as BacklogRecord));
    }
    expect(new Set(expected)).toEqual(new Set(['settled', 'changed']));
  });

  it('a change that is written again since its answer was lost is settled, in a crowd as well', async () => {
    const records = await prepare('again');
    const first = await Promise.all(records.map(settle));
    expect(await Promise.all(records.map(settle))).toEqual(first);
  });

  it('the same record twice: one of the two changes is written', async () => {
    const { store } = underTest();
    const [record] = await prepare('twice', CASES.slice(0, 1));
    if (!record) throw new Error('no record');
    const others = await prepare('beside', CASES.slice(0, 2));
    const answers = await Promise.all([
      store.records.settle(others[0] as BacklogRecord, success, 'rev-x'),
      store.records.settle(record, success, 'rev-1'),
      store.records.settle(record, failure('503'), 'rev-2'),
      store.records.settle(others[1] as BacklogRecord, success, 'rev-y'),
    ]);
    expect(answers.toSorted()).toEqual(['changed', 'settled', 'settled', 'settled']);
  });

  it('records that are gone stay gone', async () => {
    const { store, raw } = underTest();
    const records = await prepare('gone');
    await Promise.all(records.map(({ id }) => underTest().delete(id)));
    const answers = await Promise.all(records.map(settle));
    expect(new Set(answers)).toEqual(new Set(['changed']));
    for (const { id } of records) expect(await raw(id)).toBeUndefined();
    expect(await store.records.getMany(records.map(({ id }) => id))).toEqual([]);
  });
}
