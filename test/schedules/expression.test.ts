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
    ['cron(0 12 * * *)', /six fields/],
    ['cron(0 12 * * * *)', /exactly one/],
    ['cron(0 12 ? * ? *)', /exactly one/],
    ['cron(60 12 * * ? *)', /minutes: expected 0 to 59/],
    ['cron(0 24 * * ? *)', /hours: expected 0 to 23/],
    ['cron(0 0 ? * 0 *)', /day of week: expected 1 to 7/],
    ['cron(0 0 L * ? *)', /not supported by the local runtime/],
    ['cron(0 0 ? * 2#1 *)', /not supported by the local runtime/],
    ['cron(5-1 0 * * ? *)', /minutes/],
    ['cron(0/0 0 * * ? *)', /minutes/],
    ['cron(0 0 1 FOO ? *)', /month/],
  ])('%s is refused', (expression, problem) => {
    expect(() => parseSchedule(expression)).toThrow(problem);
  });
});
