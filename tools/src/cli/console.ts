import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { CountsReader, explainRead } from 'dynamo-backlog/overview';
import type { ConsoleDeps } from '../console/deps.js';
import type { ActionEntry } from '../jobs/operator.js';
import { alarmsInAws } from './cloudwatch/alarm-reader.js';
import { examples } from './command-parts.js';
import { flags } from './flags.js';
import { listenForInterrupt } from './interrupt.js';
import { muteRefusal } from './mute/alarm-mutes.js';
import { mutesInAws } from './mute/queue-mutes.js';
import { type OperateTargetFlags, tablesAt, target } from './operate/target.js';
import { EXIT, type ExitCode, type Output, printable } from './output.js';
import { loadRedact, REDACT_FLAG } from './redact-module.js';

/** Flags of `backlog console`. */
interface ConsoleFlags extends OperateTargetFlags {
  readonly port: number;
  /** Default: false, read-only. */
  readonly write?: boolean | undefined;
  /** The operator's name, for the log. Default: the user of the operating system. */
  readonly as?: string | undefined;
  /** The file of a module that says what is shown of a payload. */
  readonly redact?: string | undefined;
}

const DEFAULT_PORT = 8081;
/** A runtime of this machine bills nothing. */
const LOCAL_COUNTS_FOR_MS = 2_000;

/** Adds `backlog console` to the command line. */
export function addConsole(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const command = target(program.command('console'))
    .description('Serve the console of a backlog on this machine: queues, failures, records, actions.')
    .option('--port <port>', 'on 127.0.0.1; 0 for any free one', flags.port, DEFAULT_PORT)
    .option('--write', 'allow actions (default: read-only)')
    .option('--as <name>', 'your name, for the log (default: your user name)')
    .option(...REDACT_FLAG)
    .addHelpText(
      'after',
      examples(
        ['backlog console --stack Orders', 'look'],
        ['backlog console --stack Orders --write', 'look, and act'],
      ),
    );
  command.action(async (given: ConsoleFlags) => onExit(await openConsole(given, output)));
}

/** `backlog console`: serves until Ctrl-C. */
async function openConsole(given: ConsoleFlags, output: Output): Promise<ExitCode> {
  const redact = await loadRedact(given.redact);
  const { target: found, controlTable } = await tablesAt(given);
  const { client, table, clock, where, local, queues, runbookUrl, hasIntake, countsGroups, deployed } = found;
  const alarms = alarmsInAws(found);
  const mutes = muteRefusal(found) === undefined ? mutesInAws(found) : undefined;
  const interrupt = listenForInterrupt(() => {});
  try {
    const [{ consoleApp }, { JobRunner }, { serveLocally, withOwnHost }, { onPort }] = await Promise.all([
      import('../console/app.js'),
      import('../jobs/runner.js'),
      import('../local/local-server.js'),
      import('../local/ports.js'),
    ]);
    const key = randomBytes(18).toString('base64url');
    const backlog = { table, controlTable, client, clock };
    const access: ConsoleDeps['access'] = given.write
      ? { write: true, as: given.as ?? userInfo().username }
      : { write: false, reason: 'The console was started without --write.' };
    const onAction = (entry: ActionEntry) => output.message(logLine(entry));
    const runner = new JobRunner({ backlog, access, onAction });
    const app = consoleApp(
      {
        ...{ backlog, access, onAction },
        name: table,
        where,
        key,
        redact,
        ...{ runbookUrl, alarms, mutes, deployed, indexAtOnce: !hasIntake },
        countsGroups: () => countsGroups === true,
        ...(local ? { countsForMs: LOCAL_COUNTS_FOR_MS } : {}),
        ...(queues === undefined ? {} : { queues: () => queues.map((name) => ({ name })) }),
      },
      runner,
    );
    const server = await onPort(given.port, '--port', (port) => serveLocally(withOwnHost(app), port));
    output.data(`${server.url}/?key=${key}`);
    output.message(`${where}; ${given.write ? 'actions are allowed' : 'read-only'}; Ctrl-C ends it`);
    // A wrong name is known before a browser is open. What does not answer now may do so later: the console stays.
    const { error } = await new CountsReader({ backlog }, AbortSignal.abort()).read();
    if (error !== undefined) output.message(`the tables cannot be read: ${printable(explainRead(error))}`);
    void runner.watch();
    await aborted(interrupt.signal);
    await server.stop();
    await runner.leave();
    return EXIT.ok;
  } finally {
    interrupt.close();
    alarms?.close();
    client.destroy();
  }
}

/** `2026-11-23T14:47:18.000Z ops: redrive 12 records: 12 records redriven` */
function logLine({ at, as, text, result }: ActionEntry): string {
  return printable(`${at} ${as}: ${text}: ${result.replaceAll('\n', '; ')}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
