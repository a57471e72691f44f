import { age } from 'dynamo-backlog/engine';
import type { ControlFacts } from '../../../../src/store/dynamodb/control-items.js';
import { RawItems } from '../../../../src/store/dynamodb/raw-items.js';
import type { Target } from '../connect.js';
import type { Output } from '../output.js';
import { itemsBar } from '../progress.js';
import { FORGOTTEN } from './control-checks.js';
import { Examination } from './examination.js';
import type { Findings } from './findings.js';
import { lookAtAll } from './scan.js';
import type { TableSettings } from './table-checks.js';

export interface LookDeps {
  readonly facts: TableSettings['facts'];
  readonly hasIntake: boolean;
  readonly control: ControlFacts | undefined;
  /** Reads the control tables once more. */
  readonly controlNow: () => Promise<ControlFacts | undefined>;
  /** Names that the user gave. */
  readonly queues: readonly string[];
  readonly limit?: number | undefined;
  /** See `ExaminationContext`. */
  readonly settledMs: number;
  /** Milliseconds between the two looks at records that are not indexed. */
  readonly lookAgainMs: number;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly output: Output;
}

const LIMIT = 100_000;
/** Waiting for longer is worth telling. */
const LONG_MS = 5_000;

/** Looks at the records of a table, or at the first so many. */
export async function lookAtRecords(
  { client, table, clock, where, local, queues: known = [] }: Target,
  deps: LookDeps,
) {
  const { facts, control, queues: named, limit = LIMIT, lookAgainMs, findings, signal, output } = deps;
  const queues = new Set([...known, ...named, ...(control?.queues.keys() ?? [])]);
  if (queues.size === 0) {
    output.message('which queues there are is not known: name them with --queues, or --control-table');
  }
  const items = new RawItems({ client, table, clock });
  const examination = new Examination(findings, {
    clock,
    hasIntake: deps.hasIntake,
    settledMs: deps.settledMs,
    queues: queues.size > 0 ? queues : undefined,
    lines: control?.lines,
    retryModes: new Map([...(control?.queues ?? [])].map(([name, { retryMode }]) => [name, retryMode])),
  });
  const bar = itemsBar(Math.min(limit, facts.itemCount), output);
  bar.message(`looking at ${where}${local ? '' : ', which is billed: half a read unit for 4 KB'}`);
  const startedAt = clock.wall();
  try {
    const onPage = (looked: number) => bar.update(looked);
    const end = await lookAtAll(items, limit, (item) => examination.look(item), { signal, onPage });
    if (examination.hasSuspects) {
      const waitMs = startedAt + lookAgainMs - clock.wall();
      if (waitMs > LONG_MS) {
        bar.message(
          `some are not indexed, and may be about to be attempted for the first time: looking again in ${age(waitMs)} ...`,
        );
      }
      await clock.sleep(waitMs, signal);
      const before = control?.arrivals;
      const after = before && (await deps.controlNow())?.arrivals;
      const isBusy = (queue: string) =>
        [...(after?.get(queue) ?? [])].some(
          ([batch, until]) => until >= clock.wall() && before?.get(queue)?.has(batch),
        );
      await examination.lookAgain(items, isBusy);
    }
    const { misindexed, stuck, strangers, unsettled, attempted } = examination;
    if (attempted > 0 && control?.queues.size === 0) findings.add(FORGOTTEN);
    return { ...end, misindexed, stuck, strangers, unsettled };
  } finally {
    bar.stop();
  }
}
