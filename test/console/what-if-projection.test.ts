import { describe, expect, it } from 'vitest';
import { type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { dollarsText } from '../../tools/src/console/what-if/comparison.js';
import {
  attemptsOf,
  costOf,
  projectAttempts,
  type WaitingRecord,
} from '../../tools/src/console/what-if/projection.js';
import { scheduleOf } from '../../tools/src/lab/schedule-of.js';
import { DAY, HOUR, MINUTE, NOW } from './console-under-test.js';

const record = (id: string, changes: Partial<WaitingRecord> = {}): WaitingRecord => ({
  id,
  queue: 'orders',
  next: NOW,
  failures: 0,
  firstFailureAt: undefined,
  bornAt: NOW,
  weight: 1,
  policyWith: (policy) => policy,
  ...changes,
});
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the projection of attempts', () => {
  it.each<RetryPolicy>([
    { type: 'constant', interval: '5m' },
    { type: 'linear', interval: 90 },
    { type: 'exponential' },
    { type: 'fibonacci', jitter: 'none' },
    { type: 'fibonacci', jitter: 'none', maxAttempts: 4 },
    { type: 'fibonacci', jitter: 'none', maxAge: '1h' },
    { type: 'power' },
    { type: 'list', waits: ['10m', '20m'], afterwards: 'last' },
    { type: 'list', waits: ['10m', '20m'] },
    { type: 'none' },
  ])('has as many attempts as the schedule of the policy itself: %j', (given) => {
    const policy = resolvePolicy(given);
    const { rows } = scheduleOf(policy, { attempts: 2_000 });
    const within = (ms: number) => 1 + rows.filter(({ totalSeconds }) => totalSeconds * 1000 < ms).length;
    const { minutes, hours, attemptsADay } = projectAttempts([record('a')], policy, NOW);
    expect(sum(minutes)).toBeCloseTo(within(HOUR), 9);
    expect(sum(hours)).toBeCloseTo(within(DAY), 9);
    expect(attemptsADay).toBe(sum(hours));
  });

  it('puts each attempt into its minute and its hour', () => {
    const { minutes, hours } = projectAttempts(
      [record('a', { next: NOW + 90_000 })],
      resolvePolicy({ type: 'constant', interval: '50m' }),
      NOW,
    );
    expect(minutes.flatMap((value, i) => (value > 0 ? [i] : []))).toEqual([1, 51]);
    expect(hours.slice(0, 3)).toEqual([2, 1, 1]);
  });

  it('keeps to the phase of each record, as the policy itself does', () => {
    const policy = resolvePolicy({ type: 'fibonacci' });
    for (const id of ['order-1', 'order-2', 'order-3']) {
      const { rows } = scheduleOf(policy, { attempts: 12, record: { id, queue: 'orders' } });
      const times = [...attemptsOf(record(id), policy)];
      // Rules fire once a minute: a line that is narrower than that is kept within half of one.
      rows.forEach(({ totalSeconds }, i) => {
        expect(Math.abs((times[i + 1] ?? 0) - NOW - totalSeconds * 1000)).toBeLessThanOrEqual(30_000);
      });
    }
  });

  it('draws waits that are left to chance for each record, and always the same', () => {
    const policy = resolvePolicy({ type: 'constant', interval: '1h', jitter: 'full' });
    const all = Array.from({ length: 200 }, (_, i) => record(`r${i}`));
    const first = projectAttempts(all, policy, NOW);
    expect(projectAttempts(all, policy, NOW)).toEqual(first);
    // After the first attempt of all at once, the second ones are spread over the hour.
    expect(first.minutes.filter((value) => value > 0).length).toBeGreaterThan(50);
  });

  it('counts on from the failures that there were, and keeps the due time', () => {
    const policy = resolvePolicy({ type: 'fibonacci', jitter: 'none', maxAttempts: 6 });
    const old = record('a', {
      failures: 4,
      firstFailureAt: NOW - HOUR,
      bornAt: NOW - HOUR,
      next: NOW + MINUTE,
    });
    expect([...attemptsOf(old, policy)]).toEqual([NOW + MINUTE, NOW + 6 * MINUTE]);
    expect(projectAttempts([old], policy, NOW).end).toEqual({
      at: NOW + 6 * MINUTE,
      reason: 'maxAttempts',
      kind: 'exact',
    });
    const used = record('b', { failures: 9 });
    expect([...attemptsOf(used, policy)]).toEqual([NOW]);
  });

  it('ends by the greatest age, counted from the insertion', () => {
    const policy = resolvePolicy({ type: 'constant', interval: '1h', maxAge: '5h' });
    const { end } = projectAttempts([record('a', { bornAt: NOW - 3 * HOUR })], policy, NOW);
    expect(end).toEqual({ at: NOW + 2 * HOUR, reason: 'expired', kind: 'exact' });
  });

  it('does not count attempts of months one by one', () => {
    const policy = (given: RetryPolicy) => projectAttempts([record('a')], resolvePolicy(given), NOW).end;
    expect(policy({ type: 'constant' })).toEqual({ at: NOW + 360 * DAY, reason: 'expired', kind: 'about' });
    const { kind, at } = policy({ type: 'constant', maxAttempts: 9_999 }) ?? {};
    expect(kind).toBe('notBefore');
    expect(at).toBeGreaterThan(NOW + DAY);
  });

  it('has each record stand for as many as it says', () => {
    const policy = resolvePolicy({ type: 'constant', interval: '1h' });
    const { hours } = projectAttempts(
      [record('a', { weight: 10 }), record('b', { weight: 2.5 })],
      policy,
      NOW,
    );
    expect(hours[0]).toBeCloseTo(12.5);
    expect(sum(hours)).toBeCloseTo(24 * 12.5);
  });

  it('takes fewer records where a policy attempts often, for the same sum and within seconds of processor time', () => {
    const all = Array.from({ length: 1_000 }, (_, i) => record(`r${i}`));
    const begun = process.cpuUsage();
    const { hours } = projectAttempts(all, resolvePolicy({ type: 'constant', interval: 60 }), NOW);
    expect(sum(hours)).toBeCloseTo(1_440_000, -3);
    projectAttempts(all, resolvePolicy({ type: 'constant', interval: 1 }), NOW);
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(5_000);
  });

  it('is empty without records', () => {
    const { attemptsADay, end } = projectAttempts([], resolvePolicy({ type: 'constant' }), NOW);
    expect({ attemptsADay, end }).toEqual({ attemptsADay: 0, end: undefined });
  });

  it('costs three write units for each attempt that fails', () => {
    expect(costOf(1_000_000)).toEqual({ writeUnits: 3_000_000, dollars: 1.875 });
    expect([0, 0.000045, 0.0234, 0.5, 12.345].map(dollarsText)).toEqual([
      '$0',
      '$0.000045',
      '$0.023',
      '$0.50',
      '$12.35',
    ]);
  });
});
