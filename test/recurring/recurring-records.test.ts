import { describe, expect, it } from 'vitest';
import { RecurringRecords } from '../../src/recurring/index.js';
import { StoreThrottledError } from '../../src/store/errors.js';
import { MemoryStore } from '../../src/store/memory/store.js';
import { seededRandom } from '../simulation/random.js';
import { replacing } from '../simulation/replacing.js';

const START = Date.parse('2026-11-28T10:00:30Z');
const HOURLY = { schedule: 'rate(1 hour)', queue: 'reports', payload: { kind: 'hourly' } };

function bench() {
  let now = START;
  const clock = { now: () => now, wall: () => now, sleep: async () => {} };
  const store = new MemoryStore({ clock });
  const options = { table: 'records', clock, random: seededRandom(1) };
  const recurring = new RecurringRecords({ ...options, store });
  return {
    clock,
    store,
    recurring,
    options,
    item: (name: string) => store.item(`recurring:${name}`),
    pass: (minutes: number) => {
      now += minutes * 60_000;
    },
  };
}

describe('a recurring record that an application puts', () => {
  it('is a schedule that waits for its first occurrence', async () => {
    const { recurring, item } = bench();
    expect(await recurring.put('a/1', HOURLY)).toEqual({ name: 'a/1', was: 'new' });
    expect(item('a/1')).toMatchObject({
      status: 'NEW',
      queue: 'recurring',
      lane: 'recurring',
      insertedAt: '2026-11-28T10:00:30.000Z',
      availableAt: '2026-11-28T11:00:00.000Z',
      dueAt: '2026-11-28T11:00:00.000Z',
      payload: HOURLY,
    });
    expect(await recurring.get('a/1')).toEqual({
      name: 'a/1',
      id: 'recurring:a/1',
      state: 'waiting',
      origin: 'application',
      definition: HOURLY,
      next: '2026-11-28T11:00:00.000Z',
    });
  });

  it('is left alone if it is there with this definition, and gets another one', async () => {
    const { recurring, item, pass } = bench();
    await recurring.put('a', HOURLY);
    const { rev } = item('a') ?? {};
    pass(5);
    expect(await recurring.put('a', { ...HOURLY, payload: { kind: 'hourly' } })).toMatchObject({
      was: 'unchanged',
    });
    expect(item('a')?.rev).toBe(rev);
    const daily = {
      schedule: 'cron(0 3 * * ? *)',
      timeZone: 'Asia/Tokyo',
      jitter: '10m',
      startAt: new Date('2026-12-01T00:00:00Z'),
    };
    expect(await recurring.put('a', daily)).toMatchObject({ was: 'changed' });
    expect(item('a')).toMatchObject({
      dueAt: '2026-12-01T18:00:00.000Z',
      payload: {
        schedule: daily.schedule,
        timeZone: 'Asia/Tokyo',
        jitter: 600,
        startAt: '2026-12-01T00:00:00.000Z',
      },
    });
  });

  it('is compared as the table has it: with sets, bytes and bigints', async () => {
    const { recurring } = bench();
    const put = async (payload: unknown) => (await recurring.put('a', { ...HOURLY, payload })).was;
    const payload = {
      ids: new Set(['x', 'y']),
      n: 10n,
      big: 2n ** 60n,
      bytes: Buffer.from('b'),
      no: undefined,
    };
    expect(await put(payload)).toBe('new');
    expect(await put({ ...payload, ids: new Set(['y', 'x']) })).toBe('unchanged');
    expect(await put({ ...payload, ids: new Set(['z']) })).toBe('changed');
    expect(await put({ ...payload, ids: new Set(['z']), big: 1n })).toBe('changed');
  });

  it('is refused if its records could not be stored, also where it is there already', async () => {
    const { recurring, item } = bench();
    const name = 'n'.repeat(256);
    const large = { ...HOURLY, payload: 'x'.repeat(400 * 1024 - 2048 - 600) };
    const put = (options: object) => recurring.put(name, { ...HOURLY, ...options });
    await expect(put(large)).rejects.toThrow(/^record n+\.\.\.: it has \d+ bytes, at most/);
    await put({});
    await expect(put(large)).rejects.toThrow('bytes, at most');
    await expect(put({ payload: { at: new Date() } })).rejects.toThrow('payload.at is a Date');
    expect(item(name)).toMatchObject({ payload: HOURLY });
  });

  it('keeps an occurrence that is due and was not inserted yet', async () => {
    const { recurring, item, pass } = bench();
    await recurring.put('a', HOURLY);
    pass(60);
    await recurring.put('a', { ...HOURLY, payload: 2 });
    expect(item('a')).toMatchObject({ dueAt: '2026-11-28T11:00:00.000Z', payload: { payload: 2 } });
  });

  it('begins again, if it has ended or is dead', async () => {
    const { recurring, store, item } = bench();
    for (const end of [
      { status: 'SUCCESS' },
      { status: 'DEAD', deadReason: 'discarded', lane: 'recurring#dead' },
    ]) {
      store.put({
        ...item('a'),
        id: 'recurring:a',
        queue: 'recurring',
        payload: HOURLY,
        insertedAt: '2026-11-28T09:00:00Z',
        ...end,
      });
      expect(await recurring.get('a')).toMatchObject({ state: end.status === 'DEAD' ? 'dead' : 'ended' });
      await expect(recurring.pause('a')).rejects.toThrow(
        /^recurring\.a: expected one that goes on, got one that is (dead|over): put it again/,
      );
      expect(await recurring.put('a', HOURLY)).toMatchObject({ was: 'changed' });
      expect(item('a')).toMatchObject({
        status: 'NEW',
        lane: 'recurring',
        dueAt: '2026-11-28T11:00:00.000Z',
      });
      expect(item('a')).not.toHaveProperty('deadReason');
    }
  });

  it('is decided about again where another process was quicker, a few times', async () => {
    const { recurring, store, options } = bench();
    await recurring.put('a', HOURLY);
    let others = 2;
    const get: typeof store.records.get = async (id) => {
      const record = await store.records.get(id);
      if (others-- > 0) await recurring.put('a', { ...HOURLY, payload: others });
      return record;
    };
    const slow = new RecurringRecords({ ...options, store: replacing({ records: { get } }, store) });
    expect(await slow.put('a', { ...HOURLY, payload: 'slow' })).toMatchObject({ was: 'changed' });
    others = 100;
    await expect(slow.put('a', HOURLY)).rejects.toThrow(
      'recurring.a: other processes change it all the time; try again',
    );
  });

  it.each([
    [
      'a name with an @',
      'a@b',
      HOURLY,
      'recurring: expected a name of letters, digits and "_.:/-", at most 256, got "a@b"',
    ],
    ['an unknown option', 'a', { ...HOURLY, cron: 1 }, 'recurring.a: unknown option "cron"'],
    ['a cron of five fields', 'a', { schedule: 'cron(0 3 * * *)' }, 'recurring.a.schedule: cron(0 3 * * *)'],
    [
      'no zone',
      'a',
      { ...HOURLY, timeZone: 'Berlin' },
      'recurring.a.timeZone: expected a time zone such as Europe/Berlin',
    ],
    [
      'a time without a zone',
      'a',
      { ...HOURLY, startAt: '2026-12-01T10:00' },
      'recurring.a.startAt: expected a Date or an ISO-8601 time with its zone',
    ],
    [
      'an end before its start',
      'a',
      { ...HOURLY, startAt: '2026-12-02T10:00Z', endAt: '2026-12-01T10:00Z' },
      'recurring.a.endAt: expected a time that is not before startAt',
    ],
    [
      'an end in the past',
      'a',
      { ...HOURLY, endAt: '2026-11-01T10:00Z' },
      'recurring.a.schedule: expected one with an occurrence to come, got "rate(1 hour)"',
    ],
    [
      'a queue that has no such name',
      'a',
      { ...HOURLY, queue: 'a b' },
      'recurring.a.queue: expected letters, digits',
    ],
    [
      'a policy that does not exist',
      'a',
      { ...HOURLY, retry: { type: 'fibonaci' } },
      'recurring.a.retry.type',
    ],
    [
      'a jitter of two days',
      'a',
      { ...HOURLY, jitter: '2d' },
      'recurring.a.jitter: expected seconds or a duration',
    ],
  ])('is refused with %s', async (_, name, options, message) => {
    const { recurring, store } = bench();
    await expect(recurring.put(name, options as never)).rejects.toThrow(message);
    expect(store.items()).toEqual([]);
  });

  it('does not replace a record of another queue', async () => {
    const { recurring, store } = bench();
    store.put({ id: 'recurring:a', status: 'NEW', queue: 'orders', payload: 1 });
    await expect(recurring.put('a', HOURLY)).rejects.toThrow('got one of a record of the queue "orders"');
    expect(await recurring.get('a')).toBeUndefined();
    expect(await recurring.remove('b')).toBe(false);
  });
});

describe('the recurring records of a table', () => {
  it('are those of the application, once the CDK app has taken them out', async () => {
    const { recurring, store, item } = bench();
    const takenOut = {
      status: 'DEAD',
      deadReason: 'cancelled: it is in the template no more',
      lane: 'recurring#dead',
      queue: 'recurring',
      payload: { ...HOURLY, template: 'x' },
    };
    for (const id of ['recurring:a', 'recurring:b']) store.put({ ...takenOut, id });
    expect(await recurring.put('a', HOURLY)).toMatchObject({ was: 'changed' });
    expect(item('a')).toMatchObject({ status: 'NEW', payload: HOURLY });
    expect(item('a')?.payload).not.toHaveProperty('template');
    expect(await recurring.remove('b')).toBe(true);
  });

  it('are listed, whatever their state, also those that cannot be read', async () => {
    const { recurring, store } = bench();
    await recurring.put('fine', HOURLY);
    const dead = { status: 'DEAD', deadReason: 'payload.schedule: expected string', lane: 'recurring#dead' };
    store.put({ id: 'recurring:broken', queue: 'recurring', payload: { schedule: 7 }, ...dead });
    store.put({
      id: 'recurring:hostile',
      status: 'NEW',
      queue: 'recurring',
      payload: 'x',
      lane: 'recurring',
      dueAt: 'soon',
    });
    const failing = { status: 'ERROR', failures: 2, lastError: { name: 'StoreError', message: 'no room' } };
    store.put({
      id: 'recurring:failing',
      queue: 'recurring',
      payload: HOURLY,
      lane: 'recurring',
      ...failing,
    });
    const listed = [];
    for await (const one of recurring.list()) listed.push([one.name, one.state, one.problem]);
    expect(listed.sort()).toEqual([
      ['broken', 'dead', 'payload.schedule: expected string'],
      ['failing', 'failing', 'no room'],
      ['fine', 'waiting', undefined],
      ['hostile', 'failing', 'payload: expected the definition of a recurring record, got a string'],
    ]);
  });

  it('are removed, except those of the CDK app', async () => {
    const { recurring, store, item } = bench();
    await recurring.put('a', HOURLY);
    expect(await recurring.remove('a')).toBe(true);
    expect(await recurring.remove('a')).toBe(false);
    store.put({
      id: 'recurring:a',
      status: 'NEW',
      queue: 'recurring',
      payload: { ...HOURLY, template: 'x' },
    });
    await expect(recurring.remove('a')).rejects.toThrow(
      'got one of the CDK app: take it out there, or pause it',
    );
    expect(item('a')).toBeDefined();
  });

  it('pause, with a reason and an end, and go on', async () => {
    const { recurring, item, pass } = bench();
    await recurring.put('a', HOURLY);
    await expect(recurring.pause('a', { until: '1999-01-01T00:00:00Z' })).rejects.toThrow(
      /^pause\.until: expected a time that lies ahead/,
    );
    const since = '2026-11-28T10:00:30.000Z';
    expect(await recurring.pause('a', { reason: 'moving' })).toMatchObject({
      state: 'paused',
      paused: { since, reason: 'moving' },
    });
    expect(await recurring.get('a')).not.toHaveProperty('next');
    pass(10);
    const until = '2026-11-28T12:10:30.000Z';
    expect(await recurring.pause('a', { until: '2h', by: 'ops' })).toMatchObject({
      paused: { since, until, by: 'ops' },
      next: '2026-11-28T13:00:00.000Z',
    });
    await recurring.put('a', { ...HOURLY, payload: 2 });
    expect(item('a')).toMatchObject({ payload: { payload: 2, paused: { since, until } } });
    pass(10);
    expect(await recurring.resume('a')).toMatchObject({ state: 'waiting', next: '2026-11-28T11:00:00.000Z' });
    expect(item('a')).toMatchObject({ payload: { paused: { since, until: '2026-11-28T10:20:30.000Z' } } });
    const { rev } = item('a') ?? {};
    await recurring.resume('a');
    expect(item('a')?.rev).toBe(rev);
    await expect(recurring.resume('b')).rejects.toThrow(
      'recurring.b: expected the name of a recurring record, found none',
    );
  });

  it('have a record inserted now, beside their occurrences', async () => {
    const { recurring, store } = bench();
    await recurring.put('a', { ...HOURLY, task: 'report', key: 'c-7', retry: { maxAttempts: 3 } });
    await recurring.pause('a');
    expect(await recurring.runNow('a')).toEqual({ id: 'a@2026-11-28T10:00:30.000Z', inserted: true });
    expect(store.item('a@2026-11-28T10:00:30.000Z')).toMatchObject({
      status: 'NEW',
      queue: 'reports',
      task: 'report',
      key: 'c-7',
      retry: { maxAttempts: 3 },
      payload: { kind: 'hourly' },
      recurring: 'a',
      occurrence: '2026-11-28T10:00:30.000Z',
    });
    expect(store.item('a@2026-11-28T10:00:30.000Z')).not.toHaveProperty('lane');
    await expect(recurring.runNow('b')).rejects.toThrow('found none');
  });

  it.each(['', 7, null, 'é'.repeat(129)])('are refused with the key %j', async (key) => {
    const { recurring, item } = bench();
    await expect(recurring.put('a', { ...HOURLY, key: key as string })).rejects.toThrow(
      /key: expected text of 1 to 256 bytes, got /,
    );
    expect(item('a')).toBeUndefined();
  });

  it('is not the record of an occurrence, and is not put off', async () => {
    const { recurring, store, pass } = bench();
    await recurring.put('a', { ...HOURLY, jitter: '1d' });
    pass(59.5);
    const { id, inserted } = await recurring.runNow('a');
    expect([id, inserted]).toEqual(['a@2026-11-28T10:59:59.999Z', true]);
    expect(store.item(id)).not.toHaveProperty('availableAt');
  });

  it('are filled in for a time that has passed, each occurrence once', async () => {
    const { recurring, store, pass } = bench();
    await recurring.put('a', { ...HOURLY, schedule: 'cron(0 0/6 * * ? *)' });
    const time = { from: '2026-11-26T00:00:00Z', to: '2026-11-27T00:00:00Z' };
    store.put({ id: 'a@2026-11-26T06:00Z', status: 'SUCCESS', queue: 'reports', payload: 1 });
    const ids = ['00:00Z', '12:00Z', '18:00Z']
      .map((at) => `a@2026-11-26T${at}`)
      .concat('a@2026-11-27T00:00Z');
    expect(await recurring.backfill('a', { ...time, dryRun: true })).toEqual({ ids, present: 1 });
    expect(store.items()).toHaveLength(2);
    expect(await recurring.backfill('a', time)).toEqual({ ids, present: 1 });
    expect(await recurring.backfill('a', time)).toEqual({ ids: [], present: 5 });
    expect(store.item('a@2026-11-26T06:00Z')).toMatchObject({ status: 'SUCCESS' });
    await expect(recurring.backfill('a', { from: time.to, to: time.from })).rejects.toThrow(
      'backfill.from: expected a time before 2026-11-26T00:00:00.000Z, where it ends',
    );
    pass(-1);
    await expect(recurring.backfill('a', { ...time, to: '2026-11-28T11:00:00Z' })).rejects.toThrow(
      'backfill.to: expected a time that has passed',
    );
    await recurring.put('a', { ...HOURLY, schedule: 'rate(1 minute)', startAt: '2026-01-01T00:00:00Z' });
    await expect(recurring.backfill('a', { from: '2026-01-01T00:00:00Z' })).rejects.toThrow(
      'backfill: expected a time with at most 10000 occurrences of a: give a shorter one',
    );
  });

  it('goes on with a back-fill that the table has interrupted', async () => {
    const { recurring, store, options } = bench();
    await recurring.put('a', { ...HOURLY, schedule: 'cron(0 * * * ? *)' });
    let left = 40;
    const insert: typeof store.records.insert = async (item) => {
      if (left-- <= 0) throw new StoreThrottledError('slow down');
      return store.records.insert(item);
    };
    const throttled = new RecurringRecords({ ...options, store: replacing({ records: { insert } }, store) });
    const time = { from: '2026-11-20T00:00:00Z', to: '2026-11-23T23:00:00Z' };
    await expect(throttled.backfill('a', time)).rejects.toThrow('slow down');
    expect(await recurring.backfill('a', time)).toMatchObject({ ids: { length: 56 }, present: 40 });
  });

  it('index what they insert, where no intake does', async () => {
    const { store, options, recurring } = bench();
    await recurring.put('a', HOURLY);
    await new RecurringRecords({ ...options, store, indexAtOnce: true }).runNow('a');
    expect(store.item('a@2026-11-28T10:00:30.000Z')).toMatchObject({
      lane: 'reports',
      dueAt: '2026-11-28T10:00:30.000Z',
    });
  });
});
