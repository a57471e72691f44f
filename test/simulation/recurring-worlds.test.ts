import { expect, it } from 'vitest';
import { recurringViolations } from './recurring-worlds.js';

it.each([1, 2])('each occurrence has its record, whatever goes wrong: world %i', async (seed) => {
  expect(await recurringViolations(seed)).toEqual([]);
});
