import type { QueueSettings } from '../../functions/settings.js';
import { ConfigurationError } from '../../src/support/errors.js';

/** The queues that attempt the records of a key in their order. */
export function orderedOf<Queue extends { readonly settings: QueueSettings }>(
  queues: readonly Queue[],
): Queue[] {
  return queues.filter(({ settings }) => settings.order !== undefined);
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
  const [ordered] = orderedOf(queues);
  if (!ordered || (!isShared && intake !== false)) return;
  const beside = isShared ? '"sharedBacklog"' : '"intake": false';
  throw new ConfigurationError(
    `queues.${ordered.name}.order: expected nothing beside ${beside}, as the intake of the same Backlog gives records their turns, ` +
      'got "key"',
  );
}
