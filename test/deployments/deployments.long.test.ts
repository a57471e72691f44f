import { describe, expect, it } from 'vitest';
import { lanesOf } from '../../src/record/index.js';
import { byAge, Deployment, every, queue } from './deployment.js';

const DAY = 1440;
const HOUR = 60;

/** A deployment while a record waits that failed at minute 1 and is due again an hour later. */
async function waiting(settings = queue(every(60))) {
  const cloud = new Deployment({ orders: settings });
  await cloud.put('r', 'orders');
  await cloud.pass(1);
  expect(cloud.attemptsOf('r')).toEqual([1]);
  return cloud;
}

describe('a deployment while records wait', () => {
  it('with another policy: a due time that is set stays, and the next failure decides by the new one', async () => {
    const cloud = await waiting();
    cloud.deploy({ orders: queue(every(2)) });
    await cloud.pass(64);
    expect(cloud.attemptsOf('r')).toEqual([1, 61, 63, 65]);
  });

  it('with fewer attempts: a record that has had them is dead after its next failure, not before', async () => {
    const cloud = await waiting(queue(every(2)));
    await cloud.pass(4);
    expect(cloud.item('r')).toMatchObject({ failures: 3 });
    cloud.deploy({ orders: queue({ ...every(2), maxAttempts: 2 }) });
    await cloud.pass(1);
    expect(cloud.item('r')).toMatchObject({ status: 'ERROR' });
    await cloud.pass(5);
    expect(cloud.item('r')).toMatchObject({ status: 'DEAD', failures: 4, deadReason: 'maxAttempts' });
    // What is dead stays dead under a higher limit.
    cloud.deploy({ orders: queue(every(2)) });
    await cloud.pass(10);
    expect(cloud.item('r')).toMatchObject({ status: 'DEAD', attempts: 4 });
  });

  it('with a shorter maxAge: what was attempted and is older expires, what was never attempted has its attempt', async () => {
    const cloud = new Deployment({ orders: queue(every(60)) });
    const old = { insertedAt: cloud.daysAgo(10), dueAt: cloud.daysAgo(0) };
    await cloud.place('old', 'orders', { ...old, status: 'ERROR', attempts: 3, failures: 3 });
    await cloud.place('new', 'orders', old);
    cloud.deploy({ orders: queue({ ...every(60), maxAge: '7d' }) });
    await cloud.pass(1);
    expect(cloud.item('old')).toMatchObject({ status: 'DEAD', deadReason: 'expired', attempts: 3 });
    expect(cloud.attemptsOf('new')).toEqual([1]);
  });

  it('from per record to tiers: nothing is attempted for one function timeout, and due times that are set stay', async () => {
    const cloud = await waiting();
    await cloud.put('due', 'orders');
    cloud.deploy({ orders: byAge([1, 1], [60, 7]) });
    await cloud.pass(62);
    // The first run of the new mode is at minute 2, and a function timeout is 5 minutes.
    expect(cloud.attemptsOf('due').slice(0, 3)).toEqual([7, 8, 9]);
    expect(cloud.attemptsOf('r')).toEqual([1, 61, 62, 63]);
  });

  it('from tiers to per record: nothing is attempted for one function timeout, then by the wait of its failures', async () => {
    const cloud = new Deployment({ orders: byAge([5, 1], [60, 7]) });
    await cloud.put('r', 'orders');
    await cloud.pass(10);
    expect(cloud.attemptsOf('r')).toEqual([5, 10]);
    cloud.deploy({ orders: queue(every(2)) });
    await cloud.pass(5);
    expect(cloud.attemptsOf('r')).toEqual([5, 10]);
    await cloud.pass(3);
    expect(cloud.attemptsOf('r')).toEqual([5, 10, 16, 18]);
  });

  it('with other tiers: each record is attempted by the tier of its age, and expires behind the last', async () => {
    const cloud = new Deployment({ orders: byAge([5, 1], [60, 30]) });
    const tried = (days: number) => ({
      ...{ status: 'ERROR', attempts: 1, failures: 1, lastAttemptAt: cloud.daysAgo(0.5) },
      ...{ insertedAt: cloud.daysAgo(days), dueAt: cloud.daysAgo(days) },
    });
    for (const days of [0.1, 3, 10]) await cloud.place(`of ${days} days`, 'orders', tried(days));
    const old = { insertedAt: cloud.daysAgo(10), dueAt: cloud.daysAgo(10) };
    await cloud.place('never attempted', 'orders', old);
    cloud.deploy({ orders: byAge([10, 2], [120, 7]) });
    await cloud.pass(4 * HOUR);
    expect(cloud.attemptsOf('of 0.1 days')).toHaveLength(24);
    expect(cloud.attemptsOf('of 3 days')).toEqual([120, 240]);
    expect(cloud.attemptsOf('of 10 days')).toEqual([]);
    expect(cloud.item('of 10 days')).toMatchObject({ status: 'DEAD', deadReason: 'expired' });
    expect(cloud.attemptsOf('never attempted')).toHaveLength(1);
  });

  const inLanes = async (shards: number) => {
    const cloud = new Deployment({ orders: queue(every(60), { shards }) });
    for (const lane of lanesOf('orders', 0, shards)) await cloud.place(lane, 'orders', { lane });
    return { cloud, all: lanesOf('orders', 0, shards) };
  };

  it('with more shards: what waits is attempted in its lane as before', async () => {
    const { cloud, all } = await inLanes(2);
    cloud.deploy({ orders: queue(every(60), { shards: 8 }) });
    await cloud.pass(1);
    expect(cloud.attempts.map(({ id }) => id).sort()).toEqual(all);
  });

  it.each([
    ['with fewer shards: the lanes that are gone are read once an hour', { shards: 1 }, HOUR],
    ['without shards: the lanes that are gone are read once a day', {}, DAY],
  ])('%s', async (_what, shards, interval) => {
    const { cloud, all } = await inLanes(4);
    cloud.deploy({ orders: queue(every(3 * DAY), shards) });
    await cloud.pass(1);
    expect(cloud.attempts.map(({ id }) => id)).toEqual(['orders']);
    while (cloud.attempts.length < all.length && cloud.minute < interval) await cloud.pass(1);
    expect(cloud.attempts.map(({ id }) => id).sort()).toEqual(all);
    // A failure moves a record into the lane that the queue still has.
    for (const id of all) expect(cloud.item(id)).toMatchObject({ lane: 'orders' });
    await cloud.place('late', 'orders', { lane: 'orders#2' });
    await cloud.pass(interval - 1);
    expect(cloud.attemptsOf('late')).toEqual([]);
    await cloud.pass(1);
    expect(cloud.attemptsOf('late')).toHaveLength(1);
  });

  it('without the queue: records stay, are not attempted, and are attempted once it is there again', async () => {
    const cloud = await waiting();
    const before = cloud.item('r');
    cloud.deploy({ bulk: queue(every(60)) });
    await cloud.put('meanwhile', 'orders');
    await cloud.pass(3 * HOUR);
    expect(cloud.item('r')).toEqual(before);
    expect(cloud.attempts).toHaveLength(1);
    cloud.deploy({ bulk: queue(every(60)), orders: queue(every(60)) });
    await cloud.pass(1);
    expect(cloud.attemptsOf('r')).toEqual([1, 182]);
    expect(cloud.attemptsOf('meanwhile')).toEqual([182]);
  });

  it('with a renamed queue: records keep the old name, and are attempted after they were moved', async () => {
    const cloud = await waiting();
    cloud.deploy({ purchases: queue(every(60)) });
    await cloud.pass(3 * HOUR);
    expect(cloud.item('r')).toMatchObject({ queue: 'orders', lane: 'orders', attempts: 1 });
    await cloud.move(['r'], 'purchases');
    await cloud.pass(HOUR);
    expect(cloud.item('r')).toMatchObject({ queue: 'purchases', attempts: 2 });
  });

  it('with a disabled queue: records wait, and are attempted when it is enabled again', async () => {
    const cloud = await waiting();
    const orders = queue(every(60));
    cloud.deploy({ orders }, { disabled: ['orders'] });
    await cloud.put('meanwhile', 'orders');
    await cloud.pass(3 * HOUR);
    expect(cloud.attempts).toHaveLength(1);
    cloud.deploy({ orders });
    await cloud.pass(1);
    expect(cloud.attemptsOf('r')).toEqual([1, 182]);
    expect(cloud.attemptsOf('meanwhile')).toEqual([182]);
  });

  it('with another retention: what has succeeded keeps its time, what succeeds has the new one', async () => {
    const cloud = new Deployment({ orders: queue(every(60), { retention: 7 * 86_400 }) });
    cloud.outcome = () => {};
    await cloud.put('before', 'orders');
    await cloud.pass(1);
    const { expiresAt } = cloud.item('before');
    expect(expiresAt).toBeGreaterThan(1e9);
    cloud.deploy({ orders: queue(every(60), { retention: 3 * 86_400 }) });
    await cloud.put('after', 'orders');
    await cloud.pass(1);
    expect(cloud.item('before').expiresAt).toBe(expiresAt);
    expect(Number(cloud.item('after').expiresAt)).toBe(Number(expiresAt) - 4 * 86_400 + 60);
  });

  it('with another error in deadOn: a record that fails with it is dead at once, at its next failure', async () => {
    const cloud = await waiting();
    cloud.deploy({ orders: queue(every(60), { deadOn: ['Error'] }) });
    await cloud.pass(HOUR - 1);
    expect(cloud.item('r')).toMatchObject({ status: 'ERROR' });
    await cloud.pass(1);
    expect(cloud.item('r')).toMatchObject({ status: 'DEAD', failures: 2 });
  });

  it('with another retryQueue: a record moves at its next failure, and stays where it has moved', async () => {
    const cloud = await waiting();
    const retries = queue(every(60));
    cloud.deploy({ orders: queue(every(60), { retryQueue: 'retries' }), retries });
    expect(cloud.item('r')).toMatchObject({ queue: 'orders' });
    await cloud.pass(HOUR);
    expect(cloud.item('r')).toMatchObject({ queue: 'retries', attempts: 2 });
    cloud.deploy({ orders: queue(every(60)), retries });
    await cloud.pass(HOUR + 1);
    expect(cloud.item('r')).toMatchObject({ queue: 'retries', attempts: 3 });
  });
});
