import { expect, it } from 'vitest';
import { counted } from '../../src/overview/format.js';

it.each([
  [0, '0 attempts'],
  [1, '1 attempt'],
  [12_937, '12,937 attempts'],
])('%i has its noun in the right number', (number, text) => {
  expect(counted(number, 'attempt')).toBe(text);
});
