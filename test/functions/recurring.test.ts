import { describe, expect, it } from 'vitest';
import { recurringHandler } from '../../functions/recurring/recurring-handler.js';
import { SCHEDULE_RETRY } from '../../src/recurring/names.js';
import { StoreError, StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import { replacing } from '../simulation/replacing.js';
import { context, environment, workbench } from './support.js';

// The test's clock begins at 09:30.
const QUEUES = {
  // The policy of the construct, without jitter.
  recurring: { retryMode: 'perRecord', retry: { ...SCHEDULE_RETRY, jitter: 'none' } },
} as const;
const REPORT = { schedule: 'cron(0/10 * * * ? *)', queue: 'reports', payload: { secret: 'of the payload' } };
const EVENT = { queue: 'recurring' };

type Template = Readonly<Record<string, unknown>>;

function bench(template: Template = { report: REPORT }, env: Readonly<Record<string, string>> = {}) {
  const made = workbench(QUEUES);
  const { store, clock } = made;
  const variables = (of: Template) => ({
    ...environment(QUEUES),
    BACKLOG_RECURRING: JSON.stringify(of),
    ...env,
  });
  const handlerFor = (of: Template, overrides: object = {}) =>
    recurringHandler({ ...made.overrides, env: variables(of), ...overrides });
  const handler = handlerFor(template);
  const item = (id: string) => store.items().find((one) => one.id === id);
  return {
    ...made,
    handlerFor,
    run: () => handler(EVENT, context),
    at: async (minutes: number, by = handler) => {
      clock.advance(minutes * 60);
      return by(EVENT, context);
    },
    item,
    schedule: (name = 'report') => item(`recurring:${name}`),
    made: () =>
      store
        .items()
        .filter(({ queue }) => queue !== 'recurring')
        .map(({ id }) => String(id)),
    warnings: () => made.log().filter(({ level }) => level === 'WARN' || level === 'ERROR'),
  };
}

describe('the function of recurring records', () => {
  it('writes the schedules of the template, and inserts a record at each occurrence', async () => {
    const { run, at, schedule, made, item, warnings, lines } = bench();
    expect(await run()).toMatchObject({ attempted: 0 });
    expect(schedule()).toMatchObject({ status: 'NEW', dueAt: '2026-11-20T09:40:00.000Z' });
    expect(await at(9)).toMatchObject({ attempted: 0 });
    expect(await at(1)).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(made()).toEqual(['report@2026-11-20T09:40Z']);
    expect(schedule()).toMatchObject({ status: 'NEW', dueAt: '2026-11-20T09:50:00.000Z', attempts: 1 });
    const record = item('report@2026-11-20T09:40Z');
    expect(record).toMatchObject({
      status: 'NEW',
      queue: 'reports',
      payload: REPORT.payload,
      recurring: 'report',
      occurrence: '2026-11-20T09:40:00.000Z',
    });
    // The intake attempts it at once.
    expect(record).not.toHaveProperty('lane');
    expect(await at(10)).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(warnings()).toEqual([]);
    expect(lines.join()).not.toContain('of the payload');
  });

  it('indexes the records where there is no intake, and puts them off by their jitter, each time the same', async () => {
    const { run, at, item, made } = bench(
      { a: REPORT, b: { ...REPORT, jitter: 300 } },
      { BACKLOG_INDEX_AT_ONCE: 'true' },
    );
    await run();
    await at(10);
    expect(made()).toHaveLength(2);
    expect(item('a@2026-11-20T09:40Z')).toMatchObject({
      lane: 'reports',
      dueAt: '2026-11-20T09:40:00.000Z',
    });
    const { dueAt } = item('b@2026-11-20T09:40Z') ?? {};
    expect(dueAt).toBe('2026-11-20T09:43:00.793Z');
  });

  it('inserts each occurrence once, if the table refuses some, or its outcome is lost', async () => {
    const template = { report: { ...REPORT, schedule: 'rate(1 minute)', missed: 'all' } };
    const { run, clock, store, made, handlerFor, at, schedule } = bench(template);
    await run();
    clock.advance(90 * 60);
    let left = 30;
    const insert: typeof store.records.insert = async (item) => {
      if (left-- <= 0) throw new StoreThrottledError('slow down');
      return store.records.insert(item);
    };
    const throttled = handlerFor(template, { store: replacing({ records: { insert } }, store) });
    expect(await throttled(EVENT, context)).toMatchObject({ attempted: 1, failed: 1 });
    expect(made()).toHaveLength(30);
    expect(schedule()).toMatchObject({
      status: 'ERROR',
      failures: 1,
      availableAt: '2026-11-20T09:31:00.000Z',
    });
    const settle: typeof store.records.settle = async () => 'changed';
    const lost = handlerFor(template, { store: replacing({ records: { settle } }, store) });
    await at(1, lost);
    expect(made()).toHaveLength(91);
    expect(schedule()).toMatchObject({ availableAt: '2026-11-20T09:31:00.000Z' });
    expect(await at(2)).toMatchObject({ succeeded: 1 });
    expect(new Set(made()).size).toBe(93);
    expect(made()).toHaveLength(93);
    expect(schedule()).toMatchObject({ status: 'NEW', availableAt: '2026-11-20T11:04:00.000Z' });
    expect(schedule()).not.toHaveProperty('failures');
  });

  it('goes on after an outage of any length, also if the table then refuses the first records', async () => {
    const template = { all: { ...REPORT, schedule: 'rate(1 hour)', missed: 'all' }, one: REPORT };
    const { run, at, store, made, handlerFor, schedule } = bench(template);
    await run();
    await at(60);
    const insert: typeof store.records.insert = async () => {
      throw new StoreThrottledError('slow down');
    };
    const throttled = handlerFor(template, { store: replacing({ records: { insert } }, store) });
    expect(await at(60 * 24 * 60, throttled)).toMatchObject({ attempted: 2, failed: 2 });
    for (let minute = 0; minute < 4; minute++) await at(1);
    expect(schedule('one')).toMatchObject({ status: 'NEW' });
    expect(schedule('all')).toMatchObject({ status: 'NEW', dueAt: '2027-01-19T11:30:00.000Z' });
    expect(made().filter((id) => id.startsWith('all@'))).toHaveLength(60 * 24 + 1);
  });

  it('says which occurrences were missed', async () => {
    const { run, at, made, warnings } = bench();
    await run();
    await at(60);
    expect(made()).toEqual(['report@2026-11-20T10:30Z']);
    expect(warnings()).toMatchObject([
      {
        message: 'occurrences were missed',
        recurring: 'report',
        since: '2026-11-20T09:40:00.000Z',
        inserted: 1,
      },
    ]);
  });

  it('ends a schedule behind its last occurrence', async () => {
    const { run, at, schedule, made } = bench({ report: { ...REPORT, endAt: '2026-11-20T09:45:00Z' } });
    await run();
    expect(await at(10)).toMatchObject({ succeeded: 1 });
    expect(schedule()).toMatchObject({ status: 'SUCCESS' });
    expect(await at(60)).toMatchObject({ attempted: 0 });
    expect(made()).toHaveLength(1);
  });

  it('gives up a schedule that cannot be read, and goes on with the others', async () => {
    const { run, at, store, schedule, made } = bench();
    await run();
    const hostile = (name: string, payload: unknown) =>
      store.put({
        id: `recurring:${name}`,
        status: 'NEW',
        queue: 'recurring',
        lane: 'recurring',
        dueAt: '2026-11-20T09:00:00.000Z',
        insertedAt: '2026-11-20T09:00:00.000Z',
        payload,
      });
    hostile('text', 'x');
    hostile('zone', { ...REPORT, timeZone: '../../etc' });
    hostile('itself', { ...REPORT, queue: 'recurring' });
    hostile('huge', { ...REPORT, schedule: `cron(${'0,'.repeat(5000)} * * * ? *)` });
    hostile('a@b', REPORT);
    hostile('proto', JSON.parse('{"__proto__":{"schedule":"rate(1 minute)"}}'));
    hostile('nothing', { ...REPORT, schedule: 'cron(0 0 30 2 ? *)' });
    hostile('full', { ...REPORT, payload: 'x'.repeat(400 * 1024 - 2048 - 100) });
    expect(await at(10)).toMatchObject({ attempted: 9, succeeded: 2, dead: 7 });
    expect(schedule('full')).toMatchObject({
      deadReason: expect.stringMatching(/^record full@.*: it has \d+ bytes/),
    });
    expect(schedule('text')).toMatchObject({
      status: 'DEAD',
      deadReason: 'payload: expected the definition of a recurring record, got a string',
    });
    expect(schedule('itself')).toMatchObject({
      deadReason: expect.stringContaining('expected another queue than "recurring"'),
    });
    expect(schedule('nothing')).toMatchObject({ status: 'SUCCESS' });
    expect(made()).toEqual(['report@2026-11-20T09:40Z']);
  });

  it('takes no other record for a schedule: its occurrences would be those of the schedule of that name', async () => {
    const { run, at, store, made, item } = bench();
    await run();
    store.put({
      id: 'report',
      status: 'NEW',
      queue: 'recurring',
      lane: 'recurring',
      dueAt: '2026-11-20T09:00:00.000Z',
      insertedAt: '2026-11-20T09:00:00.000Z',
      payload: { ...REPORT, payload: 'not this one' },
    });
    expect(await at(10)).toMatchObject({ succeeded: 1, dead: 1 });
    expect(item('report')).toMatchObject({
      deadReason: 'id: expected "recurring:report" for a schedule, got "report"',
    });
    expect(made()).toEqual(['report@2026-11-20T09:40Z']);
    expect(item('report@2026-11-20T09:40Z')).toMatchObject({ payload: REPORT.payload });
  });

  it.each([
    ['nothing', undefined, 'BACKLOG_RECURRING: expected string, got nothing'],
    ['no JSON', 'x', 'BACKLOG_RECURRING: expected JSON'],
    ['a list', '[]', 'BACKLOG_RECURRING: expected record, got []'],
  ])('refuses an environment with %s, at each invocation', async (_, BACKLOG_RECURRING, message) => {
    const { overrides } = bench();
    const env = { ...environment(QUEUES), ...(BACKLOG_RECURRING !== undefined && { BACKLOG_RECURRING }) };
    const handler = recurringHandler({ ...overrides, env });
    for (let i = 0; i < 2; i++) await expect(handler(EVENT, context)).rejects.toThrow(message);
  });

  it('is for no other queue', async () => {
    const { overrides } = bench();
    const queues = { ...QUEUES, orders: { retryMode: 'perRecord' } } as const;
    const handler = recurringHandler({
      ...overrides,
      env: { ...environment(queues), BACKLOG_RECURRING: '{}' },
    });
    await expect(handler({ queue: 'orders' }, context)).rejects.toThrow(
      'event.queue: expected "recurring", got "orders"',
    );
  });
});

describe('the template of recurring records', () => {
  it('is looked at once, and each hour', async () => {
    const { run, at, store, schedule } = bench();
    await run();
    store.delete('recurring:report');
    await at(59);
    expect(schedule()).toBeUndefined();
    await at(1);
    expect(schedule()).toMatchObject({ dueAt: '2026-11-20T10:40:00.000Z' });
  });

  it('changes the definition when it changes itself: a change by hand holds until then, and a pause beyond it', async () => {
    const { run, handlerFor, at, store, schedule } = bench();
    await run();
    const byHand = {
      schedule: 'rate(7 minutes)',
      template: (schedule() as { payload: { template: string } }).payload.template,
    };
    const paused = { since: '2026-11-20T09:00:00.000Z' };
    store.put({ ...schedule(), id: 'recurring:report', payload: { ...byHand, paused }, rev: 'by-hand' });
    await at(1, handlerFor({ report: REPORT }));
    expect(schedule()).toMatchObject({ payload: { schedule: 'rate(7 minutes)' }, rev: 'by-hand' });
    await at(1, handlerFor({ report: { ...REPORT, schedule: 'rate(1 hour)' } }));
    expect(schedule()).toMatchObject({
      payload: { schedule: 'rate(1 hour)', paused },
      dueAt: '2026-11-20T10:30:00.000Z',
    });
  });

  it('cancels what it has no more, and has it begin again when it is back', async () => {
    const { run, handlerFor, at, schedule, made } = bench({ report: REPORT, other: REPORT });
    await run();
    expect(await at(10, handlerFor({ other: REPORT }))).toMatchObject({ succeeded: 1, cancelled: 1 });
    expect(schedule()).toMatchObject({
      status: 'DEAD',
      deadReason: 'cancelled: it is in the template no more',
    });
    expect(made()).toEqual(['other@2026-11-20T09:40Z']);
    await at(1, handlerFor({ report: REPORT }));
    expect(schedule()).toMatchObject({ status: 'NEW', dueAt: '2026-11-20T09:50:00.000Z' });
  });

  it('of an earlier deployment neither cancels nor changes what a later one has written meanwhile', async () => {
    const { run, handlerFor, at, schedule, made } = bench();
    await run();
    const later = { report: { ...REPORT, schedule: 'rate(20 minutes)' }, other: REPORT };
    await at(1, handlerFor(later));
    // The sandbox of the earlier deployment is still there, and it is time for its look.
    await at(60);
    expect(schedule()).toMatchObject({ status: 'NEW', payload: { schedule: 'rate(20 minutes)' } });
    expect(schedule('other')).toMatchObject({ status: 'NEW' });
    expect(made()).toContain('other@2026-11-20T10:30Z');
    // A rollback is a later deployment.
    await at(10, handlerFor({ report: REPORT }));
    expect(schedule()).toMatchObject({ payload: { schedule: REPORT.schedule } });
    expect(schedule('other')).toMatchObject({ status: 'DEAD' });
  });

  it('leaves one that was discarded, and a record of another queue', async () => {
    const { run, handlerFor, at, store, schedule, warnings } = bench();
    await run();
    store.put({
      ...schedule(),
      id: 'recurring:report',
      status: 'DEAD',
      deadReason: 'discarded: no reports any more',
      rev: 'x',
    });
    store.put({ id: 'recurring:orders', status: 'NEW', queue: 'orders', payload: 1 });
    await at(1, handlerFor({ report: REPORT, orders: REPORT }));
    expect(schedule()).toMatchObject({ status: 'DEAD' });
    expect(schedule('orders')).toMatchObject({ queue: 'orders', payload: 1 });
    expect(warnings()).toMatchObject([
      {
        message: 'a recurring record of the template was not written',
        recurring: 'orders',
        reason: 'expected an id that is free, got that of a record of the queue orders',
      },
    ]);
  });

  it('leaves out what is wrong with one of them', async () => {
    const { run, schedule, warnings } = bench({
      a: {},
      '@': REPORT,
      ended: { ...REPORT, endAt: '2026-01-01T00:00:00Z' },
      report: REPORT,
    });
    await run();
    expect(schedule()).toMatchObject({ status: 'NEW' });
    expect(warnings().map(({ level, recurring, reason }) => [level, recurring, reason])).toEqual([
      ['ERROR', 'a', 'recurring.a.schedule: expected string, got nothing'],
      ['ERROR', '@', expect.stringContaining('recurring: expected a name of letters')],
      ['WARN', 'ended', undefined],
    ]);
  });

  it('ends what it gives an end that has passed', async () => {
    const { run, handlerFor, at, schedule, made, warnings } = bench();
    await run();
    const over = handlerFor({ report: { ...REPORT, endAt: '2026-11-20T09:00:00Z' } });
    await at(1, over);
    await at(9, over);
    expect(schedule()).toMatchObject({ status: 'SUCCESS', payload: { endAt: '2026-11-20T09:00:00.000Z' } });
    expect(made()).toEqual([]);
    expect(warnings()).toEqual([]);
  });

  it('is written past one that the table refuses, as its item has no room', async () => {
    const { run, handlerFor, at, store, schedule, warnings } = bench({ full: REPORT });
    await run();
    const hourly = { ...REPORT, schedule: 'rate(1 hour)' };
    const change = async () => {
      throw new StoreError('Item size has exceeded the maximum allowed size');
    };
    const full = replacing({ records: { change } }, store);
    await at(1, handlerFor({ full: hourly, report: hourly }, { store: full }));
    expect(schedule()).toMatchObject({ status: 'NEW' });
    expect(warnings()).toMatchObject([{ recurring: 'full', reason: expect.stringContaining('Item size') }]);
  });

  it('is looked at again by the next run, where another process was quicker', async () => {
    const { run, handlerFor, at, store, schedule } = bench();
    await run();
    const change = async () => 'changed' as const;
    const changed = { report: { ...REPORT, schedule: 'rate(1 hour)' } };
    let isSlow = true;
    const records = {
      change: (...args: Parameters<typeof store.records.change>) =>
        isSlow ? change() : store.records.change(...args),
    };
    const handler = handlerFor(changed, { store: replacing({ records }, store) });
    await handler(EVENT, context);
    expect(schedule()).toMatchObject({ payload: { schedule: REPORT.schedule } });
    isSlow = false;
    await at(1, handler);
    expect(schedule()).toMatchObject({ payload: { schedule: 'rate(1 hour)' } });
  });

  it('that cannot be written is tried again by the next run, and the schedules that are there go on', async () => {
    const { run, handlerFor, at, store, clock, made, schedule, warnings } = bench();
    await run();
    clock.advance(600);
    let isDown = true;
    const getMany: typeof store.records.getMany = async (ids) => {
      if (isDown && ids.includes('recurring:other')) throw new StoreUnavailableError('no answer');
      return store.records.getMany(ids);
    };
    const handler = handlerFor(
      { report: REPORT, other: REPORT },
      { store: replacing({ records: { getMany } }, store) },
    );
    expect(await handler(EVENT, context)).toMatchObject({ succeeded: 1 });
    expect(made()).toHaveLength(1);
    expect(warnings()).toMatchObject([
      { message: 'the recurring records of the template could not be written' },
    ]);
    isDown = false;
    await at(1, handler);
    expect(schedule('other')).toMatchObject({ status: 'NEW' });
  });

  it.each([
    ['a standby', { BACKLOG_OWNER: 'green', BACKLOG_STANDBY: 'true' }],
    ['a function of another owner', { BACKLOG_OWNER: 'green' }],
  ])('is not written by %s', async (_, env) => {
    const { run, store, overrides, schedule } = bench({}, { BACKLOG_OWNER: 'blue' });
    await run();
    const variables = {
      ...environment(QUEUES),
      BACKLOG_RECURRING: JSON.stringify({ report: REPORT }),
      ...env,
    };
    await recurringHandler({ ...overrides, env: variables })(EVENT, context).catch(() => {});
    expect(schedule()).toBeUndefined();
    expect((await store.registry.read()).queues.get('recurring')?.owner).toBe('blue');
  });

  it('is not written by a passive region, before it is the active one', async () => {
    const env = { BACKLOG_OWNER: 'shop', BACKLOG_PRIMARY_REGION: 'eu-central-1', AWS_REGION: 'eu-west-1' };
    const { run, at, store, schedule } = bench({ report: REPORT }, env);
    await run();
    expect(schedule()).toBeUndefined();
    await store.activeRegion.write({ region: 'eu-west-1', since: 0, rev: 'a' } as never, undefined);
    await at(2);
    expect(schedule()).toMatchObject({ status: 'NEW' });
  });
});
