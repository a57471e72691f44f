import { describe, expect, it } from 'vitest';
import type { QueueSettings } from '../../functions/settings.js';
import type { Process } from '../../src/worker/index.js';
import { Cloud, type CloudOptions } from '../schedules/cloud.js';

type Limits = Omit<QueueSettings, 'retryMode'>;

const orders = (limits: Limits) => ({
  orders: {
    retryMode: 'perRecord' as const,
    retry: { type: 'constant', interval: 60, jitter: 'none' } as const,
    ...limits,
  },
});
const succeed: Process = () => {};
const fail: Process = () => {
  throw new Error('down');
};

/** Records that wait in a queue with limits. */
async function waiting(records: number, limits: Limits, options: Partial<CloudOptions> = {}): Promise<Cloud> {
  const cloud = new Cloud({ queues: orders(limits), process: succeed, ...options });
  await more(cloud, records);
  return cloud;
}

async function more(cloud: Cloud, records: number): Promise<void> {
  for (let i = 0; i < records; i++) await cloud.insert(`of second ${cloud.second()}, ${i}`, 'orders');
}

/** A record that is inserted, and the run that the intake starts for it. */
async function insertedNow(cloud: Cloud, id: string): Promise<void> {
  await cloud.store.records.insert({ id, status: 'NEW', queue: 'orders', payload: {} });
  await cloud.invoke('orders', { arrivals: { batch: id, ids: [id] } });
}

/** The number of attempts that began at each second. */
function starts({ attempts }: Cloud, from = 0): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { second } of attempts) if (second >= from) counts[second] = (counts[second] ?? 0) + 1;
  return counts;
}

describe('a deployment while a run is at work and records wait: what starts afterwards has', () => {
  it('another concurrency', async () => {
    const cloud = await waiting(8, { concurrency: 1 }, { attemptSeconds: 10 });
    await cloud.pass(15);
    cloud.deploy(orders({ concurrency: 4 }));
    await cloud.pass(90);
    // The run that was at work goes on as before.
    expect(starts(cloud)).toEqual({ 0: 1, 10: 1, 20: 1, 30: 1, 40: 1, 50: 1, 60: 1, 70: 1 });
    await more(cloud, 8);
    await cloud.pass(60);
    expect(starts(cloud, 80)).toEqual({ 120: 4, 130: 4 });
  });

  it('another globalConcurrency', async () => {
    const cloud = await waiting(4, { globalConcurrency: 2 }, { attemptSeconds: 10 });
    await cloud.pass(5);
    cloud.deploy(orders({ globalConcurrency: 3 }));
    await cloud.pass(50);
    expect(starts(cloud)).toEqual({ 0: 2, 10: 2 });
    await more(cloud, 6);
    await cloud.pass(60);
    expect(starts(cloud, 20)).toEqual({ 60: 3, 70: 3 });
  });

  it('a lower globalConcurrency, which counts what is under way from before', async () => {
    const cloud = await waiting(3, { globalConcurrency: 5, concurrency: 3 }, { attemptSeconds: 30 });
    await cloud.pass(5);
    void insertedNow(cloud, 'before');
    await cloud.pass(1);
    cloud.deploy(orders({ globalConcurrency: 2, concurrency: 3 }));
    void insertedNow(cloud, 'after');
    await cloud.pass(60);
    expect(cloud.attemptsOf('before')).toEqual([5]);
    // The run that was at work looks once more.
    expect(cloud.attemptsOf('after')).toEqual([30]);
  });

  it('another concurrencyPerKey', async () => {
    const limits = { fairness: true, concurrency: 20 };
    const cloud = await waiting(0, { ...limits, concurrencyPerKey: 2 }, { attemptSeconds: 10 });
    const put = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const id = `of second ${cloud.second()}, ${i}`;
        await cloud.insert(id, 'orders', { key: i % 2 === 0 ? 'shop' : 'other' });
      }
    };
    await put(8);
    await cloud.pass(15);
    cloud.deploy(orders({ ...limits, concurrencyPerKey: 3 }));
    await cloud.pass(44);
    expect(starts(cloud)).toEqual({ 0: 4, 11: 4 });
    await put(12);
    await cloud.pass(60);
    expect(starts(cloud, 20)).toEqual({ 61: 6, 71: 6 });
  });

  it('another attemptsPerSecondPerKey, for the records of a key that wait', async () => {
    const cloud = await waiting(0, { fairness: true, attemptsPerSecondPerKey: 0.1 });
    for (let i = 0; i < 40; i++)
      await cloud.insert(`record ${i}`, 'orders', { key: i % 4 < 3 ? 'shop' : `other ${i}` });
    await cloud.pass(35);
    cloud.deploy(orders({ fairness: true, attemptsPerSecondPerKey: 0.5 }));
    await cloud.pass(400);
    const ofShop = cloud.attempts.filter(({ id }) => Number(id.slice(7)) % 4 < 3);
    // The run that was at work goes on at its pace, until it has no time left for an attempt.
    const byOld = Array.from({ length: 27 }, (_, i) => i * 10);
    expect(ofShop.map(({ second }) => second)).toEqual([...byOld, 300, 302, 304]);
    expect(cloud.attempts).toHaveLength(40);
  });

  it('another onInsertConcurrency', async () => {
    const cloud = await waiting(0, { onInsertConcurrency: 1 }, { attemptSeconds: 10 });
    await cloud.pass(1);
    await cloud.time.until(Promise.all([insertedNow(cloud, 'a'), insertedNow(cloud, 'b')]));
    // An ordinary run attempts the other one.
    expect(starts(cloud)).toEqual({ 1: 1, 2: 1 });
    cloud.deploy(orders({ onInsertConcurrency: 2 }));
    const second = cloud.second();
    await cloud.time.until(Promise.all([insertedNow(cloud, 'c'), insertedNow(cloud, 'd')]));
    expect(starts(cloud, second)).toEqual({ [second]: 2 });
  });

  it('another maxRecords', async () => {
    const cloud = await waiting(9, { maxRecords: 2 });
    await cloud.pass(30);
    cloud.deploy(orders({ maxRecords: 5 }));
    await cloud.pass(120);
    expect(starts(cloud)).toEqual({ 0: 2, 60: 5, 120: 2 });
  });

  it('another attemptsPerSecond', async () => {
    const cloud = await waiting(30, { attemptsPerSecond: 0.02 });
    await cloud.pass(15);
    cloud.deploy(orders({ attemptsPerSecond: 1 }));
    await cloud.pass(330);
    const byOld = [0, 50, 100, 150, 200, 250];
    expect(cloud.attempts.slice(0, 6).map(({ second }) => second)).toEqual(byOld);
    expect(cloud.attempts.slice(6).map(({ second }) => second)).toEqual(
      Array.from({ length: 24 }, (_, i) => 300 + i),
    );
  });

  it('a breaker, or none any more', async () => {
    const cloud = await waiting(30, { concurrency: 1 }, { process: fail, attemptSeconds: 0 });
    await cloud.pass(30);
    expect(starts(cloud)).toEqual({ 0: 30 });
    cloud.deploy(orders({ concurrency: 1, breaker: { minimumAttempts: 5, halfOpenAfter: 3_600 } }));
    await cloud.pass(120);
    expect(starts(cloud, 1)).toEqual({ 60: 5 });
    // An open breaker holds nothing back where the queue has none.
    cloud.deploy(orders({ concurrency: 1 }));
    await cloud.pass(60);
    expect(starts(cloud, 151)).toEqual({ 180: 30 });
  });

  it('another attemptTimeout', async () => {
    const slow: Process = async (_record, { signal }) => {
      await cloud.clock.sleep(20_000, signal);
      signal.throwIfAborted();
    };
    const cloud: Cloud = await waiting(1, { attemptTimeout: 30 }, { process: slow, attemptSeconds: 0 });
    await cloud.pass(5);
    cloud.deploy(orders({ attemptTimeout: 10 }));
    await cloud.pass(50);
    expect(cloud.item('of second 0, 0')).toMatchObject({ status: 'SUCCESS' });
    await cloud.insert('later', 'orders');
    await cloud.pass(30);
    expect(cloud.item('later')).toMatchObject({ status: 'ERROR', failures: 1 });
  });
});
