import { describe, expect, it } from 'vitest';
import { OWN_BREAKERS, sharedBreakerOf } from '../../src/store/buckets.js';
import type { BacklogStore } from '../../src/store/index.js';
import type { BreakerMemory, Process } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START, succeed } from './harness.js';

const MINIMUM_ATTEMPTS = 4;
const BREAKER = { failureThreshold: 0.5, minimumAttempts: MINIMUM_ATTEMPTS, halfOpenAfter: 50 };
const RECORDS_EACH = 8;
const MINUTES = 4;
/** The long tests have 500. */
const MANY = 500;
const CHOICES = { breaker: BREAKER, destination: toOf };

function toOf({ payload }: { payload: unknown }): string {
  return (payload as { to: string }).to;
}

/** So many records for each destination, in turns. */
function customers(names: readonly string[], recordsEach = RECORDS_EACH): Harness {
  const harness = new Harness();
  for (let i = 0; i < recordsEach; i++) {
    for (const [n, to] of names.entries()) {
      const dueAt = new Date(START - 1_000_000 + i * names.length + n).toISOString();
      harness.put(`${n}-${i}`, { payload: { to }, dueAt });
    }
  }
  return harness;
}

/** The failures counted against records, by destination. */
function failuresOf(harness: Harness): Map<string, number> {
  const failures = new Map<string, number>();
  for (const item of harness.store.items()) {
    const to = toOf({ payload: item.payload });
    failures.set(to, (failures.get(to) ?? 0) + Number(item.failures ?? 0));
  }
  return failures;
}

function successesOf(harness: Harness, to: string): number {
  return harness.store
    .items()
    .filter(({ status, payload }) => status === 'SUCCESS' && toOf({ payload }) === to).length;
}

const namesOf = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${kind}-${i}`);
const failWhereDead: Process = (record) => {
  if (toOf(record).startsWith('dead')) throw new Error('connection refused');
};

/** A run every minute, each by a process that knows nothing of the one before. */
async function minutes(harness: Harness, count: number, store: BacklogStore = harness.store) {
  for (let minute = 0; minute < count; minute++) {
    await harness.run(failWhereDead, { ...CHOICES, store });
    await harness.pass(60);
  }
}

/** Opens the breakers of as many others as have room in their queue's item. */
async function fill(harness: Harness): Promise<void> {
  for (const name of namesOf('other', OWN_BREAKERS)) {
    const open = { until: START + 86_400_000, since: START, token: name };
    await harness.store.setBreaker('q', name, open, undefined);
  }
}

describe('more destinations that fail than their queue’s item has room for', () => {
  it.each([60, MANY])(
    '%i of them: each is attempted until its breaker opens, and by one probe a minute after that',
    async (dead) => {
      const harness = customers([...namesOf('dead', dead), ...namesOf('good', 10)]);
      await minutes(harness, MINUTES);
      const failures = [...failuresOf(harness)].filter(([to]) => to.startsWith('dead'));
      // Of a few that share a breaker, one makes the probe for the other.
      for (const [, count] of failures) expect(count).toBeLessThanOrEqual(MINIMUM_ATTEMPTS + MINUTES - 1);
      const sum = failures.reduce((total, [, count]) => total + count, 0);
      expect(sum).toBeGreaterThan(0.99 * dead * (MINIMUM_ATTEMPTS + MINUTES - 1));
      for (const to of namesOf('good', 10)) expect(successesOf(harness, to)).toBe(RECORDS_EACH);
      expect((await harness.store.readQueue('q')).breakers.size).toBe(OWN_BREAKERS);
    },
  );

  it('without the shared ones, all records of the others have all their attempts', async () => {
    const harness = customers(namesOf('dead', 60));
    const setBreaker: BacklogStore['setBreaker'] = async (queue, to, next, read) => {
      const { breakers } = await harness.store.readQueue(queue);
      if (!breakers.has(to) && breakers.size >= OWN_BREAKERS) return false;
      return harness.store.setBreaker(queue, to, next, read);
    };
    const store = replacing({ setBreaker, readSharedBreaker: async () => undefined }, harness.store);
    await minutes(harness, MINUTES, store);
    const most = Math.max(...failuresOf(harness).values());
    expect(most).toBeGreaterThan(2 * RECORDS_EACH);
  });

  it('one that works and shares a breaker with one that does not is attempted whenever its record makes the probe', async () => {
    const dead = 'dead-0';
    let good = 0;
    while (sharedBreakerOf(`good-${good}`) !== sharedBreakerOf(dead)) good++;
    const harness = customers([dead, `good-${good}`]);
    await fill(harness);
    await minutes(harness, 20);
    expect(successesOf(harness, `good-${good}`)).toBe(RECORDS_EACH);
    expect(successesOf(harness, dead)).toBe(0);
  });

  it('a shared one closes when its destination works again', async () => {
    const harness = customers(['dead-0']);
    await fill(harness);
    await harness.run(failWhereDead, CHOICES);
    expect(await harness.store.readSharedBreaker('q', 'dead-0')).toMatchObject({ since: START });
    await harness.pass(51);
    await harness.run(succeed, CHOICES);
    expect(await harness.store.readSharedBreaker('q', 'dead-0')).toBeUndefined();
    await harness.pass(60);
    await harness.run(succeed, CHOICES);
    expect(harness.statuses()).toEqual({ SUCCESS: RECORDS_EACH });
  });

  it('one that no record has come to for a day makes room', async () => {
    const harness = customers(['dead-0']);
    await fill(harness);
    await harness.pass(2 * 86_400 + 1);
    await harness.run(failWhereDead, CHOICES);
    const { breakers } = await harness.store.readQueue('q');
    expect(breakers.size).toBe(OWN_BREAKERS);
    expect(breakers.has('dead-0')).toBe(true);
  });

  it('the shared breaker of a destination is read once for a page, and none while few are open', async () => {
    const harness = customers(['dead-0', 'good-0'], 5);
    const asked: string[] = [];
    const readSharedBreaker: BacklogStore['readSharedBreaker'] = (queue, to) => {
      asked.push(to);
      return harness.store.readSharedBreaker(queue, to);
    };
    const store = replacing({ readSharedBreaker }, harness.store);
    await harness.run(succeed, { ...CHOICES, store });
    expect(asked).toEqual([]);
    await fill(harness);
    for (const to of ['dead-0', 'good-0', 'good-0'])
      harness.put(`${to}-${asked.push(to)}`, { payload: { to } });
    asked.length = 0;
    await harness.run(succeed, { ...CHOICES, store });
    expect(asked.sort()).toEqual(['dead-0', 'good-0']);
  });

  it.each([
    '__proto__',
    'constructor',
    'toString',
    '%',
    '%__proto__',
    ' ',
    '*',
    '?',
    'x'.repeat(10_000),
    '\ud800',
    '\u0000',
  ])('a destination may have any name: %j', async (to) => {
    for (const isFull of [false, true]) {
      const harness = customers([to]);
      if (isFull) await fill(harness);
      const down: Process = () => {
        throw new Error('connection refused');
      };
      const options = { ...CHOICES, concurrency: 1 };
      expect(await harness.run(down, options)).toMatchObject({ failed: MINIMUM_ATTEMPTS });
      expect(await harness.run(down, options)).toMatchObject({ attempted: 0 });
      await harness.pass(51);
      await harness.run(succeed, options);
      await harness.pass(60);
      await harness.run(succeed, options);
      expect(harness.statuses()).toEqual({ SUCCESS: RECORDS_EACH });
    }
  });
});

describe('what a process keeps of breakers', () => {
  it('forgets the one that was met longest ago, of more than a thousand', async () => {
    const harness = new Harness();
    const breakers = new Map<string, Map<string, unknown>>();
    const names = ['first', ...Array.from({ length: 600 }, (_, i) => `a${i}`), 'first'];
    names.push(...Array.from({ length: 500 }, (_, i) => `b${i}`));
    for (const [i, to] of names.entries()) {
      const dueAt = new Date(START - 10_000 + i).toISOString();
      harness.put(`r${i}`, { payload: { to }, dueAt });
    }
    await harness.run(succeed, { ...CHOICES, concurrency: 1, breakers: breakers as BreakerMemory });
    const known = [...(breakers.get('q')?.keys() ?? [])];
    expect(known).toHaveLength(1_000);
    expect(known).toContain('first');
    expect(known).not.toContain('a0');
  });
});
