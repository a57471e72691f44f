import { caughtUpBy, type Tier, tierBands } from '../policies/index.js';
import type { RunTarget } from '../worker/index.js';

/** Fires at the start and at every multiple of its interval, as an EventBridge rule with a rate does. */
export interface Rule {
  readonly everyMs: number;
  /** What the run that it starts is about. */
  readonly target: Pick<RunTarget, 'band' | 'catchUp'>;
}

/** As the CDK construct has them: one that polls for what is due, or one for each tier of a progressive queue. */
export function rulesOf(
  tiers: readonly Tier<number>[] | undefined,
  { tickSeconds, functionTimeoutSeconds }: { tickSeconds: number; functionTimeoutSeconds: number },
): readonly Rule[] {
  if (!tiers) return [{ everyMs: tickSeconds * 1000, target: {} }];
  const bands = tierBands(tiers, functionTimeoutSeconds);
  return bands.map((band) => ({
    everyMs: band.every * 1000,
    target: { band, catchUp: caughtUpBy(band, bands) },
  }));
}
