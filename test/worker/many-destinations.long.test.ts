import { describe, expect, it } from 'vitest';
import { MAX_OPEN_BREAKERS } from '../../src/store/buckets.js';
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

/** Starts a run every minute: all in one process, or each in a new process without memory of the one before. */
async function minutes(harness: Harness, count: number, breakers?: BreakerMemory) {
  for (let minute = 0; minute < count; minute++) {
    await harness.run(failWhereDead, { ...CHOICES, breakers: breakers ?? new Map() });
    await harness.pass(60);
  }
}

/** Opens the breakers of as many others as have room in their queue's item. */
async function fill(harness: Harness): Promise<void> {
  for (const name of namesOf('other', MAX_OPEN_BREAKERS)) {
    const open = { until: START + 86_400_000, since: START, token: name };
    await harness.store.breakers.set('q', name, open, undefined);
  }
}

describe('more destinations that fail than their queue’s item has room for', () => {
  it.each([60, MANY])(
    '%i of them: a process attempts each until its breaker opens, and by one probe a minute after that',
    async (dead) => {
      const harness = customers([...namesOf('dead', dead), ...namesOf('good', 10)]);
      await minutes(harness, MINUTES, new Map());
      const failures = [...failuresOf(harness)].filter(([to]) => to.startsWith('dead'));
      expect(new Set(failures.map(([, count]) => count))).toEqual(new Set([MINIMUM_ATTEMPTS + MINUTES - 1]));
      for (const to of namesOf('good', 10)) expect(successesOf(harness, to)).toBe(RECORDS_EACH);
      expect((await harness.store.queues.read('q')).breakers.size).toBe(MAX_OPEN_BREAKERS);
    },
  );

  it('those that have no room are open for their own process only', async () => {
    const harness = customers(namesOf('dead', 60));
    await minutes(harness, 2);
    const counts = [...failuresOf(harness).values()].sort((a, b) => a - b);
    const probed = MINIMUM_ATTEMPTS + 1;
    expect(counts.slice(0, MAX_OPEN_BREAKERS)).toEqual(Array(MAX_OPEN_BREAKERS).fill(probed));
    expect(counts.slice(MAX_OPEN_BREAKERS)).toEqual(Array(10).fill(2 * MINIMUM_ATTEMPTS));
  });

  it('one of these is probed by a process without a write, and closes when its destination works again', async () => {
    const harness = customers(['dead-0', 'good-0']);
    await fill(harness);
    const breakers: BreakerMemory = new Map();
    const setBreaker: BacklogStore['breakers']['set'] = () => {
      throw new Error('no breaker is written');
    };
    const options = {
      ...CHOICES,
      breakers,
      store: replacing({ breakers: { set: setBreaker } }, harness.store),
    };
    const first = await harness.run(failWhereDead, options);
    expect(first).toMatchObject({ failed: MINIMUM_ATTEMPTS, succeeded: RECORDS_EACH });
    expect(await harness.run(failWhereDead, options)).toMatchObject({ attempted: 0 });
    await harness.pass(51);
    expect(await harness.run(failWhereDead, options)).toMatchObject({ attempted: 1, failed: 1 });
    await harness.pass(51);
    await harness.run(succeed, options);
    await harness.pass(60);
    await harness.run(succeed, options);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 * RECORDS_EACH });
  });

  it('one of these is closed, and counted from zero, once the item has room', async () => {
    const harness = customers(['dead-0']);
    await fill(harness);
    const options = { ...CHOICES, breakers: new Map() as BreakerMemory };
    await harness.run(failWhereDead, options);
    const [[name = '', state] = []] = (await harness.store.queues.read('q')).breakers;
    await harness.store.breakers.set('q', name, undefined, state);
    await harness.pass(61);
    const counted = await harness.run(failWhereDead, { ...options, concurrency: 1 });
    expect(counted).toMatchObject({ attempted: MINIMUM_ATTEMPTS, failed: MINIMUM_ATTEMPTS });
    const { breakers } = await harness.store.queues.read('q');
    expect(breakers.has('dead-0')).toBe(true);
  });

  it('one that no record has come to for a day makes room', async () => {
    const harness = customers(['dead-0']);
    await fill(harness);
    await harness.pass(2 * 86_400 + 1);
    await harness.run(failWhereDead, CHOICES);
    const { breakers } = await harness.store.queues.read('q');
    expect(breakers.size).toBe(MAX_OPEN_BREAKERS);
    expect(breakers.has('dead-0')).toBe(true);
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
      const options = { ...CHOICES, concurrency: 1, breakers: new Map() as BreakerMemory };
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
    const breakers: BreakerMemory = new Map();
    const names = ['first', ...Array.from({ length: 600 }, (_, i) => `a${i}`), 'first'];
    names.push(...Array.from({ length: 500 }, (_, i) => `b${i}`));
    for (const [i, to] of names.entries()) {
      const dueAt = new Date(START - 10_000 + i).toISOString();
      harness.put(`r${i}`, { payload: { to }, dueAt });
    }
    await harness.run(succeed, { ...CHOICES, concurrency: 1, breakers });
    const known = [...(breakers.get('q')?.breakers.keys() ?? [])];
    expect(known).toHaveLength(1_000);
    expect(known).toContain('first');
    expect(known).not.toContain('a0');
  });
});
