import { expect, it } from 'vitest';
import { age, parseDuration } from '../../src/local/schedule/durations.js';

it.each([
  ['30s', 30_000],
  ['90m', 5_400_000],
  ['90min', 5_400_000],
  ['2h', 7_200_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['1h30m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['250ms', 250],
])('the duration %s', (text, expected) => {
  expect(parseDuration(text, '--for')).toBe(expected);
});

it.each(['5', '', '-5m', '0s', '5 parsecs', 'm', '1h30', '1e3s', 'Infinity'])('%j is no duration', (text) => {
  expect(() => parseDuration(text, '--for')).toThrow(/--for: expected a duration with a unit/);
});

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [1_499, '1 s'],
  [60_000, '1 min'],
  [125 * 60_000, '2 h 5 min'],
  [86_400_000 * 3 + 5_000, '3 d'],
  [86_400_000 * 3 + 3_600_000, '3 d 1 h'],
])('%i ms are shown as %s', (ms, text) => {
  expect(age(ms)).toBe(text);
});
