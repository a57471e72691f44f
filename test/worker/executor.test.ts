import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { RecordStore } from '../../src/store/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START } from './harness.js';

const WRITE_SECONDS = 2;
/** Outcomes that may be on their way to the store while further attempts begin. */
const MAX_UNWRITTEN = 50;

/** A store whose writes of outcomes take a while; the time at which each attempt begins and each write ends is noted. */
function slowSettles(
  harness: Harness,
  settle: RecordStore['settle'] = harness.store.records.settle.bind(harness.store.records),
) {
  const events: string[] = [];
  const seconds = () => (harness.time.now - START) / 1000;
  const store = replacing(
    {
      records: {
        settle: async (...args) => {
          await harness.sleep(WRITE_SECONDS);
          const answer = await settle(...args);
          events.push(`${args[0].id} written at ${seconds()}`);
          return answer;
        },
      },
    },
    harness.store,
  );
  const process = async ({ id }: { readonly id: string }) => {
    events.push(`${id} begun at ${seconds()}`);
    await harness.sleep(1);
  };
  return { events, store, process };
}

const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `r${i}`);

describe('the write of an outcome', () => {
  it('does not keep the next attempt from its beginning, and the page waits for it', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    const { events, store, process } = slowSettles(harness);
    const summary = await harness.run(process, { concurrency: 1, store });
    expect(summary).toMatchObject({ attempted: 2, succeeded: 2, ended: 'drained' });
    const [first, second] = events[0]?.startsWith('a') ? ['a', 'b'] : ['b', 'a'];
    expect(events).toEqual([
      `${first} begun at 0`,
      `${second} begun at 1`,
      `${first} written at 3`,
      `${second} written at 4`,
    ]);
  });

  it('keeps further attempts back once fifty are on their way: a crash repeats no more', async () => {
    const harness = new Harness();
    const ids = idsOf(MAX_UNWRITTEN + 20);
    for (const id of ids) harness.put(id);
    let [unwritten, most] = [0, 0];
    const store = replacing(
      {
        records: {
          settle: async (...args) => {
            most = Math.max(most, ++unwritten);
            await harness.sleep(WRITE_SECONDS);
            unwritten--;
            return harness.store.records.settle(...args);
          },
        },
      },
      harness.store,
    );
    const options = { concurrency: 10, attemptTimeout: 5, store };
    expect(await harness.run(async () => {}, options)).toMatchObject({ succeeded: ids.length });
    expect(most).toBeGreaterThanOrEqual(MAX_UNWRITTEN);
    expect(most).toBeLessThan(MAX_UNWRITTEN + 10);
  });

  it('that fails ends the run: the attempts under way are settled, and no further one begins', async () => {
    const harness = new Harness();
    for (const id of idsOf(20)) harness.put(id);
    const { events, store, process } = slowSettles(harness, () =>
      Promise.reject(new StoreUnavailableError('no answer')),
    );
    const summary = await harness.run(process, { concurrency: 2, store });
    expect(summary).toMatchObject({ ended: 'storeError', succeeded: 0 });
    expect(summary.unsettled).toBe(events.length);
  });

  it('keeps its record in the journal while it has no answer, and the others out of it', async () => {
    const harness = new Harness();
    for (const id of ['a', 'b']) harness.put(id);
    let writes = 0;
    let slow = '';
    const renewed: (readonly string[])[] = [];
    const store = replacing(
      {
        records: {
          settle: async (...args) => {
            const isSlow = ++writes === 2;
            if (isSlow) slow = args[0].id;
            await harness.sleep(isSlow ? 120 : 1);
            return harness.store.records.settle(...args);
          },
        },
        leases: {
          hold: (key, hold) => {
            renewed.push(hold.ids);
            return harness.store.leases.hold(key, hold);
          },
        },
      },
      harness.store,
    );
    const summary = await harness.run(async () => {}, { concurrency: 1, attemptTimeout: 5, store });
    expect(summary).toMatchObject({ succeeded: 2 });
    expect(renewed.length).toBeGreaterThan(1);
    expect(renewed.at(-1)).toEqual([slow]);
  });

  it('is followed by what its guards note, and a mistake there ends the run as well', async () => {
    const harness = new Harness();
    harness.put('a');
    const store = replacing(
      { breakers: { set: () => Promise.reject(new TypeError('a mistake')) } },
      harness.store,
    );
    const breaker = { failureThreshold: 0.1, minimumAttempts: 1, halfOpenAfter: 5 };
    const fails = () => Promise.reject(new Error('503'));
    await expect(harness.run(fails, { store, breaker })).rejects.toThrow('a mistake');
  });

  it('of an attempt that a mistake in our own code breaks ends the run with that', async () => {
    const harness = new Harness();
    harness.put('a');
    const { store, process } = slowSettles(harness, () => Promise.reject(new TypeError('a mistake')));
    await expect(harness.run(process, { store })).rejects.toThrow('a mistake');
  });
});

it('a mistake in a guard ends a run on arrival only when what is under attempt has ended', async () => {
  const harness = new Harness();
  const ids = ['a', 'b'];
  for (const id of ids) harness.store.put({ id, status: 'NEW', queue: 'q', payload: {} });
  const events: string[] = [];
  let permits = 0;
  const store = replacing(
    {
      permits: {
        acquire: (...args) => {
          if (++permits > 1) throw new TypeError('a mistake');
          return harness.store.permits.acquire(...args);
        },
      },
      claims: {
        release: (...args) => {
          events.push('released');
          return harness.store.claims.release(...args);
        },
      },
    },
    harness.store,
  );
  const process = async () => {
    await harness.sleep(20);
    events.push('ended');
  };
  const arrivals = { batch: 'b', ids };
  const run = harness.run(process, { store, arrivals, attemptsPerSecond: 0.2 });
  await expect(run).rejects.toThrow('a mistake');
  expect(events).toEqual(['ended', 'released']);
});
