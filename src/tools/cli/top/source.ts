import { CountsReader } from '../../overview/counts.js';
import type { RuntimeKnowledge } from '../../overview/deps.js';
import { explainRead } from '../../overview/explain-read.js';
import { type Sentence, sentenceOf } from '../../overview/sentence.js';
import { type Snapshot, snapshotOf } from '../../overview/snapshot.js';
import { type OperateTargetFlags, tablesAt } from '../operate/target.js';
import { RemoteRuntime } from './remote-runtime.js';

/** The overview of a backlog, as it was read at one time. */
export interface Reading {
  readonly sentence: Sentence;
  readonly snapshot: Snapshot;
  /** When the counts were read, real time in epoch milliseconds. Undefined: they could never be read. */
  readonly readAt: number | undefined;
  /** The backlog's time of the counts, epoch milliseconds. */
  readonly countedAt: number | undefined;
  /** What the counts have cost. */
  readonly readUnits: number;
  /** Why there are no newer counts. */
  readonly error: unknown;
}

/** Where the overview comes from. */
export interface Source {
  /** For the user: which table, and where. */
  readonly where: string;
  /** Never throws. */
  read(): Promise<Reading>;
  close(): void;
}

/** The screen says at once that the store does not answer, and reads again by itself. */
const NO_PATIENCE = AbortSignal.abort();

/**
 * The tables that the flags say, and what their local runtime knows beside them.
 *
 * @param patient repeats what DynamoDB throttles or does not answer, as other commands do
 * @throws ConfigurationError that says which flag to give, or what to start
 */
export async function openSource(
  flags: OperateTargetFlags,
  { patient }: { patient: boolean },
): Promise<Source> {
  const { target, controlTable } = await tablesAt(flags);
  const { client, table, clock, where, queues, statusPage } = target;
  const remote = statusPage === undefined ? undefined : new RemoteRuntime(statusPage, table);
  const backlog = { table, controlTable, client, clock };
  const names = () => (remote?.queues() ?? queues ?? []).map((name) => ({ name }));
  const counts = { backlog, queues: names, countsForMs: 0 };
  const reader = new CountsReader(counts, patient ? undefined : NO_PATIENCE);
  return {
    where,
    async read() {
      const runtime: RuntimeKnowledge | undefined = await remote?.refresh();
      // The interval is the operator's: the console holds counts for longer where they cost much.
      reader.forget();
      const { counts: found, error } = await reader.read();
      const snapshot = snapshotOf({ ...counts, runtime }, found, clock.now());
      const reason = error === undefined ? undefined : explainRead(error);
      return {
        sentence: sentenceOf(snapshot, reason),
        snapshot,
        readAt: found?.readAt,
        countedAt: found && Date.parse(found.stats.at),
        readUnits: found?.readUnits ?? 0,
        error,
      };
    },
    close: () => client.destroy(),
  };
}
