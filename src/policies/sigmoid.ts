import { type Curve, curveOptions, fixed, type PolicyDefinition, subexponential } from './policy.js';

/**
 * An S-curve from a first wait to a greatest.
 *
 *     wait(n) = first + (max - first) * (2 / (1 + e^(1 - n)) - 1)     1 min, 11.1 h, 18.3 h, 21.7 h, ... towards 24 h
 */
export const sigmoid: PolicyDefinition<'sigmoid', Curve> = {
  type: 'sigmoid',
  options: curveOptions,
  wait: ({ first, max }, { failures }) =>
    fixed(first + (max - first) * (2 / (1 + Math.exp(1 - failures)) - 1), max),
  limitingGrowth: subexponential,
  phased: true,
};
