import { describe, expect, it } from 'vitest';
import { BacklogOperator } from '../../src/operate/index.js';
import { createDynamoDbClient, type OperatorStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { dynamoDbUnderTest } from '../store/dynamodb-under-test.js';
import { startDynamoDb } from '../store/start-dynamodb.js';
import { Harness, START } from '../worker/harness.js';
import { operatorOf, putDead } from './support.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const HOUR = 3600;
const DAY = 24 * HOUR;

describe('stats', () => {
  it('of a queue that retries per record: what is due now, and within a minute, an hour, a day', async () => {
    const harness = new Harness();
    await harness.store.queues.setRetryMode('q', { mode: 'perRecord', since: 0 }, undefined);
    const dues = [-90, -0.001, 0, 0.001, 60, 60.001, HOUR, HOUR + 1, DAY, DAY + 1, 400 * DAY];
    for (const [i, due] of dues.entries()) harness.put(`r${i}`, { dueAt: iso(due) });
    putDead(harness, 'd1');
    putDead(harness, 'd2');
    harness.put('done', { status: 'SUCCESS', lane: undefined, dueAt: undefined });
    expect(await operatorOf(harness).stats()).toEqual({
      at: iso(0),
      readUnits: 0,
      queues: [
        {
          queue: 'q',
          retryMode: 'perRecord',
          paused: false,
          openBreakers: 0,
          pending: 11,
          dead: 2,
          oldestDueAt: iso(-90),
          lagSeconds: 90,
          due: { now: 3, minute: 2, hour: 4, day: 6 },
        },
      ],
    });
  });

  it('of a progressive queue: ages by tier, and what is delayed', async () => {
    const harness = new Harness();
    await harness.store.queues.setRetryMode('q', { mode: 'progressive', since: 0 }, undefined);
    for (const [i, age] of [
      1,
      DAY - 1,
      DAY + 1,
      8 * DAY,
      20 * DAY,
      100 * DAY,
      200 * DAY,
      400 * DAY,
    ].entries())
      harness.put(`r${i}`, { dueAt: iso(-age) });
    harness.put('delayed', { dueAt: iso(HOUR) });
    const [queue] = (await operatorOf(harness).stats()).queues;
    expect(queue).toMatchObject({ pending: 9, delayed: 1, oldestDueAt: iso(-400 * DAY) });
    expect(queue?.ages?.map(({ untilAgeSeconds, count }) => [(untilAgeSeconds ?? 0) / DAY, count])).toEqual([
      [1, 2],
      [7, 1],
      [14, 1],
      [30, 1],
      [180, 1],
      [360, 1],
      [0, 1],
    ]);
    expect(queue).not.toHaveProperty('due');
  });

  it('of a queue with shards, of whatever number, and with open breakers', async () => {
    const harness = new Harness();
    await harness.store.queues.setRetryMode('q', { mode: 'perRecord', since: 0 }, undefined);
    const open = { until: START, since: START, token: 't' };
    await harness.store.breakers.set('q', 'erp', open, undefined);
    for (const [i, lane] of ['q', 'q#1', 'q#31', 'q#31'].entries())
      harness.put(`r${i}`, { lane, dueAt: iso(-i) });
    putDead(harness, 'd', { lane: 'q#7/dead' });
    const { queues } = await operatorOf(harness).stats();
    expect(queues).toMatchObject([
      { pending: 4, dead: 1, due: { now: 4 }, oldestDueAt: iso(-3), lagSeconds: 3, openBreakers: 1 },
    ]);
  });

  it('of more than one page of the index counts them all', async () => {
    const harness = new Harness();
    await harness.store.queues.setRetryMode('q', { mode: 'perRecord', since: 0 }, undefined);
    for (let i = 0; i < 5; i++) harness.put(`r${i}`, { dueAt: iso(-10 + i) });
    const countDue: OperatorStore['pages']['count'] = async (query) => {
      const { count } = await harness.store.pages.count(query);
      if (query.lane !== 'q' || count < 2) return { count, next: undefined };
      const after = query.after ? Number(query.after.id.slice(1)) + 1 : 0;
      return { count: 1, next: { id: `r${after}`, dueAt: iso(-10 + after) } };
    };
    const { queues } = await operatorOf(
      harness,
      replacing({ pages: { count: countDue } }, harness.store),
    ).stats();
    expect(queues).toMatchObject([{ pending: 5, due: { now: 5 } }]);
  });

  it('of a paused or an empty queue, of one that no run has served, and of those that are asked for', async () => {
    const harness = new Harness();
    await operatorOf(harness).pause('paused');
    await harness.store.queues.setRetryMode('empty', { mode: 'progressive', since: 0 }, undefined);
    const { queues } = await operatorOf(harness).stats({ alsoQueues: ['fresh'] });
    expect(queues).toMatchObject([
      { queue: 'empty', pending: 0, delayed: 0, oldestDueAt: undefined },
      { queue: 'fresh', retryMode: undefined, pending: 0, lagSeconds: 0, due: { now: 0, day: 0 } },
      { queue: 'paused', paused: true, pausedAt: iso(0) },
    ]);
    const asked = await operatorOf(harness).stats({ queues: ['paused'] });
    expect(asked.queues.map(({ queue }) => queue)).toEqual(['paused']);
    await expect(operatorOf(harness).stats({ queues: ['a b'] })).rejects.toThrow(/stats\.queues/);
  });

  it('of a queue that a function has registered and no run has served', async () => {
    const harness = new Harness();
    const entry = { owner: 'Shop', function: 'arn', at: iso(0) };
    const queues = new Map([['mails', { ...entry, retryMode: 'progressive' as const }]]);
    await harness.store.registry.write({ rev: 'a', queues }, '');
    const stats = await operatorOf(harness).stats();
    expect(stats.queues).toMatchObject([
      { queue: 'mails', retryMode: 'progressive', pending: 0, delayed: 0 },
    ]);
  });

  it('cost what waits and is dead, and nothing for history', async () => {
    const dynamoDb = await startDynamoDb();
    const { store, tables, close } = await dynamoDbUnderTest(dynamoDb.endpoint);
    try {
      const insert = async (id: string, attributes: object) => {
        await store.records.insert({
          id,
          status: 'NEW',
          payload: 'x'.repeat(500),
          queue: 'q',
          rev: id,
          ...attributes,
        });
      };
      await store.queues.setRetryMode('q', { mode: 'perRecord', since: 0 }, undefined);
      for (let i = 0; i < 40; i++) await insert(`r${i}`, { lane: 'q', dueAt: iso(i) });
      const operator = new BacklogOperator({
        table: tables.records,
        controlTable: tables.control,
        client: createDynamoDbClient({ endpoint: dynamoDb.endpoint }),
      });
      const before = await operator.stats();
      expect(before.queues).toMatchObject([{ pending: 40 }]);
      for (let i = 0; i < 200; i++) await insert(`done${i}`, { status: 'SUCCESS' });
      const after = await operator.stats();
      expect(after.readUnits).toBe(before.readUnits);
      expect(after.readUnits).toBeLessThan(10);
    } finally {
      await close();
      await dynamoDb.stop();
    }
  });
});
