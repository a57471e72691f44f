import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { BacklogClient, ConfigurationError, defineTask, InvalidRecordError } from '../../src/index.js';
import { dynamoDbForFile } from '../store/dynamodb-for-file.js';
import type { DynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { iso, NOW } from '../store/records.js';

let now = NOW;
const clock = { now: () => now, wall: () => now, sleep: async () => {} };
const HOUR = 3_600_000;

const dynamoDb = dynamoDbForFile();
let underTest: DynamoDbUnderTest;
let backlog: BacklogClient;

beforeAll(() => {
  ({ underTest } = dynamoDb);
  backlog = new BacklogClient({ table: underTest.tables.records, client: underTest.client, clock });
});
beforeEach(() => {
  now = NOW;
});

const perform = () => {};
const mail = defineTask({
  name: 'mail',
  queue: 'mails',
  priorities: { high: 'mails-high', low: 'mails-low' },
  schema: z.object({ to: z.email(), copies: z.string().transform(Number).optional() }),
  perform,
});
const anything = defineTask<unknown>({ name: 'anything', perform });
const to = 'a@example.com';
const stored = async (id: string) => (await underTest.raw(id)) ?? {};

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('inserting for a task', () => {
  it('stores what was given, not what the schema makes of it, under the name of the task and in its queue', async () => {
    const { id, inserted } = await backlog.insert(mail, { to, copies: '2' });
    expect(inserted).toBe(true);
    expect(await stored(id)).toEqual({
      id,
      status: 'NEW',
      task: 'mail',
      queue: 'mails',
      payload: { to, copies: '2' },
      insertedAt: iso(),
      rev: expect.any(String),
    });
  });

  it('takes an id, a queue, attributes, a delay and a time of one’s own', async () => {
    const own = { id: 't-1', queue: 'others', attributes: { customer: 'c-7' }, delay: 'PT2H' };
    await backlog.insert(mail, { to }, { ...own, insertedAt: new Date(NOW - HOUR) });
    expect(await stored('t-1')).toMatchObject({
      queue: 'others',
      lane: 'others',
      customer: 'c-7',
      insertedAt: iso(-HOUR),
      availableAt: iso(2 * HOUR),
      dueAt: iso(2 * HOUR),
    });
    expect(await backlog.insert(mail, { to: 'b@example.com' }, own)).toEqual({ id: 't-1', inserted: false });
  });

  it('takes the trace that the record belongs to', async () => {
    const { id } = await backlog.insert(mail, { to }, { traceparent: TRACEPARENT });
    expect(await stored(id)).toMatchObject({ traceparent: TRACEPARENT });
    const entries = [{ payload: { to }, id: 'traced', traceparent: TRACEPARENT }];
    expect(await backlog.insertMany(mail, entries)).toMatchObject({ inserted: 1 });
    expect(await stored('traced')).toMatchObject({ traceparent: TRACEPARENT });
  });

  it('takes the key of the insertion, else what the task makes of the payload', async () => {
    const keyed = defineTask<{ customer?: string }>({
      name: 'keyed',
      key: ({ customer }) => customer,
      perform,
    });
    const keyOf = async (id: string) => (await stored(id)).key;
    const insert = async (payload: { customer?: string }, key?: string) =>
      keyOf((await backlog.insert(keyed, payload, { key })).id);
    expect(await insert({ customer: 'c-7' })).toBe('c-7');
    expect(await insert({ customer: 'c-7' }, 'c-8')).toBe('c-8');
    expect(await insert({})).toBeUndefined();
    expect(await insert({}, '__proto__')).toBe('__proto__');
    const entries = [{ customer: 'm-1' }, { payload: { customer: 'm-2' }, id: 'm', key: 'm-3' }];
    expect(await backlog.insertMany(keyed, entries)).toMatchObject({ inserted: 2 });
    expect(await keyOf('m')).toBe('m-3');
    const common = [{ payload: { customer: 'm-2' }, id: 'm-common' }];
    expect(await backlog.insertMany(keyed, common, { key: 'all' })).toMatchObject({ inserted: 1 });
    expect(await keyOf('m-common')).toBe('all');
  });

  it.each([7, '', null, {}, 'x'.repeat(257)])('refuses %j as the key of an insertion', async (key) => {
    const inserting = backlog.insert(anything, 1, { id: 'bad-key', key: key as string });
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow('record "bad-key": key: expected text of 1 to 256 bytes, got');
    expect(await underTest.raw('bad-key')).toBeUndefined();
  });

  it.each([7, '', null, 'x'.repeat(257), Promise.resolve('c-7')])(
    'refuses %j as the key of a task',
    async (key) => {
      const wrong = defineTask<unknown>({ name: 'wrong', key: () => key as string, perform });
      const inserting = backlog.insert(wrong, 1);
      await expect(inserting).rejects.toThrow(InvalidRecordError);
      await expect(inserting).rejects.toThrow('task "wrong": key: expected text of 1 to 256 bytes, got');
      const { failed } = await backlog.insertMany(wrong, [1, { payload: 2, key: 'own' }]);
      expect(failed).toMatchObject([{ index: 0, error: { name: 'InvalidRecordError' } }]);
    },
  );

  it('says which task’s key has thrown, and asks it for no payload that the schema refuses', async () => {
    const schema = z.object({ to: z.string() });
    const key = ({ to }: { to: string }): string => to.slice(0, 1) + (undefined as never as string).length;
    const broken = defineTask({ name: 'broken', schema, key, perform });
    const inserting = backlog.insert(broken, { to });
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow('task "broken": key threw TypeError');
    await expect(backlog.insert(broken, {} as never)).rejects.toThrow('invalid payload: payload.to');
  });

  it('takes a priority of the task for its queue', async () => {
    const { id } = await backlog.insert(mail, { to }, { priority: 'high' });
    expect(await stored(id)).toMatchObject({ queue: 'mails-high', task: 'mail' });
  });

  it.each([
    [{ maxAttempts: 3 }, { maxAttempts: 3 }],
    [
      { retry: { type: 'linear' }, maxAttempts: 3 },
      { type: 'linear', maxAttempts: 3 },
    ],
    [{ retry: { maxAge: 60 } }, { maxAge: 60 }],
    [
      { retry: { maxAge: 60 }, maxAttempts: 2 },
      { maxAge: 60, maxAttempts: 2 },
    ],
  ])('with %j leaves %j on the record', async (options, retry) => {
    const { id } = await backlog.insert(mail, { to }, options as never);
    expect(await stored(id)).toMatchObject({ retry });
  });

  it.each([
    [{ priority: 'hgih' }, 'insert.priority: expected one of "high", "low", got "hgih"'],
    [{ priority: 'constructor' }, 'insert.priority: expected one of "high", "low", got "constructor"'],
    [{ priority: 'high', queue: 'q' }, 'insert: expected either queue or priority, got both'],
    [{ id: 'a', uniqueFor: 60 }, 'insert: expected either id or uniqueFor, got both'],
    [{ uniqueBy: () => 1 }, 'insert.uniqueBy: expected uniqueFor beside it, got nothing'],
    [{ uniqueFor: 0 }, 'insert.uniqueFor: expected 1 second or more, got 0'],
    [{ uniqueFor: '1 hour' }, 'insert.uniqueFor: expected seconds or a duration'],
    [{ uniqueFor: 'P1M' }, 'insert.uniqueFor: expected seconds or a duration'],
    [{ maxAttempts: 0 }, 'insert.maxAttempts: expected number to be >=1, got 0'],
    [{ delay: 1, at: new Date() }, 'delay, at: expected one of the two, got both'],
    [{ wait: 1 }, 'insert: unknown option "wait"'],
  ])('refuses the options %j', async (options, message) => {
    const inserting = backlog.insert(mail, { to }, options as never);
    await expect(inserting).rejects.toThrow(ConfigurationError);
    await expect(inserting).rejects.toThrow(message);
  });

  it('refuses a priority where the task has none', async () => {
    const inserting = backlog.insert(anything, 1, { priority: 'high' });
    await expect(inserting).rejects.toThrow('expected nothing, as the task has no priorities, got "high"');
  });

  const cyclic: Record<string, unknown> = { to };
  cyclic.self = cyclic;
  it.each([
    ['no address', { to: 'hunter2' }, 'task "mail": invalid payload: payload.to: Invalid email address'],
    ['nothing', undefined, 'task "mail": payload: expected a value, got nothing'],
    ['itself', cyclic, 'holds itself'],
    ['a date', { to, copies: new Date() }, 'payload.copies: Invalid input: expected string'],
    [
      'a bigint that its handler will read as a number',
      { to, copies: 5n },
      'expected string, received number',
    ],
  ])('refuses a payload with %s', async (_, payload, message) => {
    const inserting = backlog.insert(mail, payload as never);
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(message);
    await expect(inserting).rejects.not.toThrow('hunter2');
  });

  it.each([
    ['a date', { at: new Date() }, 'payload.at is a Date, which cannot be stored'],
    ['400 KB', 'x'.repeat(400 * 1024), 'bytes, at most'],
    ['itself', cyclic, 'nested deeper than 32 levels'],
    ['a function', { f: () => 1 }, 'payload.f is a function'],
  ])('refuses %s without a schema, too', async (_, payload, message) => {
    const inserting = backlog.insert(anything, payload);
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(message);
  });

  it('says which schema has thrown, and what', async () => {
    const schema = z.unknown().refine(() => {
      throw new TypeError('hunter2');
    });
    const broken = defineTask({ name: 'broken', schema, perform });
    const inserting = backlog.insert(broken, 1);
    await expect(inserting).rejects.toThrow(
      new InvalidRecordError('task "broken": its schema threw TypeError'),
    );
  });

  it('leaves out what is undefined, for the schema and in the table', async () => {
    const strict = defineTask({ name: 'strict', schema: z.strictObject({ a: z.number() }), perform });
    const { id } = await backlog.insert(strict, { a: 1, b: undefined } as never);
    expect((await stored(id)).payload).toEqual({ a: 1 });
  });
});

describe('a delay', () => {
  it.each([
    [{ delay: 'PT2H' }, 2 * HOUR],
    [{ delay: 'P1DT30M' }, 24.5 * HOUR],
    [{ delay: 'P2W' }, 336 * HOUR],
    [{ delay: 'PT0.5S' }, 500],
    [{ delay: 'P36525D' }, 36_525 * 24 * HOUR],
    [{ at: '2126-12-24T18:00:00+01:00' }, Date.parse('2126-12-24T17:00:00Z') - NOW],
  ])('of %j is kept', async (delay, milliseconds) => {
    const { id } = await backlog.insert({ payload: 1 }, delay);
    expect(await stored(id)).toMatchObject({ availableAt: iso(milliseconds), dueAt: iso(milliseconds) });
  });

  it.each(['P', 'PT', 'P1', 'P1Y', 'P1M', 'PT1H30', '-PT1H', 'P1DT', 'PT1D', 'pt1h', 'P1.5', 'P36526D'])(
    'of %j is refused',
    async (delay) => {
      await expect(backlog.insert({ payload: 1 }, { delay })).rejects.toThrow(/delay: expected seconds/);
    },
  );
});

describe('a record that may exist once in a period', () => {
  const insert = (payload: unknown, options: object = {}) =>
    backlog.insert(anything, payload, { uniqueFor: '1h', ...options } as never);

  it('is there once for the same payload, whatever the order of its keys', async () => {
    const first = await insert({ a: 1, b: { c: [1, 2], d: null } });
    expect(first).toEqual({ id: expect.stringMatching(/^anything:[\w-]{27}$/), inserted: true });
    const again = await insert({ b: { d: null, c: [1, 2] }, a: 1, u: undefined });
    expect(again).toEqual({ id: first.id, inserted: false });
  });

  it.each([
    [{ n: 1 }, { n: '1' }],
    [{ n: 1 }, { m: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [['a,b'], ['a', 'b']],
    [{ a: { b: 1 } }, { a: {}, b: 1 }],
    [null, {}],
    ['null', null],
    [{ s: new Set(['a']) }, { s: ['a'] }],
    [{ b: new Uint8Array([1]) }, { b: 'AQ==' }],
    [{ b: new Uint8Array([1]) }, { b: new Uint8Array([2]) }],
  ])('is another one for another payload: %o, %o', async (one, other) => {
    expect((await insert(one)).id).not.toBe((await insert(other)).id);
  });

  it.each([
    [{ n: 5n }, { n: 5 }],
    [{ n: 0 }, { n: -0 }],
    [{ s: new Set(['x', 'y']) }, { s: new Set(['y', 'x']) }],
  ])('is the same for what DynamoDB stores as the same: %o', async (one, other) => {
    const by = (payload: unknown) => [payload, 'same'];
    expect((await insert(one, { uniqueBy: by })).id).toBe((await insert(other, { uniqueBy: by })).id);
  });

  it('is another one for another task, queue or period', async () => {
    const other = defineTask<unknown>({ name: 'other', perform });
    const ids = [
      (await insert('same')).id,
      (await backlog.insert(other, 'same', { uniqueFor: '1h' })).id,
      (await insert('same', { queue: 'q' })).id,
      (await insert('same', { uniqueFor: '2h' })).id,
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it('is distinguished from others by the part of the payload that is named', async () => {
    const by = { uniqueBy: ({ user }: { user: string }) => user };
    const first = await insert({ user: 'u-1', text: 'hello' }, by);
    expect(await insert({ user: 'u-1', text: 'goodbye' }, by)).toEqual({ id: first.id, inserted: false });
    expect(await insert({ user: 'u-2', text: 'hello' }, by)).toMatchObject({ inserted: true });
  });

  it.each([
    ['names nothing', () => undefined, 'uniqueBy: expected a value, got nothing'],
    ['throws', () => JSON.parse('{'), 'insert.uniqueBy threw'],
    [
      'gives a date',
      () => new Date(0),
      'uniqueFor: expected plain values to tell records apart by, got a Date',
    ],
    ['gives a promise', async () => 'u-1', 'got a Promise'],
    ['gives a map in a list', () => [new Map([[1, 2]])], 'got a Map'],
    ['gives what is no number', () => Number('u-1'), 'got NaN'],
    ['gives a function', () => String, 'got a function'],
  ])('is refused where that %s: all would be one', async (_, uniqueBy, message) => {
    await expect(insert({ user: 'u-1' }, { uniqueBy })).rejects.toThrow(message);
  });

  it('is another one a moment later, in the next period', async () => {
    const nextHour = Math.ceil((NOW + 1) / HOUR) * HOUR;
    now = nextHour - 1;
    const last = await insert('boundary');
    now = nextHour;
    const first = await insert('boundary');
    now = nextHour + HOUR - 1;
    expect(await insert('boundary')).toEqual({ id: first.id, inserted: false });
    expect([last.inserted, first.inserted]).toEqual([true, true]);
  });

  it('counts in the period of its first attempt', async () => {
    const delayed = await insert('delayed', { delay: '3h' });
    expect(await insert('delayed')).toMatchObject({ inserted: true });
    now = NOW + 3 * HOUR;
    expect(await insert('delayed')).toEqual({ id: delayed.id, inserted: false });
  });
});

describe('inserting many for a task', () => {
  it('takes payloads, and payloads with options of their own', async () => {
    const entries = [
      { to },
      { payload: { to }, id: 'm-2', priority: 'low' as const, at: new Date(NOW + HOUR) },
      { to },
    ];
    const result = await backlog.insertMany(mail, entries, { queue: 'others', delay: 60, maxAttempts: 2 });
    expect(result).toEqual({ inserted: 3, duplicates: [], failed: [] });
    expect(await stored('m-2')).toMatchObject({
      task: 'mail',
      queue: 'mails-low',
      availableAt: iso(HOUR),
      retry: { maxAttempts: 2 },
    });
    const found = [];
    for await (const record of underTest.store.records.list({ queue: 'others' })) found.push(record);
    expect(found.filter(({ task }) => task === 'mail')).toMatchObject(
      Array.from({ length: found.length }, () => ({ payload: { to } })),
    );
  });

  it('reports what its schema or its options refuse by the index, and inserts the others', async () => {
    const entries = [
      { to },
      { to: 'nobody' },
      { payload: { to }, priority: 'hgih' },
      { payload: { to }, dealy: 5 },
      7,
      null,
    ];
    const result = await backlog.insertMany(mail, entries as never);
    expect(result.inserted).toBe(1);
    expect(result.failed.map(({ index, error }) => [index, error.message])).toEqual([
      [1, expect.stringContaining('payload.to: Invalid email address')],
      [2, expect.stringContaining('insert.priority: expected one of "high", "low", got "hgih"')],
      [3, expect.stringContaining('unknown option "dealy" beside payload')],
      [4, expect.stringContaining('payload: Invalid input: expected object, received number')],
      [5, expect.stringContaining('payload: Invalid input: expected object, received null')],
    ]);
  });

  it('names in what it refuses the id of the record, not one that is in its payload', async () => {
    const entries = [
      { to: 'nobody', id: 'c-9' },
      { payload: { to: 'nobody' }, id: 'm-9' },
    ];
    const { failed } = await backlog.insertMany(mail, entries as never);
    expect(failed.map(({ id }) => id)).toEqual([undefined, 'm-9']);
  });

  it('reports what is unique, and there, among its duplicates', async () => {
    const entries = Array.from({ length: 60 }, (_, i) => ({ n: i % 50 }));
    const first = await backlog.insertMany(anything, entries, { uniqueFor: '1d' });
    expect([first.inserted, first.duplicates.length]).toEqual([50, 10]);
    const again = await backlog.insertMany(anything, entries, { uniqueFor: '1d' });
    expect([again.inserted, again.duplicates.length]).toEqual([0, 60]);
  });

  it('takes a common period and a record with an id of its own', async () => {
    const entries = [{ payload: 1, id: 'm-own' }, { payload: 1 }];
    const options = { uniqueFor: '1d', uniqueBy: (n: unknown) => ['own', n] };
    expect(await backlog.insertMany(anything, entries, options)).toMatchObject({ inserted: 2 });
    expect(await stored('m-own')).toMatchObject({ payload: 1 });
  });

  it.each([
    [{ priority: 'hgih' }, 'insert.priority: expected one of "high", "low", got "hgih"'],
    [{ dealy: 5 }, 'insertMany: unknown option "dealy"; did you mean "delay"?'],
    [{ wait: '2h' }, 'insertMany: unknown option "wait"; did you mean "delay"?'],
    [{ startAfter: '2h' }, 'insertMany: unknown option "startAfter"; did you mean "at"?'],
    [{ uniqueFor: 'P1Y' }, 'insert.uniqueFor: expected seconds'],
    [{ concurrency: 0 }, 'insertMany.concurrency: expected number to be >=1, got 0'],
  ])('refuses the options %j for all before it inserts any', async (options, message) => {
    const inserting = backlog.insertMany(mail, [{ to }], options as never);
    await expect(inserting).rejects.toThrow(ConfigurationError);
    await expect(inserting).rejects.toThrow(message);
  });

  it('refuses one id for all', async () => {
    const inserting = backlog.insertMany(anything, [1, 2], { id: 'm-1' } as never);
    await expect(inserting).rejects.toThrow('insertMany.id: expected nothing');
  });
});

describe('a record inserted as it is', () => {
  it('may name a task, and limits alone', async () => {
    const { id } = await backlog.insert({ payload: 1, task: 'mail', retry: { maxAttempts: 2 } });
    expect(await stored(id)).toMatchObject({ task: 'mail', retry: { maxAttempts: 2 } });
  });

  it.each([
    [{ task: '' }, 'task: expected the name of a task, got ""'],
    [{ task: 7 }, 'task: expected the name of a task, got 7'],
    [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts: expected number to be >=1, got 0'],
    [{ retry: {} }, 'retry.type: expected one of'],
  ])('is refused with %j', async (more, message) => {
    await expect(backlog.insert({ payload: 1, ...more } as never)).rejects.toThrow(message);
  });
});
