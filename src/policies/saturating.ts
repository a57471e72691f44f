import { type Curve, curveOptions, fixed, type PolicyDefinition } from './policy.js';
import { powerOf } from './power-of.js';

/**
 * Rises fast and saturates slowly, by the sequence whose limit is e (named in seed 000).
 *
 *     wait(n) = first + (max - first) * ((1 + 1/n)^n - 2) / (e - 2)   1 min, 8.4 h, 12.4 h, 14.8 h, ... towards 24 h
 */
export const saturating: PolicyDefinition<'saturating', Curve> = {
  type: 'saturating',
  options: curveOptions,
  wait: ({ firstSeconds, maxSeconds }, { failures }) =>
    fixed(
      firstSeconds + (maxSeconds - firstSeconds) * ((powerOf(1 + 1 / failures, failures) - 2) / (Math.E - 2)),
    ),
  limitingGrowth: () => 1,
};
