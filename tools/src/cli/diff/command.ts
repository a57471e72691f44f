import type { Command } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import type { ExitCode, Output } from '../output.js';
import { DEFAULT_TO, diff } from './diff.js';

export function addDiff(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  program
    .command('diff')
    .description('Say what a deployment of the new template means for records that wait.')
    .option('--stack <name>', 'the deployed stack, read from CloudFormation; of a folder, its stack')
    .option('--from <file>', 'the deployed template, in place of that of the stack')
    .option('--to <path>', 'the new template, or the folder of a synthesized app', DEFAULT_TO)
    .option('--table <name>', 'the deployed table of records (default: that of the stack)')
    .option('--control-table <name>', 'the deployed control table (default: that of the stack)')
    .option('--no-count', 'do not count the records that wait')
    .option(
      '--endpoint <url>',
      'of CloudFormation and DynamoDB, for an emulator (default: AWS)',
      flags.endpoint,
    )
    .option('--json', 'the changes for programs')
    .addHelpText(
      'after',
      examples(
        ['cdk synth && npx backlog diff --stack Shop', 'before a deployment'],
        ['backlog diff --from deployed.json --to cdk.out/Shop.template.json', 'of two files'],
        ['backlog diff --stack Shop --json', 'for a pipeline: exit code 3 if anything needs attention'],
      ),
    )
    .action(async (options) => onExit(await diff(options, output)));
}
