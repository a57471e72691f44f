import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../src/schedules/expression.js';

const at = (iso: string) => Date.parse(iso);

function firings(
  expression: string,
  after: string,
  count: number,
  createdAt = after,
): (string | undefined)[] {
  const schedule = parseSchedule(expression);
  const times: (string | undefined)[] = [];
  let last = at(after);
  for (let i = 0; i < count; i++) {
    const next = schedule.next(last, at(createdAt));
    times.push(next === undefined ? undefined : new Date(next).toISOString());
    if (next === undefined) break;
    last = next;
  }
  return times;
}

describe('a rate', () => {
  it('counts from the creation of its rule, not from round times', () => {
    expect(firings('rate(5 minutes)', '2026-01-01T00:02:30.500Z', 3)).toEqual([
      '2026-01-01T00:07:30.500Z',
      '2026-01-01T00:12:30.500Z',
      '2026-01-01T00:17:30.500Z',
    ]);
  });

  it('keeps its phase however much later it is asked', () => {
    expect(firings('rate(1 hour)', '2026-01-03T10:59:59.999Z', 1, '2026-01-01T00:17:00.000Z')).toEqual([
      '2026-01-03T11:17:00.000Z',
    ]);
  });

  it('never fires at the moment of creation', () => {
    expect(firings('rate(1 day)', '2025-12-31T00:00:00Z', 1, '2026-01-01T00:00:00Z')).toEqual([
      '2026-01-02T00:00:00.000Z',
    ]);
  });

  it.each([
    'rate(1 minutes)',
    'rate(2 minute)',
    'rate(0 minutes)',
    'rate(5)',
    'rate(1.5 hours)',
    'rate(-1 day)',
    'at(2026-01-01T00:00:00)',
    '',
  ])('refuses %j', (expression) => {
    expect(() => parseSchedule(expression)).toThrow(/schedule: expected/);
  });
});

describe('a cron expression', () => {
  it.each([
    ['cron(0 12 * * ? *)', '2026-03-01T12:00:00Z', ['2026-03-02T12:00:00.000Z', '2026-03-03T12:00:00.000Z']],
    [
      'cron(0/15 * * * ? *)',
      '2026-03-01T12:07:10Z',
      ['2026-03-01T12:15:00.000Z', '2026-03-01T12:30:00.000Z'],
    ],
    ['cron(*/20 8 * * ? *)', '2026-03-01T08:40:00Z', ['2026-03-02T08:00:00.000Z']],
    [
      'cron(15,45 8-9 * * ? *)',
      '2026-03-01T08:20:00Z',
      ['2026-03-01T08:45:00.000Z', '2026-03-01T09:15:00.000Z'],
    ],
    ['cron(0 18 ? * MON-FRI *)', '2026-11-20T19:00:00Z', ['2026-11-23T18:00:00.000Z']],
    ['cron(0 0 ? * 1 *)', '2026-11-20T19:00:00Z', ['2026-11-22T00:00:00.000Z']],
    ['cron(30 6 1 * ? *)', '2026-01-31T00:00:00Z', ['2026-02-01T06:30:00.000Z', '2026-03-01T06:30:00.000Z']],
    ['cron(0 0 29 FEB ? *)', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00.000Z']],
    [
      'cron(0 8 1-31/10 jan,jul ? *)',
      '2026-01-22T00:00:00Z',
      ['2026-01-31T08:00:00.000Z', '2026-07-01T08:00:00.000Z'],
    ],
    ['cron(0 0 1 1 ? 2030)', '2026-01-01T00:00:00Z', ['2030-01-01T00:00:00.000Z', undefined]],
    ['cron(0 0 31 2 ? *)', '2026-01-01T00:00:00Z', [undefined]],
  ])('%s after %s', (expression, after, expected) => {
    expect(firings(expression, after, expected.length)).toEqual(expected);
  });

  it.each([
    [
      'cron(0 12 * * *)',
      'got 5 fields: EventBridge\'s cron has a sixth field, the year, and one of the two days is "?"; write cron(0 12 * * ? *)',
    ],
    ['cron(0 12 * *)', 'expected six fields (minutes hours day-of-month month day-of-week year), got 4'],
    ['cron(0 12 * * * *)', /exactly one/],
    ['cron(0 12 ? * ? *)', /exactly one/],
    ['cron(60 12 * * ? *)', /minutes: expected 0 to 59/],
    ['cron(0 24 * * ? *)', /hours: expected 0 to 23/],
    ['cron(0 0 ? * 0 *)', /day of week: expected 1 to 7/],
    ['cron(0 0 L-3 * ? *)', 'day of month: expected L, LW or a day such as 15W alone, not in a list'],
    ['cron(0 0 1,L * ? *)', /got "1,L"/],
    ['cron(0 0 1-15W * ? *)', /got "1-15W"/],
    ['cron(0 0 W * ? *)', /got "W"/],
    ['cron(0 0 32W * ? *)', /got "32W"/],
    ['cron(0 0 0W * ? *)', /got "0W"/],
    ['cron(0 0 WL * ? *)', /got "WL"/],
    ['cron(0 0 1#2 * ? *)', /got "1#2"/],
    ['cron(0 0 ? * 6#0 *)', 'day of week: expected L, a day such as 6L, or 6#1 to 6#5, alone'],
    ['cron(0 0 ? * 6#6 *)', /got "6#6"/],
    ['cron(0 0 ? * 8#1 *)', /got "8#1"/],
    ['cron(0 0 ? * 2#1,3#1 *)', /got "2#1,3#1"/],
    ['cron(0 0 ? * MON-FRIL *)', /got "MON-FRIL"/],
    ['cron(0 0 ? * 0L *)', /got "0L"/],
    ['cron(0 0 ? * LW *)', /got "LW"/],
    ['cron(0 0 ? * 2W *)', 'day of week: expected 1 to 7'],
    ['cron(0 L * * ? *)', 'hours: expected 0 to 23'],
    ['cron(5-1 0 * * ? *)', /minutes/],
    ['cron(0/0 0 * * ? *)', /minutes/],
    ['cron(0 0 1 FOO ? *)', /month/],
  ])('%s is refused', (expression, problem) => {
    expect(() => parseSchedule(expression)).toThrow(problem);
  });
});

describe('five fields, as Unix has them, are refused with the six that they mean', () => {
  it.each([
    ['*/5 * * * *', 'cron(*/5 * * * ? *)'],
    ['0 9 1 * *', 'cron(0 9 1 * ? *)'],
    ['0 9 * * 1-5', 'cron(0 9 ? * MON-FRI *)'],
    ['0 9 * * 0', 'cron(0 9 ? * SUN *)'],
    ['0 9 * jan,jul 7', 'cron(0 9 ? jan,jul SUN *)'],
    ['0 9 * * sat,2', 'cron(0 9 ? * sat,TUE *)'],
    ['0 9 ? * 2', 'cron(0 9 ? * 2 *)'],
    ['0 9 L * ?', 'cron(0 9 L * ? *)'],
  ])('%s is %s', (five, six) => {
    expect(() => parseSchedule(`cron(${five})`)).toThrow(`; write ${six}`);
    expect(() => parseSchedule(five)).toThrow(
      `expected rate(...) or cron(...), got "${five}"; did you mean ${six}?`,
    );
    expect(parseSchedule(six).next(0, 0)).toBeGreaterThan(0);
  });

  it.each(['0 9 1 * 1', '0 9 * * */2', '0 9 * * 5-7', '0 25 * * *', '@daily a b c d'])(
    '%s has no simple form',
    (five) => {
      expect(() => parseSchedule(`cron(${five})`)).toThrow(/one of the two days is "\?"$/);
      expect(() => parseSchedule(five)).toThrow(/, got "[^"]*"$/);
    },
  );
});

it('takes an expression of 256 characters at most', () => {
  const longest = `cron(${'0,'.repeat(119)}0 0 * * ? *) `;
  expect(longest).toHaveLength(256);
  expect(() => parseSchedule(longest)).not.toThrow();
  expect(() => parseSchedule(`${longest} `)).toThrow('schedule: expected at most 256 characters, got 257');
});
