import { type Command, Option } from 'commander';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { endsWith } from '../operate/end.js';
import type { ExitCode, Output } from '../output.js';
import { type CostFlags, cost } from './cost.js';
import { costFlags } from './flags.js';

/** Adds `backlog cost` to the command line. */
export function addCost(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const command = program
    .command('cost')
    .description(
      'What a backlog costs in a month, line by line, beside other designs for the same work: by a model, which reads no account, or as measured.',
    )
    .option(
      '--rate <n/time>',
      'records that come in, such as 10/s, 600/min or 1M/month; needed without --stack',
      costFlags.rate,
    )
    .addOption(
      new Option(
        '--stack <name>',
        'a deployed stack: its month by what CloudWatch and DynamoDB have measured',
      ).conflicts(MEASURED),
    )
    .option('--over <duration>', 'the time that is measured, up to 455d (default: 7d)', costFlags.over)
    .option('--size <size>', 'of a record, up to 400KB (default: 1KB)', costFlags.size)
    .option('--failing <share>', 'of the attempts, such as 5% (default: 1%)', costFlags.failing)
    .option('--attempt <duration>', 'of one attempt (default: 200ms)', costFlags.attempt)
    .addOption(
      new Option('--policy <type>', 'retries by due times of their own, or a progressive queue')
        .choices(['fibonacci', 'progressive'])
        .default('fibonacci'),
    )
    .option('--queues <n>', 'of the backlog, each with a function of its own (default: 1)', flags.queueCount)
    .option('--concurrency <n>', 'attempts at once in a run (default: 10)', flags.concurrency)
    .option(
      '--window <duration>',
      'in which the intake gathers records, its batchingWindow (default: 0s)',
      costFlags.window,
    )
    .option('--memory <mb>', 'of the functions (default: 512)', flags.memory)
    .option(
      '--retention <duration>',
      'for which a record is kept after its success (default: 30d)',
      flags.retained,
    )
    .option('--minimal', 'with the prop minimal: fewer alarms, no dashboard')
    .option('--prices <file>', 'JSON with prices of your own, in place of those of us-east-1')
    .option('--json', 'as JSON, with all quantities')
    .addHelpText(
      'after',
      examples(
        ['backlog cost --rate 1M/month', 'a million records of 1 KB'],
        ['backlog cost --rate 50/s --failing 5% --attempt 300ms --window 5s', ''],
        ['backlog cost --rate 1M/month --json > bill.json', 'also the prices, to copy and change'],
        ['backlog cost --stack Shop --over 30d', 'what this backlog costs'],
      ),
    );
  command.action((given: CostFlags) => endsWith(onExit)(command, () => cost(given, output)));
}

/** Flags in whose place the stack has figures. */
const MEASURED = ['failing', 'policy', 'queues', 'memory', 'minimal'];
