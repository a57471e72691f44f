import { describe, expect, it } from 'vitest';
import type { QueueSettings } from '../../functions/settings.js';
import { lanesOf } from '../../src/record/index.js';
import { byAge, Deployment, every, queue } from './deployment.js';

const HOUR = 60;

const external = (settings: QueueSettings): QueueSettings => ({ ...settings, external: true });
const running = { processes: ['orders'] };

describe('a deployment while records wait, from a function to a process and back', () => {
  it.each([
    // Probes are off: of three failing records they would attempt one every five minutes.
    ['what waits stays, and the process attempts it at its time', queue(every(60), { probes: false })],
    ['with shards', queue(every(60), { shards: 4, probes: false })],
  ])('%s', async (_, orders) => {
    const lanes = lanesOf('orders', 0, orders.shards ?? 1);
    const cloud = new Deployment({ orders }, { onInsert: ['orders'] });
    for (const lane of lanes) await cloud.place(lane, 'orders', { lane });
    await cloud.pass(1);
    const ofAll = (...minutes: number[]) => {
      for (const lane of lanes) expect(cloud.attemptsOf(lane)).toEqual(minutes);
    };
    ofAll(1);
    // The process is not started yet.
    cloud.deploy({ orders: external(orders) });
    await cloud.put('comes', 'orders');
    expect(cloud.item('comes')).toMatchObject({ status: 'NEW', lane: expect.stringMatching(/^orders/) });
    await cloud.pass(2 * HOUR);
    ofAll(1);
    expect(cloud.attemptsOf('comes')).toEqual([]);
    cloud.deploy({ orders: external(orders) }, running);
    await cloud.pass(1);
    ofAll(1, 122);
    expect(cloud.attemptsOf('comes')).toEqual([122]);
    cloud.deploy({ orders }, { onInsert: ['orders'] });
    await cloud.put('comes again', 'orders');
    expect(cloud.attemptsOf('comes again')).toEqual([122]);
    await cloud.pass(HOUR);
    ofAll(1, 122, 182);
    expect(cloud.attemptsOf('comes')).toEqual([122, 182]);
  });

  it.each([
    ['the function', queue(every(60)), external(queue(every(60)))],
    ['the process', external(queue(every(60))), queue(every(60))],
  ])(
    'what the last run of %s has under attempt is not attempted until its lease is over',
    async (_, before, after) => {
      const cloud = new Deployment({ orders: before }, running);
      await cloud.put('under attempt', 'orders');
      await cloud.hold('orders', ['under attempt'], 3);
      cloud.deploy({ orders: after }, running);
      await cloud.pass(3);
      expect(cloud.attempts).toEqual([]);
      await cloud.pass(2);
      // It may have been the one that ended that run: it is attempted alone.
      expect(cloud.attemptsOf('under attempt')).toEqual([4]);
    },
  );

  it('by tiers: the tier of its age attempts each record', async () => {
    const orders = byAge([5, 1], [60, 7], [240, 30]);
    const cloud = new Deployment({ orders });
    const aged = async (days: number) => {
      const at = { insertedAt: cloud.daysAgo(days), dueAt: cloud.daysAgo(days) };
      await cloud.place(`of ${days} days`, 'orders', { ...at, status: 'ERROR', attempts: 1, failures: 1 });
    };
    for (const days of [0.1, 1.05, 3, 10]) await aged(days);
    cloud.deploy({ orders: external(orders) }, running);
    await cloud.pass(4 * HOUR);
    expect(cloud.attemptsOf('of 0.1 days')).toHaveLength(48);
    expect(cloud.attemptsOf('of 1.05 days')).toEqual([60, 120, 180, 240]);
    expect(cloud.attemptsOf('of 3 days')).toEqual([60, 120, 180, 240]);
    // At minute 60 the second tier makes up for the run that was missed before.
    expect(cloud.attemptsOf('of 10 days')).toEqual([60, 240]);
    cloud.deploy({ orders });
    await cloud.pass(4 * HOUR);
    expect(cloud.attemptsOf('of 3 days')).toHaveLength(8);
    expect(cloud.attemptsOf('of 10 days')).toEqual([60, 240, 480]);
  });

  it('by tiers: the process makes up for runs of slower tiers that were missed while it was down', async () => {
    const orders = byAge([5, 1], [60, 7], [240, 30]);
    const cloud = new Deployment({ orders });
    const at = cloud.daysAgo(10);
    await cloud.place('old', 'orders', { insertedAt: at, dueAt: at });
    await cloud.pass(8 * HOUR - 1);
    cloud.deploy({ orders: external(orders) });
    await cloud.pass(1);
    cloud.deploy({ orders: external(orders) }, running);
    await cloud.pass(4 * HOUR);
    expect(cloud.attemptsOf('old')).toEqual([60, 240, 540, 720]);
  });

  it('with another retry mode: nothing is attempted for as long as a run may take', async () => {
    const cloud = new Deployment({ orders: queue(every(60)) });
    await cloud.put('r', 'orders');
    await cloud.pass(1);
    await cloud.put('due', 'orders');
    cloud.deploy({ orders: external(byAge([1, 7])) }, running);
    await cloud.pass(62);
    // The first run of the new mode is at minute 2, and a run may take 5 minutes.
    expect(cloud.attemptsOf('due').slice(0, 3)).toEqual([7, 8, 9]);
    expect(cloud.attemptsOf('r')).toEqual([1, 61, 62, 63]);
  });

  it('a record that is moved, or sent by a retryQueue, into its queue waits for the process', async () => {
    const orders = queue(every(60), { retryQueue: 'imports' });
    const imports = external(queue(every(60)));
    const cloud = new Deployment({ orders, imports });
    await cloud.put('r', 'orders');
    await cloud.put('moved', 'imports');
    await cloud.move(['moved'], 'orders');
    await cloud.put('stays', 'orders');
    await cloud.move(['stays'], 'imports');
    await cloud.pass(3 * HOUR);
    expect(cloud.attempts.map(({ id }) => id).sort()).toEqual(['moved', 'r']);
    for (const id of ['r', 'moved', 'stays'])
      expect(cloud.item(id)).toMatchObject({ queue: 'imports', lane: 'imports' });
    cloud.deploy({ orders, imports }, { processes: ['imports'] });
    await cloud.pass(1);
    expect(
      cloud.attempts
        .slice(2)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['moved', 'r', 'stays']);
  });
});
