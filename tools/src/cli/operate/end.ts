import type { Command } from 'commander';
import type { ExitCode } from '../output.js';
import { UsageError } from './usage.js';

/** Ends a command; wrong usage as commander itself does. */
export function endsWith(onExit: (code: ExitCode) => void) {
  return async (command: Command, work: () => Promise<ExitCode>): Promise<void> => {
    try {
      onExit(await work());
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      command.error(`error: ${error.message}`);
    }
  };
}
