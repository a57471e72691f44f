import { type Command, InvalidArgumentError, Option } from 'commander';
import { ConfigurationError } from 'dynamo-backlog';
import { parseWeights } from 'dynamo-backlog/engine';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import type { Output } from '../output.js';
import { METRICS_KINDS, type WorkCommandFlags } from './work-flags.js';

/** Adds `backlog work` to the command line. */
export function addWork(program: Command, output: Output): void {
  program
    .command('work')
    .description(
      'Attempt what is due, for as long as the process runs: the handler of a function in a container, or on a server. The ' +
        'variables of a function (BACKLOG_TABLE, BACKLOG_CONTROL_TABLE, BACKLOG_QUEUES, ...) are read as a function reads them.',
    )
    .requiredOption('--handler <file>', 'the module that exports the handler; FILE#NAME takes one of several')
    .option('--table <name>', 'of the records (default: BACKLOG_TABLE)')
    .option('--control-table <name>', 'of the leases and queues (default: BACKLOG_CONTROL_TABLE)')
    .option('-q, --queue <name,weight>', 'a queue, with its weight if it has one; repeat it for each', queue)
    .option(
      '--every <duration>',
      'between looks at a queue that retries per record (default: 5s)',
      flags.interval,
    )
    .option(
      '--attempt-timeout <duration>',
      'of one attempt, up to 24h (default: the handler’s)',
      flags.attemptTimeout,
    )
    .option('--concurrency <n>', 'attempts at once of one queue (default: the handler’s)', flags.concurrency)
    .option('--grace <duration>', 'for running attempts, once it is told to end (default: 20s)', flags.grace)
    .option(
      '--health-port <port>',
      'serve /health and /live there; 0 for any free one (default: off)',
      flags.port,
    )
    .option('--health-host <address>', 'where it listens; 0.0.0.0 in a container (default: 127.0.0.1)')
    .option(
      '--metrics-port <port>',
      'serve gauges of its queues for Prometheus at /metrics there; 0 for any free one (default: off)',
      flags.port,
    )
    .option('--metrics-host <address>', 'where it listens; 0.0.0.0 in a container (default: 127.0.0.1)')
    .addOption(
      new Option('--metrics <kind>', 'emf: lines for CloudWatch Logs; otel: OpenTelemetry')
        .choices(METRICS_KINDS)
        .default('emf'),
    )
    .option('--sweep', 'once a day, look through the table for records that are not indexed')
    .option('--region <region>', 'of the tables (default: AWS_REGION)', flags.region)
    .option('--endpoint <url>', 'of DynamoDB, such as DynamoDB Local (default: AWS)', flags.endpoint)
    .addHelpText(
      'after',
      examples(
        ['backlog work --handler ./orders.js --queue orders', 'the rest is in the environment'],
        ['backlog work --handler ./handlers.js --table T --control-table C -q critical,8 -q default,1', ''],
        ['backlog work --handler ./reports.js --queue reports --attempt-timeout 6h', 'long attempts'],
      ),
    )
    .action(async (given: WorkCommandFlags) => {
      const { work } = await import('./work.js');
      await work(given, output);
    });
}

/** `critical,8`, repeated. */
function queue(text: string, before: ReadonlyMap<string, number> = new Map()): ReadonlyMap<string, number> {
  try {
    const [entry] = parseWeights(text, '--queue');
    if (!entry || /\s/.test(text)) throw new ConfigurationError('');
    if (before.has(entry[0])) throw new InvalidArgumentError('Expected each queue once.');
    return new Map([...before, entry]);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new InvalidArgumentError(
      'Expected a queue, or a queue and its weight above 0, such as critical,8.',
    );
  }
}
