import { type Job, Jobs, type NewJob, Tables } from 'dynamo-backlog/engine';
import { actionWords, armedText, countsText } from '../../jobs/job-words.js';
import { EXIT, type ExitCode, type Output, printable } from '../output.js';
import { itemsBar } from '../progress.js';
import { hasProblems, resultText, unitsText, type Verbs } from './report.js';
import { type OperateTargetFlags, type OperatorAt, userName } from './target.js';
import { usage } from './usage.js';

interface JobContext {
  readonly flags: OperateTargetFlags & { readonly json?: boolean | undefined };
  readonly at: Pick<OperatorAt, 'target' | 'controlTable'>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The words of the command. Default: those of the job. */
  readonly verbs?: Verbs | undefined;
  readonly isNamed?: boolean | undefined;
}

/** The jobs of the tables. */
export function jobsAt({ target: { client, table, clock }, controlTable }: JobContext['at']): Jobs {
  return new Jobs(new Tables({ table, controlTable, client, clock }));
}

/** The operator on the command line, for a job. */
export function origin(): { readonly by: string; readonly from: string } {
  return { by: userName() ?? 'an unknown user', from: 'command line' };
}

/** Stores a job, and works on it. */
export async function runNewJob(made: NewJob, context: JobContext, output: Output): Promise<ExitCode> {
  const jobs = jobsAt(context.at);
  return workOn(await usage(() => jobs.create(made, origin())), { ...context, jobs }, output);
}

/** Works on a job that this process holds, to its end. Ctrl-C leaves it stopped. */
export async function workOn(
  held: Job,
  { jobs, flags, at, signal, verbs, isNamed = false }: JobContext & { readonly jobs: Jobs },
  output: Output,
): Promise<ExitCode> {
  const { done } = actionWords(held);
  const words = verbs ?? { ask: '', done };
  const { total = 0 } = held;
  output.message(`job ${held.id}: ${command('stop', held.id, flags)} ends it`);
  if (held.state === 'armed') {
    const what = held.armedFor === undefined ? 'its queue' : printable(held.armedFor);
    output.message(
      `waiting until ${what} works again, until ${armedText(held.armedUntil)} at the latest ...`,
    );
  }
  const before = held.counts.changed;
  const bar = itemsBar(total, output);
  const { job, result } = await jobs
    .run(held, {
      signal,
      onProgress: ({ looked, changed, skipped, failed }) => {
        const all = before + changed;
        bar.update(total > 0 ? all + skipped + failed : looked, `, ${all} ${words.done}`);
      },
      onTrouble: (message) => bar.message(`waiting: ${message}`),
    })
    .finally(() => bar.stop());
  const left = job.state === 'stopped';
  // A probe that fails has a limit as well, and nothing goes on by itself.
  const isAtLimit = result.ended === 'limit' && (job.probe === undefined || job.probePassed === true);
  output.data(
    flags.json
      ? JSON.stringify({ dryRun: false, ...result, job: job.id, state: job.state, why: job.why })
      : resultText({ ...result, ended: isAtLimit ? 'limit' : 'complete' }, words, false),
  );
  if (left) {
    output.message(`stopped at ${countsText(job)}: ${printable(job.why ?? 'its process has ended')}`);
    output.message(`${command('go-on', job.id, flags)} goes on with the rest`);
  } else if (job.state === 'cancelled') output.message(printable(job.why ?? 'cancelled'));
  output.message(`${at.target.where}; ${unitsText(result)}`);
  if (job.state === 'cancelled' || (left && !isAtLimit)) return EXIT.failed;
  return hasProblems(result, isNamed) ? EXIT.problems : EXIT.ok;
}

/** The command that does something with a job, with the flags that say where it is. */
function command(what: string, id: string, flags: OperateTargetFlags): string {
  const { endpoint, table, stack, controlTable } = flags;
  const given = Object.entries({ endpoint, table, stack, 'control-table': controlTable });
  const target = given.flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${printable(String(value))}`],
  );
  return `backlog jobs ${what} ${id}${target.join('')}`;
}
