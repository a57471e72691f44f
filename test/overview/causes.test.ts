import { describe, expect, it } from 'vitest';
import { causeText } from '../../src/operate/cause.js';
import { causesOf, type FailureCause } from '../../src/overview/causes.js';
import type { Stratum } from '../../src/overview/weighed.js';
import { type BacklogRecord, parseRecord } from '../../src/record/index.js';
import { dead, HOUR, inRetry, iso, MINUTE, NOW, waiting } from '../console/console-under-test.js';

const failedAgo = (ms: number, message: string, name = 'HttpError') => ({
  lastFailureAt: iso(-ms),
  lastError: { name, message, at: iso(-ms), attempt: 2 },
  history: [],
});
const parsed = (item: Record<string, unknown>): BacklogRecord => parseRecord(item, NOW);
const retrying = (items: readonly Record<string, unknown>[], changes: Partial<Stratum> = {}): Stratum => ({
  queue: 'orders',
  dead: false,
  total: items.length,
  records: items.map(parsed),
  ...changes,
});
const named = (causes: readonly FailureCause[]) =>
  causes.map(({ cause, retry, dead: given }) => [causeText(cause), retry, given]);

describe('the causes of failures', () => {
  it('are two for two causes of an outage, however many messages and queues there are', () => {
    const towns = ['Rome', 'Oslo', 'Lima', 'Bonn', 'Kyiv', 'Baku'];
    const down = Array.from({ length: 64 }, (_, i) =>
      inRetry(`o${i}`, {
        queue: i % 2 ? 'orders' : 'bulk',
        ...failedAgo(
          MINUTE,
          `HTTP 503 from https://erp.example: warehouse ${i}, town ${towns[i % 6]}, ticket T-${i}`,
        ),
      }),
    );
    const slow = Array.from({ length: 2 }, (_, i) =>
      inRetry(`s${i}`, failedAgo(MINUTE, `no answer within ${10 + i} s`, 'AttemptTimeout')),
    );
    const causes = causesOf([retrying([...down, ...slow])], NOW);
    expect(named(causes)).toEqual([
      ['HttpError 503 erp.example', 64, 0],
      ['AttemptTimeout no host', 2, 0],
    ]);
    expect(causes.map(({ patterns }) => patterns.length)).toEqual([6, 1]);
    expect(causes[0]?.queues.map(({ queue, retry }) => [queue, retry])).toEqual([
      ['bulk', 32],
      ['orders', 32],
    ]);
  });

  it('are counted by state, age and hour, and new or finished records are none', () => {
    const causes = causesOf(
      [
        retrying([
          inRetry('a', failedAgo(5 * MINUTE, 'down')),
          inRetry('b', failedAgo(2 * HOUR, 'down')),
          waiting('new', failedAgo(MINUTE, 'down')),
        ]),
        retrying([dead('c', failedAgo(50 * HOUR, 'down')), dead('d', { lastError: undefined })], {
          dead: true,
        }),
      ],
      NOW,
    );
    expect(causes).toHaveLength(1);
    const [{ retry, dead: given, ages, hours, firstAt, lastAt, counted }] = causes as [FailureCause];
    expect({ retry, given, counted }).toEqual({ retry: 2, given: 1, counted: 'exact' });
    expect(ages).toEqual({ retry: [1, 1, 0, 0], dead: [0, 0, 0, 1] });
    expect([hours[23], hours[21], hours.reduce((sum, one) => sum + one)]).toEqual([1, 1, 2]);
    expect([firstAt, lastAt]).toEqual([NOW - 50 * HOUR, NOW - 5 * MINUTE]);
  });

  it('began with the earliest failure of the same cause in a history', () => {
    const history = [
      { at: iso(-9 * HOUR), attempt: 1, name: 'HttpError', message: 'HTTP 400 from https://erp.example' },
      { at: iso(-7 * HOUR), attempt: 2, name: 'HttpError', message: 'HTTP 503 from https://erp.example: x' },
      {
        at: iso(-8 * HOUR),
        attempt: 0,
        outcome: 'snoozed',
        name: 'HttpError',
        message: 'HTTP 503 from https://erp.example',
      },
    ];
    const record = inRetry('a', { ...failedAgo(HOUR, 'HTTP 503 from https://erp.example: y'), history });
    expect(causesOf([retrying([record])], NOW)[0]?.firstAt).toBe(NOW - 7 * HOUR);
  });

  it.each([
    ['the first failure of a record that has failed in no other way', 'HTTP 503 from https://erp.example', 9],
    ['no failure of another cause', 'HTTP 400 from https://erp.example', 1.5],
  ])('began with %s', (_, older, hours) => {
    const history = [
      { at: iso(-2 * HOUR), attempt: 7, name: 'HttpError', message: older },
      { at: iso(-1.5 * HOUR), attempt: 8, name: 'HttpError', message: 'HTTP 503 from https://erp.example' },
    ];
    const failed = failedAgo(HOUR, 'HTTP 503 from https://erp.example: y');
    const record = inRetry('a', { ...failed, history, firstFailureAt: iso(-9 * HOUR) });
    expect(causesOf([retrying([record])], NOW)[0]?.firstAt).toBe(NOW - hours * HOUR);
  });

  it('are estimates where not all records were read, and say which', () => {
    const some = [inRetry('a', failedAgo(MINUTE, 'down')), inRetry('b', failedAgo(MINUTE, 'down'))];
    const of = (changes: Partial<Stratum>) => {
      const [{ retry, counted }] = causesOf([retrying(some, changes)], NOW) as [FailureCause];
      return { retry, counted };
    };
    expect(of({})).toEqual({ retry: 2, counted: 'exact' });
    // A count of the monitor may be older than the records that were read.
    expect(of({ failed: 9 })).toEqual({ retry: 2, counted: 'exact' });
    expect(of({ total: 100 })).toEqual({ retry: 100, counted: 'about' });
    expect(of({ total: 100, failed: 40 })).toEqual({ retry: 40, counted: 'about' });
    expect(of({ counted: 'atLeast' })).toEqual({ retry: 2, counted: 'atLeast' });
    const both = causesOf([retrying(some, { counted: 'atLeast' }), retrying(some, { total: 9 })], NOW);
    expect(both[0]?.counted).toBe('about');
  });

  it('show the records that failed last, at most three for each pattern, and at most twenty patterns', () => {
    const animals = Array.from({ length: 25 }, (_, i) => 'x'.repeat(i + 1));
    const items = animals.flatMap((word, i) =>
      Array.from({ length: 4 + (i === 7 ? 1 : 0) }, (_, k) =>
        inRetry(`${word}${k}`, failedAgo((k + 1) * MINUTE, `${word} ${'y '.repeat(i)}`)),
      ),
    );
    const [cause] = causesOf([retrying(items)], NOW) as [FailureCause];
    expect([cause.patterns.length, cause.morePatterns]).toEqual([20, 5]);
    const word = 'x'.repeat(8);
    expect(cause.patterns[0]?.examples.map(({ id }) => id)).toEqual([`${word}0`, `${word}1`, `${word}2`]);
  });

  it('take any text for a name, a message and a time', () => {
    const hostile = ['__proto__', 'constructor', '\u202Egnp', 'x'.repeat(90_000)];
    const items = hostile.map((text, i) =>
      inRetry(`r${i}`, {
        queue: text,
        lastError: { name: text, message: text, at: text },
        lastFailureAt: text,
      }),
    );
    const causes = causesOf([retrying(items)], NOW);
    expect(causes.map(({ retry }) => retry)).toEqual([1, 1, 1, 1]);
    expect(causes.map(({ lastAt }) => lastAt)).toEqual([undefined, undefined, undefined, undefined]);
    expect(causes.map(({ cause }) => cause.error)).toContain('__proto__');
    expect(JSON.stringify(causes).length).toBeLessThan(20_000);
  });
});
