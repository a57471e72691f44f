import {
  type ActionResult,
  type BacklogRecord,
  ConfigurationError,
  OperationInterruptedError,
  type OperationOptions,
  type Status,
} from 'dynamo-backlog';
import { DynamoDbStore, type NewJob, QUEUE_PATTERN, type Which } from 'dynamo-backlog/engine';
import { Serving } from 'dynamo-backlog/overview';
import { call, type NamedAction } from '../../jobs/call.js';
import { confirmed, requireTerminal } from '../confirm.js';
import type { Target } from '../connect.js';
import { listenForInterrupt } from '../interrupt.js';
import { counted, EXIT, type ExitCode, type Output, printable } from '../output.js';
import { itemsBar } from '../progress.js';
import { meantText } from '../unserved.js';
import { type ForceFlags, refuseUnknownQueues, requireKnownQueue } from './known-queue.js';
import { concernedBy, hasProblems, resultText, unitsText, type Verbs } from './report.js';
import { runNewJob } from './run-job.js';
import { readWhich, type SelectionFlags } from './selection-flags.js';
import { type OperateTargetFlags, type OperatorAt, operatorAt } from './target.js';
import { usage } from './usage.js';

export interface ActFlags extends SelectionFlags, OperateTargetFlags, ForceFlags {
  readonly dryRun?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly perSecond?: number | undefined;
  readonly probe?: number | undefined;
  readonly whenBack?: boolean | undefined;
  /** Milliseconds. */
  readonly until?: number | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** One action, as the command line has it. */
export interface CliAction extends NamedAction {
  readonly verbs: Verbs;
  /** The statuses of a selection for it. Default: any that the operator takes. */
  readonly actsOn?: readonly Status[] | undefined;
  /** True if it cannot be undone. The command then asks even where ids are named. */
  readonly alwaysAsks?: boolean | undefined;
  /** The queue that records go to. */
  readonly toQueue?: string | undefined;
  /** Lines that say what it would change of a record, for a person who has to decide. */
  readonly preview?: ((record: BacklogRecord) => readonly string[]) | undefined;
}

/** Selects, counts, asks, acts and tells. */
export async function act(
  ids: readonly string[],
  flags: ActFlags,
  action: CliAction,
  output: Output,
): Promise<ExitCode> {
  const { dryRun = false, yes = false } = flags;
  const { which, named } = await usage(() => readWhich(ids, flags));
  await usage(async () => refuseOthers(action, flags));
  const waits = await usage(async () => waitsOf(flags));
  const asks = !dryRun && !yes && (named === undefined || action.alwaysAsks === true);
  if (asks) await usage(async () => requireTerminal());
  const at = await operatorAt(flags);
  const { operator, target } = at;
  const interrupt = listenForInterrupt(() =>
    output.message('stopping after the writes at hand (Ctrl-C again to stop at once) ...'),
  );
  const { signal } = interrupt;
  try {
    const options = { limit: flags.limit, perSecond: flags.perSecond, signal };
    const run = (more: OperationOptions) =>
      usage(() => call(operator, action, which, { ...options, ...more }));
    let total = named ?? 0;
    if (named === undefined && flags.queue === undefined) warnOfScan(target, output);
    // A name that no queue can have is refused with the rest of the selection.
    await refuseUnknownQueues(flags.queue?.filter((queue) => QUEUE_PATTERN.test(queue)) ?? [], at);
    for (const queue of flags.queue ?? []) warnOfQueue(queue, target, output);
    if (action.toQueue !== undefined && !flags.force) await requireKnownQueue(action.toQueue, at);
    warnOfQueue(action.toQueue, target, output);
    if (asks) {
      const trial = await run({ dryRun: true });
      const concerned = concernedBy(trial);
      if (concerned === 0) {
        output.message(`${resultText(trial, action.verbs, true)}; nothing was changed`);
        return hasProblems(trial, named !== undefined) ? EXIT.problems : EXIT.ok;
      }
      total = trial.changed;
      await showPreviews(trial, { action, at }, output);
      if (concerned > total) output.message(resultText(trial, action.verbs, true));
      const such = trial.examples.slice(0, 3).map(printable).join(', ');
      const examples = such === '' ? '' : ` (${such}${total > 3 ? ', …' : ''})`;
      const question = `${action.verbs.ask} ${counted(concerned, 'record')}${examples} of ${target.where}?`;
      if (signal.aborted || !(await confirmed(question, false, signal))) {
        output.message('nothing was changed');
        return EXIT.failed;
      }
    }
    // A few named records are quicker changed than a job is stored.
    const isJob = !dryRun && (named === undefined || waits !== undefined);
    if (isJob) {
      const { perSecond, limit } = flags;
      const made = {
        ...action,
        which: whichOf(which),
        perSecond,
        limit,
        ...waits,
        ...(asks ? { total } : {}),
      };
      return await runNewJob(
        made,
        { flags, at, signal, verbs: action.verbs, isNamed: named !== undefined },
        output,
      );
    }
    return await runWithBar(run, { flags, action, at, total, isNamed: named !== undefined }, output);
  } finally {
    interrupt.close();
    target.client.destroy();
  }
}

/** Refuses a selection that only another command acts on, and names that one. */
function refuseOthers({ action, actsOn, verbs: { others } }: CliAction, { status = [] }: ActFlags): void {
  const other = status.find((one) => actsOn?.includes(one) === false);
  if (!actsOn || !other) return;
  throw new ConfigurationError(`${action}.status: expected ${actsOn.join(', ')}, got "${other}" (${others})`);
}

/** The options of a job that waits for something before it changes all records. Undefined: it does not. */
function waitsOf({
  probe,
  whenBack,
  until,
  dryRun,
}: ActFlags): Pick<NewJob, 'probe' | 'whenBack'> | undefined {
  if (until !== undefined && !whenBack) throw new ConfigurationError('--until: only with --when-back');
  if (probe === undefined && !whenBack) return undefined;
  if (dryRun) throw new ConfigurationError('--dry-run changes nothing: leave out --probe and --when-back');
  return {
    ...(probe === undefined ? {} : { probe }),
    ...(whenBack ? { whenBack: (until ?? DAY_MS) / 1000 } : {}),
  };
}
const DAY_MS = 86_400_000;

function whichOf(which: Which): NewJob['which'] {
  return typeof which === 'string' ? [which] : which;
}

interface RunContext {
  readonly flags: ActFlags;
  readonly action: CliAction;
  readonly at: OperatorAt;
  /** Records, as far as that is known. */
  readonly total: number;
  readonly isNamed: boolean;
}

async function runWithBar(
  run: (options: OperationOptions) => Promise<ActionResult>,
  { flags, action, at, total, isNamed }: RunContext,
  output: Output,
): Promise<ExitCode> {
  const { dryRun = false, json = false } = flags;
  const bar = itemsBar(total, output);
  let result: ActionResult;
  try {
    result = await run({
      dryRun,
      onProgress: ({ looked, changed, skipped, failed }) => {
        bar.update(total > 0 ? changed + skipped + failed : looked, `, ${changed} ${action.verbs.done}`);
      },
      onTrouble: (message) => bar.message(`waiting: ${message}`),
    });
  } catch (error) {
    if (error instanceof OperationInterruptedError)
      bar.message(`${counted(error.result.changed, 'record')} ${action.verbs.done} before it stopped`);
    throw error;
  } finally {
    bar.stop();
  }
  if (dryRun) await showPreviews(result, { action, at }, output);
  output.data(json ? JSON.stringify({ dryRun, ...result }) : resultText(result, action.verbs, dryRun));
  output.message(`${at.target.where}; ${unitsText(result)}`);
  if (result.ended === 'aborted') return EXIT.failed;
  return hasProblems(result, isNamed) ? EXIT.problems : EXIT.ok;
}

/** The records that a dry run gave as examples, each with what would change of it. */
async function showPreviews(
  { examples }: ActionResult,
  { action: { preview }, at: { target, controlTable } }: Pick<RunContext, 'action' | 'at'>,
  output: Output,
): Promise<void> {
  if (!preview) return;
  const { client, table, clock } = target;
  const store = new DynamoDbStore({ client, tables: { records: table, control: controlTable }, clock });
  for (const id of examples) {
    const record = await store.records.get(id);
    // Another process may have removed it meanwhile.
    if (!record) continue;
    output.message(`${printable(id)}:`);
    for (const line of preview(record)) output.message(`  ${line}`);
  }
}

export function warnOfScan({ local }: Target, output: Output): void {
  if (local) return;
  output.message('reading the whole table, which is billed; with --queue NAME its index is read');
}

/** Warns of a queue that the running app does not have: records in it wait. In AWS `requireKnownQueue` has asked the registry. */
export function warnOfQueue(queue: string | undefined, { queues: app }: Target, output: Output): void {
  const serving = new Serving(app && { app });
  if (queue === undefined || !serving.isUnserved(queue)) return;
  output.message(
    `warning: the running app has no queue "${printable(queue)}"${meantText(serving.meant(queue))}`,
  );
}
