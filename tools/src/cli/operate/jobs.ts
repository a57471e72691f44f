import type { Command } from 'commander';
import { ConfigurationError } from 'dynamo-backlog';
import { isLost, type Job, type JobList, jsonOf } from 'dynamo-backlog/engine';
import { actionWords, selectionText, stateText } from '../../jobs/job-words.js';
import { examples } from '../command-parts.js';
import { flags as parsers } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { clock, EXIT, type ExitCode, hasColors, type Output, printable } from '../output.js';
import { painter } from '../paint.js';
import { plainTable } from '../plain-table.js';
import { endsWith } from './end.js';
import { jobsAt, origin, workOn } from './run-job.js';
import { type OperateTargetFlags, tablesAt, target } from './target.js';
import { usage } from './usage.js';

interface JobsFlags extends OperateTargetFlags {
  readonly json?: boolean | undefined;
  readonly perSecond?: number | undefined;
}

const ACTIONS = ['show', 'stop', 'go-on', 'undo'];

/** Adds `backlog jobs`. */
export function addJobs(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const command = target(program.command('jobs'))
    .description(
      'List the bulk jobs of the last 30 days, or look at one, stop it, go on with what is left, or undo it on records that have not changed since.',
    )
    .argument('[action]', 'show, stop, go-on or undo')
    .argument('[id]', 'of the job')
    .option('--json', 'the jobs for programs')
    .option('--per-second <n>', 'with go-on or undo: change so many per second at most', parsers.rate)
    .addHelpText(
      'after',
      examples(
        ['backlog jobs', ''],
        ['backlog jobs go-on k3v9x2ab', 'in this terminal; also if its process was lost'],
        ['backlog jobs go-on k3v9x2ab --per-second 50', 'at another pace'],
        ['backlog jobs undo k3v9x2ab', 'within a day of its end'],
      ),
    );
  command.action((action: string | undefined, id: string | undefined, given: JobsFlags) =>
    end(command, () => jobsCommand(action, id, given, output)),
  );
}

async function jobsCommand(
  action: string | undefined,
  id: string | undefined,
  flags: JobsFlags,
  output: Output,
): Promise<ExitCode> {
  const { perSecond } = flags;
  await usage(async () => {
    if (action !== undefined && !ACTIONS.includes(action))
      throw new ConfigurationError(`expected ${ACTIONS.join(', ')}, got "${printable(action)}"`);
    if (action !== undefined && id === undefined) throw new ConfigurationError(`${action}: which job?`);
    if (perSecond !== undefined && action !== 'go-on' && action !== 'undo')
      throw new ConfigurationError('--per-second: only with go-on and undo');
  });
  const at = await tablesAt(flags);
  const interrupt = listenForInterrupt(() =>
    output.message('stopping after the writes at hand (Ctrl-C again to stop at once) ...'),
  );
  try {
    const jobs = jobsAt(at);
    const wall = at.target.clock.wall();
    if (action === undefined || id === undefined)
      return list({ ...(await jobs.list()), wall }, flags, output);
    const { by } = origin();
    if (action === 'show' || action === 'stop') {
      const job = action === 'show' ? await jobs.read(id) : await jobs.stop(id, by);
      output.data(flags.json ? jsonOf(shown(job, wall)) : linesOf(job, wall).join('\n'));
      return EXIT.ok;
    }
    const held =
      action === 'undo' ? await jobs.undo(id, origin(), perSecond) : await jobs.goOn(id, perSecond);
    return await workOn(held, { jobs, flags, at, signal: interrupt.signal }, output);
  } finally {
    interrupt.close();
    at.target.client.destroy();
  }
}

function list(
  { jobs, unreadable, wall }: JobList & { readonly wall: number },
  flags: JobsFlags,
  output: Output,
): ExitCode {
  if (flags.json) output.data(jsonOf(jobs.map((job) => shown(job, wall))));
  else if (jobs.length > 0) {
    const columns = ['ID', 'ACTION', 'SELECTION', 'BY', 'BEGAN', 'STATE'].map(
      (name) => [name, 'left'] as const,
    );
    const rows = jobs.map((job) => [
      job.id,
      printable(actionWords(job).label),
      printable(selectionText(job)),
      printable(`${job.by}, ${job.from}`),
      clock(job.startedAt ?? job.createdAt),
      printable(stateText(job, wall)),
    ]);
    output.data(plainTable(columns, rows, painter(hasColors(process.stdout))));
  } else output.message('no bulk job in the last 30 days');
  if (unreadable.length === 0) return EXIT.ok;
  output.message(
    `not readable, as they are damaged or of a newer version: ${printable(unreadable.join(', '))}`,
  );
  return EXIT.problems;
}

/** A job without the payload that it writes. */
function shown(job: Job, wall: number) {
  const { payload: _, merge: __, ...options } = job.options;
  return { ...job, options, ...(isLost(job, wall) ? { lost: true } : {}) };
}

function linesOf(job: Job, wall: number): string[] {
  const { counts, perSecond, probe, undoneBy, startedAt, endedAt } = job;
  const lines: [string, string | undefined][] = [
    ['job', job.id],
    ['action', actionWords(job).label],
    ['selection', selectionText(job)],
    ['pace', perSecond === undefined ? 'as fast as it goes' : `${perSecond} a second`],
    ['probe', probe === undefined ? undefined : `${probe} first${job.probePassed ? ', passed' : ''}`],
    ['by', `${job.by}, ${job.from}`],
    ['created', job.createdAt],
    ['began', startedAt],
    ['ended', endedAt],
    ['state', stateText(job, wall)],
    [
      'left alone',
      Object.entries(counts.skipped)
        .map(([reason, count]) => `${count} ${reason}`)
        .join(', ') || undefined,
    ],
    ['failed', counts.failed === 0 ? undefined : String(counts.failed)],
    ...counts.failures.map(({ id, reason }): [string, string] => ['', `${id}: ${reason}`]),
    ['undone by', undoneBy],
  ];
  return lines.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(11)} ${printable(value)}`],
  );
}
