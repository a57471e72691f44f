import { ConfigurationError } from 'dynamo-backlog';
import { DynamoDbOperatorStore, systemRandom } from 'dynamo-backlog/engine';
import { describeTable } from '../../../../src/store/dynamodb/inspect.js';
import { StoredItems } from '../../../../src/store/dynamodb/stored-items.js';
import { confirmed, requireTerminal } from '../confirm.js';
import { connect, type Target, type TargetFlags } from '../connect.js';
import { controlTables } from '../doctor/control-table.js';
import { listenForInterrupt } from '../interrupt.js';
import { counted, EXIT, type ExitCode, type Output } from '../output.js';
import { itemsBar } from '../progress.js';
import { shapeProblems } from '../table-shape.js';
import { RestoreCounters } from './counters.js';
import { DEFAULT_DECISIONS, type Decisions } from './decide.js';
import { HeldQueues } from './hold.js';
import { hasOpenEnds, type Report, restoreJson, restoreSummary, restoreText } from './report.js';
import { Restoration } from './restoration.js';
import { settle } from './settings.js';
import { readSucceededIds } from './succeeded-ids.js';

export interface RestoreFlags extends Pick<TargetFlags, 'endpoint'>, Partial<Decisions> {
  readonly from?: string | undefined;
  readonly to: string;
  readonly controlTable?: readonly string[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly succeededIds?: string | undefined;
  readonly apply?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

interface Work {
  readonly target: Target;
  readonly flags: RestoreFlags;
  readonly controls: readonly string[];
  readonly succeededIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly output: Output;
}

/** `backlog restore`: makes a table that AWS has restored ready for work, and compares it with the old one. */
export async function restore(flags: RestoreFlags, output: Output): Promise<ExitCode> {
  const { from, to, apply = false, yes } = flags;
  if (from === to) throw new ConfigurationError('--from: expected the old table, not the restored one');
  if (apply && !yes) requireTerminal();
  const listed = flags.succeededIds === undefined ? undefined : await readSucceededIds(flags.succeededIds);
  const target = await connect({ endpoint: flags.endpoint, table: to });
  const interrupt = listenForInterrupt(() =>
    output.message('stopping after the pages at hand (Ctrl-C again to stop at once) ...'),
  );
  const { signal } = interrupt;
  try {
    const controls = await controlsOf(target, flags);
    if (listed) {
      const others = listed.others > 0 ? `, ${counted(listed.others, 'line')} without one` : '';
      output.message(`${counted(listed.ids.size, 'id')} of records that have succeeded${others}`);
    }
    const question = `Hold all queues in ${controls.join(', ')}, and put ${target.where} right?`;
    if (apply && !(await confirmed(question, yes, signal))) {
      output.message('nothing was changed');
      return EXIT.failed;
    }
    const succeededIds = listed?.ids ?? new Set<string>();
    return await work({ target, flags, controls, succeededIds, signal, output });
  } finally {
    interrupt.close();
    target.client.destroy();
  }
}

/** @throws ConfigurationError unless each of them is a control table, and there is one to hold queues in */
async function controlsOf(target: Target, { controlTable, apply }: RestoreFlags): Promise<readonly string[]> {
  const { tables, findings } = await controlTables(target, controlTable);
  const [finding] = findings;
  if (finding) throw new ConfigurationError(`${finding.what}: ${finding.todo}`);
  if (apply && tables.length === 0) {
    throw new ConfigurationError(
      'say in which control table the queues are held with --control-table: that of the backlog which is to work on the restored table',
    );
  }
  return tables;
}

async function work({ target, flags, controls, succeededIds, signal, output }: Work): Promise<ExitCode> {
  const { client, table, clock } = target;
  const { from, apply = false, json = false } = flags;
  const facts = await factsOf(target, table, 'key and index');
  const oldFacts = from === undefined ? undefined : await factsOf(target, from, 'key');
  const decisions = decisionsOf(flags);
  const counters = new RestoreCounters();
  const onConsumed = ({ kind, units }: { kind: 'read' | 'write'; units: number }) => {
    if (kind === 'read') counters.readUnits += units;
    else counters.writeUnits += units;
  };
  const storeWith = (control: string) =>
    new DynamoDbOperatorStore({ client, clock, tables: { records: table, control }, onConsumed });
  const held = new HeldQueues(controls.map(storeWith));
  const bar = itemsBar(facts.itemCount + (oldFacts?.itemCount ?? 0), output);
  bar.message(
    `${apply ? 'restoring' : 'looking at'} ${target.where}${from === undefined ? '' : `, beside ${from}`}`,
  );
  let end: 'complete' | 'interrupted' = 'interrupted';
  try {
    if (apply) {
      await held.hold(flags.queues ?? []);
      await held.holdKnown();
      await held.waitForRuns(clock, signal, bar);
    }
    end = await new Restoration({
      restored: new StoredItems({ client, table, clock, onConsumed }),
      old: from === undefined ? undefined : new StoredItems({ client, table: from, clock, onConsumed }),
      // It uses no control table: without one, that stays untouched.
      records: storeWith(controls[0] ?? table).records,
      decisions,
      succeededIds,
      apply,
      holdQueues: held.hold,
      counters,
      clock,
      random: systemRandom,
      signal,
      onPage: (looked) => bar.update(looked),
      onTrouble: (message) => bar.message(`waiting: ${message}`),
    }).run();
  } finally {
    bar.stop();
  }
  // Last: what is compared must not expire meanwhile.
  const settings = signal.aborted ? [] : await settle(target, facts, apply);
  const report: Report = {
    table,
    from,
    apply,
    complete: end === 'complete',
    decisions,
    settings,
    counters,
    held,
  };
  const text = json ? restoreJson(report) : restoreText(report);
  if (text !== '') output.data(text);
  output.message(restoreSummary(report));
  if (!report.complete) return EXIT.failed;
  return hasOpenEnds(report) ? EXIT.problems : EXIT.ok;
}

/** @throws ConfigurationError if the table lacks what it needs */
async function factsOf({ client }: Target, name: string, needs: 'key' | 'key and index') {
  const facts = await describeTable(client, name);
  const problem = shapeProblems(facts).find(({ kind }) => kind === 'key' || needs === 'key and index');
  if (problem) throw new ConfigurationError(`${name}: ${problem.what}: ${problem.todo}`);
  return facts;
}

function decisionsOf(flags: RestoreFlags): Decisions {
  const { succeeded, dead, gone, missing, changed } = flags;
  const given = Object.entries({ succeeded, dead, gone, missing, changed }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...DEFAULT_DECISIONS, ...Object.fromEntries(given) };
}
