import { resolve } from 'node:path';
import { ConfigurationError, type Status } from 'dynamo-backlog';
import { QUEUE_NAME, QUEUE_PATTERN, show, systemRandom } from 'dynamo-backlog/engine';
import { Serving } from 'dynamo-backlog/overview';
import { createDueIndex } from '../../../../src/store/dynamodb/create-index.js';
import { describeTable, type TableFacts } from '../../../../src/store/dynamodb/inspect.js';
import { RawItems } from '../../../../src/store/dynamodb/raw-items.js';
import { confirmed } from '../confirm.js';
import { connect, type Target, type TargetFlags } from '../connect.js';
import { listenForInterrupt } from '../interrupt.js';
import { counted, EXIT, type ExitCode, type Output, printable } from '../output.js';
import { itemsBar } from '../progress.js';
import { type ShapeProblem, shapeProblems } from '../table-shape.js';
import { meantText } from '../unserved.js';
import { Adoption } from './adoption.js';
import { CheckpointFile, readCheckpoint, type SegmentState } from './checkpoint.js';
import { AdoptionCounters } from './counters.js';
import { adoptionJson, adoptionSummary, adoptionTable, hasOpenItems } from './report.js';
import type { AdoptionRules } from './rules.js';

export interface AdoptFlags extends TargetFlags {
  readonly map?: AdoptionRules['sources'] | undefined;
  readonly statusMap?: Readonly<Record<string, Status>> | undefined;
  readonly queue?: string | undefined;
  /** Minutes east of Greenwich. */
  readonly utcOffset?: number | undefined;
  readonly undatedNow?: boolean | undefined;
  readonly createIndex?: boolean | undefined;
  readonly segments?: number | undefined;
  readonly limitPerSecond?: number | undefined;
  readonly resume?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

const SEGMENTS = 4;
/** A record that came later may be under its first attempt, before it is indexed. */
const INTAKE_SECONDS = 16 * 60;

/** `backlog adopt`: turns the items of a table that is older than the library into records of the backlog. */
export async function adopt(flags: AdoptFlags, output: Output): Promise<ExitCode> {
  const { queue, dryRun = false } = flags;
  if (queue !== undefined && !QUEUE_PATTERN.test(queue)) {
    throw new ConfigurationError(`--queue: expected ${QUEUE_NAME}, got ${show(queue)}`);
  }
  const target = await connect(flags);
  const interrupt = listenForInterrupt(() =>
    output.message('stopping after the pages at hand (Ctrl-C again to stop at once) ...'),
  );
  try {
    const { signal } = interrupt;
    const facts = await describeTable(target.client, target.table);
    const key = shapeProblems(facts).find(({ kind }) => kind === 'key');
    if (key) throw new ConfigurationError(`${key.what}: ${key.todo}`);
    const go = dryRun || (await prepare(target, facts, flags, signal, output));
    if (!go) return EXIT.failed;
    if (dryRun) for (const problem of shapeProblems(facts)) complain(problem, output);
    return await work(target, facts, flags, signal, output);
  } finally {
    interrupt.close();
    target.client.destroy();
  }
}

/** Asks, and makes the index if that was wanted. False: there is nothing to be done now. */
async function prepare(
  { client, clock, where }: Target,
  facts: TableFacts,
  { createIndex, yes }: AdoptFlags,
  signal: AbortSignal,
  output: Output,
): Promise<boolean> {
  const [problem] = shapeProblems(facts);
  const willCreate = createIndex === true && problem?.kind === 'noIndex';
  if (problem && !willCreate) throw new ConfigurationError(`${problem.what}: ${problem.todo}`);
  const what = willCreate ? 'Create its index "due", and adopt' : 'Adopt';
  if (!(await confirmed(`${what} about ${counted(facts.itemCount, 'item')} of ${where}?`, yes, signal))) {
    output.message('nothing was changed');
    return false;
  }
  if (!willCreate) return true;
  output.message(
    'creating the index "due"; DynamoDB fills it by itself, for hours if the table is large ...',
  );
  const end = await createDueIndex(client, facts, { clock, signal });
  if (end === 'interrupted') output.message('DynamoDB goes on with the index; run the same command later');
  return end === 'ready';
}

async function work(
  { client, clock, table, where, queues }: Target,
  facts: TableFacts,
  flags: AdoptFlags,
  signal: AbortSignal,
  output: Output,
): Promise<ExitCode> {
  const { dryRun = false, json = false, limitPerSecond } = flags;
  const rules = rulesOf(flags, facts);
  const path = resolve(flags.resume ?? `backlog-adopt-${table}.json`);
  const { leastAgeSeconds: _, ...lasting } = rules;
  const adoption = JSON.parse(JSON.stringify({ where, ...lasting }));
  const found = dryRun ? undefined : await readCheckpoint(path, adoption);
  const segments = segmentsOf(flags, found?.segments, path);
  const counters = new AdoptionCounters(found?.counters);

  const startedAt = performance.now();
  const before = counters.state.seconds;
  const elapse = () => {
    counters.state.seconds = before + (performance.now() - startedAt) / 1000;
  };
  const file = new CheckpointFile(path, () => ({ adoption, segments, counters: counters.state }));
  const bar = itemsBar(facts.itemCount, output);
  bar.message(`${dryRun ? 'looking at' : 'adopting'} the items of ${where}`);
  if (found) bar.message(`going on after ${counted(counters.state.items, 'item')} of ${path}`);
  else if (!dryRun)
    bar.message(`how far it is stands in ${path}: run the same command to go on after an interruption`);
  const items = new RawItems({
    client,
    table,
    clock,
    onConsumed: ({ kind, units }) => counters.consumed(kind, units),
  });
  let end: 'complete' | 'interrupted';
  try {
    end = await new Adoption({
      items,
      rules,
      clock,
      random: systemRandom,
      segments,
      counters,
      dryRun,
      itemsPerSecond: limitPerSecond,
      signal,
      onPage: async () => {
        elapse();
        bar.update(counters.state.items, `, ${counters.written} written`);
        if (!dryRun) await file.save();
      },
      onTrouble: (message) => bar.message(`waiting: ${message}`),
    }).run();
  } finally {
    elapse();
    bar.stop();
  }
  const complete = end === 'complete';
  if (complete && !dryRun) await file.remove();
  output.data(json ? adoptionJson(counters, { table, dryRun, complete }) : adoptionTable(counters, dryRun));
  output.message(adoptionSummary(counters, dryRun));
  warnOfStrangers(counters, queues, output);
  if (!complete) {
    output.message(dryRun ? 'interrupted' : `interrupted: the same command goes on from there (${path})`);
    return EXIT.failed;
  }
  return hasOpenItems(counters) ? EXIT.problems : EXIT.ok;
}

function rulesOf(flags: AdoptFlags, { stream }: TableFacts): AdoptionRules {
  return {
    sources: flags.map ?? {},
    statuses: flags.statusMap ?? {},
    queue: flags.queue,
    utcOffsetMinutes: flags.utcOffset ?? 0,
    undatedNow: flags.undatedNow ?? false,
    leastAgeSeconds: stream === undefined ? 0 : INTAKE_SECONDS,
  };
}

function segmentsOf(
  { segments: wanted }: AdoptFlags,
  found: SegmentState[] | undefined,
  path: string,
): SegmentState[] {
  if (found && wanted !== undefined && wanted !== found.length) {
    throw new ConfigurationError(
      `--segments: expected ${found.length}, as ${path} was begun with, got ${wanted}; or remove that file to begin again`,
    );
  }
  return found ?? Array.from({ length: wanted ?? SEGMENTS }, () => ({ done: false }));
}

function complain({ what, todo }: ShapeProblem, output: Output): void {
  output.message(`warning: ${what}: ${todo}`);
}

function warnOfStrangers(
  counters: AdoptionCounters,
  known: readonly string[] | undefined,
  output: Output,
): void {
  const serving = new Serving(known && { app: known });
  const queues = new Set(Object.keys(counters.state.indexed).map((lane) => lane.replace(/\/dead$/, '')));
  for (const queue of queues) {
    if (!serving.isUnserved(queue)) continue;
    output.message(
      `warning: the running app has no queue "${printable(queue)}": nothing will attempt its records${meantText(serving.meant(queue))}`,
    );
  }
}
