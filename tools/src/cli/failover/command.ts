import type { Command } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import type { ExitCode, Output } from '../output.js';
import { failover } from './failover.js';

/**
 * Adds `backlog failover`, which chooses the region that attempts the records of a backlog whose tables have replicas.
 */
export function addFailover(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  program
    .command('failover')
    .description(
      'Make another region the active one, without attempting a record in both: stop the active one, wait until its runs have ended and its writes are replicated, and begin. The way back is the same command.',
    )
    .requiredOption('--to <region>', 'the region that is to attempt records, such as eu-west-1', flags.region)
    .requiredOption('--table <name>', 'of the records; the same in all regions')
    .requiredOption('--control-table <name>', 'of the leases and queues; the same in all regions')
    .option('--force', 'begin even if the active region does not answer, or its writes do not arrive')
    .option('--dry-run', 'say which region is active, and compare the replicas; change nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'the result as JSON: active, result, and with --dry-run compared and differing')
    .option('--endpoint <url>', 'of DynamoDB in that region (default: AWS)', flags.endpoint)
    .option('--from-endpoint <url>', 'of DynamoDB in the active region (default: AWS)', flags.endpoint)
    .addHelpText(
      'after',
      examples(
        ['backlog failover --to eu-west-1 --table Records --control-table Control --dry-run', 'look first'],
        ['backlog failover --to eu-west-1 --table Records --control-table Control', ''],
        [
          'backlog failover --to eu-west-1 --table Records --control-table Control --force',
          'the other region is down',
        ],
      ),
    )
    .action(async (options) => onExit(await failover(options, output)));
}
