import * as z from 'zod/mini';
import { fixed, MAX_WAIT_SECONDS, type PolicyDefinition, waitOption } from './policy.js';

/** (1 + sqrt 5) / 2: the growth of the Fibonacci numbers, and of their sums. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

/**
 * Waits that grow as the Fibonacci numbers.
 *
 *     wait(n) = unit * F(n)     with 60 s: 1, 1, 2, 3, 5, 8, 13, 21, ... minutes
 *     total after n failures           unit * (F(n + 2) - 1)
 *
 * The 28th attempt falls on day 357; the wait after it would pass the maximum age of 360 days.
 */
export const fibonacci: PolicyDefinition<'fibonacci', { unit: number }> = {
  type: 'fibonacci',
  options: z.object({ unit: z._default(waitOption, 60) }),
  wait: ({ unit }, { failures }) => fixed(unit * fibonacciNumber(failures)),
  limitingGrowth: () => GOLDEN_RATIO,
  phased: true,
};

/** F(n) with F(1) = F(2) = 1. Stops growing where the longest wait of one-millisecond units is passed. */
export function fibonacciNumber(n: number): number {
  let [previous, current] = [0, 1];
  for (let i = 1; i < n && current < MAX_WAIT_SECONDS * 1000; i++) {
    [previous, current] = [current, previous + current];
  }
  return current;
}
