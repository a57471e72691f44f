import * as z from 'zod';
import type { QueueSettings } from '../../functions/settings.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { parseOptions, show } from '../../src/support/validation.js';

const MAX_GAP_SECONDS = 14 * 86_400;

/** The options of order, with lengths in seconds. */
const shape = z.object({
  order: z.literal('key', { error: 'expected "key"' }).optional(),
  onDeadHead: z.enum(['hold', 'skip', 'cancel'], { error: 'expected "hold", "skip" or "cancel"' }).optional(),
  skipGapAfter: z
    .custom<number | 'never'>(
      (value) =>
        value === 'never' || (Number.isInteger(value) && isBetween(value as number, 1, MAX_GAP_SECONDS)),
      'expected a Duration from 1 second to 14 days, or "never"',
    )
    .optional(),
});

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Tells whether a queue attempts the records of a key in their order. */
export function hasOrder(queues: readonly { readonly settings: QueueSettings }[]): boolean {
  return queues.some(({ settings }) => settings.order !== undefined);
}

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

/**
 * Refuses order in a Backlog that does not read the stream of its table.
 *
 * @throws ConfigurationError naming the queue
 */
export function checkOrderReadable(
  queues: readonly { readonly name: string; readonly settings: QueueSettings }[],
  { intake, isShared }: { readonly intake: unknown; readonly isShared: boolean },
): void {
  const ordered = queues.find(({ settings }) => settings.order !== undefined);
  if (!ordered || (!isShared && intake !== false)) return;
  const beside = isShared ? '"sharedBacklog"' : '"intake": false';
  throw new ConfigurationError(
    `queues.${ordered.name}.order: expected nothing beside ${beside}, as the intake of the same Backlog gives records their turns, ` +
      'got "key"',
  );
}
