import { describe, expect, it } from 'vitest';
import { type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';
import { waitsOf } from './expect-schedule.js';

const then = (afterwards: RetryPolicy) => ({ type: 'list', waits: [10], afterwards }) as const;

describe('a policy behind a list', () => {
  it('counts its failures from there', () => {
    expect(waitsOf({ ...then({ type: 'exponential' }), jitter: 'none' }, 3)).toEqual([10, 240, 300]);
  });

  it('is drawn if it is random, whatever the phase of the list', () => {
    const drawnAt = (u: number) => waitsOf(then({ type: 'buckets' }), 3, 'r', 'q', 0, () => u).slice(1);
    expect(drawnAt(0)).toEqual([0, 1]);
    expect(drawnAt(0.5)).toEqual([4, 14]);
  });

  it('lends its growth to the amplitude of the phase', () => {
    const jitter = 'phase' as const;
    const amplitudeOf = (policy: RetryPolicy) => resolvePolicy(policy).jitter;
    const phased = (policy: RetryPolicy) => amplitudeOf({ ...then(policy), jitter });
    expect(amplitudeOf({ type: 'list' })).toEqual({ type: 'none' });
    expect(amplitudeOf({ type: 'list', jitter })).toEqual({ type: 'phase', amplitude: 0.236 });
    expect(phased({ type: 'exponential' })).toEqual({ type: 'phase', amplitude: 1 / 3 });
    expect(phased({ type: 'exponential', base: 3 })).toEqual({ type: 'phase', amplitude: 0.5 });
    expect(phased({ type: 'buckets' })).toEqual({ type: 'phase', amplitude: 0.236 });
    expect(phased(then({ type: 'exponential' }))).toEqual({ type: 'phase', amplitude: 1 / 3 });
  });

  it('has the limits of the list', () => {
    const policy = {
      ...then({ type: 'exponential' }),
      jitter: 'none',
      maxWait: 250,
      maxAttempts: 4,
    } as const;
    expect(waitsOf(policy, 9)).toEqual([10, 240, 250, 'maxAttempts']);
  });

  it('may end it', () => expect(waitsOf(then({ type: 'none' }), 9)).toHaveLength(2));
});
