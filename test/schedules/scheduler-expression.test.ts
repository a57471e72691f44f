import { describe, expect, it } from 'vitest';
import {
  parseSchedulerExpression,
  type SchedulerExpression,
} from '../../src/schedules/scheduler-expression.js';
import { WallClock } from '../../src/schedules/wall-clock.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

function firings(
  schedule: SchedulerExpression,
  after: string,
  count: number,
  createdAt = after,
): (string | undefined)[] {
  const { next } = parseSchedulerExpression(schedule);
  const times: (string | undefined)[] = [];
  for (let last: number | undefined = Date.parse(after); last !== undefined && times.length < count; ) {
    last = next(last, Date.parse(createdAt));
    times.push(last === undefined ? undefined : new Date(last).toISOString().replace(':00.000Z', 'Z'));
  }
  return times;
}

describe('a cron expression in a time zone', () => {
  const at = (expression: string, timeZone: string, after: string, expected: (string | undefined)[]) =>
    expect(firings({ expression, timeZone }, after, expected.length)).toEqual(expected);

  it('goes by the clock there', () => {
    at('cron(0 0 * * ? *)', 'Europe/Berlin', '2026-01-10T12:00:00Z', [
      '2026-01-10T23:00Z',
      '2026-01-11T23:00Z',
    ]);
    at('cron(0 0/12 * * ? *)', 'Asia/Kolkata', '2026-01-10T12:00:00Z', [
      '2026-01-10T18:30Z',
      '2026-01-11T06:30Z',
    ]);
    at('cron(0 18 ? * MON-FRI *)', 'America/New_York', '2026-11-20T22:30:00Z', [
      '2026-11-20T23:00Z',
      '2026-11-23T23:00Z',
    ]);
    at('cron(0 0 1 1 ? 2030)', 'Asia/Tokyo', '2026-01-01T00:00:00Z', ['2029-12-31T15:00Z', undefined]);
  });

  it('keeps its hour when the clocks are changed', () => {
    const noon = 'cron(0 12 * * ? *)';
    at(noon, 'Europe/Berlin', '2026-03-28T00:00:00Z', [
      '2026-03-28T11:00Z',
      '2026-03-29T10:00Z',
      '2026-03-30T10:00Z',
    ]);
    at(noon, 'Europe/Berlin', '2026-10-24T00:00:00Z', [
      '2026-10-24T10:00Z',
      '2026-10-25T11:00Z',
      '2026-10-26T11:00Z',
    ]);
  });

  it('does not fire at a time that is left out when they go forward', () => {
    at('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-03-28T00:00:00Z', [
      '2026-03-28T01:30Z',
      '2026-03-30T00:30Z',
    ]);
    at('cron(0 0 * * ? *)', 'America/Havana', '2026-03-07T00:00:00Z', [
      '2026-03-07T05:00Z',
      '2026-03-09T04:00Z',
    ]);
    at('cron(0 12 * * ? *)', 'Pacific/Apia', '2011-12-29T00:00:00Z', [
      '2011-12-29T22:00Z',
      '2011-12-30T22:00Z',
    ]);
    at('cron(30 2 29 3 ? 2026)', 'Europe/Berlin', '2026-01-01T00:00:00Z', [undefined]);
  });

  it('fires the first time only at one that comes twice when they go back', () => {
    at('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-10-24T12:00:00Z', [
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    at('cron(45 1 * * ? *)', 'Australia/Lord_Howe', '2026-04-04T00:00:00Z', [
      '2026-04-04T14:45Z',
      '2026-04-05T15:15Z',
    ]);
    at('cron(0/30 * * * ? *)', 'Europe/Berlin', '2026-10-25T00:00:00Z', [
      '2026-10-25T00:30Z',
      '2026-10-25T02:00Z',
    ]);
    at('cron(0/30 * * * ? *)', 'Europe/Berlin', '2026-10-25T01:10:00Z', [
      '2026-10-25T02:00Z',
      '2026-10-25T02:30Z',
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-28T00:00:00Z'],
    ['Europe/Berlin', '2026-10-24T00:00:00Z'],
    ['America/Havana', '2026-03-07T00:00:00Z'],
    ['America/Havana', '2026-10-31T00:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T00:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T00:00:00Z'],
    ['Pacific/Apia', '2011-12-29T00:00:00Z'],
    ['UTC', '2026-03-28T00:00:00Z'],
  ])('fires at all times that %s shows for the first time, in the three days from %s', (timeZone, from) => {
    const start = Date.parse(from);
    const clock = new WallClock(timeZone);
    const shown = new Set<number>();
    const expected: number[] = [];
    for (let at = start - DAY; at <= start + 3 * DAY; at += 15 * MINUTE) {
      const wall = clock.shownAt(at);
      if (at > start && !shown.has(wall)) expected.push(at);
      shown.add(wall);
    }
    const { next } = parseSchedulerExpression({ expression: 'cron(0/15 * * * ? *)', timeZone });
    const found: number[] = [];
    for (let at = next(start, 0); at !== undefined && at <= start + 3 * DAY; at = next(at, 0)) found.push(at);
    expect(found).toEqual(expected);
  });

  it('is UTC without one', () => {
    at('cron(0 0 * * ? *)', 'UTC', '2026-01-10T12:00:00Z', ['2026-01-11T00:00Z']);
    expect(firings({ expression: 'cron(0 0 * * ? *)' }, '2026-01-10T12:00:00Z', 1)).toEqual([
      '2026-01-11T00:00Z',
    ]);
  });

  it('keeps within its dates', () => {
    const [startAt, endAt] = [Date.parse('2026-02-01T12:00:00Z'), Date.parse('2026-02-02T12:00:00Z')];
    const noon = { expression: 'cron(0 12 * * ? *)', startAt, endAt };
    expect(firings(noon, '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-02-01T12:00Z',
      '2026-02-02T12:00Z',
      undefined,
    ]);
  });
});

describe('a rate of a schedule', () => {
  const created = '2026-01-01T00:02:30.000Z';
  const before = '2026-01-01T00:02:29.999Z';

  it('fires at its creation, and then at its interval, in any time zone', () => {
    const every = { expression: 'rate(1 day)', timeZone: 'Europe/Berlin' };
    expect(firings(every, before, 3, created)).toEqual([
      '2026-01-01T00:02:30.000Z',
      '2026-01-02T00:02:30.000Z',
      '2026-01-03T00:02:30.000Z',
    ]);
    const days = firings(every, '2026-03-27T00:02:30.000Z', 4, created).map((time) => time?.slice(10));
    expect(new Set(days)).toEqual(new Set(['T00:02:30.000Z']));
  });

  it('counts from its start, and ends at its end', () => {
    const [startAt, endAt] = [Date.parse('2026-02-01T12:00:00Z'), Date.parse('2026-02-01T13:30:00Z')];
    const hourly = { expression: 'rate(1 hour)', startAt, endAt };
    expect(firings(hourly, before, 3, created)).toEqual([
      '2026-02-01T12:00Z',
      '2026-02-01T13:00Z',
      undefined,
    ]);
  });
});

describe('a schedule for one time', () => {
  it.each([
    ['2026-06-01T09:30:00', '2026-06-01T07:30Z'],
    ['2026-12-01T09:30:00', '2026-12-01T08:30Z'],
    ['2026-10-25T02:30:00', '2026-10-25T00:30Z'],
    ['2026-03-29T02:30:00', undefined],
  ])('of at(%s) in Berlin fires at %s, and never again', (time, expected) => {
    const at = { expression: `at(${time})`, timeZone: 'Europe/Berlin' };
    const times = expected === undefined ? [undefined] : [expected, undefined];
    expect(firings(at, '2026-01-01T00:00:00Z', 2)).toEqual(times);
  });
});

it.each([
  [
    { expression: 'at(tomorrow)' },
    'schedule: expected a time such as at(2026-11-20T09:30:00), got "at(tomorrow)"',
  ],
  [{ expression: 'at(2026-13-01T00:00:00)' }, 'schedule: expected a time such as at('],
  [{ expression: 'every day' }, 'schedule: expected rate(...), cron(...) or at(...), got "every day"'],
  [{ expression: 'rate(1 week)' }, 'schedule: expected a rate such as'],
  [
    { expression: 'rate(1 hour)', timeZone: 'Europe/Berln' },
    'expected a time zone such as Europe/Berlin, got "Europe/Berln"',
  ],
])('%j is refused', (schedule, problem) => {
  expect(() => parseSchedulerExpression(schedule)).toThrow(problem);
});
