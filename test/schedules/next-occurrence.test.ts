import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, type NextOccurrenceOptions, nextOccurrence } from '../../src/index.js';

describe('nextOccurrence', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-03-28T12:00:30Z'), toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const textOf = (schedule: string, options?: NextOccurrenceOptions) =>
    nextOccurrence(schedule, options)?.toISOString();

  it('is the next time from now on, in UTC', () => {
    expect(textOf('cron(0 18 ? * MON-FRI *)')).toBe('2026-03-30T18:00:00.000Z');
    expect(textOf('rate(5 minutes)')).toBe('2026-03-28T12:05:00.000Z');
  });

  it('goes by the clock of a time zone', () => {
    expect(textOf('cron(30 2 * * ? *)', { timeZone: 'Europe/Berlin' })).toBe('2026-03-29T01:00:00.000Z');
  });

  it('reads times as a Date or a text', () => {
    const after = '2026-06-01T09:00:00+02:00';
    expect(textOf('cron(0 12 * * ? *)', { after })).toBe('2026-06-01T12:00:00.000Z');
    expect(textOf('rate(2 hours)', { after: new Date(after) })).toBe('2026-06-01T09:00:00.000Z');
  });

  it('counts a rate from its start', () => {
    const options = { startAt: '2026-01-01T00:10:00Z', after: '2026-06-01T07:00:00Z' };
    expect(textOf('rate(1 hour)', options)).toBe('2026-06-01T07:10:00.000Z');
    expect(textOf('rate(1 hour)', { startAt: '2026-12-01T00:10:00Z' })).toBe('2026-12-01T00:10:00.000Z');
  });

  it('is undefined after the end', () => {
    expect(textOf('rate(1 hour)', { endAt: '2026-03-28T12:59:00Z' })).toBeUndefined();
    expect(textOf('cron(0 0 1 1 ? 2020)')).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['every day', {}, 'schedule: expected rate(...) or cron(...), got "every day"'],
    [undefined as never, {}, 'schedule: expected rate(...) or cron(...), got nothing'],
    [
      'rate(1 hour)',
      { timezone: 'UTC' },
      'nextOccurrence: unknown option "timezone"; did you mean "timeZone"?',
    ],
    ['rate(1 hour)', { timeZone: 1 }, 'nextOccurrence.timeZone: expected string, got 1'],
    [
      'rate(1 hour)',
      { timeZone: 'CET!' },
      'timeZone: expected a time zone such as Europe/Berlin, got "CET!"',
    ],
    ['rate(1 hour)', { after: 'tomorrow' }, 'after: expected a Date or an ISO-8601 time with its zone'],
    ['rate(1 hour)', { startAt: 5 }, 'startAt: expected a Date or an ISO-8601 time with its zone'],
    [
      'rate(1 hour)',
      { startAt: '2026-02-01T00:00Z', endAt: '2026-01-01T00:00Z' },
      'endAt: expected a time that is not before startAt',
    ],
  ])('refuses %j with %j', (schedule, options, problem) => {
    const call = () => nextOccurrence(schedule, options as NextOccurrenceOptions);
    expect(call).toThrow(ConfigurationError);
    expect(call).toThrow(problem);
  });
});
