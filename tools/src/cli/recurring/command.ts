import { type Command, Option } from 'commander';
import { ConfigurationError, RecurringRecords } from 'dynamo-backlog';
import { didYouMean, MISSED, nameOf, Tables } from 'dynamo-backlog/engine';
import { findSchedules } from '../../recurring/find-schedules.js';
import { examples } from '../command-parts.js';
import { flags as parsers } from '../flags.js';
import { endsWith } from '../operate/end.js';
import { force } from '../operate/known-queue.js';
import { tablesAt, target } from '../operate/target.js';
import { usage } from '../operate/usage.js';
import { EXIT, type ExitCode, type Output, printable } from '../output.js';
import { REDACT_FLAG } from '../redact-module.js';
import { backfill, pause, put, remove, resume, run } from './actions.js';
import type { Act, RecurringAt, RecurringFlags } from './at.js';
import { listRecurring } from './list.js';
import { showRecurring } from './show.js';

/** The actions on one recurring record. */
const ACTS: Readonly<Record<string, Act>> = {
  show: showRecurring,
  put,
  remove,
  pause,
  resume,
  run,
  backfill,
};
/** The actions, for the shell. */
export const RECURRING_ACTIONS: readonly string[] = ['list', ...Object.keys(ACTS)];

/** The flags that belong to some actions only. */
const ONLY: Readonly<Partial<Record<keyof RecurringFlags, readonly string[]>>> = {
  ...{ schedule: ['put'], timeZone: ['put'], queue: ['put'], task: ['put'], key: ['put'], payload: ['put'] },
  ...{ policy: ['put'], set: ['put'], missed: ['put'], startAt: ['put'], endAt: ['put'], jitter: ['put'] },
  ...{ force: ['put'], until: ['pause'], reason: ['pause'], by: ['pause'] },
  ...{ from: ['backfill'], to: ['backfill'], dryRun: ['backfill'], yes: ['backfill', 'remove'] },
  redact: ['list', 'show'],
};

/** Adds `backlog recurring`. */
export function addRecurring(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const command = target(program.command('recurring'))
    .description(
      'List recurring records, or look at one, put it, remove it, pause it, resume it, insert a record of it now, or insert those of a time that has passed.',
    )
    .argument('[action]', `${RECURRING_ACTIONS.slice(0, -1).join(', ')} or backfill (default: list)`)
    .argument('[name]', 'of the recurring record')
    .option('--schedule <expression>', 'with put: such as "cron(0 3 * * ? *)" or "rate(1 hour)"')
    .option('--time-zone <zone>', 'with put: of a cron, such as Europe/Berlin (default: UTC)')
    .option('--queue <queue>', 'with put: of its records (default: default)', parsers.queue)
    .option('--task <name>', 'with put: of its records')
    .option('--key <text>', 'with put: of its records, a customer or tenant')
    .option('--payload <json>', 'with put: of its records; @FILE reads it from a file (default: {})')
    .option('--policy <type>', 'with put: a policy for its records (default: that of their queue)')
    .option(
      '--set <key=value>',
      'with put: an option of the policy, such as maxAttempts=20',
      parsers.repeated,
    )
    .addOption(
      new Option(
        '--missed <way>',
        'with put: which missed occurrences are made up for (default: one)',
      ).choices(MISSED),
    )
    .option('--start-at <time>', 'with put: none before, ISO-8601 with its zone')
    .option('--end-at <time>', 'with put: none after, ISO-8601 with its zone')
    .option('--jitter <duration>', 'with put: spread its records over this time, such as 10m')
    .option('--until <time>', 'with pause: goes on then, such as 2h, 16:00Z or 2026-12-24T18:00:00Z')
    .option('--reason <text>', 'with pause: why, for other operators: up to 200 characters')
    .option('--by <name>', 'with pause: your name (default: the user of this machine)')
    .option('--from <time>', 'with backfill: the first time, ISO-8601 with its zone')
    .option('--to <time>', 'with backfill: the last time (default: now)')
    .option('--dry-run', 'with backfill: count, and name a few; change nothing')
    .option('--yes', 'with backfill or remove: do not ask')
    .option('--json', 'the result for programs')
    .option(...REDACT_FLAG);
  force(command).addHelpText(
    'after',
    examples(
      ['backlog recurring', 'all of them, those in trouble first'],
      ['backlog recurring show nightly-report', 'its next and its last occurrences'],
      [
        'backlog recurring put nightly-report --schedule "cron(0 3 * * ? *)" --time-zone Europe/Berlin --queue reports',
        '',
      ],
      ['backlog recurring pause nightly-report --until 2h --reason "the ERP is down"', ''],
      ['backlog recurring run nightly-report', 'now, beside its schedule'],
      [
        'backlog recurring backfill nightly-report --from 2026-12-01T00:00Z --to 2026-12-03T00:00Z --dry-run',
        'how many would be inserted',
      ],
    ),
  );
  command.action((action: string | undefined, name: string | undefined, given: RecurringFlags) =>
    end(command, () => recurringCommand(action ?? 'list', name, given, output)),
  );
}

async function recurringCommand(
  action: string,
  name: string | undefined,
  flags: RecurringFlags,
  output: Output,
): Promise<ExitCode> {
  await usage(async () => check(action, name, flags));
  const { target: found, controlTable } = await tablesAt(flags);
  const { client, table, clock, hasIntake } = found;
  try {
    const tables = new Tables({ table, controlTable, client, clock });
    const at: RecurringAt = {
      target: found,
      controlTable,
      tables,
      store: tables.open().store,
      recurring: new RecurringRecords({ table, client, clock, indexAtOnce: !hasIntake }),
    };
    const act = ACTS[action];
    if (act === undefined || name === undefined) return await listRecurring(at, flags, output);
    if (action !== 'put' && (await usage(() => at.recurring.get(name))) === undefined) {
      output.message(await noneText(name, at));
      return EXIT.failed;
    }
    if (action !== 'show') await tables.checkRegion(at.store);
    return await act(name, at, flags, output);
  } finally {
    client.destroy();
  }
}

/** @throws ConfigurationError for what no action takes */
function check(action: string, name: string | undefined, flags: RecurringFlags): void {
  if (!RECURRING_ACTIONS.includes(action)) {
    const hint = didYouMean(action, RECURRING_ACTIONS);
    throw new ConfigurationError(
      `expected ${RECURRING_ACTIONS.join(', ')}, got "${printable(action)}"${printable(hint)}`,
    );
  }
  for (const [flag, actions] of Object.entries(ONLY)) {
    if (flags[flag as keyof RecurringFlags] === undefined || actions.includes(action)) continue;
    const long = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new ConfigurationError(`--${long}: only with ${actions.join(' and ')}`);
  }
  if (action !== 'list' && name === undefined)
    throw new ConfigurationError(`${action}: which recurring record?`);
  if (action === 'list' && name !== undefined)
    throw new ConfigurationError('list: expected no name; "show NAME" looks at one');
  if (action === 'put' && flags.schedule === undefined)
    throw new ConfigurationError('put: expected --schedule, such as "cron(0 3 * * ? *)"');
  if (action === 'backfill' && flags.from === undefined)
    throw new ConfigurationError('backfill: expected --from, such as 2026-12-01T00:00Z');
}

async function noneText(name: string, { store, target: { where } }: RecurringAt): Promise<string> {
  const { ids } = await findSchedules(store);
  const hint = didYouMean(name, ids.map(nameOf), (one) => `"${printable(one)}"`);
  return `no recurring record "${printable(name)}" in ${where}${hint}`;
}
