import { describe, expect, it, vi } from 'vitest';
import { parseCron } from '../../src/schedules/cron.js';

/** The days of a year on which a cron expression happens, as `month-day`. */
function daysOf(day: string, weekday: string, year: number): string {
  const { next } = parseCron(`0 12 ${day} * ${weekday} ${year}`);
  const days: string[] = [];
  for (let at = next(0, 0); at !== undefined; at = next(at, 0)) {
    const date = new Date(at);
    expect(date.toISOString()).toMatch(`${year}-`);
    days.push(`${date.getUTCMonth() + 1}-${date.getUTCDate()}`);
  }
  return days.join(' ');
}

describe('day of month', () => {
  it.each([
    ['L', 2026, '1-31 2-28 3-31 4-30 5-31 6-30 7-31 8-31 9-30 10-31 11-30 12-31'],
    ['l', 2028, '1-31 2-29 3-31 4-30 5-31 6-30 7-31 8-31 9-30 10-31 11-30 12-31'],
    ['LW', 2026, '1-30 2-27 3-31 4-30 5-29 6-30 7-31 8-31 9-30 10-30 11-30 12-31'],
    ['1W', 2026, '1-1 2-2 3-2 4-1 5-1 6-1 7-1 8-3 9-1 10-1 11-2 12-1'],
    ['15w', 2026, '1-15 2-16 3-16 4-15 5-15 6-15 7-15 8-14 9-15 10-15 11-16 12-15'],
    ['31W', 2026, '1-30 3-31 5-29 7-31 8-31 10-30 12-31'],
    ['28W', 2027, '1-28 2-26 3-29 4-28 5-28 6-28 7-28 8-27 9-28 10-28 11-29 12-28'],
  ])('%s in %i', (day, year, expected) => {
    expect(daysOf(day, '?', year)).toBe(expected);
  });
});

describe('day of week', () => {
  it.each([
    ['6L', 2026, '1-30 2-27 3-27 4-24 5-29 6-26 7-31 8-28 9-25 10-30 11-27 12-25'],
    ['friL', 2026, '1-30 2-27 3-27 4-24 5-29 6-26 7-31 8-28 9-25 10-30 11-27 12-25'],
    ['1L', 2026, '1-25 2-22 3-29 4-26 5-31 6-28 7-26 8-30 9-27 10-25 11-29 12-27'],
    ['3#2', 2026, '1-13 2-10 3-10 4-14 5-12 6-9 7-14 8-11 9-8 10-13 11-10 12-8'],
    ['FRI#2', 2026, '1-9 2-13 3-13 4-10 5-8 6-12 7-10 8-14 9-11 10-9 11-13 12-11'],
    ['SUN#1', 2026, '1-4 2-1 3-1 4-5 5-3 6-7 7-5 8-2 9-6 10-4 11-1 12-6'],
    ['mon#5', 2026, '3-30 6-29 8-31 11-30'],
    ['2#5', 2027, '3-29 5-31 8-30 11-29'],
  ])('%s in %i', (weekday, year, expected) => {
    expect(daysOf('?', weekday, year)).toBe(expected);
  });

  it('L alone is Saturday, the last day of each week', () => {
    expect(daysOf('?', 'L', 2026)).toBe(daysOf('?', 'SAT', 2026));
    expect(daysOf('?', 'L', 2026).split(' ')).toHaveLength(52);
  });
});

describe('what seldom or never happens', () => {
  it.each([
    ['0 0 30 2 ? *', undefined],
    ['0 0 31 2,4,6,9,11 ? *', undefined],
    ['0 0 31W 2,4,6,9,11 ? *', undefined],
    ['0 0 29 2 ? 2101', undefined],
    ['0 0 29 2 ? 2100,2104', '2104-02-29T00:00:00.000Z'],
    ['0 0 ? 2 SUN#5 *', '2032-02-29T00:00:00.000Z'],
    ['59 23 31 12 ? 2199', '2199-12-31T23:59:00.000Z'],
  ])('%s is found out at once', (body, expected) => {
    const cron = parseCron(body);
    const looks = vi.spyOn(Date, 'UTC');
    looks.mockClear();
    const at = cron.next(Date.parse('2026-01-01T00:00:00Z'), 0);
    expect(looks.mock.calls.length).toBeLessThan(5_000);
    looks.mockRestore();
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(expected);
  });
});
