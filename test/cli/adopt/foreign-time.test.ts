import { describe, expect, it } from 'vitest';
import { toIso } from '../../../src/support/clock.js';
import { parseOffset, readForeignTime } from '../../../tools/src/cli/adopt/foreign-time.js';

const read = (value: unknown, offset?: number) => {
  const time = readForeignTime(value, offset);
  return time && toIso(time.ms);
};
const HALF_PAST_NINE = '2026-11-20T09:30:00.000Z';

describe('a time that another service wrote', () => {
  it.each([
    ['epoch seconds', 1_795_167_000],
    ['epoch seconds with a fraction', 1_795_167_000.0004],
    ['epoch milliseconds', 1_795_167_000_000],
    ['more digits than JavaScript has', { value: '1795167000.00000000000001' }],
    ['digits in a string', '1795167000'],
    ['milliseconds in a string', '1795167000000'],
    ['the library’s own form', HALF_PAST_NINE],
    ['without milliseconds', '2026-11-20T09:30:00Z'],
    ['without seconds', '2026-11-20T09:30Z'],
    ['microseconds', '2026-11-20T09:30:00.000321+00:00'],
    ['an offset', '2026-11-20T11:30:00+02:00'],
    ['an offset without a colon, west', '2026-11-20T04:00:00-0530'],
    ['a blank for the T, and a zone', '2026-11-20 10:30:00+01'],
    ['UTC by its name', '2026-11-20 09:30:00 UTC'],
    ['RFC 2822', 'Fri, 20 Nov 2026 09:30:00 GMT'],
  ])('is read: %s', (_name, value) => {
    expect(read(value)).toBe(HALF_PAST_NINE);
    expect(readForeignTime(value)?.zoneless).toBe(false);
  });

  it('that names no zone is read as UTC, or by the offset that is given', () => {
    expect(read('2026-11-20 09:30:00')).toBe(HALF_PAST_NINE);
    expect(read('2026-11-20 10:30:00', 60)).toBe(HALF_PAST_NINE);
    expect(readForeignTime('2026-11-20 09:30:00')?.zoneless).toBe(true);
    expect(read('2026-11-20T10:30:00Z', 60)).toBe('2026-11-20T10:30:00.000Z');
    expect(read('2026-11-20')).toBe('2026-11-20T00:00:00.000Z');
  });

  it.each([
    ['day and month in any order', '11/12/2026'],
    ['a day that no year has', '2026-02-30T00:00:00Z'],
    ['an hour that no day has', '2026-02-20 25:00:00'],
    ['a name', 'yesterday'],
    ['digits without separators', '20261120093000'],
    ['a small number', 42],
    ['a number beyond 2100', 9_795_167_000_000],
    ['a year that stands for none', '0001-01-01T00:00:00Z'],
    ['an offset that no place has', '2026-11-20T09:30:00+25:00'],
    ['not a number', Number.NaN],
    ['nothing', null],
    ['a map', {}],
    ['a truth', true],
  ])('is not guessed: %s', (_name, value) => expect(read(value)).toBeUndefined());

  it('offsets are minutes east of Greenwich', () => {
    expect(['+02:00', '-0530', '+14', '2:00', '+15:00'].map(parseOffset)).toEqual([
      120,
      -330,
      840,
      undefined,
      undefined,
    ]);
  });
});
