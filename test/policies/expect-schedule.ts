import { expect } from 'vitest';
import { decideRetry, type RetryPolicy, resolvePolicy } from '../../src/policies/index.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');

/** The waits in seconds after each failure of one record, every attempt made at the very time it is due. */
export function waitsOf(
  policy: RetryPolicy,
  failures: number,
  id = 'r',
  queue = 'q',
  tickSeconds = 0,
  random: () => number = () => 0.5,
): (number | string)[] {
  const resolved = resolvePolicy(policy);
  const waits: (number | string)[] = [];
  let failedAt = START;
  for (let n = 1; n <= failures; n++) {
    const attempt = { id, queue, failures: n, firstFailureAt: START, failedAt, bornAt: START };
    const decision = decideRetry(resolved, attempt, tickSeconds, random);
    if (!decision.retry) return [...waits, decision.reason];
    waits.push((Math.ceil(decision.wanted) - failedAt) / 1000);
    failedAt = Math.ceil(decision.wanted);
  }
  return waits;
}

export function expectSchedule(policy: RetryPolicy, waits: readonly (number | string)[]): void {
  expect(waitsOf(policy, waits.length)).toEqual(waits);
}
