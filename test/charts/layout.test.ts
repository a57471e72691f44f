import { describe, expect, it } from 'vitest';
import { spread } from '../../tools/src/charts/end-labels.js';
import { shortened, textWidth, wrapped } from '../../tools/src/charts/text.js';
import { linearTicks, namedTicks } from '../../tools/src/charts/time-axis.js';

const MINUTE = 60;
const DAY = 86_400;
const YEAR = 365 * DAY;

it.each([
  [25, ['0', '5 s', '10 s', '15 s', '20 s', '25 s']],
  [5 * MINUTE, ['0', '1 min', '2 min', '3 min', '4 min', '5 min']],
  [147 * MINUTE, ['0', '30 min', '60 min', '90 min', '120 min']],
  [1 * DAY, ['0', '6 h', '12 h', '18 h', '24 h']],
  [2.7 * DAY, ['0', '12 h', '24 h', '36 h', '48 h', '60 h']],
  [100_000, ['0', '6 h', '12 h', '18 h', '24 h']],
  [8.5 * DAY, ['0', '2 d', '4 d', '6 d', '8 d']],
  [360 * DAY, ['0', '100 d', '200 d', '300 d']],
  [36_500 * DAY, ['0', '20 y', '40 y', '60 y', '80 y', '100 y']],
  [10_000 * YEAR, ['0', '2,000 y', '4,000 y', '6,000 y', '8,000 y', '10,000 y']],
])('an axis of %i seconds has round times of one unit', (range, expected) => {
  expect(linearTicks(range, 6).map(({ text }) => text)).toEqual(expected);
});

it('an axis of waits ends with a round one', () => {
  expect(linearTicks(23.9 * 3600, 6, true).at(-1)).toEqual({ seconds: DAY, text: '24 h' });
  expect(linearTicks(5 * MINUTE, 6, true).at(-1)?.text).toBe('5 min');
});

it('a logarithmic axis has times with a name, between its ends', () => {
  expect(namedTicks(60, DAY).map(({ text }) => text)).toEqual(['1 min', '10 min', '1 h', '6 h', '1 d']);
});

describe('labels at the ends of lines', () => {
  it('stay where they are if there is room', () => {
    expect(spread([50, 20, 90], 0, 100)).toEqual([50, 20, 90]);
  });

  it('move apart, in the order of their lines, and stay within the frame', () => {
    expect(spread([50, 51, 50], 0, 100)).toEqual([50, 90, 70]);
    expect(spread([0, 0], 0, 100)).toEqual([8, 28]);
    expect(spread([100, 99, 98], 0, 100)).toEqual([92, 72, 52]);
  });
});

describe('texts', () => {
  const LONG = 'one two three '.repeat(20).trim();

  it('are broken into lines that fit, without losing a letter', () => {
    const lines = wrapped(LONG, 200, 16);
    for (const line of lines) expect(textWidth(line, 16)).toBeLessThanOrEqual(200);
    expect(lines.join(' ')).toBe(LONG);
    expect(wrapped('W'.repeat(50), 200, 16).join('')).toBe('W'.repeat(50));
    expect(wrapped('', 200, 16)).toEqual(['']);
  });

  it('are cut to a width, but never within a letter', () => {
    expect(shortened('short', 200, 16)).toBe('short');
    const cut = shortened('𝒳'.repeat(50), 100, 16);
    expect(cut).toMatch(/^(?:𝒳)+…$/u);
    expect(textWidth(cut, 16)).toBeLessThanOrEqual(100);
  });
});
