import { expect, it } from 'vitest';
import { nearest } from '../src/support/nearest.js';

it.each([
  ['dely', ['delay', 'at'], 'delay'],
  ['QUEUE', ['queue'], 'queue'],
  ['bb', ['a', 'b'], 'b'],
  // Two changes make any name of two letters out of another one.
  ['to', ['at'], undefined],
  ['priority', ['delay', 'at'], undefined],
  // Names of other libraries.
  ['wait', ['at', 'delay'], 'delay'],
  ['startAfter', ['at', 'delay'], 'at'],
  ['x'.repeat(101), ['x'], undefined],
  ['any', [], undefined],
])('%s among %j is taken for %s', (name, known, expected) => {
  expect(nearest(name, known)).toBe(expected);
});
