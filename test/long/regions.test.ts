import { describe, expect, it } from 'vitest';
import { ForcedWorld } from '../regions/forced.js';
import { PlannedWorld } from '../regions/planned.js';
import { violationsIn } from '../regions/violations.js';

/** Other worlds than those of every test run. */
describe('in eighty worlds more', () => {
  it('no planned failover has a record attempted twice at once, after its success, or in both regions', async () => {
    expect(await violationsIn('planned', { first: 10_001, count: 30 })).toEqual([]);
  }, 900_000);

  it('a forced one repeats only what the lost region had written last, and loses nothing', async () => {
    expect(await violationsIn('forced', { first: 20_001, count: 30 })).toEqual([]);
  }, 900_000);

  it('no transfer between stacks has a record attempted twice at once, after its success, or minutes late', async () => {
    expect(await violationsIn('owners', { first: 30_001, count: 20 })).toEqual([]);
  }, 900_000);
});

describe('among these worlds', () => {
  it('are failovers that are done, given back and interrupted', async () => {
    const ended = new Set<string>();
    for (let seed = 1; seed <= 30 && ended.size < 3; seed++)
      for (const how of (await new PlannedWorld(seed).play()).ended) ended.add(how);
    expect([...ended].sort()).toEqual(['givenBack', 'interrupted', 'moved']);
  });

  it('are lost regions that attempt records after their return, some of them again', async () => {
    let [longestMs, repeated] = [0, 0];
    for (let seed = 1; seed <= 30 && (repeated === 0 || longestMs <= 10_000); seed++) {
      const result = await new ForcedWorld(seed).play();
      longestMs = Math.max(longestMs, result.stillAttemptedMs);
      repeated += result.repeated;
    }
    expect(longestMs).toBeGreaterThan(10_000);
    expect(repeated).toBeGreaterThan(0);
  });
});
