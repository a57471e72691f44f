import { describe, expect, it } from 'vitest';
import { violationsIn } from '../regions/violations.js';

/** Other worlds than those of every test run. */
describe('in five hundred worlds more', () => {
  it('no planned failover has a record attempted twice at once, after its success, or in both regions', async () => {
    expect(await violationsIn('planned', { first: 10_001, count: 200 })).toEqual([]);
  }, 900_000);

  it('a forced one repeats only what the lost region had written last, and loses nothing', async () => {
    expect(await violationsIn('forced', { first: 20_001, count: 200 })).toEqual([]);
  }, 900_000);

  it('no transfer between stacks has a record attempted twice at once, after its success, or minutes late', async () => {
    expect(await violationsIn('owners', { first: 30_001, count: 100 })).toEqual([]);
  }, 900_000);
});
