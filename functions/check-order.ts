import * as z from 'zod/mini';
import { ConfigurationError } from '../src/support/errors.js';
import { parseOptions, show } from '../src/support/validation.js';
import type { QueueSettings } from './settings.js';

const MAX_GAP_SECONDS = 14 * 86_400;

/** The options of order, with lengths in seconds. */
const shape = z.object({
  order: z.optional(z.literal('key', { error: 'expected "key"' })),
  onDeadHead: z.optional(
    z.enum(['hold', 'skip', 'cancel'], { error: 'expected "hold", "skip" or "cancel"' }),
  ),
  skipGapAfter: z.optional(
    z.custom<number | 'never'>(
      (value) =>
        value === 'never' ||
        (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_GAP_SECONDS),
      'expected a Duration from 1 second to 14 days, or "never"',
    ),
  ),
});

/**
 * Refuses options of order without it, and what cannot be beside it.
 *
 * @throws ConfigurationError naming the option
 */
export function checkOrder(settings: QueueSettings, path: string): void {
  const given = parseOptions(shape, settings, path);
  if (settings.order === undefined) {
    for (const option of ['onDeadHead', 'skipGapAfter'] as const) {
      const { [option]: value } = given;
      if (value === undefined) continue;
      throw new ConfigurationError(
        `${path}.${option}: expected "order": "key" beside it, got ${show(value)}`,
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
