import type { Command } from 'commander';
import { endedIncidents, incidentsOf, shortened } from 'dynamo-backlog/overview';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { bounded, endedJson, incidentsJson } from '../incidents-json.js';
import { listenForInterrupt } from '../interrupt.js';
import { NoAnswerError, type OperateTargetFlags, target } from '../operate/target.js';
import { EXIT, type ExitCode, hasColors, type Output } from '../output.js';
import { painter } from '../paint.js';
import { CHECK, checked } from './check.js';
import { showLive } from './live.js';
import { countsText, topText } from './picture.js';
import { openSource, type Reading, type Source } from './source.js';

/** Flags of `backlog top`. */
interface TopFlags extends OperateTargetFlags {
  /** Milliseconds. */
  readonly interval?: number | undefined;
  readonly once?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly check?: boolean | undefined;
  readonly write?: boolean | undefined;
}

const DEFAULT_INTERVAL_MS = 5_000;
/** Time that requests under way have until the process ends. */
const GRACE_MS = 200;

/** Adds `backlog top` to the command line. */
export function addTop(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  target(program.command('top'))
    .description('Watch a backlog: what is wrong, and each queue, the worst first.')
    .option('--interval <duration>', 'how often to read (default: 5s)', flags.interval)
    .option('--once', 'print it once, as without a terminal')
    .option('--write', 'let its keys retry, redrive, pause, resume and mute')
    .option('--json', 'print it once, for programs')
    .option('--check', CHECK)
    .addHelpText(
      'after',
      examples(
        ['backlog top', 'of the running local runtime'],
        ['backlog top --stack Orders --write', 'of a deployed stack, and to act on it'],
        ["backlog top --json | jq -r '.sentence.title'", 'what is wrong, in one sentence'],
      ),
    )
    .action(async (given: TopFlags) => onExit(await top(given, output)));
}

/** `backlog top`: live on a terminal, otherwise once. */
async function top(given: TopFlags, output: Output): Promise<ExitCode> {
  const { stdout, stdin, env } = process;
  const isLive = stdout.isTTY === true && env.TERM !== 'dumb' && !given.once && !given.json && !given.check;
  const source = await openSource(given, { patient: !isLive, mayWrite: given.write === true }).catch(
    (error: unknown) => {
      if (error instanceof NoAnswerError) leaveSoon();
      throw error;
    },
  );
  const paint = painter(hasColors(stdout));
  if (!isLive) return printOnce(source, given, output);
  const interrupt = listenForInterrupt(() => {}, ['SIGINT', 'SIGTERM', 'SIGHUP']);
  try {
    const { signal } = interrupt;
    await showLive({
      source,
      terminal: stdout,
      keyboard: stdin,
      paint,
      intervalMs: given.interval ?? DEFAULT_INTERVAL_MS,
      signal,
    });
    return EXIT.ok;
  } finally {
    interrupt.close();
    source.close();
    leaveSoon();
  }
}

/** A request that is not answered would keep the process for a minute. The timer itself keeps nothing. */
function leaveSoon(): void {
  setTimeout(() => process.exit(), GRACE_MS).unref();
}

async function printOnce(source: Source, { json, check }: TopFlags, output: Output): Promise<ExitCode> {
  try {
    const reading = await source.read();
    if (reading.error !== undefined) throw reading.error;
    if (json) {
      output.data(JSON.stringify(jsonOf(reading, source)));
      return check ? checked(reading, output) : EXIT.ok;
    }
    const wall = Date.now();
    const { stdout } = process;
    const columns = stdout.isTTY ? stdout.columns || 80 : undefined;
    const lines = topText(reading, columns, painter(hasColors(stdout)));
    for (const line of lines) output.data(line.trimEnd());
    output.message(`${source.where}; ${countsText(reading, wall)}`);
    return check ? checked(reading, output) : EXIT.ok;
  } finally {
    source.close();
  }
}

/** Most characters of a sentence, which names what others wrote. */
const MAX_SENTENCE = 1_000;

/** The figures for programs. What is not known is missing. */
function jsonOf({ sentence, snapshot, jobs, readUnits }: Reading, { where, runbookUrl }: Source) {
  const { now, queues = [], alarms } = snapshot;
  return {
    at: new Date(now).toISOString(),
    where,
    sentence: {
      tone: sentence.tone,
      title: shortened(sentence.title, MAX_SENTENCE),
      details: sentence.details.map((text) => shortened(text, MAX_SENTENCE)),
    },
    readUnits,
    incidents: incidentsJson(incidentsOf(queues, alarms), { runbookUrl, jobs, now }),
    ended: endedJson(endedIncidents(queues)),
    queues: queues.map(({ stats, condition, unserved, inRetry, recent, leases, nextRunAt }) => ({
      queue: bounded(stats.queue),
      condition,
      unserved: unserved && true,
      didYouMean: unserved?.meant,
      counted: stats.counted,
      countedAt: stats.countedAt,
      waiting: stats.pending,
      due: stats.due?.now,
      inRetry,
      dead: stats.dead,
      oldestDueAt: stats.oldestDueAt,
      lagSeconds: stats.lagSeconds,
      paused: stats.paused,
      pausedAt: stats.pausedAt,
      pausedUntil: stats.pausedUntil,
      pauseReason: stats.pauseReason,
      pausedBy: stats.pausedBy,
      pausedKeys: stats.pausedKeys,
      openBreakers: stats.openBreakers,
      lastQuarter: recent && { succeeded: recent.succeeded, failed: recent.failed },
      leases: leases.map(({ key, holder, until }) => ({
        key: bounded(key),
        holder: bounded(holder),
        until: new Date(until).toISOString(),
      })),
      nextRunAt,
    })),
  };
}
