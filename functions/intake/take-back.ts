import type { Message } from './queue-event.js';
import type { IntakeDeps, IntakeRun } from './taking.js';

/**
 * Handles records that come back: of a run that was lost, or whose first attempt had to be waited for.
 *
 * @returns messages that must come again
 */
export async function takeBack(
  messages: readonly Message[],
  run: IntakeRun,
  { remote, logger }: IntakeDeps,
): Promise<string[]> {
  const failed: string[] = [];
  for (const message of messages) {
    try {
      if (message.type === 'foreign') {
        await remote.giveUp(message.body);
        continue;
      }
      if (message.lost) run.lostRun(message.ids.length);
      if ((await run.place(message.ids)).length > 0) failed.push(message.messageId);
    } catch (error) {
      logger.error('a message of the returns queue comes again', error as Error);
      failed.push(message.messageId);
    }
  }
  return failed;
}
