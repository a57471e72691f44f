import { age } from 'dynamo-backlog/engine';
import {
  describeExpiry,
  describeTable,
  hasPointInTimeRecovery,
} from '../../../../src/store/dynamodb/inspect.js';
import { confirmed, requireTerminal } from '../confirm.js';
import { connect, type Target, type TargetFlags } from '../connect.js';
import { listenForInterrupt } from '../interrupt.js';
import { counted, EXIT, type ExitCode, type Output } from '../output.js';
import { checkControl, hasSigns } from './control-checks.js';
import { controlTables, readControlTables } from './control-table.js';
import { Findings } from './findings.js';
import { checkIncidents, NO_CONTROL_TABLE } from './incident-checks.js';
import { lookAtRecords } from './look-at-records.js';
import { checkOwners } from './owner-checks.js';
import { REPAIRABLE } from './record-checks.js';
import { checkRegion } from './region-checks.js';
import { type Repairable, type Repaired, repairAll } from './repair.js';
import { RepairStore } from './repair-store.js';
import { findingsSummary, findingsText, repairedText } from './report.js';
import { checkTable, hasNewImages } from './table-checks.js';

export interface DoctorFlags extends TargetFlags {
  readonly controlTable?: readonly string[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly repair?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** Milliseconds. */
  readonly wait?: number | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Delay before the second look: a record that came a moment ago is indexed by then. */
const SECOND_LOOK_MS = 3_000;
/** Time after which no attempt on arrival is under way: a function lives 15 minutes, and its event may take one. */
const SETTLED_MS = 16 * 60_000;
/** The same on this machine: streams deliver at once, and an event waits for a minute at most. */
const SETTLED_LOCALLY_MS = 80_000;

/** `backlog doctor`: lists what is wrong with a backlog, or looks as if it were; repairs what it can. */
export async function doctor(flags: DoctorFlags, output: Output): Promise<ExitCode> {
  if (flags.repair && !flags.dryRun && !flags.yes) requireTerminal();
  const target = await connect(flags);
  const interrupt = listenForInterrupt(() => output.message('stopping ...'));
  try {
    return await examine(target, flags, interrupt.signal, output);
  } finally {
    interrupt.close();
    target.client.destroy();
  }
}

async function examine(
  target: Target,
  flags: DoctorFlags,
  signal: AbortSignal,
  output: Output,
): Promise<ExitCode> {
  const { client, table, clock, where, local } = target;
  const { json = false, repair = false, dryRun = false, wait } = flags;
  const findings = new Findings();
  const facts = await describeTable(client, table);
  const settings = { facts, local, ...(await settingsOf(target)) };
  for (const finding of checkTable(settings)) findings.add(finding);
  const ofStack = target.controlTable === undefined ? undefined : [target.controlTable];
  const controls = await controlTables(target, flags.controlTable ?? ofStack);
  for (const finding of controls.findings) findings.add(finding);
  const controlNow = () => readControlTables(target, controls.tables);
  const control = await controlNow();
  const time = { wall: clock.wall(), now: clock.now() };
  const region = local ? '' : await target.client.config.region();
  const passive = control && checkRegion(control, region, time.now);
  if (passive) findings.add(passive);
  if (controls.tables.length === 0 && controls.findings.length === 0) findings.add(NO_CONTROL_TABLE);
  // The overview reads each queue. The local runtime counts attempts as well; elsewhere notes and breakers say what fails.
  const mayFail = local || (control !== undefined && hasSigns(control));
  if (mayFail) for (const finding of await checkIncidents(target, controls.tables)) findings.add(finding);
  if (control) {
    const found = [
      ...checkControl(control, time),
      ...(facts.dueIndex ? await checkOwners(target, control, time.now) : []),
    ];
    for (const finding of found) findings.add(finding);
  }

  const hasIntake = local || hasNewImages(facts);
  const settledMs = wait ?? (local ? SETTLED_LOCALLY_MS : SETTLED_MS);
  const hasKey = !findings.list().some(({ kind }) => kind === 'table.key');
  const examined = hasKey
    ? await lookAtRecords(target, {
        facts,
        hasIntake,
        control,
        controlNow,
        queues: flags.queues ?? [],
        limit: flags.limit,
        settledMs,
        lookAgainMs: repair && !dryRun ? settledMs : (wait ?? SECOND_LOOK_MS),
        findings,
        signal,
        output,
      })
    : { looked: 0, all: true, misindexed: [], stuck: [], strangers: 0, unsettled: 0 };

  const { looked, all } = examined;
  const list = findings.list();
  if (!json && list.length > 0) output.data(findingsText(list, clock.now()));
  const rest = all || signal.aborted ? '' : '; there are more: --limit';
  output.message(`${counted(looked, 'item')} of ${where} looked at${rest}; ${findingsSummary(list)}`);

  if (passive && repair && !dryRun) {
    output.message(`nothing was repaired: ${passive.what}`);
  }
  const mayIndex = !hasIntake || controls.tables.length > 0;
  if (!mayIndex && examined.stuck.length > 0) {
    output.message(
      `${counted(examined.stuck.length, 'record')} not indexed, left unchanged: the control table says what is under attempt, --control-table (of a table that no backlog is deployed for, see "backlog adopt")`,
    );
  }
  if (examined.strangers > 0) {
    output.message(
      `${counted(examined.strangers, 'record')} not indexed, left unchanged: the status is none of NEW, ERROR, SUCCESS, DEAD ("backlog adopt" reads others; the daily sweep reads them as NEW)`,
    );
  }
  const repairable = { misindexed: examined.misindexed, stuck: mayIndex ? examined.stuck : [] };
  const repaired =
    signal.aborted || passive
      ? undefined
      : await repairIfWanted({
          target,
          repairable,
          unsettled: examined.unsettled,
          controls: controls.tables,
          flags,
          settledMs,
          signal,
          output,
        });
  if (repaired) output.message(repairedText(repaired));
  if (json) {
    const about = { table, items: looked, all, repairable: count(repairable) };
    output.data(JSON.stringify({ ...about, findings: list, ...(repaired && { repaired }) }));
  }
  if (signal.aborted) return EXIT.failed;
  const isSolved = repaired?.left === 0 && mayIndex && examined.strangers === 0;
  return findings.hasProblems(isSolved ? REPAIRABLE : undefined) ? EXIT.problems : EXIT.ok;
}

async function settingsOf({ client, table, local }: Target) {
  // The embedded DynamoDB has neither.
  if (local) return {};
  const [expiresBy, pointInTimeRecovery] = await Promise.all([
    describeExpiry(client, table),
    hasPointInTimeRecovery(client, table),
  ]);
  return { expiresBy, pointInTimeRecovery };
}

interface RepairRequest {
  readonly target: Target;
  readonly repairable: Repairable;
  /** Records that are not indexed, and may still be. */
  readonly unsettled: number;
  readonly controls: readonly string[];
  readonly flags: DoctorFlags;
  readonly settledMs: number;
  readonly signal: AbortSignal;
  readonly output: Output;
}

async function repairIfWanted(request: RepairRequest): Promise<Repaired | undefined> {
  const { target, repairable, controls, flags, settledMs, signal, output } = request;
  const { repair = false, dryRun = false, yes } = flags;
  const what = `the index keys of ${counted(count(repairable), 'record')}`;
  if (!repair || dryRun) {
    if (count(repairable) > 0) {
      const ids = [...repairable.misindexed, ...repairable.stuck].slice(0, 5).join(', ');
      output.message(`--repair ${repair ? 'would correct' : 'corrects'} ${what}: ${ids}`);
    }
    if (repair && request.unsettled > 0) {
      output.message(
        `--repair would look again at ${counted(request.unsettled, 'record')} not indexed after ${age(settledMs)}, and index what still waits`,
      );
    }
    return undefined;
  }
  if (count(repairable) === 0) return undefined;
  if (!(await confirmed(`Correct ${what}?`, yes, signal))) {
    output.message('nothing was changed');
    return undefined;
  }
  const { clock } = target;
  const store = new RepairStore(target, controls);
  return repairAll(repairable, { store, clock, signal, output });
}

function count({ misindexed, stuck }: Repairable): number {
  return misindexed.length + stuck.length;
}
