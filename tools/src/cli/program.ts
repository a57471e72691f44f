import { Command } from 'commander';
import { VERSION, withoutUrlSecrets } from 'dynamo-backlog/engine';
import { addAdopt } from './adopt/command.js';
import { examples, target, theme } from './command-parts.js';
import { addCompletion } from './completion.js';
import { addConsole } from './console.js';
import { addCost } from './cost/command.js';
import { addDiff } from './diff/command.js';
import { addDoctor } from './doctor/command.js';
import { addFailover } from './failover/command.js';
import { addFailures } from './failures/command.js';
import { flags } from './flags.js';
import { addGroups } from './groups/command.js';
import { commandTerm, grouped } from './help-groups.js';
import { importFile } from './import.js';
import { initCommand } from './init/command.js';
import { addKeyCounts } from './key-counts/command.js';
import { addLines } from './lines/command.js';
import { list } from './list.js';
import { addMetrics } from './metrics/command.js';
import { addMute } from './mute/command.js';
import { addOperate } from './operate/command.js';
import { endsWith } from './operate/end.js';
import { SELECTION_FLAGS } from './operate/selection-flags.js';
import type { ExitCode, Output } from './output.js';
import { addOwners } from './owners/command.js';
import { showPolicy } from './policy.js';
import { addRecurring } from './recurring/command.js';
import { REDACT_FLAG } from './redact-module.js';
import { addRestore } from './restore/command.js';
import { showRecord } from './show.js';
import { addSimulate } from './simulate-command.js';
import { SAMPLE_SPEED_TEXT, start } from './start.js';
import { addTop } from './top/command.js';
import { addWork } from './work/command.js';

/** The command line. `onExit` gets the exit code of the command that ran. */
export function createProgram(output: Output, onExit: (code: ExitCode) => void): Command {
  const program = new Command('backlog')
    .description('Works off a backlog in DynamoDB; retries come less and less often.')
    .version(VERSION)
    .configureHelp({ subcommandTerm: commandTerm })
    .exitOverride()
    // Commander repeats what was typed, and a terminal of a CI server is read by many.
    .configureOutput({ outputError: (text, write) => write(withoutUrlSecrets(text)) })
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText(
      'after',
      examples(
        ['backlog start', 'look at the sample'],
        ['create-dynamo-backlog my-app', 'an app of your own'],
        ['backlog stats', 'how the queues are doing'],
        ['backlog list --status DEAD', 'what was given up, and why'],
        ['backlog redrive --queue orders --dry-run', 'how many would be tried again'],
        ['backlog help redrive', 'all about a command'],
      ),
    );

  initCommand(program.command('init'), output, onExit);

  program
    .command('start')
    .description(
      'Run a CDK app on this machine: its tables, its rules, its functions, and a sample to look at.',
    )
    .option(
      '--app <command>',
      'a command that synthesizes your CDK app, or its cdk.out folder (default: the own app)',
    )
    .option(
      '--dynamodb-port <port>',
      'of the embedded DynamoDB; 0 for any free one (default: 8000, or the next one that is free)',
      flags.port,
    )
    .option(
      '--dynamodb-endpoint <url>',
      'use this DynamoDB instead of the embedded one, such as DynamoDB Local',
      flags.localEndpoint,
    )
    .option(
      '--port <port>',
      'of the console; 0 for any free one (default: 8080, or the next one that is free)',
      flags.port,
    )
    .option(
      '--function-url-port <port>',
      'of function URLs; 0 for any free one (default: 8090, or the next one that is free)',
      flags.port,
    )
    .option('--data-dir <folder>', 'keep records, time and logs there between starts (default: in memory)')
    .option(
      '--speed <n>',
      `let time pass n times as fast (default: 60 with the sample, ${SAMPLE_SPEED_TEXT}; otherwise 1)`,
      flags.speed,
    )
    .option('--deliver-to <url>', 'where the queues deliver, instead of the sample ERP', flags.deliveryUrl)
    .option('--secrets <file>', 'values of the app’s secrets and parameters: a JSON object by name')
    .option(
      '--watch',
      'run what you save of the app while it is at work; records are kept (default: on a terminal, with --app)',
    )
    .option('--no-watch', 'run the app as it is at the start')
    .option('--no-sample', 'no sample shop and no sample ERP')
    .option(...REDACT_FLAG)
    .option(
      '--inspect [port]',
      'let a debugger attach to the functions with code of your own, from this port on (default: 9229); 0 for any free ones',
      flags.port,
    )
    .option(
      '--for <duration>',
      'stop after this much of the backlog’s time, such as 30m or 7d',
      flags.duration,
    )
    .addHelpText(
      'after',
      examples(
        ['backlog start', 'look at the sample'],
        ['backlog start --no-sample --deliver-to http://127.0.0.1:3000/ --data-dir .backlog', 'work with it'],
        ['backlog start --app "npx tsx cdk/app.ts"', 'run your own CDK app'],
        ['backlog start --speed 600 --for 2h', 'two hours in twelve seconds'],
      ),
    )
    .action(async (options) => onExit(await start(options, output)));

  target(program.command('list'))
    .description('List records.')
    .option('--status <status>', 'NEW, ERROR, SUCCESS or DEAD', flags.status)
    .option('--queue <queue>', 'of this queue only')
    .option(...SELECTION_FLAGS.error)
    .option(...SELECTION_FLAGS.errorContains)
    .option(...SELECTION_FLAGS.messagePattern)
    .option(...SELECTION_FLAGS.idPrefix)
    .option(...SELECTION_FLAGS.key)
    .option(...SELECTION_FLAGS.olderThan)
    .option(...SELECTION_FLAGS.youngerThan)
    .option(...SELECTION_FLAGS.failedWithin)
    .option(...SELECTION_FLAGS.failedBefore)
    .option(...SELECTION_FLAGS.where)
    .option('--limit <n>', 'at most so many (default: 100; all with --json)', flags.limit)
    .option('--json', 'a JSON array, one record per line')
    .option(...REDACT_FLAG)
    .addHelpText(
      'after',
      examples(
        ['backlog list --status DEAD', 'what was given up'],
        ['backlog list --status ERROR --error "HttpError 503" --older-than 15m', 'in retry, of one cause'],
        ["backlog list --queue bulk --json | jq -r '.[].id'", 'for programs'],
      ),
    )
    .action(async (options, command: Command) => endsWith(onExit)(command, () => list(options, output)));

  target(program.command('show'))
    .description('Show one record in full: times, errors, payload.')
    .argument('<id>', 'of the record')
    .option('--json', 'as one line of JSON')
    .option('--event', 'the event about its end, as a rule of EventBridge sees it')
    .option('--token', 'also the token with which its end is given from outside')
    .option(...REDACT_FLAG)
    .addHelpText(
      'after',
      examples(
        ['backlog show order-7', ''],
        ['backlog show order-7 --json | jq .payload', ''],
        ['backlog show order-7 --event', 'to try a pattern or a subscriber with'],
      ),
    )
    .action(async (id, options) => onExit(await showRecord(id, options, output)));

  target(program.command('import'))
    .description(
      'Put the lines of a file, or the elements of a JSON array, into the backlog. Each is a record with a "payload", or any JSON value.',
    )
    .argument('<file>', 'NDJSON, one JSON value per line, or one JSON array; - for stdin')
    .option('--queue <queue>', 'of the records that name none (default: default)')
    .option('--json', 'the counts for programs')
    .addHelpText(
      'after',
      examples(
        ['backlog import orders.ndjson --queue bulk', 'into the running local runtime'],
        ['gunzip -c old.ndjson.gz | backlog import -', 'from another program'],
        ['AWS_REGION=eu-central-1 backlog import orders.ndjson --table Backlog-Records', 'into AWS'],
      ),
    )
    .action(async (file, options) => onExit(await importFile(file, options, output)));

  addWork(program, output);
  addAdopt(program, output, onExit);
  addDoctor(program, output, onExit);
  addDiff(program, output, onExit);
  addRestore(program, output, onExit);
  addOperate(program, output, onExit);
  addRecurring(program, output, onExit);
  addGroups(program, output, onExit);
  addLines(program, output, onExit);
  addMute(program, output, onExit);
  addFailures(program, output, onExit);
  addKeyCounts(program, output, onExit);
  addOwners(program, output, onExit);
  addFailover(program, output, onExit);
  addConsole(program, output, onExit);
  addTop(program, output, onExit);
  addMetrics(program, output, onExit);

  program
    .command('policy')
    .description('Look at a retry policy before it is used: the wait after every failure, and the total.')
    .argument('<type>', 'such as fibonacci or exponential; or a whole policy as JSON')
    .option(
      '--set <key=value>',
      'an option of it, such as maxAttempts=20 or jitter.type=full',
      flags.repeated,
    )
    .option(
      '--attempts <n>',
      'look at so many failures (default: 15; of progressive, the tiers alone)',
      flags.attempts,
    )
    .option('--id <id>', 'the waits of this record (default: the waits before the fixed phase)')
    .option('--queue <queue>', 'of that record (default: default)')
    .option('--seed <n>', 'draw random waits, the same for the same seed (default: their middle)', flags.seed)
    .option('--json', 'seconds, not rounded')
    .option('--compare <type...>', 'other types side by side, or whole policies as JSON')
    .option('--chart <file>', 'a picture of it: FILE.svg, FILE.html or FILE.png', flags.picture)
    .addOption(theme())
    .addHelpText(
      'after',
      examples(
        ['backlog policy fibonacci --set unit=30', 'what it does'],
        ['backlog policy progressive', 'its tiers: how often, up to which age'],
        ['backlog policy list --set waits=[10,20,30] --set afterwards.type=exponential', 'nested'],
        ['backlog policy fibonacci --id order-7 --queue orders', 'when that record would be due'],
        ['backlog policy fibonacci --compare exponential progressive', 'which one to take'],
        ['backlog policy constant --compare exponential sidekiq buckets --chart retries.png', 'as a picture'],
      ),
    )
    .action(async (type, options) => onExit(await showPolicy(type, options, output)));

  addSimulate(program, output, onExit);
  addCost(program, output, onExit);

  addCompletion(program, output, onExit);
  return grouped(program);
}
