import type { Logger } from '@aws-lambda-powertools/logger';
import { isIdle, isLoneSuccess, type RunSummary } from '../src/worker/summary.js';

/**
 * The run ended early because of DynamoDB, or of others. Thrown, so that the function's errors show it, cause first.
 */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';
  constructor(readonly summary: RunSummary) {
    const trouble = summary.trouble ?? TROUBLES[summary.ended];
    super(
      `the run ended early (${trouble}); what is left is due at the next run. ${JSON.stringify(summary)}`,
    );
  }
}

/** Ends of a run that fail the invocation: the event of arrivals then comes back by its on-failure destination. */
const TROUBLES: { readonly [end in RunSummary['ended']]?: string } = {
  storeError: 'DynamoDB throttled or did not answer',
  claimedElsewhere: 'other runs have claimed some of these arrivals',
  passiveRegion: 'another region attempts these arrivals',
};

export function isTrouble({ ended, comesBack }: RunSummary): boolean {
  return ended === 'storeError' || comesBack === true;
}

/** Writes the line of a run. */
export function reportRun(logger: Logger, summary: RunSummary): void {
  const isQuiet = (isIdle(summary) || isLoneSuccess(summary)) && !summary.caughtUp;
  // Every byte of a log costs: a count of zero is left out, and so is the lane where it is named as its queue is.
  const said = Object.entries(summary).filter(
    ([name, value]) => value !== 0 && !(name === 'lane' && value === summary.queue),
  );
  logger[isTrouble(summary) ? 'error' : isQuiet ? 'debug' : 'info']('run', Object.fromEntries(said));
}
