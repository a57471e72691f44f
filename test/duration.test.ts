import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { age, duration, MAX_SECONDS, parseDuration } from '../src/support/duration.js';
import { parseOptions } from '../src/support/validation.js';

describe('a duration', () => {
  it.each([
    [0, 0],
    [30, 30],
    [0.25, 0.25],
    ['250ms', 0.25],
    ['30s', 30],
    ['90m', 5_400],
    ['90min', 5_400],
    ['2h', 7_200],
    ['1.5h', 5_400],
    ['7d', 604_800],
    ['2w', 1_209_600],
    ['1h30m', 5_400],
    ['1h 30m', 5_400],
    ['2 h 5 min', 7_500],
    [' 2h ', 7_200],
    ['0s', 0],
    ['PT2H', 7_200],
    ['P1DT2H', 93_600],
    ['P1W', 604_800],
    ['PT1H30M0.5S', 5_400.5],
    ['P36525D', MAX_SECONDS],
  ])('%j', (value, seconds) => {
    expect(parseDuration(value, 'delay')).toBe(seconds);
  });

  it.each([
    ...['', '5', '-5m', '5 parsecs', 'm', '1h30', '1e3s', 'Infinity', '1 5m', '5  m', '1..5h', '5M', '5H'],
    ...['P', 'PT', 'P1Y', 'P1M', 'P1DT', 'PT1D', 'pt1h', '-PT1H', 'P1.5', 'P1.5.5D', 'P36526D'],
    ...[-1, Number.NaN, Number.POSITIVE_INFINITY, null, undefined, true, [], {}, '1s'.repeat(33)],
    ...[new Date(0), Object(5), { toString: null }],
  ])('is not %j', (value) => {
    expect(() => parseDuration(value, 'delay')).toThrow(
      /^delay: expected seconds or a duration such as "90s" or "P1DT2H", 0 s or more, at most 36525 d, got /,
    );
  });

  it('has bounds, which the message names', () => {
    expect(parseDuration('1s', 'a', { least: 1, most: 10 })).toBe(1);
    expect(parseDuration('10s', 'a', { least: 1, most: 10 })).toBe(10);
    expect(() => parseDuration('999ms', 'a', { least: 1, most: 10 })).toThrow(
      '1 s or more, at most 10 s, got',
    );
    expect(() => parseDuration('11s', 'a', { least: 1, most: 10 })).toThrow('got "11s"');
    expect(parseDuration('1ms', 'a', { above: 0 })).toBe(0.001);
    expect(() => parseDuration(0, 'a', { above: 0 })).toThrow('above 0 s, at most 36525 d, got 0');
  });
});

describe('an option that is a duration', () => {
  const schema = z.strictObject({ wait: z._default(duration({ above: 0, most: 60 }), 5) });

  it('gives seconds, by default those of the option', () => {
    expect(parseOptions(schema, { wait: '30s' }, 'policy')).toEqual({ wait: 30 });
    expect(parseOptions(schema, { wait: 30 }, 'policy')).toEqual({ wait: 30 });
    expect(parseOptions(schema, {}, 'policy')).toEqual({ wait: 5 });
  });

  it('is refused by name, with what came', () => {
    expect(() => parseOptions(schema, { wait: '2h' }, 'policy')).toThrow(
      'policy.wait: expected seconds or a duration such as "90s" or "P1DT2H", above 0 s, at most 1 min, ' +
        'got "2h"',
    );
  });

  it('may be a word instead', () => {
    const retention = z.strictObject({ retention: duration({}, 'forever') });
    expect(parseOptions(retention, { retention: 'forever' }, 'q')).toEqual({ retention: 'forever' });
    expect(parseOptions(retention, { retention: '30d' }, 'q')).toEqual({ retention: 2_592_000 });
    expect(() => parseOptions(retention, { retention: 'ever' }, 'q')).toThrow(/, or "forever", got "ever"$/);
  });
});

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [1_499, '1 s'],
  [60_000, '1 min'],
  [125 * 60_000, '2 h 5 min'],
  [86_400_000 * 3 + 5_000, '3 d'],
  [86_400_000 * 3 + 3_600_000, '3 d 1 h'],
])('%i ms are shown as %s, which is a duration again', (ms, text) => {
  expect(age(ms)).toBe(text);
  expect(parseDuration(text, 'again')).toBeGreaterThanOrEqual(0);
});
