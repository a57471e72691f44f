import { describe, expect, it } from 'vitest';
import { Done, Snooze } from '../../src/index.js';
import type { Process } from '../../src/worker/index.js';
import { fail, Harness, START, succeed, YOUNG } from './harness.js';
import { at, untilAborted, worldToCancel } from './long-lived.js';

const iso = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const again =
  (seconds: number, options: { readonly result?: unknown } = {}): Process =>
  () =>
    new Done({ ...options, again: new Date(START + seconds * 1000) });
const OF_FAILURES = ['failures', 'firstFailureAt', 'lastFailureAt', 'notReady'] as const;

describe('a record whose success has it come again', () => {
  it('counts as succeeded, and waits as a new one until then', async () => {
    const harness = new Harness();
    harness.put('a', { insertedAt: iso(-900), dueAt: iso(-900) });
    const summary = await harness.run(again(3600));
    expect(summary).toMatchObject({ attempted: 1, succeeded: 1, failed: 0, snoozed: 0, skipped: 0 });
    expect(harness.item('a')).toMatchObject({
      status: 'NEW',
      insertedAt: iso(-900),
      availableAt: iso(3600),
      dueAt: iso(3600),
      attempts: 1,
    });
    await harness.pass(3599);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0 });
    await harness.pass(1);
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
    expect(harness.item('a')).toMatchObject({ status: 'SUCCESS', attempts: 2 });
  });

  it('has no failure of before, and the whole of its limits and its age', async () => {
    const harness = new Harness();
    const retry = {
      type: 'constant',
      interval: '1m',
      jitter: 'none',
      maxAttempts: 2,
      maxAge: '10m',
    } as const;
    harness.put('a');
    for (let round = 0; round < 5; round++) {
      expect(await harness.run(fail, { retry })).toMatchObject({ failed: 1, dead: 0 });
      expect(harness.item('a')).toMatchObject({ status: 'ERROR', failures: 1 });
      await harness.pass(60);
      const next = at(harness) + 3540;
      expect(await harness.run(again(next), { retry })).toMatchObject({ succeeded: 1 });
      for (const name of OF_FAILURES) expect(harness.item('a')).not.toHaveProperty(name);
      await harness.pass(3540);
    }
    expect(harness.item('a')).toMatchObject({ status: 'NEW', attempts: 10 });
  });

  it('waits for the next full minute at least, so that no record fills its queue', async () => {
    const harness = new Harness();
    harness.put('a');
    const summary = await harness.run(again(-86_400));
    expect(summary).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(harness.item('a')).toMatchObject({ dueAt: iso(60), availableAt: iso(-86_400) });
  });

  it('keeps no result, which belongs to one end', async () => {
    const harness = new Harness();
    harness.put('a');
    await harness.run(again(60, { result: 1 }));
    await harness.pass(60);
    await harness.run(succeed);
    expect(harness.item('a')).not.toHaveProperty('result');
  });

  it('on a progressive queue begins again as a young one', async () => {
    const harness = new Harness();
    harness.put('a');
    expect(await harness.run(again(600), { band: YOUNG })).toMatchObject({ succeeded: 1 });
    for (const attempted of [0, 1, 0]) {
      await harness.pass(300);
      expect(await harness.run(again(7200), { band: YOUNG })).toMatchObject({ attempted });
    }
  });

  it('is indexed, if it has just come', async () => {
    const harness = new Harness();
    harness.store.put({ id: 'a', status: 'NEW', queue: 'q', payload: 1 });
    const arrivals = { batch: 'b', ids: ['a'] };
    expect(await harness.run(again(90), { arrivals })).toMatchObject({ succeeded: 1, leftOver: 0 });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', lane: 'q', dueAt: iso(90), insertedAt: iso(0) });
  });

  it('is no record that wait was asked for: the time of a snooze before it is over', async () => {
    const harness = new Harness();
    harness.put('a');
    await harness.run(() => new Snooze('5m'), { band: YOUNG });
    await harness.pass(300);
    await harness.run(again(660), { band: YOUNG });
    expect(harness.item('a')).not.toHaveProperty('notBefore');
  });
});

describe('a long attempt whose success has its record come again', () => {
  it('waits from its end on, and its hold is gone', async () => {
    const { world, harness } = worldToCancel();
    await world.run(async () => {
      await harness.sleep(1000);
      return new Done({ again: new Date(START + 7_200_000) });
    });
    await harness.pass(1000);
    expect(world.ended).toMatchObject([{ attempted: 1, succeeded: 1, unsettled: 0 }]);
    expect(harness.item('report')).toMatchObject({ status: 'NEW', dueAt: iso(7200), attempts: 1 });
    expect(harness.item('report')).not.toHaveProperty('notBefore');
    await harness.pass(7200 - at(harness));
    expect(await world.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('has succeeded, and does not come again, if it was cancelled meanwhile', async () => {
    const { world, harness, cancel } = worldToCancel();
    await world.run(untilAborted(() => new Done({ again: new Date(START + 86_400_000) })));
    await harness.pass(100);
    await cancel();
    await harness.pass(30);
    expect(world.ended).toMatchObject([{ attempted: 1, succeeded: 1, cancelled: 0, unsettled: 0 }]);
    expect(harness.item('report')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });
});
