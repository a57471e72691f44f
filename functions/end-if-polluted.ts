import type { Logger } from '@aws-lambda-powertools/logger';
import { takePollution } from '../src/support/prototypes.js';
import { show } from '../src/support/validation.js';

/**
 * Ends a sandbox whose objects all have had properties that some code has added: that code may have changed more. The next
 * event starts another one. What was settled by then is settled, and the leases are given back.
 */
export function endIfPolluted(logger: Logger): void {
  const names = takePollution();
  if (names.length === 0) return;
  const properties = names.map(show).join(', ');
  logger.error('Object.prototype was changed during this run: the process ends, or is to be restarted', {
    properties,
  });
  // Elsewhere it is the process of a test, or of a worker.
  if (process.env.AWS_LAMBDA_RUNTIME_API !== undefined) process.exit(1);
}
