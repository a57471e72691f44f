import { describe, expect, it, vi } from 'vitest';
import { type OccurrenceOptions, parseOccurrences } from '../../src/schedules/occurrences.js';
import { WallClock } from '../../src/schedules/wall-clock.js';

const at = (iso: string) => Date.parse(iso);
const text = (time: number | undefined) =>
  time === undefined ? 'none' : new Date(time).toISOString().replace(':00.000Z', 'Z');

/** The first occurrences after a time, each one as a line. */
function occurrences(
  schedule: string,
  timeZone: string,
  after: string,
  count: number,
  others: Partial<OccurrenceOptions> = {},
): string[] {
  const { next } = parseOccurrences({ schedule, timeZone, createdAt: at(after), ...others });
  const times: string[] = [];
  for (let last: number | undefined = at(after); last !== undefined && times.length < count; ) {
    last = next(last);
    times.push(text(last));
  }
  return times;
}

describe('a cron in Europe/Berlin', () => {
  const zone = 'Europe/Berlin';

  it('happens at the change where the clocks go forward over its time', () => {
    expect(occurrences('cron(30 2 * * ? *)', zone, '2026-03-27T12:00Z', 4)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
      '2026-03-31T00:30Z',
    ]);
    expect(occurrences('cron(30 2 29 3 ? 2026)', zone, '2026-01-01T00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      'none',
    ]);
  });

  it('happens once at the change, also asked in the minute before it', () => {
    const { next } = parseOccurrences({ schedule: 'cron(0/20 2 * * ? *)', timeZone: zone, createdAt: 0 });
    for (const before of ['2026-03-29T00:59:00Z', '2026-03-29T00:59:59.999Z']) {
      expect(text(next(at(before)))).toBe('2026-03-29T01:00Z');
    }
    expect(text(next(at('2026-03-29T01:00:00Z')))).toBe('2026-03-30T00:00Z');
  });

  it('happens the first time only where the clocks go back', () => {
    expect(occurrences('cron(30 2 * * ? *)', zone, '2026-10-23T12:00Z', 4)).toEqual([
      '2026-10-24T00:30Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
      '2026-10-27T01:30Z',
    ]);
    expect(occurrences('cron(0/30 1-3 * * ? *)', zone, '2026-10-24T23:45Z', 5)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T02:00Z',
      '2026-10-25T02:30Z',
      '2026-10-26T00:00Z',
    ]);
  });

  it.each(['*', '*/1', '0-23', '0/1', '0-11,12-23'])(
    'with the hours %s happens each hour that passes',
    (hours) => {
      expect(occurrences(`cron(0 ${hours} * * ? *)`, zone, '2026-03-28T23:30Z', 4)).toEqual([
        '2026-03-29T00:00Z',
        '2026-03-29T01:00Z',
        '2026-03-29T02:00Z',
        '2026-03-29T03:00Z',
      ]);
      expect(occurrences(`cron(0 ${hours} * * ? *)`, zone, '2026-10-24T23:30Z', 4)).toEqual([
        '2026-10-25T00:00Z',
        '2026-10-25T01:00Z',
        '2026-10-25T02:00Z',
        '2026-10-25T03:00Z',
      ]);
    },
  );

  it.each(['2026-03-29T00:00Z', '2026-10-24T23:30Z'])(
    'each quarter of an hour goes on through the change after %s',
    (after) => {
      const expected = Array.from({ length: 16 }, (_, i) => text(at(after) + (i + 1) * 15 * 60_000));
      expect(occurrences('cron(0/15 * * * ? *)', zone, after, 16)).toEqual(expected);
    },
  );

  it('at half past each hour happens at the change, too, for the one that is left out', () => {
    expect(occurrences('cron(30 * * * ? *)', zone, '2026-03-29T00:00Z', 4)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:30Z',
    ]);
  });
});

describe('a cron elsewhere', () => {
  it('knows a change of half an hour', () => {
    const zone = 'Australia/Lord_Howe';
    expect(occurrences('cron(15 2 * * ? *)', zone, '2026-10-02T00:00Z', 3)).toEqual([
      '2026-10-02T15:45Z',
      '2026-10-03T15:30Z',
      '2026-10-04T15:15Z',
    ]);
    expect(occurrences('cron(45 1 * * ? *)', zone, '2026-04-03T00:00Z', 3)).toEqual([
      '2026-04-03T14:45Z',
      '2026-04-04T14:45Z',
      '2026-04-05T15:15Z',
    ]);
    expect(occurrences('cron(0/15 * * * ? *)', zone, '2026-04-04T14:30Z', 4)).toEqual([
      '2026-04-04T14:45Z',
      '2026-04-04T15:00Z',
      '2026-04-04T15:15Z',
      '2026-04-04T15:30Z',
    ]);
  });

  it('knows a day without midnight', () => {
    expect(occurrences('cron(0 0 * * ? *)', 'America/Sao_Paulo', '2018-11-02T12:00Z', 3)).toEqual([
      '2018-11-03T03:00Z',
      '2018-11-04T03:00Z',
      '2018-11-05T02:00Z',
    ]);
    // At the midnight after the 17th, the clocks go back to 23:00.
    expect(occurrences('cron(30 23 * * ? *)', 'America/Sao_Paulo', '2018-02-16T12:00Z', 3)).toEqual([
      '2018-02-17T01:30Z',
      '2018-02-18T01:30Z',
      '2018-02-19T02:30Z',
    ]);
  });

  it('knows a day that was left out', () => {
    const zone = 'Pacific/Apia';
    expect(occurrences('cron(0 12 * * ? *)', zone, '2011-12-29T00:00Z', 4)).toEqual([
      '2011-12-29T22:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T22:00Z',
      '2011-12-31T22:00Z',
    ]);
    expect(occurrences('cron(0 12 30 12 ? 2011)', zone, '2011-01-01T00:00Z', 2)).toEqual([
      '2011-12-30T10:00Z',
      'none',
    ]);
  });

  it('reads days in its zone', () => {
    expect(occurrences('cron(0 1 L * ? *)', 'Asia/Tokyo', '2026-01-01T00:00Z', 3)).toEqual([
      '2026-01-30T16:00Z',
      '2026-02-27T16:00Z',
      '2026-03-30T16:00Z',
    ]);
    expect(occurrences('cron(0 22 ? * FRI#2 *)', 'America/Los_Angeles', '2026-01-01T00:00Z', 2)).toEqual([
      '2026-01-10T06:00Z',
      '2026-02-14T06:00Z',
    ]);
  });

  it('has whole minutes where the offset had seconds', () => {
    expect(occurrences('cron(0 12 * * ? *)', 'Africa/Monrovia', '1972-01-05T00:00Z', 3)).toEqual([
      '1972-01-05T12:45Z',
      '1972-01-06T12:45Z',
      '1972-01-07T12:00Z',
    ]);
  });

  it('does not happen before 1970', () => {
    expect(occurrences('cron(0 0 * * ? *)', 'UTC', '1960-01-01T00:00Z', 1, { createdAt: 0 })).toEqual([
      '1970-01-01T00:00Z',
    ]);
    expect(occurrences('cron(0 0 * * ? *)', 'Asia/Tokyo', '1960-01-01T00:00Z', 1, { createdAt: 0 })).toEqual([
      '1970-01-01T15:00Z',
    ]);
  });
});

describe('a rate', () => {
  it('happens an interval after the creation, in whole minutes', () => {
    expect(occurrences('rate(5 minutes)', 'Europe/Berlin', '2026-01-01T12:02:30.500Z', 3)).toEqual([
      '2026-01-01T12:07Z',
      '2026-01-01T12:12Z',
      '2026-01-01T12:17Z',
    ]);
    const { next } = parseOccurrences({ schedule: 'rate(1 day)', createdAt: at('2026-01-02T00:00Z') });
    expect(text(next(0))).toBe('2026-01-03T00:00Z');
  });

  it('happens first at its start, and last at its end', () => {
    const limits = { startAt: at('2026-02-01T12:00:45Z'), endAt: at('2026-02-01T14:00Z') };
    expect(occurrences('rate(1 hour)', 'UTC', '2026-01-01T00:00Z', 5, limits)).toEqual([
      '2026-02-01T12:00Z',
      '2026-02-01T13:00Z',
      '2026-02-01T14:00Z',
      'none',
    ]);
  });

  it('ends with the year 9999', () => {
    expect(occurrences(`rate(${'9'.repeat(240)} days)`, 'UTC', '2026-01-01T00:00Z', 1)).toEqual(['none']);
    const startAt = at('9999-12-31T23:59:00Z');
    expect(occurrences('rate(1 minute)', 'UTC', '2026-01-01T00:00Z', 2, { startAt })).toEqual([
      '9999-12-31T23:59Z',
      'none',
    ]);
  });
});

it('keeps a cron within its dates, both included', () => {
  const noon = 'cron(0 12 * * ? *)';
  const limits = { startAt: at('2026-02-01T12:00Z'), endAt: at('2026-02-02T12:00Z') };
  const expected = ['2026-02-01T12:00Z', '2026-02-02T12:00Z', 'none'];
  expect(occurrences(noon, 'UTC', '2026-01-01T00:00Z', 3, limits)).toEqual(expected);
  const { last } = parseOccurrences({ schedule: noon, createdAt: 0, ...limits });
  expect(text(last(0, at('2030-01-01T00:00Z')))).toBe('2026-02-02T12:00Z');
  expect(last(0, at('2026-02-01T11:59Z'))).toBeUndefined();
  expect(last(at('2026-02-02T12:01Z'), at('2030-01-01T00:00Z'))).toBeUndefined();
});

describe('the last occurrence', () => {
  const lastOf = (schedule: string, from: string, until: string) =>
    text(parseOccurrences({ schedule, timeZone: 'Europe/Berlin', createdAt: 0 }).last(at(from), at(until)));

  it.each([
    ['cron(* * * * ? *)', '1980-01-01T00:00Z', '2026-06-01T10:00:59.999Z', '2026-06-01T10:00Z'],
    ['cron(* 0-5 * * ? *)', '1980-01-01T00:00Z', '2026-06-01T10:00Z', '2026-06-01T03:59Z'],
    ['cron(0 0 29 2 ? *)', '1980-01-01T00:00Z', '2026-06-01T10:00Z', '2024-02-28T23:00Z'],
    ['cron(0 0 29 2 ? *)', '2025-01-01T00:00Z', '2026-06-01T10:00Z', 'none'],
    ['cron(0 0 1 1 ? 1990)', '1980-01-01T00:00Z', '2026-06-01T10:00Z', '1989-12-31T23:00Z'],
    ['cron(0 12 * * ? *)', '2026-06-01T10:00Z', '2026-06-01T10:00Z', '2026-06-01T10:00Z'],
    ['cron(0 12 * * ? *)', '2026-06-01T10:01Z', '2026-06-01T10:00Z', 'none'],
    ['cron(30 2 * * ? *)', '2026-01-01T00:00Z', '2026-03-29T01:10Z', '2026-03-29T01:00Z'],
    ['cron(30 2 * * ? *)', '2026-01-01T00:00Z', '2026-10-25T01:45Z', '2026-10-25T00:30Z'],
    ['rate(1 minute)', '1980-01-01T00:00Z', '2026-06-01T10:00:30Z', '2026-06-01T10:00Z'],
    ['rate(7 days)', '1970-01-01T00:00Z', '1970-01-07T23:59Z', 'none'],
    ['rate(7 days)', '1970-01-01T00:00Z', '1970-01-16T00:00Z', '1970-01-15T00:00Z'],
  ])('of %s from %s until %s is %s', (schedule, from, until, expected) => {
    const looks = vi.spyOn(WallClock.prototype, 'shownAt');
    looks.mockClear();
    expect(lastOf(schedule, from, until)).toBe(expected);
    // However many occurrences there were.
    expect(looks.mock.calls.length).toBeLessThan(500);
    looks.mockRestore();
  });
});

it.each<[Partial<OccurrenceOptions>, string]>([
  [{ schedule: 'at(2026-11-20T09:30:00)' }, 'schedule: expected rate(...) or cron(...), got "at(2026-11'],
  [{ schedule: 'rate(1 week)' }, 'schedule: expected a rate such as rate(1 minute)'],
  [{ schedule: 7 as never }, 'schedule: expected rate(...) or cron(...), got 7'],
  [{ timeZone: 'Europe/Berln' }, 'timeZone: expected a time zone such as Europe/Berlin, got "Europe/Berln"'],
  [{ timeZone: '+01:00' }, 'timeZone: expected a time zone such as Europe/Berlin, got "+01:00"'],
  [{ timeZone: null as never }, 'timeZone: expected a time zone such as Europe/Berlin, got null'],
  [{ startAt: -1 }, 'startAt: expected epoch milliseconds from 0 on, got -1'],
  [{ createdAt: Number.NaN }, 'createdAt: expected epoch milliseconds from 0 on, got NaN'],
  [{ endAt: 1e15 }, 'endAt: expected epoch milliseconds from 0 on'],
  [{ startAt: 2, endAt: 1 }, 'endAt: expected a time that is not before startAt'],
])('%j is refused', (options, problem) => {
  expect(() => parseOccurrences({ schedule: 'rate(1 hour)', createdAt: 0, ...options })).toThrow(problem);
});
