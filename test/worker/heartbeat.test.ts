import { describe, expect, it } from 'vitest';
import { intercepted } from '../../src/store/bounded-store.js';
import { StoreThrottledError, StoreUnavailableError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/index.js';
import type { Process } from '../../src/worker/index.js';
import { type Methods, replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices, START } from './harness.js';

const FOR_LONG_SECONDS = 200;
const STRAGGLES_SECONDS = 150;

/** Two records: `deaf` ignores its signal, and what follows the attempt of the other one hangs. */
function atWork(options: RunChoices, hang: (harness: Harness) => BacklogStore) {
  const harness = new Harness();
  const begun: string[] = [];
  const process: Process = async ({ id }) => {
    begun.push(id);
    if (id === 'deaf') return harness.sleep(STRAGGLES_SECONDS);
    throw new Error('as always');
  };
  const store = hang(harness);
  return {
    harness,
    begun,
    first: () => harness.start(process, { attemptTimeout: 10, ...options, store }),
    another: () => harness.run(process, { attemptTimeout: 10, ...options }),
  };
}

const hangingSettle = (harness: Harness, methods: Methods = {}) =>
  replacing(
    {
      ...methods,
      records: {
        settle: async (record, change, rev) => {
          const answer = await harness.store.records.settle(record, change, rev);
          if (record.id.startsWith('other')) await harness.sleep(FOR_LONG_SECONDS);
          return answer;
        },
      },
    },
    harness.store,
  );

const hangingBreaker = (harness: Harness) =>
  replacing(
    {
      breakers: {
        set: async (...args) => {
          const answer = await harness.store.breakers.set(...args);
          await harness.sleep(FOR_LONG_SECONDS);
          return answer;
        },
      },
    },
    harness.store,
  );

/** The second request of a kind has its answer late: by then the attempt of `deaf` ignores its signal. */
const hangingBetweenPages = (name: string) => (harness: Harness) => {
  let requests = 0;
  return intercepted(harness.store, async (called, call) => {
    const answer = await call();
    if (called === name && ++requests === 2) await harness.sleep(FOR_LONG_SECONDS);
    return answer;
  });
};

describe('while DynamoDB does not answer one request between two pages', () => {
  it.each([
    ['pages.query', {}],
    ['pages.read', {}],
    ['permits.acquire', { attemptsPerSecond: 0.02 }],
  ] as const)('a record that ignores its signal stays in the hands of its run: %s', async (name, options) => {
    const { harness, begun, first, another } = atWork(
      { concurrency: 2, ...options },
      hangingBetweenPages(name),
    );
    // The ids of a page have no order: it is due before the others.
    harness.put('deaf', { dueAt: new Date(START - 60_000).toISOString() });
    for (let i = 0; i < 14; i++) harness.put(`other-${i}`);
    const running = first();
    await harness.pass(30);
    for (let seconds = 30; seconds < STRAGGLES_SECONDS; seconds += 20) {
      expect(await another()).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
      await harness.pass(20);
    }
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    await running;
    expect(begun.filter((id) => id === 'deaf')).toHaveLength(1);
    expect(harness.item('deaf')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });
});

describe('while DynamoDB does not answer one request of a page', () => {
  it.each([
    ['a settle', {}, hangingSettle],
    [
      'the state of a breaker',
      { breaker: { failureThreshold: 0.1, minimumAttempts: 1, halfOpenAfter: 5 } },
      hangingBreaker,
    ],
  ])('a record that ignores its signal stays in the hands of its run: %s', async (_, options, hang) => {
    const { harness, begun, first, another } = atWork(options, hang);
    harness.put('deaf');
    harness.put('other');
    const running = first();
    for (let seconds = 60; seconds < STRAGGLES_SECONDS; seconds += 30) {
      await harness.pass(30);
      expect(await another()).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
    }
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    await running;
    expect(begun.filter((id) => id === 'deaf')).toHaveLength(1);
    expect(harness.item('deaf')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
  });

  it('so does one that has just come', async () => {
    const arrivals = { batch: 'b', ids: ['deaf', 'other'] };
    const { harness, begun, first, another } = atWork({ arrivals }, hangingSettle);
    harness.put('deaf', { lane: undefined, dueAt: undefined });
    harness.put('other', { lane: undefined, dueAt: undefined });
    const running = first();
    for (let seconds = 60; seconds < STRAGGLES_SECONDS; seconds += 30) {
      await harness.pass(30);
      expect(await another()).toMatchObject({ attempted: 0 });
    }
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    await running;
    expect(begun.filter((id) => id === 'deaf')).toHaveLength(1);
  });

  it('a renewal that fails is repeated every second, from ten seconds before the end on', async () => {
    const refused: number[] = [];
    const { harness, begun, first, another } = atWork({}, (harness) =>
      hangingSettle(harness, {
        leases: {
          hold: async (...args) => {
            const isRefused = harness.time.now > START + 30_000 && refused.length < 4;
            if (!isRefused) return harness.store.leases.hold(...args);
            refused.push((harness.time.now - START) / 1000);
            throw new StoreUnavailableError('no answer');
          },
        },
      }),
    );
    harness.put('deaf');
    harness.put('other');
    const running = first();
    await harness.pass(100);
    expect(await another()).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    await running;
    expect(refused).toEqual([60, 61, 62, 63]);
    expect(begun.filter((id) => id === 'deaf')).toHaveLength(1);
    expect(harness.warnings).toContain('a hold could not be renewed');
  });

  it('one that ignores its signal at the end of a run is not given up for renewals that fail', async () => {
    const refused: number[] = [];
    const { harness, begun, first, another } = atWork({}, (harness) =>
      replacing(
        {
          leases: {
            hold: async (...args) => {
              const isRefused = harness.time.now > START + 30_000 && refused.length < 4;
              if (!isRefused) return harness.store.leases.hold(...args);
              refused.push((harness.time.now - START) / 1000);
              throw new StoreThrottledError('too many requests');
            },
          },
        },
        harness.store,
      ),
    );
    harness.put('deaf');
    const running = first();
    await harness.pass(100);
    expect(await another()).toMatchObject({ ended: 'leaseHeld', attempted: 0 });
    expect(await harness.time.until(running)).toMatchObject({ succeeded: 1, ended: 'drained' });
    expect(refused).toEqual([60, 61, 62, 63]);
    expect(begun).toEqual(['deaf']);
    expect(harness.warnings).toContain('a hold could not be renewed');
  });

  it('a renewal that fails by a mistake ends the run with it', async () => {
    const { harness, first } = atWork({}, (harness) =>
      hangingSettle(harness, {
        leases: {
          hold: async (...args) => {
            if (harness.time.now > START + 30_000) throw new TypeError('a mistake');
            return harness.store.leases.hold(...args);
          },
        },
      }),
    );
    harness.put('other');
    const running = first().catch((error: Error) => error.message);
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    expect(await running).toBe('a mistake');
    expect(harness.warnings).not.toContain('a hold could not be renewed');
  });

  it('a lease that is lost is not asked for again and again', async () => {
    let asked = 0;
    const { harness, first } = atWork({}, (harness) =>
      hangingSettle(harness, {
        leases: {
          hold: async (...args) => {
            if (harness.time.now < START + 30_000) return harness.store.leases.hold(...args);
            if (++asked > 10) throw new TypeError('asked for too often');
            return { held: false, lease: undefined };
          },
        },
      }),
    );
    harness.put('other');
    const running = first();
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    expect(await running).toMatchObject({ attempted: 1 });
    expect(asked).toBe(1);
  });

  it('an outcome is given up with the lease: another run may have the record then', async () => {
    const { harness, first } = atWork({}, (harness) =>
      replacing(
        {
          records: { settle: () => Promise.reject(new StoreUnavailableError('no answer')) },
          leases: {
            hold: async (...args) => {
              if (harness.time.now > START) throw new StoreUnavailableError('no answer');
              return harness.store.leases.hold(...args);
            },
          },
        },
        harness.store,
      ),
    );
    harness.put('other');
    expect(await harness.time.until(first())).toMatchObject({ unsettled: 1, ended: 'storeError' });
    expect(harness.time.now).toBeGreaterThanOrEqual(START + 60_000);
    expect(harness.time.now).toBeLessThan(START + 70_000);
  });

  it('no other attempt of the page starts under a renewed lease: the page is read again', async () => {
    const { harness, begun, first } = atWork({ concurrency: 2, attemptTimeout: 1 }, hangingSettle);
    const earlier = { dueAt: new Date(START - 60_000).toISOString() };
    // The limit of outcomes on their way to the store, with which further attempts begin.
    const others = Array.from({ length: 50 }, (_, i) => `other-${i}`);
    for (const id of ['deaf', ...others]) harness.put(id, earlier);
    harness.put('last');
    const running = first();
    await harness.pass(120);
    const { lane, dueAt, ...last } = harness.item('last');
    harness.store.put({ ...last, status: 'SUCCESS', rev: 'by somebody else' });
    await harness.pass(FOR_LONG_SECONDS + STRAGGLES_SECONDS);
    await running;
    expect(begun.toSorted()).toEqual(['deaf', ...others].toSorted());
  });

  it('a renewal leaves no doubt about the records that were settled before it, if the run is lost', async () => {
    const { harness, begun, first, another } = atWork({}, (harness) =>
      hangingSettle(harness, {
        leases: {
          hold: async (...args) => {
            if (harness.time.now > START + 100_000) return new Promise(() => {});
            return harness.store.leases.hold(...args);
          },
        },
      }),
    );
    harness.put('deaf');
    harness.put('other');
    void first();
    await harness.pass(145);
    expect(await another()).toMatchObject({ ended: 'drained' });
    expect(harness.item('deaf')).toMatchObject({ status: 'SUCCESS' });
    expect(begun).toEqual(['deaf', 'other', 'deaf', 'other']);
  });
});
