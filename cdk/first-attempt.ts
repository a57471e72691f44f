import { ConfigurationError } from '../src/errors.js';
import type { StaffedQueue } from './workers.js';

/**
 * The queues whose records are attempted on insertion.
 *
 * @throws ConfigurationError for one whose function would lose them
 */
export function attemptedOnArrival(staffed: readonly StaffedQueue[]): StaffedQueue[] {
  return staffed.filter(({ queue, worker }) => {
    if (queue.firstAttempt === 'scheduled') return false;
    if (worker.redeliveryEvents) return true;
    if (queue.firstAttempt === undefined) return false;
    throw new ConfigurationError(
      `queues.${queue.name}.firstAttempt: expected "scheduled", as the handler's asynchronous invocation is configured ` +
        'elsewhere and records would be lost with an invocation that fails, got "onInsert"',
    );
  });
}
