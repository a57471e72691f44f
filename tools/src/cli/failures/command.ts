import type { Command } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { target } from '../operate/target.js';
import type { ExitCode, Output } from '../output.js';
import { failures } from './failures.js';

/** Adds `backlog failures` to the command line. */
export function addFailures(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const command = target(program.command('failures'))
    .description('Why records fail: one row per cause (error class, HTTP status, host), with its messages.')
    .option('--queue <queue>', 'of this queue (default: all)', flags.queue)
    .option('--json', 'the causes for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog failures', 'what is wrong, the most failures of the last hour first'],
        ['backlog redrive --error "HttpError 400 erp.example.com" --dry-run', 'the dead records of a cause'],
        ["backlog failures --json | jq -r '.causes[].cause'", 'for programs'],
      ),
    );
  command.action((given) => endsWith(onExit)(command, () => failures(given, output)));
}
