import { afterEach, describe, expect, it, vi } from 'vitest';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import { context, environment, workbench } from './support.js';

const queues: QueuesSettings = { orders: { retryMode: 'perRecord' } };
const MINUTE = 60;

/** A monitor, and a queue whose records have failed for ten minutes. */
async function monitored(variables: Record<string, string> = {}) {
  const { overrides, insert } = workbench(queues);
  const { store, clock, logger } = overrides;
  const written: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(JSON.parse(String(line)));
    return true;
  });
  const env = { ...environment(queues), ...variables };
  const handler = monitorHandler({ store, clock, logger, env, trouble: async () => undefined });
  const since = Math.floor(clock.now() / 1000) - 10 * MINUTE;
  await store.queues.noteFailing('orders', `[0,[["","E: m",${since},600,600,9,9,0,9]]]`, undefined);
  /** The values of a metric at the next reading; undefined: it is not written. */
  const read = async (metric: string, dimension?: string) => {
    written.length = 0;
    await handler({ monitor: true }, context);
    return written.find((line) => metric in line && line.Queue === dimension)?.[metric];
  };
  const ago = (seconds: number) => new Date(clock.now() - seconds * 1000).toISOString();
  return { store, clock, insert, read, ago, failing: () => read('FailingSeconds', 'orders') };
}

afterEach(() => vi.restoreAllMocks());

describe('the monitor says for how long records have failed', () => {
  it('while any waits, and 0 once the queue is empty', async () => {
    const { store, clock, insert, failing } = await monitored();
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    expect(await failing()).toBe(600);
    clock.advance(300);
    expect(await failing()).toBe(900);
    const record = await store.records.get('a');
    if (record)
      await store.records.settle(record, { set: { status: 'SUCCESS' }, remove: ['lane', 'dueAt'] }, 'r');
    clock.advance(300);
    expect(await failing()).toBe(0);
  });

  it('of all queues, where there is one alarm for all', async () => {
    const { insert, read } = await monitored({ BACKLOG_TABLE_ALARMS: 'true' });
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    expect(await read('FailingSeconds')).toBe(600);
  });

  it('and not while the queue is paused, nor before its first runs: an alarm keeps its state', async () => {
    const { store, clock, insert, failing } = await monitored();
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    await store.queues.setPaused('orders', true);
    clock.advance(600);
    expect(await failing()).toBeUndefined();
    await store.queues.setPaused('orders', false);
    clock.advance(179);
    expect(await failing()).toBeUndefined();
    clock.advance(1);
    expect(await failing()).toBe(1380);
    // An end of a pause that is far ahead is of another clock, or damaged.
    const ahead = clock.now() + 3_600_000;
    await store.queues.setPaused('orders', true);
    clock.advance(7200);
    await store.queues.setPaused('orders', false);
    clock.advance(-7200);
    expect(clock.now()).toBeLessThan(ahead);
    expect(await failing()).toBe(1380);
  });

  it('as 0 in a passive region, whose runs attempt nothing', async () => {
    const { failing } = await monitored({ AWS_REGION: 'eu-west-1', BACKLOG_PRIMARY_REGION: 'us-east-1' });
    expect(await failing()).toBe(0);
  });
});

describe('the lateness of a paused queue', () => {
  async function pausedQueue(until?: number) {
    const bench = await monitored();
    const { store, insert, ago, read } = bench;
    await insert({ id: 'late', queue: 'orders', dueAt: ago(700) });
    const pausedUntil = until === undefined ? undefined : ago(-until);
    await store.queues.setPaused('orders', true, { pausedUntil });
    return { ...bench, lateness: () => read('OldestDueAge', 'orders') };
  }

  it('is silent until the announced end of the pause, and not for a moment longer', async () => {
    const { clock, lateness } = await pausedQueue(3_600);
    expect(await lateness()).toBeUndefined();
    clock.advance(3_599);
    expect(await lateness()).toBeUndefined();
    clock.advance(1);
    expect(await lateness()).toBe(4_300);
  });

  it('is reported where no end was announced', async () => {
    const { lateness } = await pausedQueue();
    expect(await lateness()).toBe(700);
  });

  it('is silent after the resume while it falls', async () => {
    const { store, clock, insert, ago, lateness } = await pausedQueue(3_600);
    clock.advance(3_000);
    await lateness();
    await store.queues.setPaused('orders', false);
    clock.advance(120);
    expect(await lateness()).toBeUndefined();
    clock.advance(300);
    // Nothing has moved for five minutes.
    expect(await lateness()).toBe(4_120);
    const record = await store.records.get('late');
    if (record)
      await store.records.settle(record, { set: { status: 'SUCCESS' }, remove: ['lane', 'dueAt'] }, 'r');
    await insert({ id: 'next', queue: 'orders', dueAt: ago(1_000) });
    clock.advance(300);
    expect(await lateness()).toBeUndefined();
  });

  it('is reported after the resume for what came due since', async () => {
    const { store, clock, insert, ago, lateness } = await pausedQueue();
    await store.queues.setPaused('orders', false);
    const record = await store.records.get('late');
    if (record)
      await store.records.settle(record, { set: { status: 'SUCCESS' }, remove: ['lane', 'dueAt'] }, 'r');
    clock.advance(900);
    await insert({ id: 'new', queue: 'orders', dueAt: ago(800) });
    expect(await lateness()).toBe(800);
  });
});
