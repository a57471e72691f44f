import type { IntakeBatch, IntakeDeps } from './intake-batch.js';
import type { Message } from './queue-event.js';

/**
 * Handles records that come back: of a run that was lost, or whose first attempt had to be waited for.
 *
 * @returns messages that must come again
 */
export async function redeliver(
  messages: readonly Message[],
  run: IntakeBatch,
  { invoker, logger }: IntakeDeps,
): Promise<string[]> {
  const failed: string[] = [];
  for (const message of messages) {
    try {
      if (message.type === 'foreign') {
        await invoker.giveUp(message.body);
        continue;
      }
      if (message.lost) run.lostRun(message.ids.length);
      if ((await run.index(message.ids)).length > 0) failed.push(message.messageId);
    } catch (error) {
      logger.error('a message of the redelivery queue comes again', error as Error);
      failed.push(message.messageId);
    }
  }
  return failed;
}
