import { describe, expect, it, vi } from 'vitest';
import { lanesOf } from '../../src/record/index.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { START, succeed, YOUNG } from './harness.js';
import { at, LongLived } from './long-lived.js';

const HOUR = 3_600;

describe('an attempt of hours', () => {
  it('goes on without its run, keeps no other record waiting, and is attempted once', async () => {
    const world = new LongLived();
    const { harness } = world;
    harness.put('report');
    const work = world.working((id) => (id === 'report' ? 3 * HOUR : 1));
    expect(await world.run(work)).toMatchObject({ ended: 'drained', attempted: 0 });
    expect(at(harness)).toBe(30);
    expect(harness.item('report')).toMatchObject({ status: 'NEW', notBefore: { until: expect.any(String) } });
    harness.put('small');
    expect(await world.run(work)).toMatchObject({ ended: 'drained', succeeded: 1 });
    const looks = await world.watched(3 * HOUR + 60, succeed, { everySeconds: 100 });
    expect(looks.every(({ attempted, skipped }) => attempted === 0 && skipped === 0)).toBe(true);
    expect(world.spans.filter(({ id }) => id === 'report')).toEqual([
      { id: 'report', from: 0, to: 3 * HOUR },
    ]);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
    expect(harness.item('report')).not.toHaveProperty('notBefore');
    expect(harness.item('report')).toMatchObject({ attempts: 1 });
    expect(world.ended).toMatchObject([{ attempted: 1, succeeded: 1, ended: 'drained', queue: 'q' }]);
  });

  it('of a progressive queue is not attempted by the rule of another tier, nor its own', async () => {
    const world = new LongLived();
    const { harness } = world;
    const second = { number: 2, every: 300, fromAge: 86_400, untilAge: 7 * 86_400, last: true };
    harness.put('old', { insertedAt: new Date(START - (86_400 - 60) * 1000).toISOString() });
    await world.run(
      world.working(() => HOUR),
      { band: YOUNG },
    );
    const attempted: string[] = [];
    const other: Process = ({ id }) => void attempted.push(id);
    await world.watched(900, other, { band: second });
    await world.watched(900, other, { band: YOUNG });
    expect(attempted).toEqual([]);
    await harness.pass(HOUR);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('has its own time limit, after which it is a failure', async () => {
    const world = new LongLived();
    world.harness.put('report');
    await world.run(
      world.working(() => 2 * HOUR),
      { attemptTimeout: HOUR },
    );
    await world.harness.pass(2 * HOUR);
    expect(world.spans).toEqual([{ id: 'report', from: 0, to: HOUR, aborted: HOUR }]);
    expect(world.harness.item('report')).toMatchObject({
      status: 'ERROR',
      failures: 1,
      lastError: { name: 'AttemptTimeout' },
    });
  });

  it('takes one of the attempts at once of its run, which leaves the rest', async () => {
    const world = new LongLived();
    for (let i = 0; i < 5; i++) world.harness.put(`r${i}`);
    const summary = await world.run(
      world.working(() => HOUR),
      { concurrency: 2 },
    );
    expect(summary).toMatchObject({ ended: 'concurrencyLimited' });
    expect(world.spans).toHaveLength(2);
    expect(world.underWay).toBe(2);
    expect(at(world.harness)).toBeLessThan(60);
  });

  it('holds up no run of several lanes, where all attempts at once are as long', async () => {
    const world = new LongLived();
    const lanes = lanesOf('q', 0, 2);
    for (const lane of lanes) for (let i = 0; i < 5; i++) world.harness.put(`${lane}-${i}`, { lane });
    const summary = await world.run(
      world.working(() => HOUR),
      { lanes, shards: 2, concurrency: 2 },
    );
    expect(summary).toMatchObject({ ended: 'concurrencyLimited', leftOver: 8 });
    expect(world.spans).toHaveLength(2);
    expect(at(world.harness)).toBeLessThan(60);
  });

  it('is told to end once its process is, after the grace, and is due again at once', async () => {
    const world = new LongLived();
    const stop = new AbortController();
    world.harness.put('report');
    await world.run(
      world.working(() => HOUR),
      { stop: stop.signal },
    );
    await world.harness.pass(600);
    stop.abort();
    await world.harness.pass(10);
    expect(world.ended).toMatchObject([{ snoozed: 1, failed: 0 }]);
    expect(world.harness.item('report')).toMatchObject({ status: 'NEW', attempts: 1 });
    expect(await world.run(succeed)).toMatchObject({ succeeded: 1 });
  });

  it('that ignores its signal is no failure when its process is told to end', async () => {
    const world = new LongLived();
    const stop = new AbortController();
    world.harness.put('report');
    await world.run(
      world.working(() => 2 * HOUR, false),
      { stop: stop.signal, attemptTimeout: 600 },
    );
    await world.harness.pass(1_200);
    expect(world.ended).toEqual([]);
    stop.abort();
    await world.harness.pass(10);
    expect(world.ended).toMatchObject([{ snoozed: 1, failed: 0 }]);
    expect(world.harness.item('report')).toMatchObject({ status: 'NEW', attempts: 1 });
    expect(world.harness.item('report')).not.toHaveProperty('failures');
  });

  it.each([
    ['goes on when its queue is transferred: the new owner leaves the record alone', 'notOwner', HOUR],
    ['is told to end when its region is passive', 'passiveRegion', 625],
  ] as const)('%s', async (_, why, endsAt) => {
    const world = new LongLived();
    const { harness } = world;
    harness.put('report');
    const ownershipConflict = async () => (at(harness) < 600 ? undefined : why);
    const isPassive = async () => (await ownershipConflict()) === 'passiveRegion';
    await world.run(
      world.working(() => HOUR),
      { ownershipConflict, isPassive },
    );
    const looks = await world.watched(560);
    expect(looks.every(({ attempted, skipped }) => attempted === 0 && skipped === 0)).toBe(true);
    await harness.pass(HOUR);
    const [span] = world.spans;
    expect(span?.to).toBeGreaterThanOrEqual(endsAt - 25);
    expect(span?.to).toBeLessThanOrEqual(endsAt);
    expect(span?.aborted === undefined).toBe(why === 'notOwner');
  });

  it('costs no write before half a minute is over', async () => {
    const world = new LongLived();
    const { harness } = world;
    let settles = 0;
    const store = replacing(
      {
        records: {
          settle: (...args) => {
            settles++;
            return harness.store.records.settle(...args);
          },
        },
      },
      harness.store,
    );
    for (let i = 0; i < 10; i++) harness.put(`r${i}`);
    await world.run(
      world.working(() => 29),
      { store },
    );
    expect(settles).toBe(10);
    expect(harness.statuses()).toEqual({ SUCCESS: 10 });
  });

  it('leaves no listener on the signal of its process, nor does a short one', async () => {
    const world = new LongLived();
    const { harness } = world;
    const stop = new AbortController();
    const any = vi.spyOn(AbortSignal, 'any');
    let listeners = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    stop.signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => {
      listeners++;
      addEventListener.apply(stop.signal, args);
    };
    stop.signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => {
      listeners--;
      removeEventListener.apply(stop.signal, args);
    };
    for (let i = 0; i < 30; i++) harness.put(`r${i}`);
    const isLong = (id: string) => id === 'r7' || id === 'r8';
    const listening = world.working((id) => (isLong(id) ? HOUR : 1));
    // One ignores its signal.
    const deaf = world.working(() => HOUR, false);
    const process: Process = (record, context) => (record.id === 'r9' ? deaf : listening)(record, context);
    await world.run(process, { stop: stop.signal, attemptTimeout: 600 });
    await harness.pass(2 * HOUR);
    expect(world.ended).toHaveLength(3);
    expect(listeners).toBe(0);
    // Each of them would stay on a signal that lives for months.
    expect(any).not.toHaveBeenCalled();
    any.mockRestore();
  });
});
