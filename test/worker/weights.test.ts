import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { Snooze } from '../../src/record/index.js';
import { StoreError } from '../../src/store/errors.js';
import type { BacklogStore } from '../../src/store/store.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { systemRandom } from '../../src/support/random.js';
import {
  type Process,
  parseWeights,
  type QueuesChoice,
  type RunDeps,
  type RunOptions,
  type RunSummary,
  resolveBreaker,
  runQueues,
  together,
} from '../../src/worker/index.js';
import { drawQueue, PageTurns } from '../../src/worker/page-turns.js';
import type { run as runQueue } from '../../src/worker/run.js';
import { seededRandom } from '../simulation/random.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, START, succeed } from './harness.js';

function summariesOf(ended: readonly PromiseSettledResult<RunSummary>[]): RunSummary[] {
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The number of times that each queue is drawn. */
function draws(count: number, weights: QueuesChoice, random = seededRandom(7)): Record<string, number> {
  const drawn: Record<string, number> = {};
  const parsed = parseWeights(weights, 'queues');
  for (let i = 0; i < count; i++) {
    const queue = drawQueue(parsed, random) ?? '';
    drawn[queue] = (drawn[queue] ?? 0) + 1;
  }
  return drawn;
}

/** Four standard deviations of a binomial distribution: one in sixteen thousand fails by chance. */
function bound(count: number, share: number): number {
  return 4 * Math.sqrt(count * share * (1 - share));
}

describe('queues with weights', () => {
  it.each([
    ['critical,3 default,1', 200, { critical: 3 / 4, default: 1 / 4 }],
    ['critical,3 default,1', 10_000, { critical: 3 / 4, default: 1 / 4 }],
    ['critical,6 default', 10_000, { critical: 6 / 7, default: 1 / 7 }],
    ['a,0.5 b,2 c,7.5', 10_000, { a: 0.05, b: 0.2, c: 0.75 }],
    ['a,1000000 b,1', 10_000, { a: 0.999999, b: 0.000001 }],
  ])('"%s" are drawn %i times by their shares', (weights, count, shares) => {
    const drawn = draws(count, weights);
    for (const [queue, share] of Object.entries(shares)) {
      const off = Math.abs((drawn[queue] ?? 0) - count * share);
      expect(off, queue).toBeLessThanOrEqual(Math.max(2, bound(count, share)));
    }
  });

  it('are drawn by their shares with the random numbers of the system, too', () => {
    const { critical = 0 } = draws(10_000, 'critical,3 default,1', systemRandom);
    expect(Math.abs(critical - 7_500)).toBeLessThan(bound(10_000, 0.75));
  });

  it('are read from text, and from lists', () => {
    const expected = new Map([
      ['critical', 6],
      ['default', 1],
    ]);
    expect(parseWeights(' critical,6  default,1 ', 'queues')).toEqual(expected);
    expect(parseWeights([['critical', 6], 'default'], 'queues')).toEqual(expected);
  });

  it.each<[QueuesChoice, string]>([
    [
      '',
      'queues: expected names of queues (letters, digits, "_", "." and "-", at most 128, and not "__proto__") with their weights, such as "critical,6 default,1", got ""',
    ],
    [[], 'queues: expected at least one queue, such as "critical,6 default,1", got []'],
    [
      'critical,six',
      'queues: expected a weight above 0 for the queue "critical", and up to a million, got "six"',
    ],
    ['critical,0', 'queues: expected a weight above 0 for the queue "critical", and up to a million, got 0'],
    ['critical,-1', 'queues: expected a weight above 0 for the queue "critical"'],
    ['critical,1,2', 'queues: expected a weight above 0 for the queue "critical"'],
    [[['critical', Number.NaN]], 'queues: expected a weight above 0 for the queue "critical"'],
    ['critical,6 critical,1', 'queues: expected each queue once, got "critical"'],
    ['crit/ical,6', 'queues: expected names of queues (letters, digits'],
    [[7 as unknown as string], 'queues: expected names of queues (letters, digits'],
  ])('%j are refused', (weights, message) => {
    expect(() => parseWeights(weights, 'queues')).toThrow(ConfigurationError);
    expect(() => parseWeights(weights, 'queues')).toThrow(message);
  });
});

/** Two queues in one table, and what is attempted of them, in order. */
class Queues {
  readonly harness = new Harness();
  readonly attempted: string[] = [];

  put(queue: string, count: number, attributes: object = {}): void {
    for (let i = 0; i < count; i++) {
      this.harness.put(`${queue}-${i}`, { queue, lane: queue, ...attributes });
    }
  }

  run(
    weights: Record<string, number>,
    options: Partial<RunOptions> = {},
    process: Process = succeed,
    store: BacklogStore = this.harness.store,
    limits: Record<string, Partial<RunOptions['limits']>> = {},
  ) {
    const { clock } = this.harness;
    const queues = Object.entries(weights).map(([queue, weight]) => ({
      weight,
      options: {
        target: { queue, lane: queue, retryMode: 'perRecord' as const },
        process: (record: Parameters<Process>[0], context: Parameters<Process>[1]) => {
          this.attempted.push(queue);
          return process(record, context);
        },
        policy: resolvePolicy({ type: 'fibonacci' }),
        limits: { concurrency: 10, attemptTimeout: 30, ...limits[queue] },
        deadline: clock.wall() + 300_000,
        functionTimeoutSeconds: 300,
        tickSeconds: 60,
        ...options,
      },
    }));
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const deps = { store, clock, random: seededRandom(3), logger };
    return this.harness.time.until(runQueues(queues, deps).then(summariesOf));
  }

  /** The queue's share of the first attempts. */
  shareOf(queue: string, count: number): number {
    return this.attempted.slice(0, count).filter((one) => one === queue).length / count;
  }
}

/** Records of each queue. */
const EACH = 300;
const PAGES_OF_TWO = { limits: { concurrency: 1, attemptTimeout: 30 } };

describe('a run of several queues', () => {
  it('gives each queue its share of the pages while all have work, and all of them all in the end', async () => {
    const queues = new Queues();
    queues.put('critical', EACH);
    queues.put('default', EACH);
    const summaries = await queues.run({ critical: 3, default: 1 }, PAGES_OF_TWO);
    expect(summaries.map(({ queue, succeeded, ended }) => [queue, succeeded, ended])).toEqual([
      ['critical', EACH, 'drained'],
      ['default', EACH, 'drained'],
    ]);
    expect(queues.shareOf('critical', EACH)).toBeGreaterThan(0.75 - 0.15);
    expect(queues.shareOf('critical', EACH)).toBeLessThan(0.75 + 0.15);
    expect(queues.attempted.slice(-50)).toEqual(Array(50).fill('default'));
  });

  it('gives no share to a queue that is empty', async () => {
    const queues = new Queues();
    queues.put('high', EACH);
    queues.put('low', EACH);
    await queues.run({ empty: 96, high: 3, low: 1 }, PAGES_OF_TWO);
    expect(queues.shareOf('high', EACH)).toBeGreaterThan(0.75 - 0.15);
    expect(queues.shareOf('high', EACH)).toBeLessThan(0.75 + 0.15);
  });

  it('serves queues of equal weights at the same time', async () => {
    const queues = new Queues();
    queues.put('a', 40);
    queues.put('b', 40);
    const slow: Process = () => queues.harness.sleep(1);
    const startedAt = queues.harness.time.now;
    await queues.run({ a: 2, b: 2 }, {}, slow);
    expect(queues.harness.time.now - startedAt).toBeLessThan(5_000);
    expect(queues.shareOf('a', 40)).toBeCloseTo(0.5, 1);
  });

  it('goes on with the others where one is paused, or at work elsewhere', async () => {
    const queues = new Queues();
    queues.put('a', 50);
    queues.put('b', 50);
    queues.put('c', 50);
    queues.harness.store.queues.setPaused('a', true);
    const until = queues.harness.clock.wall() + 60_000;
    await queues.harness.store.leases.hold('b', { holder: 'other', until, ids: ['x'], rev: 'r' });
    const [a, b, c] = await queues.run({ a: 5, b: 3, c: 1 });
    expect([a?.ended, b?.ended, c?.ended]).toEqual(['paused', 'leaseHeld', 'drained']);
    expect(c?.succeeded).toBe(50);
  });

  it('keeps the lease of a queue whose turn is long in coming, for one write a minute', async () => {
    const queues = new Queues();
    const { store, clock, time } = queues.harness;
    queues.put('a', 400);
    queues.put('b', 1);
    const slow: Process = ({ queue }) => queues.harness.sleep(queue === 'a' ? 25 : 0);
    const written: number[] = [];
    const holdLease: BacklogStore['leases']['hold'] = (key, hold) => {
      if (key === 'b') written.push(Math.round((time.now - START) / 1000));
      return store.leases.hold(key, hold);
    };
    const watched = replacing({ leases: { hold: holdLease } }, store);
    const running = queues.run({ a: 1_000_000, b: 0.000_001 }, {}, slow, watched);
    const [a, b] = await running;
    expect([a?.ended, b?.ended]).toEqual(['deadline', 'deadline']);
    // Its turn comes when the other queue has no time left for an attempt.
    expect(written).toEqual([0, 60, 120, 180, 240, 275]);
    expect(clock.wall() - START).toBeLessThan(300_000);
  });

  it('goes on with the others while one waits for its permit', async () => {
    const queues = new Queues();
    queues.put('quick', 200);
    queues.put('limited', 20);
    const ends: Record<string, number> = {};
    const process: Process = async ({ queue }) => {
      ends[queue] = (queues.harness.time.now - START) / 1000;
    };
    const each = { quick: { concurrency: 1 }, limited: { concurrency: 1, attemptsPerSecond: 0.1 } };
    const [quick, limited] = await queues.run({ quick: 1.5, limited: 1 }, {}, process, undefined, each);
    expect([quick?.ended, limited?.ended]).toEqual(['drained', 'drained']);
    expect(ends.quick).toBeLessThan(1);
    expect(ends.limited).toBe(190);
  });

  it('goes on with the others while all attempts of one ignore their signals', async () => {
    const queues = new Queues();
    queues.put('a', 5);
    queues.put('b', 20);
    const ends: number[] = [];
    const process: Process = async ({ queue }) => {
      if (queue === 'a') await queues.harness.sleep(200);
      else ends.push((queues.harness.time.now - START) / 1000);
    };
    const [, b] = await queues.run({ a: 1_000_000, b: 0.000_001 }, PAGES_OF_TWO, process);
    expect([b?.succeeded, b?.ended]).toEqual([20, 'drained']);
    expect(Math.max(...ends)).toBeLessThan(60);
  });

  it('gives a lane its turn also where another lane of its queue has come to rest', async () => {
    const turns = new PageTurns(new Map(Object.entries({ a: 1, b: 2 })), seededRandom(1));
    const [a, b] = [turns.of('a'), turns.of('b')];
    b.rest();
    const end = await a.take();
    const lane = b.take();
    // Another lane of it waits for an attempt that ignores its signal, or its run has ended.
    b.rest();
    end();
    a.rest();
    (await lane)();
  });

  it('gives a suspect its attempt when it is the turn of its queue', async () => {
    const queues = new Queues();
    queues.put('a', 8);
    queues.put('b', 3);
    const suspects = Array.from({ length: 8 }, (_, i) => `a-${i}`);
    const { store } = queues.harness;
    await store.leases.hold('a', { holder: 'ended', until: START, ids: [], rev: 'r' });
    await store.leases.release('a', 'ended', { suspects });
    const slow: Process = () => queues.harness.sleep(10);
    const [a, b] = await queues.run(
      { a: 0.000_001, b: 1_000_000 },
      { limits: { concurrency: 1, attemptTimeout: 60 } },
      slow,
    );
    expect([a?.succeeded, b?.succeeded]).toEqual([8, 3]);
    expect(queues.attempted.join('')).toBe(`bbb${'a'.repeat(8)}`);
  });

  it('goes on with the others where the run of one fails', async () => {
    const weights = [
      { queue: 'a', weight: 1_000_000 },
      { queue: 'b', weight: 1 },
    ];
    const ended: string[] = [];
    const run: typeof runQueue = async (options, { turns }) => {
      const { queue } = options.target;
      if (queue === 'a') throw new TypeError('a mistake');
      const end = await turns?.take();
      end?.();
      ended.push(queue);
      return {} as RunSummary;
    };
    const queues = weights.map(({ queue, weight }) => ({
      weight,
      options: { target: { queue, lane: queue } } as RunOptions,
    }));
    const deps = { random: seededRandom(3) } as RunDeps;
    const [a, b] = await runQueues(queues, deps, run);
    expect([a, b?.status]).toEqual([{ status: 'rejected', reason: new TypeError('a mistake') }, 'fulfilled']);
    expect(ended).toEqual(['b']);
  });

  it('a page has its turn for itself: its last attempts end before the page of another queue begins', async () => {
    const underAttempt = new Map<string, number>();
    const both: string[] = [];
    const queues = new Queues();
    const attempt: Process = async ({ queue, id }) => {
      const change = (by: number) => underAttempt.set(queue, (underAttempt.get(queue) ?? 0) + by);
      change(1);
      if ([...underAttempt.values()].filter((count) => count > 0).length > 1) both.push(id);
      await queues.harness.sleep(Number(id.at(-1)) / 10);
      change(-1);
    };
    queues.put('a', 100);
    queues.put('b', 100);
    const summaries = await queues.run({ a: 2, b: 1 }, {}, attempt);
    expect(summaries.map(({ succeeded }) => succeeded)).toEqual([100, 100]);
    expect(both).toEqual([]);
  });

  it('keeps the limit of each queue', async () => {
    const queues = new Queues();
    queues.put('a', 100);
    queues.put('b', 100);
    const limits = { concurrency: 10, attemptTimeout: 30, maxRecords: 30 };
    const [a, b] = await queues.run({ a: 2, b: 1 }, { limits });
    expect([a, b].map((one) => [one?.attempted, one?.ended])).toEqual([
      [30, 'maxRecords'],
      [30, 'maxRecords'],
    ]);
  });

  it('ends before the deadline', async () => {
    const queues = new Queues();
    queues.put('a', 100);
    queues.put('b', 100);
    const slow: Process = () => queues.harness.sleep(10);
    const startedAt = queues.harness.time.now;
    const [a, b] = await queues.run({ a: 2, b: 1 }, PAGES_OF_TWO, slow);
    expect(queues.harness.time.now - startedAt).toBeLessThan(300_000);
    expect([a?.ended, b?.ended]).toEqual(['deadline', 'deadline']);
  });

  it('passes over records behind an open breaker, page by page, to those behind it', async () => {
    const queues = new Queues();
    queues.put('a', 30, { payload: { to: 'down' } });
    queues.put('b', 30, { payload: { to: 'up' } });
    const later = new Date(START + 1).toISOString();
    for (let i = 0; i < 10; i++) {
      queues.harness.put(`up-${i}`, { queue: 'a', lane: 'a', payload: { to: 'up' }, dueAt: later });
    }
    await queues.harness.pass(60);
    const { store } = queues.harness;
    await store.breakers.set('a', 'down', { until: START + 3_600_000, since: START, token: 't' }, undefined);
    const [a, b] = await queues.run(
      { a: 2, b: 1 },
      {
        ...PAGES_OF_TWO,
        breaker: resolveBreaker(true),
        destination: ({ payload }) => (payload as { to: string }).to,
      },
    );
    expect(a).toMatchObject({ attempted: 10, succeeded: 10, leftOver: 30, ended: 'drained' });
    expect(b).toMatchObject({ attempted: 30, ended: 'drained' });
  });

  it('gives each record one turn, also if it is due again at once, or its outcome cannot be written', async () => {
    const queues = new Queues();
    queues.put('a', 20);
    queues.put('b', 20);
    const { store } = queues.harness;
    const settle = store.records.settle.bind(store);
    store.records.settle = (record, change, rev) => {
      if (record.id === 'b-7') throw new StoreError('no item holds that');
      return settle(record, change, rev);
    };
    const again: Process = async ({ queue }) => {
      await queues.harness.sleep(0.1);
      if (queue === 'a') throw new Snooze(0);
    };
    const [a, b] = await queues.run({ a: 2, b: 1 }, PAGES_OF_TWO, again);
    expect(a).toMatchObject({ attempted: 20, snoozed: 20, ended: 'drained' });
    expect(b).toMatchObject({ attempted: 20, succeeded: 19, unsettled: 1, ended: 'drained' });
  });

  it('counts what waits for its task, on whatever page', async () => {
    const queues = new Queues();
    queues.put('a', 30, { task: 'unheard-of' });
    queues.put('b', 30);
    const knows = ({ task }: { readonly task?: string | undefined }) => task === undefined;
    const summary = together(await queues.run({ a: 2, b: 1 }, { ...PAGES_OF_TWO, knows }));
    expect(summary.queues?.map(({ unknownTask }) => unknownTask)).toEqual([30, undefined]);
    expect(summary).toMatchObject({ attempted: 30, unknownTask: 30 });
  });

  it('is reported as one, and queue by queue', async () => {
    const queues = new Queues();
    queues.put('a', 40);
    queues.put('b', 5);
    const summary = together(await queues.run({ a: 2, b: 1 }));
    expect(summary).toMatchObject({ queue: 'a,b', attempted: 45, succeeded: 45, ended: 'drained' });
    expect(together([summary, { ...summary, leftOver: 3 }, { ...summary, leftOver: 4 }]).leftOver).toBe(7);
    expect(together([{ ...summary, pending: 2 }, { ...summary, pending: 3 }, summary]).pending).toBe(5);
    expect(together([summary, summary])).not.toHaveProperty('pending');
    expect(summary.queues?.map(({ queue, attempted }) => [queue, attempted])).toEqual([
      ['a', 40],
      ['b', 5],
    ]);
  });
});
