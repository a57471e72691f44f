import { describe, expect, it } from 'vitest';
import { phaseOf, type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { RetryAfter } from '../../src/record/index.js';
import { Cloud, type CloudOptions, never } from './cloud.js';

const HOUR = 3_600;
/** The long tests pass 48. */
const PHASE_HOURS = 48;

/** The minutes at which a record that never succeeds is attempted under a policy, to the tick. */
async function minutesOf(retry: RetryPolicy, hours: number, options: Partial<CloudOptions> = {}) {
  const cloud = new Cloud({ queues: { q: { retryMode: 'perRecord', retry } }, process: never, ...options });
  await cloud.insert('a', 'q');
  await cloud.pass(hours * HOUR);
  return { minutes: cloud.attemptsOf('a').map((second) => Math.floor(second / 60)), cloud };
}

/** Attempts that take a while, and rules that are late now and then, put nothing off. */
const WORLDS: readonly [string, Partial<CloudOptions>][] = [
  ['attempts of 50 ms', {}],
  ['attempts of 20 s', { attemptSeconds: 20 }],
  ['rules that are up to 10 s late', { lateSeconds: 10 }],
];

describe.each(WORLDS)(
  'by rules that fire every minute, with %s, a wait is kept to the nearest tick',
  (_, world) => {
    it('under fibonacci at minutes 0, 1, 2, 4, 7, 12, 20, 33', async () => {
      const { minutes } = await minutesOf({ type: 'fibonacci', jitter: 'none' }, 1, world);
      expect(minutes).toEqual([0, 1, 2, 4, 7, 12, 20, 33, 54]);
    });

    it('under constant 120 s with 61 attempts in two hours', async () => {
      const { minutes } = await minutesOf({ type: 'constant', interval: 120 }, 2.01, world);
      expect(minutes.filter((minute) => minute <= 120)).toEqual(Array.from({ length: 61 }, (_, i) => 2 * i));
    });

    it('or, rounded up, is never early: under constant 120 s each wait lasts two minutes to three', async () => {
      const { cloud } = await minutesOf({ type: 'constant', interval: 120, rounding: 'up' }, 1, world);
      const seconds = cloud.attemptsOf('a');
      const waits = seconds.slice(1).map((second, i) => second - (seconds[i] ?? 0));
      expect(waits.length).toBeGreaterThanOrEqual(18);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(120);
    });

    it('under a list of 5, 10 and 25 minutes until minute 40, then dead', async () => {
      const { minutes, cloud } = await minutesOf({ type: 'list' }, 2, world);
      expect(minutes).toEqual([0, 5, 15, 40]);
      expect(cloud.item('a')).toMatchObject({ status: 'DEAD', failures: 4 });
    });

    it('under LinearRetry of 60 s every minute', async () => {
      const { minutes } = await minutesOf(
        { type: 'LinearRetry', RetryIntervalSeconds: 60, MaxRetries: 9 },
        1,
        world,
      );
      expect(minutes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('under the fixed phase within half a tick of its own line, however often it is rounded', async () => {
      const { minutes, cloud } = await minutesOf({ type: 'fibonacci' }, PHASE_HOURS, world);
      const first = Date.parse(String(cloud.item('a')?.firstFailureAt));
      expect(minutes.length).toBeGreaterThan(14);
      const { totals } = resolvePolicy({ type: 'fibonacci' });
      const start = cloud.time.now - PHASE_HOURS * HOUR * 1000;
      for (const [n, second] of cloud.attemptsOf('a').entries()) {
        if (n < 4) continue;
        const { least, most } = totals(n);
        const line = (first - start) / 1000 + least + phaseOf('a', 'q') * (most - least);
        expect(Math.abs(second - line), `attempt ${n}`).toBeLessThanOrEqual(30 + 20 + 10);
      }
    });
  },
);

it('attempts that take most of a tick are followed by the tick that is nearest to the end of the wait', async () => {
  const { minutes } = await minutesOf({ type: 'constant', interval: 60 }, 0.2, { attemptSeconds: 29 });
  expect(minutes.slice(0, 4)).toEqual([0, 1, 2, 3]);
  const late = await minutesOf({ type: 'constant', interval: 60, jitter: 'none' }, 0.2, {
    queues: {
      q: {
        retryMode: 'perRecord',
        retry: { type: 'constant', interval: 60 },
        attemptTimeout: 60,
      },
    },
    attemptSeconds: 40,
  });
  // Failed at 0:40: minute 1 would be 20 s later, minute 2 is 80 s later.
  expect(late.minutes.slice(0, 4)).toEqual([0, 2, 4, 6]);
});

it('a wait that the destination asks for never ends early, at whatever phase', async () => {
  for (const seconds of [10, 59, 61, 89, 91, 119, 121, 150]) {
    const cloud = new Cloud({
      queues: { q: { retryMode: 'perRecord', retry: { type: 'constant', interval: 60 } } },
      process: () => {
        throw new RetryAfter(seconds);
      },
    });
    await cloud.insert('a', 'q');
    await cloud.pass(400);
    const [first = 0, second = 0] = cloud.attemptsOf('a');
    expect(second - first - 0.05, `${seconds} s`).toBeGreaterThanOrEqual(seconds);
    expect(second - first, `${seconds} s`).toBeLessThanOrEqual(seconds + 60 + 0.1);
  }
});

it('neither a delay nor a snooze is kept early', async () => {
  const cloud = new Cloud({ queues: { q: { retryMode: 'perRecord' } }, process: never });
  const availableAt = new Date(cloud.time.now + 70_000).toISOString();
  await cloud.insert('delayed', 'q', { availableAt, dueAt: availableAt });
  await cloud.pass(200);
  expect(cloud.attemptsOf('delayed')[0]).toBe(120);
});
