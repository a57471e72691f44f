import { noOptions, type PolicyDefinition } from './policy.js';

/** Never again: a record is dead at its first failure (`NoRetry`). */
export const none: PolicyDefinition<'none', Record<string, never>> = {
  type: 'none',
  options: noOptions,
  wait: () => undefined,
};
