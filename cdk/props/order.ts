import type { QueueSettings } from '../../functions/settings.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { show } from '../../src/support/validation.js';

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
