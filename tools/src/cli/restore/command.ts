import { type Command, Option } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import type { ExitCode, Output } from '../output.js';
import { DEFAULT_DECISIONS, type Decisions } from './decide.js';
import { restore } from './restore.js';

export function addRestore(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const command = program
    .command('restore')
    .description(
      'Make a table that AWS has restored ready for work: hold all queues, turn on what AWS leaves out, and compare it with the old table. Changes nothing without --apply.',
    )
    .requiredOption('--to <table>', 'the restored table')
    .option('--from <table>', 'the old table, damaged or not; leave it out if it is gone')
    .option(
      '--control-table <names>',
      'of each Backlog that is to work on the restored table (default: the runtime’s); its queues are held',
      flags.tableNames,
    )
    .option(
      '--queues <names>',
      'queues to hold beside those that are found, such as orders,bulk',
      flags.queues,
    )
    .option(
      '--succeeded-ids <file>',
      'ids of records that have succeeded since: one a line, or JSON lines with an id',
    );
  const decision = <Name extends keyof Decisions>(
    name: Name,
    choices: readonly Decisions[Name][],
    what: string,
  ) =>
    command.addOption(
      new Option(`--${name} <decision>`, `${what} (default: ${DEFAULT_DECISIONS[name]})`).choices(choices),
    );
  decision('succeeded', ['mark', 'attempt', 'hold'], 'records that have succeeded since');
  decision('dead', ['mark', 'attempt'], 'records that wait, and were given up or discarded since');
  decision('gone', ['attempt', 'hold'], 'records that wait, and that the old table does not have');
  decision('missing', ['copy', 'leave'], 'records of the old table that the restored one does not have');
  decision(
    'changed',
    ['restored', 'old'],
    'which version of a record counts that a producer has changed since',
  );
  command
    .option('--apply', 'do it')
    .option('--endpoint <url>', 'of DynamoDB (default: AWS, or the running local runtime)', flags.endpoint)
    .option('--yes', 'do not ask')
    .option('--json', 'the result for programs')
    .addHelpText(
      'after',
      examples(
        [
          'AWS_REGION=eu-central-1 backlog restore --from Records --to Records2 --control-table Control2',
          'look first',
        ],
        [
          'AWS_REGION=eu-central-1 backlog restore --from Records --to Records2 --control-table Control2 --succeeded mark --missing copy --apply',
          '',
        ],
        [
          'AWS_REGION=eu-central-1 backlog restore --to Records2 --control-table Control2 --succeeded-ids delivered.txt --succeeded mark --apply',
          'the old table is gone',
        ],
      ),
    )
    .action(async (options) => onExit(await restore(options, output)));
}
