import { afterEach, describe, expect, it, vi } from 'vitest';
import { type MonitorSeams, monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { parseReading } from '../../src/monitor/index.js';
import { type OperatorStore, StoreAccessError } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { context, environment, workbench } from './support.js';

const queues: QueuesSettings = {
  orders: { retryMode: 'perRecord', probes: false },
  bulk: {
    retryMode: 'progressive',
    retry: { type: 'progressive', tiers: [{ every: 600, untilAge: 86_400 }] },
  },
};

function monitored(changes: MonitorSeams = {}, variables: Record<string, string> = {}) {
  const bench = workbench(queues);
  const written: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(JSON.parse(String(line)));
    return true;
  });
  const { store, clock, logger } = bench.overrides;
  const env = { ...environment(queues), ...variables };
  const handler = monitorHandler({ store, clock, logger, env, trouble: async () => undefined, ...changes });
  return { ...bench, written, read: () => handler({ monitor: true }, context) };
}

const ago = (now: number, seconds: number) => new Date(now - seconds * 1000).toISOString();

describe('the monitor', () => {
  afterEach(() => vi.restoreAllMocks());

  it('writes what waits as metrics, a line per queue, and as a log line', async () => {
    const { insert, clock, read, written, log } = monitored();
    await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
    await insert({ id: 'later', queue: 'orders', dueAt: ago(clock.now(), -60) });
    await insert({ id: 'dead', queue: 'orders', lane: 'orders/dead', status: 'DEAD' });
    await insert({
      id: 'old',
      queue: 'bulk',
      insertedAt: ago(clock.now(), 900),
      dueAt: ago(clock.now(), 900),
    });
    expect(await read()).toEqual([
      { queue: 'orders', oldestDueAge: 700, waiting: 2, due: 1, inRetry: 0, dead: 1 },
      { queue: 'bulk', oldestDueAge: 300, waiting: 1, inRetry: 0, dead: 0, tiers: [1] },
    ]);
    expect(
      written.map(({ _aws, ...values }) => values).toSorted((a) => (a.Queue === 'orders' ? -1 : 1)),
    ).toEqual([
      { Table: 'records-table', Queue: 'orders', Waiting: 2, Due: 1, DeadRecords: 1, OldestDueAge: 700 },
      { Table: 'records-table', Queue: 'bulk', Waiting: 1, OldestDueAge: 300 },
    ]);
    expect(log()).toMatchObject([
      { message: 'queue', level: 'INFO', queue: 'orders', waiting: 2, oldestDueAge: 700 },
      { message: 'queue', level: 'INFO', queue: 'bulk', waiting: 1, tiers: '1' },
    ]);
  });

  it('notes in the control table what it has counted, for those who look', async () => {
    const { insert, clock, read, store } = monitored();
    const late = ago(clock.now(), 700);
    await insert({ id: 'late', queue: 'orders', dueAt: late });
    await read();
    const { readings } = await store.control.read();
    const at = ago(clock.now(), 0);
    expect(parseReading(readings.get('orders'))).toEqual({
      at,
      shards: 1,
      retryMode: 'perRecord',
      probes: false,
      inRetry: 0,
      counts: {
        pending: 1,
        dead: 0,
        oldestDueAt: late,
        lagSeconds: 700,
        due: { now: 1, minute: 0, hour: 0, day: 0 },
      },
    });
    expect(parseReading(readings.get('bulk'))).not.toHaveProperty('probes');
    expect(parseReading(readings.get('bulk'))).toMatchObject({
      at,
      retryMode: 'progressive',
      retry: queues.bulk?.retry,
      counts: { pending: 0, ages: [{ count: 0 }, { count: 0 }] },
    });
  });

  it('notes a count once: an old one keeps its time', async () => {
    const { insert, clock, read, store } = monitored({}, { BACKLOG_METRICS: 'essential' });
    for (let i = 0; i < 400; i++) await insert({ id: `r${i}`, queue: 'orders', dueAt: ago(clock.now(), 9) });
    const first = ago(clock.now(), 0);
    await read();
    clock.advance(3);
    await read();
    expect((await store.readings.read('orders'))?.at).toBe(first);
    clock.advance(3);
    await read();
    expect((await store.readings.read('orders'))?.at).toBe(ago(clock.now(), 0));
  });

  it('counts what is still in the lanes of earlier shards, and says up to which lane there is any', async () => {
    const { insert, clock, read, store, written } = monitored();
    const dueAt = ago(clock.now(), 9);
    await insert({ id: 'own', queue: 'orders', dueAt });
    await insert({ id: 'left', queue: 'orders', lane: 'orders#3', dueAt });
    await insert({ id: 'dead', queue: 'orders', lane: 'orders#7/dead', status: 'DEAD', dueAt });
    await read();
    expect(written).toContainEqual(expect.objectContaining({ Queue: 'orders', Waiting: 2, DeadRecords: 1 }));
    const noted = parseReading(await store.readings.read('orders'));
    expect(noted).toMatchObject({ shards: 8, counts: { pending: 2, dead: 1 } });
  });

  it('looks into lanes of earlier shards once an hour', async () => {
    const { store } = workbench(queues);
    const lanes: string[] = [];
    const queryDue: typeof store.pages.query = (query) => {
      lanes.push(query.lane);
      return store.pages.query(query);
    };
    const { clock, read } = monitored({ store: replacing({ pages: { query: queryDue } }, store) });
    const looks = async () => {
      lanes.length = 0;
      await read();
      return lanes.filter((lane) => lane === 'orders#31').length;
    };
    expect(await looks()).toBe(1);
    clock.advance(3_599);
    expect(await looks()).toBe(0);
    clock.advance(1);
    expect(await looks()).toBe(1);
  });

  it('notes a count later that it could not note when it was made', async () => {
    const { store } = workbench(queues);
    let works = false;
    const writeReading: typeof store.readings.write = async (queue, reading) => {
      if (!works && queue === 'orders') throw new StoreAccessError('dynamodb:UpdateItem: not allowed');
      return store.readings.write(queue, reading);
    };
    const { clock, read } = monitored({ store: replacing({ readings: { write: writeReading } }, store) });
    // So many that the next readings do not count them again.
    for (let i = 0; i < 400; i++)
      await store.records.insert({
        id: `r${i}`,
        queue: 'orders',
        lane: 'orders',
        dueAt: ago(clock.now(), 9),
      });
    const at = ago(clock.now(), 0);
    await expect(read()).rejects.toThrow('not allowed');
    works = true;
    clock.advance(1);
    await read();
    expect(await store.readings.read('orders')).toMatchObject({ at, counts: { pending: 400 } });
  });

  it('fails where it may not note what it has counted, and the metrics are written', async () => {
    const { store } = workbench(queues);
    const refused = new StoreAccessError('dynamodb:UpdateItem: not allowed');
    const writeReading = async () => {
      throw refused;
    };
    const { clock, read, written } = monitored({
      store: replacing({ readings: { write: writeReading } }, store),
    });
    await store.records.insert({
      id: 'a',
      status: 'NEW',
      queue: 'orders',
      lane: 'orders',
      dueAt: ago(clock.now(), 9),
    });
    await expect(read()).rejects.toThrow(refused);
    expect(written).toMatchObject([{ Queue: 'orders', Waiting: 1 }]);
  });

  it('writes no line for empty queues', async () => {
    const { read, written, lines } = monitored();
    await read();
    expect([...written, ...lines]).toEqual([]);
  });

  it('says which queue is paused', async () => {
    const { store, read, log } = monitored();
    await store.queues.setPaused('orders', true);
    expect((await read())[0]).toMatchObject({ queue: 'orders', paused: true });
    expect(log()).toMatchObject([{ message: 'queue', queue: 'orders', paused: true }]);
  });

  it('with the metrics "essential", writes the age only', async () => {
    const { insert, clock, read, written } = monitored({}, { BACKLOG_METRICS: 'essential' });
    await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
    await read();
    expect(written).toMatchObject([{ Queue: 'orders', OldestDueAge: 700 }]);
    expect(written[0]).not.toHaveProperty('Waiting');
  });

  it('writes the largest age of the queues without a lag alarm of their own, where there is one for all', async () => {
    const bulk = { ...queues.bulk, ownAlarms: ['lag'] };
    const variables = { BACKLOG_TABLE_ALARMS: 'true', BACKLOG_QUEUES: JSON.stringify({ ...queues, bulk }) };
    const { insert, clock, read, written } = monitored({}, variables);
    await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
    const older = ago(clock.now(), 9_000);
    await insert({ id: 'later', queue: 'bulk', insertedAt: older, dueAt: older });
    await read();
    const ofAll = written.filter(({ Queue }) => Queue === undefined);
    expect(ofAll).toMatchObject([{ Table: 'records-table', OldestDueAge: 700 }]);
  });

  it('writes the largest age of those queues also where another one cannot be read', async () => {
    const { insert, clock, store } = monitored();
    const readQueue: OperatorStore['queues']['read'] = (name) =>
      name === 'bulk' ? Promise.reject(new StoreAccessError('refused')) : store.queues.read(name);
    const { read, written } = monitored(
      { store: replacing({ queues: { read: readQueue } }, store) },
      { BACKLOG_TABLE_ALARMS: 'true' },
    );
    await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
    await expect(read()).rejects.toThrow('refused');
    const ofAll = written.filter(({ Queue }) => Queue === undefined);
    expect(ofAll).toMatchObject([{ Table: 'records-table', OldestDueAge: 700 }]);
  });

  it('fails after its readings where an event source does not work and no alarm reads the count', async () => {
    const { read, written, insert, clock } = monitored(
      { trouble: async () => 'Disabled' },
      { BACKLOG_EVENT_SOURCES: '["stream"]', BACKLOG_TABLE_ALARMS: 'true' },
    );
    await insert({ id: 'late', queue: 'orders', dueAt: ago(clock.now(), 700) });
    await expect(read()).rejects.toThrow('an event source of the intake does not work');
    expect(written).toContainEqual(expect.objectContaining({ Queue: 'orders', OldestDueAge: 700 }));
  });

  it('counts the event sources that do not work, and names them in the log', async () => {
    const stopped = new Map([['stream', 'Disabled']]);
    const { read, written, log } = monitored(
      { trouble: async (mapping) => stopped.get(mapping) },
      { BACKLOG_EVENT_SOURCES: '["stream","redelivery"]' },
    );
    await read();
    expect(written).toMatchObject([{ Table: 'records-table', SourcesStopped: 1 }]);
    expect(log()).toMatchObject([{ level: 'ERROR', mapping: 'stream', why: 'Disabled' }]);
    stopped.clear();
    await read();
    expect(written).toHaveLength(1);
  });

  it.each([
    ['a queue cannot be read', 'orders'],
    ['the event sources cannot be read', undefined],
  ])('fails when all have been tried, where %s', async (_, broken) => {
    const { store } = workbench(queues);
    const refused = new StoreAccessError('dynamodb:Query: not allowed');
    const partly = replacing(
      {
        queues: {
          read: async (queue) => {
            if (queue === broken) throw refused;
            return store.queues.read(queue);
          },
        },
      },
      store,
    );
    const { read, clock, written, log } = monitored(
      {
        store: partly,
        trouble: async () => {
          if (!broken) throw refused;
          return undefined;
        },
      },
      { BACKLOG_EVENT_SOURCES: '["stream"]' },
    );
    store.put({ id: 'x', status: 'NEW', queue: 'bulk', lane: 'bulk', dueAt: ago(clock.now(), 7_000) });
    await expect(read()).rejects.toThrow(refused);
    expect(written).toMatchObject([{ Queue: 'bulk', Waiting: 1 }]);
    expect(log().at(-1)).toMatchObject({ level: 'ERROR', message: 'monitor failed' });
  });

  it.each([
    [{ BACKLOG_EVENT_SOURCES: 'none' }, 'BACKLOG_EVENT_SOURCES: expected JSON'],
    [{ BACKLOG_EVENT_SOURCES: '[""]' }, 'BACKLOG_EVENT_SOURCES'],
    [{ BACKLOG_QUEUES: '{}' }, 'BACKLOG_QUEUES: expected at least one queue'],
  ])('names the variable that is wrong: %j', async (variables, message) => {
    const { read } = monitored({}, variables);
    await expect(read()).rejects.toThrow(message);
  });
});
