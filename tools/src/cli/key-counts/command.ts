import type { Command } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { target } from '../operate/target.js';
import type { ExitCode, Output } from '../output.js';
import { keyCounts } from './key-counts.js';

/** Adds `backlog keys` to the command line. */
export function addKeyCounts(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const command = target(program.command('keys'))
    .description(
      'Which keys (customers, tenants) wait and fail, the one with most waiting records first, and which are busy.',
    )
    .argument('[queue]', 'of this queue (default: all)', flags.queue)
    .option('--top <n>', 'so many keys at most (default: 10; all with --json)', flags.limit)
    .option('--json', 'the keys for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog keys', 'one customer’s burst, or all customers?'],
        ['backlog keys webhooks --top 30', 'of one queue'],
        ["backlog keys --json | jq -r '.keys[] | select(.dead > 0) | .key'", 'for programs'],
      ),
    );
  command.action((queue, given) => endsWith(onExit)(command, () => keyCounts(queue, given, output)));
}
