import { type Curve, curveOptions, fixed, type PolicyDefinition, subexponential } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Rises fast and saturates slowly, by the sequence whose limit is e.
 *
 *     wait(n) = first + (max - first) * ((1 + 1/n)^n - 2) / (e - 2)   1 min, 8.4 h, 12.4 h, 14.8 h, ... towards 24 h
 */
export const saturating: PolicyDefinition<'saturating', Curve> = {
  type: 'saturating',
  options: curveOptions,
  wait: ({ first, max }, { failures }) =>
    fixed(first + (max - first) * ((towardsE(failures) - 2) / (Math.E - 2)), max),
  limitingGrowth: subexponential,
  phased: true,
};

/** The greatest n that is computed as a power: of greater ones the power loses more digits than the series leaves out. */
const MAX_FACTORS = 10_000;

/** (1 + 1/n)^n. Of great n by its series, e (1 - 1/2n + 11/24n^2 - ...): 1 + 1/n has no digits left for it there. */
function towardsE(n: number): number {
  if (n <= MAX_FACTORS) return powerOf(1 + 1 / n, n);
  return Math.E * (1 - 1 / (2 * n) + 11 / (24 * n * n));
}
