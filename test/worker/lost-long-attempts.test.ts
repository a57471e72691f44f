import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { START, succeed } from './harness.js';
import { at, LongLived } from './long-lived.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describe('the process of a long attempt', () => {
  it('was lost: its record comes due within 75 seconds of the last word, as a failure, and blocks no lane', async () => {
    const world = new LongLived();
    const { harness } = world;
    let isLost = false;
    const store = replacing(
      {
        records: {
          settle: (...args) => (isLost ? new Promise(() => {}) : harness.store.records.settle(...args)),
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => DAY),
      { store },
    );
    await harness.pass(600);
    isLost = true;
    harness.put('other');
    // Another process is at work at once: the lane is free.
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
    const attempted: string[] = [];
    const other: Process = ({ id }) => void attempted.push(`${id} ${at(harness)}`);
    await world.watched(100, other);
    expect(attempted).toEqual([]);
    expect(harness.item('report')).toMatchObject({ failures: 1, lastError: { name: 'WorkerLost' } });
    expect(harness.item('report')).not.toHaveProperty('notBefore');
    await world.watched(100, other);
    expect(attempted).toHaveLength(1);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
  });

  it('reaches no DynamoDB: the attempt is told to end before another run may take its record', async () => {
    const world = new LongLived();
    const { harness } = world;
    let isDown = false;
    const store = replacing(
      {
        records: {
          settle: (...args) =>
            isDown
              ? Promise.reject(new StoreUnavailableError('down'))
              : harness.store.records.settle(...args),
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => DAY),
      { store },
    );
    await harness.pass(300);
    isDown = true;
    const downAt = at(harness);
    const taken: number[] = [];
    await world.watched(200, () => void taken.push(at(harness)));
    const [span] = world.spans;
    expect(span?.aborted).toBeLessThan(downAt + 75);
    expect(span?.to).toBeLessThan(taken[0] ?? 0);
    expect(world.ended).toEqual([]);
    // The outcome is tried for ten minutes.
    await harness.pass(600);
    expect(world.ended).toMatchObject([{ unsettled: 1 }]);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it.each([
    ['just before its end', 595],
    ['since the last renewal', 605],
    ['between its last renewal and its end', 607],
  ])('reaches no DynamoDB for three minutes, %s: its success is written all the same', async (_, downAt) => {
    const world = new LongLived();
    const { harness } = world;
    const isDown = () => at(harness) >= downAt && at(harness) < downAt + 180;
    const store = replacing(
      {
        records: {
          settle: (...args) =>
            isDown()
              ? Promise.reject(new StoreUnavailableError('down'))
              : harness.store.records.settle(...args),
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => 620),
      { store },
    );
    await harness.pass(1_000);
    expect(world.spans).toEqual([{ id: 'report', from: 0, to: 620 }]);
    expect(world.ended).toMatchObject([{ succeeded: 1, unsettled: 0 }]);
    expect(harness.item('report')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });

  it('ends its attempt while the answer of a renewal is lost: its success is written', async () => {
    const world = new LongLived();
    const { harness } = world;
    const store = replacing(
      {
        records: {
          settle: async (...args) => {
            const answer = await harness.store.records.settle(...args);
            // The renewal of 80 s, and its repetitions for as long as it holds; the attempt ends at 81 s.
            const isLost = at(harness) >= 80 && at(harness) < 125 && args[1].set.notBefore;
            if (isLost) throw new StoreUnavailableError('the answer was lost');
            return answer;
          },
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => 81),
      { store },
    );
    await harness.pass(100);
    expect(world.ended).toMatchObject([{ succeeded: 1, unsettled: 0 }]);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('is to end while DynamoDB is out of reach: it does not wait for long', async () => {
    const world = new LongLived();
    const { harness } = world;
    const stop = new AbortController();
    let isDown = false;
    const store = replacing(
      {
        records: {
          settle: (...args) =>
            isDown
              ? Promise.reject(new StoreUnavailableError('down'))
              : harness.store.records.settle(...args),
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => 200),
      { store, stop: stop.signal },
    );
    isDown = true;
    await harness.pass(300);
    expect(world.ended).toEqual([]);
    stop.abort();
    await harness.pass(10);
    expect(world.ended).toMatchObject([{ unsettled: 1 }]);
  });

  it('was frozen for five minutes: its attempt is told to end, and what another run wrote stays', async () => {
    const world = new LongLived();
    const { harness } = world;
    let thawed = () => {};
    const thaw = new Promise<void>((resolve) => {
      thawed = resolve;
    });
    let isFrozen = false;
    const store = replacing(
      {
        records: {
          settle: async (...args) => {
            if (isFrozen) await thaw;
            return harness.store.records.settle(...args);
          },
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => HOUR),
      { store },
    );
    await harness.pass(100);
    isFrozen = true;
    await harness.pass(100);
    expect(await harness.run(succeed)).toMatchObject({ attempted: 0, failed: 1 });
    await harness.pass(200);
    thawed();
    await harness.pass(60);
    expect(world.spans[0]?.aborted).toBeDefined();
    expect(world.ended).toMatchObject([{ succeeded: 0, unsettled: 1 }]);
    expect(harness.item('report')).toMatchObject({ status: 'ERROR', lastError: { name: 'WorkerLost' } });
  });

  it('was lost at the last attempt of its record: that is dead, for the reason of its policy', async () => {
    const world = new LongLived();
    const { harness } = world;
    const until = new Date(START).toISOString();
    harness.put('report', { status: 'ERROR', attempts: 2, failures: 2, notBefore: { until } });
    await harness.pass(1);
    const retry = { type: 'constant', interval: 60, maxAttempts: 3 } as const;
    expect(await harness.run(succeed, { retry })).toMatchObject({ attempted: 0 });
    expect(harness.item('report')).toMatchObject({
      ...{ status: 'DEAD', deadReason: 'maxAttempts', attempts: 3, failures: 3 },
      lastError: { name: 'WorkerLost' },
    });
  });

  it('finds its record replaced by the producer: it is told to end, and its outcome is not written', async () => {
    const world = new LongLived();
    const { harness } = world;
    harness.put('report');
    await world.run(world.working(() => DAY));
    await harness.pass(100);
    harness.put('report', { payload: { second: true }, rev: 'second' });
    await harness.pass(60);
    expect(world.spans[0]?.aborted).toBeLessThanOrEqual(130 + 30);
    expect(world.ended).toMatchObject([{ unsettled: 1 }]);
    expect(harness.item('report')).toMatchObject({ payload: { second: true } });
    expect(harness.item('report')).not.toHaveProperty('attempts');
  });

  it.each([
    ['while it is renewed', 100],
    ['after the last renewal', 190],
  ])(
    'finds its record changed by hand %s: the change is attempted at once, and no failure is counted',
    async (_, after) => {
      const world = new LongLived();
      const { harness } = world;
      harness.put('report');
      await world.run(world.working(() => 195));
      await harness.pass(after - 30);
      harness.store.put({ ...harness.item('report'), payload: { second: true }, queue: 'q' });
      await harness.pass(200 - after);
      expect(world.ended).toMatchObject([{ succeeded: 0, unsettled: 1 }]);
      expect(harness.item('report')).toMatchObject({ payload: { second: true }, status: 'NEW' });
      expect(harness.item('report')).not.toHaveProperty('notBefore');
      const payloads: unknown[] = [];
      await world.run(({ payload }) => void payloads.push(payload));
      expect(payloads).toEqual([{ second: true }]);
      expect(harness.item('report')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
      expect(harness.item('report')).not.toHaveProperty('failures');
    },
  );

  it('writes again what has no answer, and does not take its own write for that of another', async () => {
    const world = new LongLived();
    const { harness } = world;
    let lost = 3;
    const store = replacing(
      {
        records: {
          settle: async (...args) => {
            const answer = await harness.store.records.settle(...args);
            if (lost-- > 0) throw new StoreUnavailableError('the answer was lost');
            return answer;
          },
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => HOUR),
      { store },
    );
    await harness.pass(HOUR);
    expect(world.spans).toEqual([{ id: 'report', from: 0, to: HOUR }]);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('is the process of a queue with a limit of all runs: that is an error', async () => {
    const world = new LongLived();
    world.harness.put('report');
    await expect(world.run(succeed, { globalConcurrency: 3 })).rejects.toThrow(
      /globalConcurrency: expected nothing where an attempt may take more than 60 s/,
    );
  });
});
