import { describe, expect, it } from 'vitest';
import type { WorkedQueue } from '../../../tools/src/work/queues.js';
import { sweepDaily } from '../../../tools/src/work/sweep.js';
import { deployed, QUEUES } from './ordered.js';

describe('workers on a queue with order', () => {
  it('attempt the records of a key one after another, by their numbers, over failures', async () => {
    const { world, witness, begun, work, come } = deployed();
    for (let i = 0; i < 3; i++) work(({ id }, attempt) => (id === 'a2' && attempt < 3 ? -1 : 2));
    come('a', 3, 1, 2);
    come('b', 2, 4, 3, 1);
    await world.pass(300);
    expect(world.statuses()).toEqual({ SUCCESS: 7 });
    expect(begun.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a2', 'a2', 'a3']);
    expect(witness.violations).toEqual([]);
  });

  it('do so with attempts that take long, whatever operators do to those that wait', async () => {
    const { world, witness, work, come, operator } = deployed();
    for (let i = 0; i < 2; i++) work(() => 200, 600);
    come('a', 1, 2, 3);
    await world.pass(30);
    await operator.runNow(['a2', 'a3']);
    await world.pass(60);
    await operator.snooze(['a3'], { delay: 10 });
    await world.pass(800);
    expect(world.statuses()).toEqual({ SUCCESS: 3 });
    expect(witness.violations).toEqual([]);
  });

  it('attempt no other record of a key while a long attempt of a deleted one may go on', async () => {
    const { world, witness, begun, work, come } = deployed();
    for (let i = 0; i < 2; i++) work(() => 300, 600);
    come('a', 1, 2);
    await world.pass(60);
    expect(begun).toEqual(['a1']);
    world.memory.delete('a1');
    await world.pass(1_500);
    expect(begun).toEqual(['a1', 'a2']);
    expect(world.statuses()).toEqual({ SUCCESS: 1 });
    expect(witness.violations).toEqual([]);
  });

  it('with a sweep of their own keep to the order, and find what the intake was not notified of', async () => {
    const { world, witness, work, come, cloud } = deployed();
    const stop = new AbortController();
    work(() => 2);
    const { wrote } = cloud;
    cloud.wrote = () => {};
    come('a', 1, 2, 3);
    await world.pass(60);
    expect(world.statuses()).toEqual({ NEW: 3 });
    cloud.wrote = wrote;
    const swept = sweepDaily([{ name: 'orders', weight: 1, settings: QUEUES.orders } as WorkedQueue], {
      ...{ store: world.memory, clock: world.clock, random: world.random, stop: stop.signal },
      log: { debug() {}, info() {}, warn() {}, error() {} },
      health: { sweepEnds() {}, sweepFails() {} },
    });
    await world.pass(7_200);
    stop.abort();
    await swept.catch(() => {});
    expect(world.statuses()).toEqual({ SUCCESS: 3 });
    expect(witness.violations).toEqual([]);
  });

  it('that do not know of the order would attempt what operators put into the index', async () => {
    const { world, witness, work, come, operator } = deployed({ orders: { retryMode: 'perRecord' } });
    for (let i = 0; i < 2; i++) work(() => 200, 600);
    come('a', 1, 2);
    await world.pass(60);
    await operator.runNow(['a2']);
    await world.pass(60);
    expect(witness.violations).not.toEqual([]);
  });
});
