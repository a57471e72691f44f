import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { asWritten, CONTRACT_ATTRIBUTES, FENCED, type RecordChange } from '../../../src/record/index.js';
import { insertAndRead, iso, item, NOW, read } from '../records.js';
import type { UnderTest } from './under-test.js';

const SUCCESS: RecordChange = {
  set: { status: 'SUCCESS', attempts: 1, lastAttemptAt: iso(1000), expiresAt: 1_800_000_000 },
  remove: ['lane', 'dueAt', 'notBefore', 'deadReason'],
};
const ERROR_ENTRY = { name: 'HttpError', message: 'answered 503', at: iso(1000), attempt: 1 };
const FAILURE: RecordChange = {
  set: {
    status: 'ERROR',
    dueAt: iso(61_000),
    attempts: 1,
    failures: 1,
    firstFailureAt: iso(1000),
    lastFailureAt: iso(1000),
    lastAttemptAt: iso(1000),
    lastError: ERROR_ENTRY,
    history: [ERROR_ENTRY],
  },
  remove: [],
};

export function settling(underTest: UnderTest): void {
  const due = (lane: string) =>
    underTest().store.pages.query({ lane, until: NOW + 1e9, order: 'oldestFirst', limit: 10 });

  it('writes a success and takes the record out of the index', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('set-1', { lane: 'set-1', notBefore: iso(-1) }));
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
    const { lane: _, dueAt: __, ...kept } = item('set-1');
    expect(await raw('set-1')).toEqual({ ...kept, ...SUCCESS.set, rev: 'rev-1' });
    expect((await due('set-1')).keys).toEqual([]);
  });

  it('writes the result of a success as its JSON, and takes that of an earlier one away', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('set-result', { lane: 'set-result' }));
    const result = '{"invoice":"INV-7"}';
    await store.records.settle(record, { ...SUCCESS, set: { ...SUCCESS.set, result } }, 'rev-1');
    expect(await raw('set-result')).toMatchObject({ status: 'SUCCESS', result });
    const done = await read(store, 'set-result');
    expect(done?.result).toEqual({ invoice: 'INV-7' });
    await store.records.settle(done as never, { ...SUCCESS, remove: ['result'] }, 'rev-2');
    expect(await raw('set-result')).not.toHaveProperty('result');
  });

  it('writes a failure and moves the record within the index', async () => {
    const { store } = underTest();
    const record = await insertAndRead(store, item('set-2', { lane: 'set-2', customer: 'c-7' }));
    expect(await store.records.settle(record, FAILURE, 'rev-1')).toBe('settled');
    expect(await read(store, 'set-2')).toMatchObject({
      ...FAILURE.set,
      rev: 'rev-1',
      payload: record.payload,
      attributes: { customer: 'c-7' },
    });
    expect((await due('set-2')).keys).toEqual([{ id: 'set-2', dueAt: iso(61_000) }]);
  });

  it('moves a dead record to the lane of the dead', async () => {
    const { store } = underTest();
    const record = await insertAndRead(store, item('set-3', { lane: 'set-3' }));
    const death: RecordChange = {
      set: { status: 'DEAD', lane: 'set-3/dead', dueAt: iso(5), deadReason: 'expired' },
      remove: ['notBefore', 'expiresAt'],
    };
    await store.records.settle(record, death, 'rev-1');
    expect((await due('set-3')).keys).toEqual([]);
    expect((await due('set-3/dead')).keys).toEqual([{ id: 'set-3', dueAt: iso(5) }]);
  });

  it('changes nothing on a record that another write of the library has changed', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('set-4'));
    await store.records.settle(record, FAILURE, 'rev-theirs');
    const before = await raw('set-4');
    expect(await store.records.settle(record, SUCCESS, 'rev-mine')).toBe('changed');
    expect(await raw('set-4')).toEqual(before);
  });

  it('reports a settle that is repeated because its answer was lost as settled', async () => {
    const { store, raw } = underTest();
    const record = await insertAndRead(store, item('set-5'));
    const first = await store.records.settle(record, SUCCESS, 'rev-mine');
    const before = await raw('set-5');
    expect([first, await store.records.settle(record, SUCCESS, 'rev-mine')]).toEqual(['settled', 'settled']);
    expect(await raw('set-5')).toEqual(before);
  });

  it('never creates a record that was deleted', async () => {
    const { store, put, delete: remove, raw } = underTest();
    const record = await insertAndRead(store, item('set-6'));
    await remove('set-6');
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
    await put({ id: 'set-7', status: 'NEW' });
    const foreign = await read(store, 'set-7');
    await remove('set-7');
    expect(await store.records.settle(foreign, SUCCESS, 'rev-1')).toBe('changed');
    expect([await raw('set-6'), await raw('set-7')]).toEqual([undefined, undefined]);
  });

  it('changes nothing on a record that its producer has overwritten', async () => {
    const { store, put, raw } = underTest();
    const record = await insertAndRead(store, item('set-8'));
    await put({ id: 'set-8', status: 'NEW', payload: record.payload });
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
    expect(await raw('set-8')).toEqual({ id: 'set-8', status: 'NEW', payload: record.payload });
  });

  const payloads: [string, unknown, unknown][] = [
    ['a text', 'one', 'two'],
    ['a document', { list: [1, { a: 'ü' }], none: null }, { list: [1, { a: 'u' }], none: null }],
    ['no payload', undefined, 'now there is one'],
    ['null', null, undefined],
    ['an empty list', [], [0]],
    ['a number of 30 digits', { n: 123456789012345678901234567891n }, { n: 123456789012345678901234567892n }],
    ['a set and bytes', { s: new Set(['a', 'b']), b: new Uint8Array([1]) }, { s: new Set(['a']), b: 1 }],
  ];
  it.each(payloads)(
    'fences a foreign record without a rev by its payload: %s',
    async (name, before, after) => {
      const { store, put } = underTest();
      const foreign = (payload: unknown) => ({
        id: `foreign ${name}`,
        status: 'NEW',
        ...(payload === undefined ? {} : { payload }),
      });
      await put(foreign(before));
      const record = await read(store, `foreign ${name}`);
      await put(foreign(after));
      expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
      await put(foreign(before));
      expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
      expect(await store.records.settle(record, SUCCESS, 'rev-2')).toBe('changed');
      expect(await read(store, `foreign ${name}`)).toMatchObject({ status: 'SUCCESS', rev: 'rev-1' });
    },
  );

  /** A bare record with everything that a producer may say. */
  const bare = (id: string) => ({
    id,
    status: 'NEW',
    payload: { order: 7, lines: [1, 2] },
    queue: 'bare',
    task: 'charge',
    insertedAt: iso(-1000),
    availableAt: iso(-500),
    retry: { type: 'constant', interval: 60 },
    history: ['none'],
    customer: 'c-7',
    tags: new Set(['a', 'b']),
    bytes: new Uint8Array([1, 2]),
    nothing: null,
  });
  const overwrites: Readonly<Record<string, unknown>> = {
    status: 'ERROR',
    payload: { order: 7, lines: [2, 1] },
    queue: 'other',
    task: 'refund',
    key: 'tenant-7',
    seq: 7,
    insertedAt: iso(-999),
    availableAt: undefined,
    retry: { type: 'constant', interval: 61 },
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    history: ['none', 'none'],
    customer: 'c-8',
    tags: new Set(['a', 'c']),
    bytes: new Uint8Array([1, 3]),
    nothing: undefined,
    // What it had not.
    lane: 'bare',
    dueAt: iso(-1000),
    attempts: 1,
    failures: 1,
    notReady: 1,
    hops: 1,
    firstFailureAt: iso(),
    lastFailureAt: iso(),
    lastAttemptAt: iso(),
    lastError: 'none',
    notBefore: iso(1),
    completion: 'none',
    unknownTaskSince: iso(),
    exact: true,
    deadReason: 'none',
    result: '1',
    expiresAt: 1_800_000_000,
    backlogFormat: 1,
    rev: 5,
  };
  it('overwrites every attribute of the contract in its tests', () => {
    expect([...CONTRACT_ATTRIBUTES].filter((name) => name !== 'id' && !(name in overwrites))).toEqual([]);
  });

  it.each(Object.entries(overwrites))(
    'fences a record that was never written by all that its attempt depended on: %s',
    async (name, other) => {
      const { store, put, raw } = underTest();
      const id = `overwritten ${name}`;
      await put(bare(id));
      const record = await read(store, id);
      await put(defined({ ...bare(id), [name]: other }));
      expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
      expect(await raw(id)).toEqual(defined({ ...bare(id), [name]: other }));
      await put(bare(id));
      expect(await store.records.settle({ ...record }, SUCCESS, 'rev-1')).toBe('settled');
    },
  );

  /** An item as a failed attempt leaves it. */
  const failed = (id: string) => ({
    ...bare(id),
    lane: 'bare',
    dueAt: iso(-1000),
    rev: 'rev-0',
    failures: 1,
    expiresAt: 1_800_000_000,
  });
  it.each(Object.entries(overwrites).filter(([name]) => name !== 'rev'))(
    'notices a change of %s that leaves `rev` as it is, if the attempt depended on it',
    async (name, other) => {
      const { store, put, raw } = underTest();
      const id = `updated ${name}`;
      await put(failed(id));
      const record = await read(store, id);
      // An UpdateItem, and a PutItem of all that was read, leave the same.
      const changed = defined({ ...failed(id), [name]: name in failed(id) && other === 1 ? 2 : other });
      if (name === 'lane') changed.lane = 'elsewhere';
      if (name === 'dueAt') changed.dueAt = iso(5);
      if (name === 'expiresAt') changed.expiresAt = 1_900_000_000;
      await put(changed);
      const isFenced = (FENCED as readonly string[]).includes(name);
      expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe(isFenced ? 'changed' : 'settled');
      if (!isFenced) return;
      expect(await raw(id)).toEqual(changed);
      await put(failed(id));
      expect(await store.records.settle({ ...record }, SUCCESS, 'rev-1')).toBe('settled');
    },
  );

  it.each(payloads)('fences a record that has a rev by its payload, too: %s', async (name, before, after) => {
    const { store, put } = underTest();
    const id = `with rev ${name}`;
    const withRev = (payload: unknown) => defined({ ...item(id), payload });
    await put(withRev(before));
    const record = await read(store, id);
    await put(withRev(after));
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
    await put(withRev(before));
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
    expect(await store.records.settle(record, SUCCESS, 'rev-2')).toBe('changed');
  });

  it('settles a record whose handler writes attributes of its own to the item', async () => {
    const { store, put } = underTest();
    await put({ ...failed('set-progress'), progress: 1 });
    const record = await read(store, 'set-progress');
    await put({ ...failed('set-progress'), progress: 2, more: { a: 1 } });
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
    expect((await read(store, 'set-progress')).attributes).toMatchObject({ progress: 2, more: { a: 1 } });
  });

  it('settles a record whose handler changes the bytes of its payload in their place', async () => {
    const { store, put } = underTest();
    const bytes = new Uint8Array([1, 2, 3]);
    await put({ ...failed('set-bytes'), payload: { bytes, all: new Set([bytes]) } });
    const record = await read(store, 'set-bytes');
    const payload = record.payload as { bytes: Uint8Array; all: Set<Uint8Array> };
    for (const one of [payload.bytes, ...payload.all]) one.fill(0);
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
  });

  it('fences a record that it has written itself by what it wrote', async () => {
    const { store, put, raw } = underTest();
    const record = await insertAndRead(store, item('set-again', { notBefore: iso(-1) }));
    const moved: RecordChange = {
      set: { queue: 'other', lane: 'other', dueAt: iso(5), insertedAt: iso(-5) },
      remove: ['notBefore'],
    };
    await store.records.settle(record, moved, 'rev-1');
    const written = asWritten(record, moved, 'rev-1');
    const stored = await raw('set-again');
    await put({ ...stored, queue: 'third' });
    expect(await store.records.settle(written, SUCCESS, 'rev-2')).toBe('changed');
    await put({ ...stored });
    expect(await store.records.settle(written, SUCCESS, 'rev-2')).toBe('settled');
  });

  it('does not notice what else of its own a producer adds to a record that it puts again', async () => {
    const { store, put } = underTest();
    await put(bare('set-more'));
    const record = await read(store, 'set-more');
    await put({ ...bare('set-more'), more: 1 });
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('settled');
  });

  it('fences a record of more attributes than a condition can name', async () => {
    const { store, put, raw } = underTest();
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`attribute-${i}`, { i }]));
    const wide = { id: 'set-wide', status: 'NEW', payload: 1, ...many };
    await put(wide);
    const record = await read(store, 'set-wide');
    await put({ ...wide, 'attribute-299': { i: 0 } });
    expect(await store.records.settle(record, SUCCESS, 'rev-1')).toBe('changed');
    expect(await raw('set-wide')).toEqual({ ...wide, 'attribute-299': { i: 0 } });
    await put(wide);
    expect(await store.records.settle(record, FAILURE, 'rev-1')).toBe('settled');
    expect(await store.records.settle(record, FAILURE, 'rev-1')).toBe('settled');
    expect(await store.records.settle(record, SUCCESS, 'rev-2')).toBe('changed');
    expect(await read(store, 'set-wide')).toMatchObject({ status: 'ERROR', rev: 'rev-1' });
  });

  it('does not show how it knows a record again', async () => {
    const { store, put } = underTest();
    await put(bare('set-hidden'));
    const record = await read(store, 'set-hidden');
    expect(Object.keys(record)).toEqual(Object.keys(await read(store, 'set-hidden')));
    expect(inspect({ ...record, payload: 0, attributes: 0 }, { depth: 9, showHidden: true })).not.toMatch(
      /c-7|lines/,
    );
    expect(JSON.stringify({ ...record, payload: 0, attributes: 0 })).not.toMatch(/c-7|lines/);
  });

  it('lets exactly one of several settles of a foreign record at once through', async () => {
    const { store, put } = underTest();
    await put({ id: 'set-11', status: 'NEW', payload: { a: 1 } });
    const record = await read(store, 'set-11');
    const revs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const answers = await Promise.all(revs.map((rev) => store.records.settle(record, FAILURE, rev)));
    expect(answers.filter((answer) => answer === 'settled')).toHaveLength(1);
    expect((await read(store, 'set-11')).rev).toBe(revs[answers.indexOf('settled')]);
  });

  it('settles a foreign record with a rev of a wrong type', async () => {
    const { store, put } = underTest();
    await put({ id: 'set-9', status: 'NEW', payload: 1, rev: 5 });
    expect(await store.records.settle(await read(store, 'set-9'), SUCCESS, 'rev-1')).toBe('settled');
    await put({ id: 'set-9', status: 'NEW', payload: 1, rev: null });
    expect(await store.records.settle(await read(store, 'set-9'), SUCCESS, 'rev-1')).toBe('settled');
  });

  it('lets exactly one of several settles at once through', async () => {
    const { store } = underTest();
    const record = await insertAndRead(store, item('set-10'));
    const revs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const answers = await Promise.all(revs.map((rev) => store.records.settle(record, FAILURE, rev)));
    expect(answers.filter((answer) => answer === 'settled')).toHaveLength(1);
    expect((await read(store, 'set-10')).rev).toBe(revs[answers.indexOf('settled')]);
  });
}

function defined(item: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}
