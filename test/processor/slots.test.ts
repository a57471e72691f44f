import { describe, expect, test } from 'vitest';
import type { Process } from '../../src/processor/index.js';
import { StoreUnavailableError } from '../../src/store/errors.js';
import { replacing } from '../simulation/sabotage.js';
import { Harness, succeed, YOUNG } from './harness.js';

describe('a queue with a limit for the attempts of all its runs', () => {
  test('never has more of them under way, whoever makes them', async () => {
    const harness = new Harness();
    const ids = Array.from({ length: 60 }, (_, i) => `n${i}`);
    for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
    for (let i = 0; i < 60; i++) harness.put(`r${i}`);
    let [now, most] = [0, 0];
    const slow: Process = async () => {
      most = Math.max(most, ++now);
      await harness.sleep(1);
      now--;
    };
    const choices = { maxConcurrency: 8, concurrency: 6, way: 'progressive' } as const;
    const batches = [0, 20, 40].map((from) => ({ batch: `b${from}`, ids: ids.slice(from, from + 20) }));
    const runs = [
      harness.start(slow, { ...choices, band: YOUNG }),
      ...batches.map((arrivals) => harness.start(slow, { ...choices, arrivals })),
    ];
    const [byRule, ...onArrival] = await harness.time.until(Promise.all(runs));
    expect(most).toBe(8);
    expect(byRule).toMatchObject({ ended: 'drained' });
    expect(onArrival.map(({ ended }) => ended).sort()).toEqual(['crowded', 'crowded', 'drained']);
    // What found no room has its place in the index now.
    await harness.pass(300);
    await harness.run(succeed, { ...choices, band: YOUNG });
    expect(harness.statuses()).toEqual({ SUCCESS: 120 });
  });

  test('lets a run of a rule end that finds no room; the next one comes in a minute', async () => {
    const harness = new Harness();
    harness.put('r');
    const ask = { run: 'other', wanted: 8, most: 8, onArrival: false };
    await harness.store.takeSlots('q', {
      ...ask,
      now: harness.clock.wall(),
      until: harness.clock.wall() + 9_000,
    });
    expect(await harness.run(succeed, { maxConcurrency: 8 })).toMatchObject({
      attempted: 0,
      ended: 'crowded',
    });
    await harness.pass(10);
    expect(await harness.run(succeed, { maxConcurrency: 8 })).toMatchObject({ succeeded: 1 });
  });

  test('asks for its attempts until it is over on any clock, and takes none that it was not given', async () => {
    const harness = new Harness();
    harness.put('r');
    const asks: unknown[] = [];
    const given: string[] = [];
    const store = replacing(
      {
        takeSlots: async (_, { until }) => {
          asks.push((until - harness.clock.wall()) / 1000);
          return 0;
        },
        releaseSlots: async (_, run) => void given.push(run),
      },
      harness.store,
    );
    expect(await harness.run(succeed, { maxConcurrency: 8, store })).toMatchObject({ ended: 'crowded' });
    expect(asks).toEqual([305]);
    expect(given).toEqual([]);
  });

  test('is done although its attempts cannot be given back', async () => {
    const harness = new Harness();
    harness.put('r');
    const releaseSlots = () => Promise.reject(new StoreUnavailableError('no answer'));
    const store = replacing({ releaseSlots }, harness.store);
    expect(await harness.run(succeed, { maxConcurrency: 1, store })).toMatchObject({ succeeded: 1 });
    expect(harness.warnings).toEqual(['attempts at a time could not be given back']);
  });

  test('gives the attempts of a run back whose store failed', async () => {
    const harness = new Harness();
    harness.put('r');
    const store = new Proxy(harness.store, {
      get: (target, name) =>
        name === 'queryDue'
          ? () => Promise.reject(new StoreUnavailableError('no answer'))
          : Reflect.get(target, name).bind(target),
    });
    expect(await harness.run(succeed, { maxConcurrency: 1, store })).toMatchObject({ ended: 'storeTrouble' });
    expect(await harness.run(succeed, { maxConcurrency: 1 })).toMatchObject({ succeeded: 1 });
  });
});
