import * as z from 'zod/mini';
import { duration } from '../support/duration.js';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';

// The options of order, which the CDK app and a queue under test give. Each is declared here and nowhere else.

/**
 * Options of a queue that attempts the records of a key one after another.
 *
 * @typeParam Length how lengths of time are written: in seconds, as text, or as the CDK's `Duration`
 */
export interface OrderOptions<Length = number> {
  /**
   * `"key"`: records of one key are attempted one after another, by their numbers.
   *
   * Each record has a `key` and its number `seq` among the records of that key, from 1 without gaps. A key's first record that is not
   * done is the only one that is attempted. The others wait outside of the index, and cost no polls. Keys do not wait for each other. Not
   * for a progressive queue, nor beside `retryQueue`, `concurrencyPerKey` or `sharedBacklog`. It needs the intake of this Backlog.
   * Default: records are attempted about in the order of their due times.
   */
  readonly order?: 'key' | undefined;
  /**
   * Fate of the records behind one that is dead, with `order`. `"hold"`: they wait until it is redriven, discarded or deleted.
   * `"skip"`: the next one is attempted. `"cancel"`: those that wait are cancelled. Default: `"hold"`.
   */
  readonly onDeadHead?: 'hold' | 'skip' | 'cancel' | undefined;
  /**
   * Time, with `order`, for which records wait for a number before theirs that does not come: up to 14 days, or `"never"` to let them
   * wait until it comes. Default: 2 minutes.
   */
  readonly skipGapAfter?: Length | 'never' | undefined;
}

/** The schema of each option. */
export const orderOptions = {
  order: z.optional(z.literal('key')),
  onDeadHead: z.optional(z.enum(['hold', 'skip', 'cancel'])),
  skipGapAfter: z.optional(duration({ least: 1, most: 14 * 86_400 }, 'never')),
} satisfies Record<keyof OrderOptions, unknown>;

/** The settings of a queue that order does not go with. */
interface Beside extends OrderOptions {
  readonly retryMode: 'perRecord' | 'progressive';
  readonly retryQueue?: string | undefined;
  readonly concurrencyPerKey?: number | undefined;
}

/**
 * Refuses options of order without it, and what cannot be beside it.
 *
 * @throws ConfigurationError naming the option
 */
export function checkOrder(settings: Beside, path: string): void {
  if (settings.order === undefined) {
    for (const option of ['onDeadHead', 'skipGapAfter'] as const) {
      const { [option]: value } = settings;
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
