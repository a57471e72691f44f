import type { Scenario } from './scenario.js';
import type { SiteDeps } from './site.js';

export const REGIONS = ['eu-central-1', 'eu-west-1'] as const;

/** A stack with the same queue in each region. The first one is the primary one. */
export function sitesOf({
  isSameOwner,
}: Pick<Scenario, 'isSameOwner'>): readonly Pick<SiteDeps, 'region' | 'functions' | 'env'>[] {
  return REGIONS.map((region) => ({
    region,
    functions: [{ name: 'q', env: {} }],
    env: {
      BACKLOG_OWNER: isSameOwner ? 'shop' : `shop-${region}`,
      BACKLOG_PRIMARY_REGION: REGIONS[0],
      AWS_REGION: region,
    },
  }));
}
