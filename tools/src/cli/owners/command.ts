import type { Command } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { target } from '../operate/target.js';
import type { ExitCode, Output } from '../output.js';
import { owners } from './owners.js';
import { transferQueues } from './transfer.js';

/** Adds the commands that list the owners of queues, and that give a queue another owner. */
export function addOwners(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const owning = target(program.command('owners'))
    .description('List the queues with the stacks that own them: each is attempted by its owner alone.')
    .option('--json', 'a JSON array')
    .addHelpText('after', examples(['backlog owners', '']));
  owning.action((given) => end(owning, () => owners(given, output)));

  const giving = target(program.command('transfer'))
    .description('Give queues to another stack, whose functions go on with them (blue/green).')
    .argument('[queues...]', 'their names', (value: string, given: string[] = []) => [
      ...given,
      flags.queue(value),
    ])
    .requiredOption('--to <owner>', 'the new owner: the name of its stack')
    .option('--from <owner>', 'only what belongs to this one')
    .option('--all', 'all queues of --from')
    .option('--json', 'the result for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog transfer orders --to green', ''],
        ['backlog transfer --all --from blue --to green', ''],
      ),
    );
  giving.action((names: string[], given) => end(giving, () => transferQueues(names, given, output)));
}
