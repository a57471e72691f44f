import { type Command, Option } from 'commander';
import { WORKLOAD_NAMES, workloadKind } from '../lab/keys/workloads.js';
import { examples, theme } from './command-parts.js';
import { flags } from './flags.js';
import type { ExitCode, Output } from './output.js';
import { simulatePolicies } from './simulate.js';

/** Adds `backlog simulate` to the command line. */
export function addSimulate(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  program
    .command('simulate')
    .description(
      'Try a policy against an outage, or a slow other side: the real runs, on a clock that jumps. With --keys, try the options of a queue against keys of which some put far more records than others.',
    )
    .option('--policy <type>', 'such as fibonacci; or a whole policy as JSON', 'fibonacci')
    .option('--set <key=value>', 'an option of it, such as maxWait=600', flags.repeated)
    .option(
      '--compare [type...]',
      'other policies on the same records with the same fates; with --keys, the queue without fairness and with it',
    )
    .option('--records <n>', 'so many, all at the start (default: 1000)', flags.records)
    .option('--rate <per-second>', 'records that come evenly instead, with --for', flags.rate)
    .option('--for <duration>', 'how long they come, such as 2h', flags.duration)
    .option('--outage <from-to>', 'every attempt within fails, such as 0s-1h', flags.outage)
    .option('--failing <share>', 'of the records, that never succeed: 0 to 1', flags.share, 0)
    .option('--capacity <per-second>', 'the destination refuses what comes above it', flags.limit)
    .option('--attempt-ms <n>', 'how long an attempt takes; 200 with --keys', flags.attemptMs, 50)
    .option('--concurrency <n>', 'attempts at once; with --keys, in each run', flags.concurrency, 10)
    .option('--attempts-per-second <n>', 'the rate limit of the queue (default: none)', flags.rate)
    .option('--breaker', 'stop attempts for a while when too many fail (a circuit breaker)')
    .option('--max-attempts <n>', 'for every policy, where its own is not less', flags.attempts)
    .option('--tick <duration>', 'how often the rule fires (default: 60s)', flags.tick, 60)
    .option('--horizon <duration>', 'stop there (default: 7d)', flags.duration)
    .addOption(
      new Option(
        '--keys <load>',
        'play records with keys, such as the load one-noisy, by the handlers of intake and queue',
      ).choices(WORKLOAD_NAMES),
    )
    .option(
      '--scale <part>',
      'of the noisy records of the load (default: 0.1, of zipf 0.05; 1 with figures of yours)',
      flags.scale,
    )
    .option('--noisy <n>', 'noisy keys, in place of those of the load', flags.keyCount)
    .option('--noisy-records <n>', 'records of each noisy key', flags.records)
    .option('--noisy-within <duration>', 'the time in which these come, such as 60s', flags.duration)
    .option('--quiet <n>', 'quiet keys', flags.keyCount)
    .option(
      '--failing-attempts <share>',
      'of the attempts, that fail, with --keys: 0 to 1 (default: 0.05)',
      flags.share,
    )
    .option('--fairness', 'of the queue, with --keys: busy keys do not delay others')
    .option(
      '--concurrency-per-key <n>',
      'of the queue, with --keys: attempts of a key at once',
      flags.unchecked,
    )
    .option(
      '--attempts-per-second-per-key <n>',
      'of the queue, with --keys: attempts of a key started per second',
      flags.unchecked,
    )
    .option(
      '--global-concurrency <n>',
      'of the queue, with --keys: attempts of all runs at once',
      flags.unchecked,
    )
    .option(
      '--on-insert-concurrency <n>',
      'of the queue, with --keys: runs on arrival at once',
      flags.unchecked,
    )
    .option('--seed <n>', 'of ids, fates and random waits', flags.seed, 1)
    .option('--json', 'figures that are not rounded')
    .option('--chart <file>', 'attempts per minute as a picture: FILE.svg, .html or .png', flags.picture)
    .addOption(theme())
    .addHelpText('after', `\nLoads of --keys, in full (--scale 1):\n${loadsText()}`)
    .addHelpText(
      'after',
      examples(
        ['backlog simulate --outage 0s-1h --compare constant exponential', 'an hour’s outage'],
        ['backlog simulate --rate 5 --for 2h --outage 30m-1h', 'with steady arrivals'],
        ['backlog simulate --records 10000 --capacity 50 --attempts-per-second 40', 'pacing'],
        ['backlog simulate --records 20000 --outage 0s-1h --attempts-per-second 20 --breaker', 'a breaker'],
        ['backlog simulate --keys one-noisy --fairness', 'one customer with very many records'],
        ['backlog simulate --keys one-noisy --noisy-records 5000 --fairness --concurrency-per-key 3', ''],
      ),
    )
    .action(async (options, command: Command) => {
      const given = Object.fromEntries(
        Object.entries(options).filter(([name]) => command.getOptionValueSource(name) !== 'default'),
      );
      if (given.keys === undefined) return onExit(await simulatePolicies(options, given, output));
      // The handlers, which it plays, are loaded only for it.
      const { simulateKeys } = await import('./simulate-keys/simulate-keys.js');
      onExit(await simulateKeys(given, output));
    });
}

function loadsText(): string {
  return WORKLOAD_NAMES.map((name) => `  ${name.padEnd(16)} ${workloadKind(name).text({ scale: 1 })}`).join(
    '\n',
  );
}
