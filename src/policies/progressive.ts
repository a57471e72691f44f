import * as z from 'zod/mini';
import { fixed, type PolicyDefinition } from './policy.js';
import { DEFAULT_TIERS, type Tier, tiersSchema } from './tiers.js';

/**
 * Waits that follow the record's age: the interval of the tier it is in.
 *
 *     every 5 minutes up to 1 day, 1 hour to 7 days, 12 hours to 14, 24 hours to 30, 96 hours to 180, 192 hours to 360
 *
 * 524 attempts in all, the first one included. On a progressive queue the rules themselves keep this schedule; as a policy
 * of one record, or of a queue that is polled every minute, the wait is counted from the failure. A wait that would end
 * behind the last tier is not begun.
 */
export const progressive: PolicyDefinition<'progressive', { tiers: readonly Tier<number>[] }> = {
  type: 'progressive',
  options: z.object({ tiers: z._default(tiersSchema, [...DEFAULT_TIERS]) }),
  wait: ({ tiers }, { ageSeconds }) => {
    const tier = tiers.find(({ untilAge }) => ageSeconds <= untilAge);
    const end = tiers.at(-1)?.untilAge ?? 0;
    return tier && ageSeconds + tier.every <= end ? fixed(tier.every) : undefined;
  },
};
