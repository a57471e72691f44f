import type { Command } from 'commander';
import { ConfigurationError, type RetryPolicy } from 'dynamo-backlog';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import type { ExitCode, Output } from '../output.js';
import { readPolicy } from '../policy-input.js';
import { REDACT_FLAG } from '../redact-module.js';
import { CHECK } from '../top/check.js';
import { type ActFlags, act, type CliAction } from './act.js';
import { type EditFlags, editAction } from './edit.js';
import { endsWith } from './end.js';
import { exportRecords } from './export.js';
import { addJobs } from './jobs.js';
import { force } from './known-queue.js';
import { addOutsideEnds } from './outside-ends.js';
import { setPaused } from './pause.js';
import { selection } from './selection-flags.js';
import { stats } from './stats.js';
import { target } from './target.js';
import { usage } from './usage.js';

/** Adds the commands that operators use on records and queues. */
export function addOperate(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const action = <Flags extends ActFlags>(
    name: string,
    {
      statuses,
      describe,
      flagsOf = (command) => command,
      startsAttempts,
      make,
      samples,
    }: ActionCommand<Flags>,
  ) => {
    const command = target(flagsOf(selection(program.command(name), statuses)))
      .description(describe)
      .option('--dry-run', 'count, and name a few; change nothing')
      .option('--limit <n>', 'change so many at most', flags.limit)
      .option('--per-second <n>', 'change so many per second at most, such as 50 or 0.5', flags.rate)
      .option('--yes', 'do not ask')
      .option('--json', 'the result for programs');
    if (startsAttempts) waiting(command);
    command.addHelpText('after', examples(...samples));
    command.action((ids: string[], given: Flags) =>
      end(command, async () => {
        const made = await usage(async () => make(given));
        return act(ids, given, made, output);
      }),
    );
  };

  action<ActFlags & { to?: string; policy?: string }>('redrive', {
    statuses: 'DEAD, as all that can be redriven',
    describe: 'Make dead records wait again: due now, failures back to 0, history kept.',
    flagsOf: (command) =>
      force(command)
        .option('--to <queue>', 'into another queue', flags.queue)
        .option('--policy <type>', 'with this policy of their own, or "queue" for that of their queue'),
    startsAttempts: true,
    make: ({ to, policy }) => {
      const retry = policy === undefined ? undefined : policyOf(policy);
      return {
        verbs: { ask: 'Redrive', done: 'redriven', others: 'waiting records: backlog run-now' },
        actsOn: ['DEAD'],
        toQueue: to,
        action: 'redrive',
        options: { queue: to, retry },
      };
    },
    samples: [
      ['backlog redrive order-7', 'one'],
      ['backlog redrive --queue orders --error HttpError --younger-than 2d --dry-run', 'how many would be'],
      [
        'backlog redrive --queue orders --per-second 50 --yes',
        'all of a queue, slowly enough for the destination',
      ],
    ],
  });

  action<ActFlags & { reason?: string; retention?: number | 'forever'; delete?: boolean }>('discard', {
    statuses: 'NEW, ERROR, DEAD, or several such as NEW,ERROR (default: DEAD)',
    describe: 'Give up records that are not wanted any more: dead with the reason, or removed permanently.',
    flagsOf: (command) =>
      command
        .option('--reason <text>', 'kept on the record')
        .option(
          '--retention <duration>',
          'how long they stay visible, or "forever" (default: 30d)',
          flags.retention,
        )
        .option('--delete', 'remove them from the table at once, permanently'),
    make: ({ reason, retention, delete: removes = false }) => ({
      verbs: removes ? { ask: 'Remove permanently', done: 'removed' } : { ask: 'Discard', done: 'discarded' },
      alwaysAsks: true,
      action: 'discard',
      options: { reason, retention, delete: removes },
    }),
    samples: [
      ['backlog discard order-7 --reason "cancelled by phone"', ''],
      ['backlog discard --queue orders --older-than 90d --delete --dry-run', 'how many would go'],
    ],
  });

  action<ActFlags & { delay?: number; at?: string }>('snooze', {
    statuses: 'NEW, ERROR (default: both)',
    describe: 'Put off the next attempt of waiting records. Never brings one forward.',
    flagsOf: (command) =>
      command
        .option('--delay <duration>', 'from now, such as 2h', flags.duration)
        .option('--at <time>', 'ISO-8601 with its zone, such as 2026-12-24T18:00:00Z'),
    make: ({ delay: delayMs, at }) => {
      if ((delayMs === undefined) === (at === undefined)) {
        throw new ConfigurationError('expected either --delay or --at');
      }
      const when = delayMs === undefined ? { at } : { delay: delayMs / 1000 };
      return {
        verbs: { ask: 'Put off', done: 'put off' },
        action: 'snooze',
        options: when,
      };
    },
    samples: [['backlog snooze --queue orders --error HttpError --delay 2h', 'the destination is down']],
  });

  action('run-now', {
    statuses: 'NEW, ERROR (default: both)',
    describe:
      'Make waiting records due now, whatever they wait for; on a progressive queue at the next turn of their tier.',
    startsAttempts: true,
    make: () => ({
      verbs: { ask: 'Make due now', done: 'made due', others: 'dead records: backlog redrive' },
      actsOn: ['NEW', 'ERROR'],
      action: 'runNow',
      options: {},
    }),
    samples: [
      ['backlog run-now order-7', ''],
      ['backlog run-now --queue orders --error HttpError --per-second 20', 'the destination is back'],
    ],
  });

  action<EditFlags>('edit', {
    statuses: 'NEW, ERROR, DEAD (default: all of them)',
    describe: 'Give waiting or dead records another payload. Shows the lines that change before it asks.',
    flagsOf: (command) =>
      command
        .option('--payload <json>', 'the new one; @FILE reads it from a file')
        .option(
          '--merge <json>',
          'an object with what of it is new (JSON merge patch: null removes); @FILE reads a file',
        )
        .option('--redrive', 'make dead ones wait again with it')
        .option(...REDACT_FLAG),
    startsAttempts: true,
    make: editAction,
    samples: [
      [`backlog edit order-7 --merge '{"customer":{"id":"c-9"}}' --dry-run`, 'the lines that would change'],
      [`backlog edit order-7 --merge '{"customer":{"id":"c-9"}}' --redrive`, 'mend it, and try again'],
      ['backlog edit order-7 --payload @order-7.json', ''],
    ],
  });

  action<ActFlags & { to?: string }>('move', {
    statuses: 'NEW, ERROR, DEAD (default: NEW,ERROR)',
    describe: 'Put waiting records, or dead ones, into another queue.',
    flagsOf: (command) => force(command).requiredOption('--to <queue>', 'the other queue', flags.queue),
    make: ({ to = '' }) => ({
      verbs: { ask: `Move to ${to}`, done: `moved to ${to}` },
      toQueue: to,
      action: 'move',
      options: { queue: to },
    }),
    samples: [['backlog move --queue orders --where customer.id=7 --to orders-slow', '']],
  });

  action<ActFlags & { policy?: string; set?: readonly string[] }>('change-policy', {
    statuses: 'NEW, ERROR, DEAD (default: all of them)',
    describe:
      'Give waiting or dead records a retry policy of their own, or take it away. It decides from their next failure on.',
    flagsOf: (command) =>
      command
        .requiredOption(
          '--policy <type>',
          'such as fibonacci, a whole policy as JSON, or "queue" for none of their own',
        )
        .option('--set <key=value>', 'an option of it, such as maxAttempts=20', flags.repeated),
    make: ({ policy = '', set }) => {
      const retry = policyOf(policy, set);
      return {
        verbs: { ask: 'Change the policy of', done: 'given another policy' },
        action: 'changePolicy',
        options: { retry },
      };
    },
    samples: [
      ['backlog change-policy order-7 --policy fibonacci --set maxAttempts=20', ''],
      ['backlog change-policy --queue orders --policy queue', 'that of their queue again'],
    ],
  });

  addOutsideEnds(program, output, onExit);
  addJobs(program, output, onExit);

  const exporting = target(
    selection(program.command('export'), 'NEW, ERROR, SUCCESS, DEAD, or several such as NEW,ERROR'),
  )
    .description('Write records as NDJSON: one item a line, as it is in the table.')
    .option('--out <file>', 'a new file (default: stdout)')
    .option('--as-new', 'without what the library has written: "backlog import" takes it')
    .option('--limit <n>', 'at most so many', flags.limit)
    .addHelpText(
      'after',
      examples(
        ['backlog export --queue orders --status DEAD --out dead.ndjson', ''],
        ['backlog export --queue orders --status DEAD | jq -c .payload', ''],
      ),
    );
  exporting.action((ids: string[], given) => end(exporting, () => exportRecords(ids, given, output)));

  const counting = target(program.command('stats'))
    .description('How the queues are doing: waiting, due, dead, how late; from the index.')
    .option('--queues <names>', 'of these, such as orders,bulk (default: all that are known)', flags.queues)
    .option('--json', 'the figures for programs')
    .option('--check', CHECK)
    .addHelpText('after', examples(['backlog stats', ''], ['backlog stats --queues orders --json', '']));
  counting.action((given) => end(counting, () => stats(given, output)));

  for (const name of ['pause', 'resume'] as const) {
    const isPause = name === 'pause';
    const command = force(withNote(target(program.command(name)), isPause))
      .description(
        isPause
          ? 'Stop a queue, or one key of it: no further attempt begins within a minute, nor on arrival. Records keep coming in.'
          : 'Let a paused queue, or one key of it, go on.',
      )
      .argument('<queue>', 'its name', flags.queue)
      .option('--key <text>', 'this key of it alone, a customer or tenant: the whole text')
      .option('--json', 'the result for programs')
      .addHelpText(
        'after',
        examples(
          [`backlog ${name} orders`, ''],
          ...(isPause ? ([['backlog pause orders --until 16:00Z --reason stocktaking', '']] as const) : []),
          isPause
            ? ['backlog pause webhooks --key tenant-7 --until 2h', 'one customer; it ends by itself']
            : ['backlog resume webhooks --key tenant-7', 'what has waited is due at once'],
        ),
      );
    command.action((queueName, given) => end(command, () => setPaused(queueName, isPause, given, output)));
  }
}

/** The flags of a job that waits before it changes all records. */
function waiting(command: Command): void {
  command
    .option(
      '--probe <n>',
      'try so many first, up to 5: the others follow if all of them succeed',
      flags.probe,
    )
    .option('--when-back', 'wait until what fails in the queue works again')
    .option('--until <duration>', 'with --when-back: give up after this time (default: 1d)', flags.duration);
}

/** The flags that say what a pause is for. */
function withNote(command: Command, isPause: boolean): Command {
  if (!isPause) return command;
  return command
    .option('--reason <text>', 'why, for other operators: up to 200 characters')
    .option(
      '--until <time>',
      'no alarm says before that it is late, such as 16:00Z, 2h or 2026-12-24T18:00:00Z; a queue stays paused beyond that, a key goes on',
    )
    .option('--by <name>', 'your name (default: the user of this machine)');
}

interface ActionCommand<Flags> {
  readonly statuses: string;
  readonly describe: string;
  readonly flagsOf?: (command: Command) => Command;
  /** It can try a few first, or wait until its destination is back. */
  readonly startsAttempts?: true;
  /** @throws ConfigurationError for flags that contradict each other */
  readonly make: (flags: Flags) => CliAction | Promise<CliAction>;
  readonly samples: readonly (readonly [command: string, remark: string])[];
}

/** `null` for that of the queue. The operator checks it. */
function policyOf(text: string, settings?: readonly string[]): RetryPolicy | null {
  if (text === 'queue') {
    if (settings) throw new ConfigurationError('--set: nothing can be set on "--policy queue"');
    return null;
  }
  return readPolicy(text, settings) as unknown as RetryPolicy;
}
