import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../src/policies/index.js';
import { isLimitsOnly, limited, parseLimits } from '../../src/policies/limits.js';

describe('limits in place of a policy', () => {
  it.each([{ maxAttempts: 3 }, { maxAge: '1d' }, { maxAttempts: 3, maxAge: 60 }])('are %j', (value) => {
    expect(isLimitsOnly(value)).toBe(true);
  });

  it.each([
    {},
    { type: 'none' },
    { maxAttempts: 3, type: 'none' },
    [],
    ['maxAge'],
    null,
    undefined,
    'maxAge',
    3,
  ])('are not %j', (value) => {
    expect(isLimitsOnly(value)).toBe(false);
  });

  it('are read with their units, and out of range refused by their name', () => {
    expect(parseLimits({ maxAttempts: 3, maxAge: '1h' })).toEqual({ maxAttempts: 3, maxAge: 3_600 });
    for (const limits of [{ maxAttempts: 0 }, { maxAge: 0 }, { maxAge: '101y' }, { maxWait: 60 }])
      expect(() => parseLimits(limits)).toThrow(/^retry[.:] ?/);
  });

  it('hold under the policy that would be taken without them, and change nothing else', () => {
    const policy = resolvePolicy({ type: 'constant', maxAttempts: 9, maxAge: '2d' });
    expect(limited(policy, undefined)).toBe(policy);
    expect(limited(policy, { maxAttempts: 2 })).toEqual({ ...policy, maxAttempts: 2 });
    expect(limited(policy, { maxAge: 60 })).toEqual({ ...policy, maxAge: 60 });
  });
});
