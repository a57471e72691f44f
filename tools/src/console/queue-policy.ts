import type { RetryPolicy } from 'dynamo-backlog';
import type { Reading } from 'dynamo-backlog/overview';
import type { ConsoleDeps } from './deps.js';

/** The policy of a queue: as the local app says, or as the monitor has noted. Undefined: neither knows the queue. */
export function queuePolicy(
  deps: Pick<ConsoleDeps, 'queues'>,
  queue: string,
  reading: Reading | undefined,
): RetryPolicy | undefined {
  const local = deps.queues?.().find(({ name }) => name === queue)?.retry;
  return local ?? reading?.retry ?? (reading && DEFAULTS[reading.retryMode]);
}

const DEFAULTS: Readonly<Record<Reading['retryMode'], RetryPolicy>> = {
  perRecord: { type: 'fibonacci' },
  progressive: { type: 'progressive' },
};
