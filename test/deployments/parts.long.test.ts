import { describe, expect, it } from 'vitest';
import { listen } from '../delivery/support.js';
import { byAge, Deployment, every, queue } from './deployment.js';

const HOUR = 60;
const DAY = 24 * HOUR;

describe('a deployment while records wait', () => {
  it('with another deliverTo: they stay, and their next attempt goes to the new URL', async () => {
    await using before = await listen((_request, response) => void response.writeHead(503).end());
    await using after = await listen((_request, response) => void response.writeHead(200).end());
    const cloud = new Deployment({ orders: queue(every(60), { deliverTo: before.url }) });
    await cloud.put('r', 'orders');
    await cloud.pass(1);
    expect(before.received).toHaveLength(1);
    const waiting = cloud.item('r');
    cloud.deploy({ orders: queue(every(60), { deliverTo: after.url }) });
    await cloud.pass(HOUR - 1);
    expect(cloud.item('r')).toEqual(waiting);
    await cloud.pass(1);
    expect(cloud.item('r')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
    expect([before, after].map(({ received }) => received.length)).toEqual([1, 1]);
    // The receiver can tell that it is the same record.
    const [first, second] = [...before.received, ...after.received];
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toEqual(first?.body);
  });

  it('with first attempts on insertion: rules attempt what was indexed, and what comes is attempted at once', async () => {
    const cloud = new Deployment({ orders: queue(every(60)) });
    await cloud.put('indexed', 'orders');
    await cloud.pass(1);
    await cloud.put('new', 'orders');
    expect(cloud.attemptsOf('new')).toEqual([]);
    cloud.deploy({ orders: queue(every(60)) }, { onInsert: ['orders'] });
    await cloud.put('comes', 'orders');
    expect(cloud.attemptsOf('comes')).toEqual([1]);
    await cloud.pass(HOUR + 1);
    expect(cloud.attemptsOf('indexed')).toEqual([1, 61]);
    expect(cloud.attemptsOf('new')).toEqual([2, 62]);
    expect(cloud.attemptsOf('comes')).toEqual([1, 61]);
  });

  it('without first attempts on insertion: what has failed is retried as before, and what comes waits for the rule', async () => {
    const cloud = new Deployment({ orders: queue(every(60)) }, { onInsert: ['orders'] });
    await cloud.put('failed', 'orders');
    expect(cloud.attemptsOf('failed')).toEqual([0]);
    cloud.deploy({ orders: queue(every(60)) });
    await cloud.put('comes', 'orders');
    expect(cloud.item('comes')).toMatchObject({ lane: 'orders', status: 'NEW' });
    await cloud.pass(HOUR);
    expect(cloud.attemptsOf('failed')).toEqual([0, 60]);
    expect(cloud.attemptsOf('comes')).toEqual([1]);
  });

  it.each([
    ['per record', queue(every(60)), [1, 61, 121]],
    ['by tiers', byAge([60, 1], [120, 7]), [60, 120, 180]],
  ])(
    'without an intake: %s, what is indexed is attempted, and what is put without a lane is not',
    async (_how, orders, minutes) => {
      const cloud = new Deployment({ orders });
      await cloud.put('before', 'orders');
      expect(cloud.item('before')).toHaveProperty('lane');
      cloud.deploy({ orders }, { intake: false });
      await cloud.put('without lane', 'orders');
      const dueAt = cloud.daysAgo(0);
      await cloud.put('with lane', 'orders', { lane: 'orders', dueAt, insertedAt: dueAt });
      const bare = cloud.item('without lane');
      await cloud.pass(3 * HOUR);
      expect(cloud.attemptsOf('before').slice(0, 3)).toEqual(minutes);
      expect(cloud.attemptsOf('with lane').slice(0, 3)).toEqual(minutes);
      await cloud.pass(DAY);
      expect(cloud.attemptsOf('without lane')).toEqual([]);
      expect(cloud.item('without lane')).toEqual(bare);
    },
  );

  it('with another trigger: a run of a slower tier that is missed in between is made up for', async () => {
    const orders = byAge([5, 1], [60, 7], [240, 30]);
    const cloud = new Deployment({ orders });
    const at = cloud.daysAgo(10);
    await cloud.place('old', 'orders', { insertedAt: at, dueAt: at });
    await cloud.pass(8 * HOUR - 1);
    expect(cloud.attemptsOf('old')).toEqual([60, 240]);
    // The rules are gone before the schedules are there.
    cloud.deploy({ orders }, { disabled: ['orders'] });
    await cloud.pass(1);
    cloud.deploy({ orders });
    await cloud.pass(4 * HOUR);
    expect(cloud.attemptsOf('old')).toEqual([60, 240, 540, 720]);
  });

  it('with a new control table: due times stay, and pauses are lost', async () => {
    const orders = queue(every(60));
    const cloud = new Deployment({ orders });
    await cloud.put('r', 'orders');
    await cloud.pass(1);
    await cloud.pause('orders');
    await cloud.put('comes', 'orders');
    await cloud.pass(10);
    cloud.deploy({ orders });
    await cloud.pass(1);
    expect(cloud.attempts).toHaveLength(1);
    cloud.deploy({ orders }, { controlTable: 'new' });
    await cloud.pass(HOUR);
    expect(cloud.attemptsOf('comes')).toEqual([13]);
    expect(cloud.attemptsOf('r')).toEqual([1, 61]);
  });
});
