import { beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/engine.js';
import { BacklogClient, ConfigurationError, InvalidRecordError } from '../../src/index.js';
import { StoreAccessError, StoreUnavailableError } from '../../src/store/index.js';
import { dynamoDbForFile } from '../store/dynamodb-for-file.js';
import type { DynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { iso, NOW } from '../store/records.js';

const clock: Clock = { now: () => NOW, wall: () => NOW, sleep: async () => {} };

const dynamoDb = dynamoDbForFile();
let underTest: DynamoDbUnderTest;
let backlog: BacklogClient;

beforeAll(() => {
  ({ underTest } = dynamoDb);
  backlog = new BacklogClient({ table: underTest.tables.records, endpoint: dynamoDb.endpoint, clock });
});

describe('inserting a record', () => {
  it('stores it as new, with its queue and a rev, and leaves its place to the intake', async () => {
    const retry = { type: 'fibonacci', maxAttempts: 5 } as const;
    const record = { id: 'c-1', payload: { n: 1 }, queue: 'orders', retry, attributes: { customer: 'c-7' } };
    expect(await backlog.insert(record)).toEqual({ id: 'c-1', inserted: true });
    expect(await underTest.raw('c-1')).toEqual({
      id: 'c-1',
      status: 'NEW',
      payload: { n: 1 },
      queue: 'orders',
      insertedAt: iso(),
      rev: expect.stringMatching(/^[\w-]{8}$/),
      retry,
      customer: 'c-7',
    });
  });

  it('stores the trace that it belongs to', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { id } = await backlog.insert({ payload: 1, traceparent });
    expect(await underTest.raw(id)).toMatchObject({ payload: 1, traceparent });
  });

  it.each([
    ['', '""'],
    [7, '7'],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7', '"00-'],
  ])('refuses %j as its trace', async (traceparent, got) => {
    const inserting = backlog.insert({ id: 'c-9', payload: 1, traceparent: traceparent as string });
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(/traceparent: expected a W3C traceparent such as "00-/);
    await expect(inserting).rejects.toThrow(got);
    expect(await underTest.raw('c-9')).toBeUndefined();
  });

  it.each([
    ['text', '2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
    ['a Date', new Date('2026-01-02T02:04:05.000Z'), '2026-01-02T02:04:05.000Z'],
  ])('counts its age from an earlier time, given as %s', async (_, insertedAt, stored) => {
    const { id } = await backlog.insert({ payload: 1, insertedAt });
    expect(await underTest.raw(id)).toMatchObject({ insertedAt: stored });
  });

  it.each([
    ['2026-01-02T03:04:05', 'insertedAt: expected a Date or an ISO-8601 time with its zone'],
    [1_767_225_600, 'insertedAt: expected a Date or an ISO-8601 time with its zone'],
    ['2999-01-01T00:00:00Z', 'insertedAt: expected a time that has come, got 2999-01-01T00:00:00.000Z'],
  ])('refuses %j as the time of its insertion', async (insertedAt, reason) => {
    await expect(backlog.insert({ payload: 1, insertedAt: insertedAt as string })).rejects.toThrow(reason);
  });

  it('waits until the time that it says itself, whatever the options say', async () => {
    const availableAt = '2999-01-01T00:00:00.000Z';
    const { id } = await backlog.insert({ payload: 1, availableAt }, { delay: 60 });
    expect(await underTest.raw(id)).toMatchObject({ availableAt, lane: 'default', dueAt: availableAt });
    await expect(backlog.insert({ payload: 1, availableAt: 'soon' })).rejects.toThrow(
      'availableAt: expected a Date or an ISO-8601 time with its zone',
    );
  });

  it.each([
    'c-7',
    '__proto__',
    'constructor',
    ' ',
    'Zoë, 東京',
    'x'.repeat(256),
    'é'.repeat(128),
    'a\u0000\n',
  ])('stores the key %j as it is', async (key) => {
    const { id } = await backlog.insert({ payload: 1, key });
    expect(await underTest.raw(id)).toMatchObject({ key });
    expect(await backlog.get(id)).toMatchObject({ key });
  });

  it('stores no key that is undefined', async () => {
    const { id } = await backlog.insert({ payload: 1, key: undefined });
    expect(await underTest.raw(id)).not.toHaveProperty('key');
  });

  it.each([
    [7, '7'],
    ['', '""'],
    [null, 'null'],
    [['c-7'], '["c-7"]'],
    [{ toString: () => 'c-7' }, '{}'],
    ['x'.repeat(257), '"xxx'],
    ['é'.repeat(129), '"ééé'],
  ])('refuses %j as a key', async (key, got) => {
    const inserting = backlog.insert({ id: 'c-key', payload: 1, key: key as string });
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(
      `record "c-key": key: expected text of 1 to 256 bytes, got ${got}`,
    );
    expect(await underTest.raw('c-key')).toBeUndefined();
  });

  it('stores its number among the records of its key, and leaves its turn to the intake', async () => {
    const { tables, client } = underTest;
    const indexing = new BacklogClient({ table: tables.records, client, clock, indexAtOnce: true });
    for (const delay of [undefined, 60]) {
      const { id } = await indexing.insert({ payload: 1, key: 'c-7', seq: 2 ** 53 - 1 }, { delay });
      const item = await underTest.raw(id);
      expect(item).toMatchObject({ key: 'c-7', seq: 2 ** 53 - 1 });
      expect(item).not.toHaveProperty('lane');
      expect(item).not.toHaveProperty('dueAt');
      expect(await backlog.get(id)).toMatchObject({ key: 'c-7', seq: 2 ** 53 - 1 });
    }
  });

  it.each([
    ['c-7', 0, '0'],
    ['c-7', -1, '-1'],
    ['c-7', 1.5, '1.5'],
    ['c-7', 2 ** 53, '9007199254740992'],
    ['c-7', '7', '"7"'],
    ['c-7', null, 'null'],
    ['c-7', Number.NaN, 'NaN'],
    [undefined, 7, '7 without a key'],
  ])('refuses beside the key %j the number %j', async (key, seq, got) => {
    const inserting = backlog.insert({ id: 'c-seq', payload: 1, key, seq: seq as number });
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(
      `record "c-seq": seq: expected a whole number from 1 to 2^53 - 1, beside a "key", got ${got}`,
    );
    expect(await underTest.raw('c-seq')).toBeUndefined();
  });

  it('gives it a random UUID and the default queue', async () => {
    const [a, b] = [await backlog.insert({ payload: 1 }), await backlog.insert({ payload: 1 })];
    expect(a.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(a.id).not.toBe(b.id);
    expect(await underTest.raw(a.id)).toMatchObject({ queue: 'default' });
  });

  it.each([
    [true, true, true],
    [['orders'], true, false],
    [[], false, false],
    [false, false, false],
  ])('indexes at once with indexAtOnce %j', async (indexAtOnce, orders, others) => {
    const { tables, client } = underTest;
    const indexing = new BacklogClient({ table: tables.records, client, clock, indexAtOnce });
    for (const [queue, indexed] of [
      ['orders', orders],
      ['others', others],
    ] as const) {
      const { id } = await indexing.insert({ payload: 1, queue });
      const { lane, dueAt, insertedAt } = (await underTest.raw(id)) ?? {};
      expect([lane, dueAt]).toEqual(indexed ? [queue, insertedAt] : [undefined, undefined]);
    }
  });

  it('indexes one that is delayed, so that it is not attempted on insertion', async () => {
    const delayed = await backlog.insert({ payload: 1 }, { delay: 60 });
    expect(await underTest.raw(delayed.id)).toMatchObject({ lane: 'default', dueAt: iso(60_000) });
    const past = await backlog.insert({ payload: 1 }, { at: new Date(clock.now() - 1000) });
    expect(await underTest.raw(past.id)).not.toHaveProperty('lane');
  });

  it('never overwrites, and says so', async () => {
    await backlog.insert({ id: 'c-2', payload: 'first' });
    expect(await backlog.insert({ id: 'c-2', payload: 'second' })).toEqual({ id: 'c-2', inserted: false });
    expect(await underTest.raw('c-2')).toMatchObject({ payload: 'first' });
  });

  it.each([
    [90, 90],
    [0.5, 0.5],
    ['90s', 90],
    ['5m', 300],
    ['1.5h', 5_400],
    ['3d', 259_200],
    ['1h30m', 5_400],
    ['500ms', 0.5],
  ])('delays it by %j', async (delay, seconds) => {
    const { id } = await backlog.insert({ payload: 1 }, { delay });
    const availableAt = iso(seconds * 1000);
    expect(await underTest.raw(id)).toMatchObject({ availableAt, dueAt: availableAt, insertedAt: iso() });
  });

  it.each([0, '0s', undefined])('does not delay it by %j', async (delay) => {
    const { id } = await backlog.insert({ payload: 1 }, { delay });
    const stored = await underTest.raw(id);
    expect(stored).not.toHaveProperty('availableAt');
    expect(stored).not.toHaveProperty('dueAt');
  });

  it.each([
    [new Date('2026-12-24T18:00:00Z'), '2026-12-24T18:00:00.000Z'],
    ['2026-12-24T18:00:00+01:00', '2026-12-24T17:00:00.000Z'],
    ['2026-12-24T18:00Z', '2026-12-24T18:00:00.000Z'],
  ])('delays it until %s', async (at, availableAt) => {
    const { id } = await backlog.insert({ payload: 1 }, { at });
    expect(await underTest.raw(id)).toMatchObject({ availableAt, dueAt: availableAt });
  });

  it.each([
    { delay: '5' },
    { delay: '-5m' },
    { delay: '' },
    { delay: '5 parsecs' },
    { delay: -1 },
    { delay: Number.NaN },
    { delay: Number.POSITIVE_INFINITY },
    { at: '2026-12-24T18:00:00' },
    { at: '2026-12-24' },
    { at: 'tomorrow' },
    { at: new Date('nonsense') },
    { at: '2026-13-40T18:00:00Z' },
    { at: '2027-02-29T18:00:00Z' },
    { at: '2026-04-31T18:00:00+02:00' },
    { delay: 5, at: new Date() },
    { wait: 5 },
  ])('refuses the delay %j', async (delay) => {
    await expect(backlog.insert({ id: 'c-delay', payload: 1 }, delay)).rejects.toThrow(ConfigurationError);
    expect(await underTest.raw('c-delay')).toBeUndefined();
  });

  it.each([
    ['no payload', {}, /payload/],
    ['an id that is no string', { id: 7, payload: 1 }, /id/],
    ['an empty id', { id: '', payload: 1 }, /id/],
    ['a long id', { id: 'x'.repeat(2049), payload: 1 }, /2049 bytes/],
    ['an impossible queue', { id: 'c-3', payload: 1, queue: 'a/b' }, /c-3.*queue/],
    ['a queue named __proto__', { id: 'c-3', payload: 1, queue: '__proto__' }, /queue.*not "__proto__"/],
    ['a queue name of 129 letters', { id: 'c-3', payload: 1, queue: 'q'.repeat(129) }, /queue.*at most 128/],
    ['an unknown policy', { id: 'c-3', payload: 1, retry: { type: 'never' } }, /c-3.*retry\.type/],
    ['an unknown attribute', { id: 'c-3', payload: 1, priority: 1 }, /"priority"/],
    ['an attribute of the library', { id: 'c-3', payload: 1, attributes: { rev: 'x' } }, /attributes\.rev/],
    ['a large payload', { id: 'c-3', payload: 'x'.repeat(500_000) }, /c-3.*500\d{3} bytes/],
    ['a date', { id: 'c-3', payload: { at: new Date(0) } }, /payload\.at/],
    [
      'a function among the attributes',
      { id: 'c-3', payload: 1, attributes: { f: () => 1 } },
      /c-3: f is a function/,
    ],
    ['half of a surrogate pair in the key', { id: 'c-3', payload: 1, key: 'c-\ud800' }, /c-3: key/],
    ['a key among the attributes', { id: 'c-3', payload: 1, attributes: { key: 'c' } }, /attributes\.key/],
    ['a bad array', { id: 'c-3', payload: [1, undefined] }, /payload\[1\]/],
    ['no object', 'text', /expected/],
  ])('refuses %s', async (_, record, reason) => {
    const inserting = backlog.insert(record as never);
    await expect(inserting).rejects.toThrow(InvalidRecordError);
    await expect(inserting).rejects.toThrow(reason);
  });

  it('says in its own words that the table does not exist', async () => {
    const wrong = new BacklogClient({ table: 'no-such-table', endpoint: dynamoDb.endpoint });
    const inserting = wrong.insert({ payload: 1 });
    await expect(inserting).rejects.toThrow(StoreAccessError);
    await expect(inserting).rejects.toThrow(/no-such-table.*does not exist/);
  });

  it('says in its own words that DynamoDB does not answer', async () => {
    const nowhere = new BacklogClient({ table: 'backlog', endpoint: 'http://127.0.0.1:9' });
    const error = await nowhere.insert({ payload: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect((error as Error).message).toMatch(/no answer.*ECONNREFUSED/);
    expect((error as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('the options of the client', () => {
  it.each([
    ['no table', {}, /table/],
    ['an impossible table', { table: 'a b' }, /table/],
    ['an unknown option', { table: 'backlog', tabel: 1 }, /"tabel"/],
    ['queues to index that are none', { table: 'backlog', indexAtOnce: ['a b'] }, /indexAtOnce/],
    ['a queue to index of 129 letters', { table: 'backlog', indexAtOnce: ['q'.repeat(129)] }, /indexAtOnce/],
    ['an endpoint that is no URL', { table: 'backlog', endpoint: 'localhost' }, /endpoint/],
    [
      'an endpoint beside a client',
      { table: 'backlog', client: { send() {} }, endpoint: 'http://127.0.0.1:1' },
      /either/,
    ],
    ['a client that is none', { table: 'backlog', client: {} }, /client/],
  ])('refuses %s', (_, options, reason) => {
    const make = () => new BacklogClient(options as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(reason);
  });

  it('takes a client of one’s own', async () => {
    const own = new BacklogClient({ table: underTest.tables.records, client: underTest.client });
    expect(await own.insert({ id: 'c-own', payload: 1 })).toEqual({ id: 'c-own', inserted: true });
  });
});
