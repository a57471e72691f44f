import type { Command } from 'commander';
import { examples, target } from '../command-parts.js';
import { flags } from '../flags.js';
import type { ExitCode, Output } from '../output.js';
import { doctor } from './doctor.js';

export function addDoctor(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  target(program.command('doctor'))
    .description(
      'List what is wrong with a backlog or looks as if it were, and what to do about it; put places in the index right.',
    )
    .option(
      '--control-table <names>',
      'of the leases and queues: of each Backlog that works on the table (default: the runtime’s, or that of --stack; without either, none)',
      flags.tableNames,
    )
    .option(
      '--queues <names>',
      'that are served, such as orders,bulk (default: those that are known)',
      flags.queues,
    )
    .option('--limit <n>', 'look at so many items at most (default: 100000)', flags.limit)
    .option('--repair', 'put the places of records in the index right')
    .option('--dry-run', 'with --repair: say what it would do; change nothing')
    .option(
      '--wait <duration>',
      'look again after so long at records that are not indexed, and count those that still wait as stuck (default with --repair: 16m, on the local runtime 80s). By then no run is about to attempt them for the first time',
      flags.duration,
    )
    .option('--yes', 'do not ask')
    .option('--json', 'the findings for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog doctor', 'look at the running local runtime'],
        ['AWS_REGION=eu-central-1 backlog doctor --stack Orders', ''],
        ['backlog doctor --repair --dry-run', 'what could be repaired'],
      ),
    )
    .action(async (options) => onExit(await doctor(options, output)));
}
