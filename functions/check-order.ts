import { ConfigurationError } from '../src/support/errors.js';
import { show } from '../src/support/validation.js';
import type { QueueSettings } from './settings.js';

/**
 * Refuses options of order without it, and what cannot be beside it.
 *
 * @throws ConfigurationError naming the option
 */
export function checkOrder(settings: QueueSettings, path: string): void {
  if (settings.order === undefined) {
    for (const option of ['onDeadHead', 'skipGapAfter'] as const) {
      const { [option]: given } = settings;
      if (given === undefined) continue;
      throw new ConfigurationError(
        `${path}.${option}: expected "order": "key" beside it, got ${show(given)}`,
      );
    }
    return;
  }
  const refuse = (option: string, why: string) => {
    throw new ConfigurationError(`${path}.${option}: expected nothing beside "order", ${why}`);
  };
  if (settings.retryMode === 'progressive')
    refuse('progressive', 'as its rules attempt the newest records first');
  if (settings.retryQueue !== undefined)
    refuse('retryQueue', 'as a record that fails keeps its place in its line');
  if (settings.concurrencyPerKey !== undefined)
    refuse('concurrencyPerKey', 'as one record of a key is attempted at a time');
}
