import { type Job, listed } from 'dynamo-backlog/engine';
import {
  type Counts,
  CountsReader,
  type ExactCounts,
  explainRead,
  type Incident,
  incidentsOf,
  type OverviewDeps,
  type Sentence,
  type Snapshot,
  sentenceOf,
  snapshotOf,
} from 'dynamo-backlog/overview';
import { alarmLine, withAlarms } from '../../alarms/alarm-source.js';
import { localAlarms } from '../../local/alarms/alarms-on.js';
import { runbookPage } from '../../runbook.js';
import { alarmsInAws } from '../cloudwatch/alarm-reader.js';
import { refuseUnknownQueues } from '../operate/known-queue.js';
import { NoAnswerError, type OperateTargetFlags, tablesAt } from '../operate/target.js';
import { type Explorer, explorerOf } from './explore.js';
import { RemoteRuntime } from './remote-runtime.js';

/** The overview of a backlog, as it was read at one time. */
export interface Reading {
  readonly sentence: Sentence;
  readonly snapshot: Snapshot;
  /** Its incidents, the worst first. */
  readonly incidents: readonly Incident[];
  /** The stored jobs. Empty: there is none, or they could not be read. */
  readonly jobs: readonly Job[];
  /** The line on the alarms of its incidents. Undefined: there is no incident, or nothing is known. */
  readonly alarmLine?: string | undefined;
  /** Time when the counts were read, real time in epoch milliseconds. Undefined: they could never be read. */
  readonly readAt: number | undefined;
  /** The backlog's time of the counts, epoch milliseconds. */
  readonly countedAt: number | undefined;
  /** Read units that the counts have cost. */
  readonly readUnits: number;
  /** Reason why there are no newer counts. Undefined: these are the newest. */
  readonly error: unknown;
}

/** Source of the overview. */
export interface Source {
  /** Name and place of the table, for the user. */
  readonly where: string;
  /** The runbook of the stack. Undefined: it has none of its own. */
  readonly runbookUrl?: string | undefined;
  /** Reads and changes more than the overview. Undefined: the tables have not been found yet. */
  readonly explorer?: Explorer | undefined;
  /** Never throws. */
  read(): Promise<Reading>;
  close(): void;
}

/** The screen says at once that the store does not answer, and reads again by itself. */
const NO_PATIENCE = AbortSignal.abort();
/** A local runtime answers in milliseconds. One that is stopped, by a debugger for one, never does. */
const ANSWER_MS = 3_000;
/** Time that a command which reads once waits for the alarms. */
const ALARMS_MS = 2_000;

/**
 * The tables that the flags say, and what their local runtime knows beside them.
 *
 * @param patient repeats what DynamoDB throttles or does not answer, as other commands do
 * @param answerWithinMs how long a local runtime has for its first answer. Default: 3,000
 * @throws ConfigurationError that says which flag to give, or what to start
 * @throws NoAnswerError if the local runtime does not answer in time, and `patient`. Otherwise the source tries again at
 *   each reading, and says so
 */
export async function openSource(
  flags: OperateTargetFlags,
  {
    patient,
    mayWrite = false,
    answerWithinMs = ANSWER_MS,
  }: { patient: boolean; mayWrite?: boolean; answerWithinMs?: number },
): Promise<Source> {
  try {
    return sourceAt(await tablesAt(flags, answerWithinMs), { patient, mayWrite });
  } catch (error) {
    if (patient || !(error instanceof NoAnswerError)) throw error;
    return new SilentSource(error, async () =>
      sourceAt(await tablesAt(flags, answerWithinMs), { patient, mayWrite }),
    );
  }
}

/** The source of a local runtime that has not answered yet. */
class SilentSource implements Source {
  private source: Source | undefined;
  /** The first reading says at once what is known. */
  private isNotified = false;

  constructor(
    private error: unknown,
    private readonly open: () => Promise<Source>,
  ) {}

  get where(): string {
    return this.source?.where ?? 'the local runtime';
  }

  get explorer(): Explorer | undefined {
    return this.source?.explorer;
  }

  async read(): Promise<Reading> {
    if (this.isNotified) {
      try {
        this.source ??= await this.open();
      } catch (error) {
        this.error = error;
      }
    }
    this.isNotified = true;
    return this.source?.read() ?? unread(this.error);
  }

  close(): void {
    this.source?.close();
  }
}

/** A reading without counts: only the reason is known. */
function unread(error: unknown): Reading {
  const snapshot: Snapshot = { now: Date.now(), queues: undefined, rules: [] };
  return {
    sentence: sentenceOf(snapshot, explainRead(error)),
    snapshot,
    incidents: [],
    jobs: [],
    readAt: undefined,
    countedAt: undefined,
    readUnits: 0,
    error,
  };
}

/** The same, of tables that were found. */
export function sourceAt(
  { target, controlTable }: Awaited<ReturnType<typeof tablesAt>>,
  { patient, mayWrite = false, exact }: { patient: boolean; mayWrite?: boolean; exact?: ExactCounts },
): Source {
  const { client, table, clock, where, queues, deployed, statusPage, runbookUrl } = target;
  const remote = statusPage === undefined ? undefined : new RemoteRuntime(statusPage, table);
  const backlog = { table, controlTable, client, clock };
  const names = () => (remote?.queues() ?? queues ?? []).map((name) => ({ name }));
  const counts: OverviewDeps = {
    backlog,
    ...(remote || queues ? { queues: names } : {}),
    deployed,
    countsForMs: 0,
    get runtime() {
      return remote?.known;
    },
  };
  const reader = new CountsReader(counts, patient ? undefined : NO_PATIENCE, exact);
  const alarms = remote ? localAlarms(() => remote.alarms, table) : alarmsInAws(target);
  let latest: Counts | undefined;
  return {
    where,
    runbookUrl,
    explorer: explorerOf({ backlog, target, runtime: () => counts.runtime, counts: () => latest, mayWrite }),
    async read() {
      // The interval is the operator's: the console holds counts for longer where they cost much.
      reader.forget();
      // It knows the names of queues that records have and the app does not.
      await remote?.refresh();
      const { counts: found, error } = await reader.read();
      latest = found;
      const read = snapshotOf(counts, found, clock.now());
      const snapshot = await withAlarms(read, alarms, patient ? ALARMS_MS : 0);
      const incidents = incidentsOf(snapshot.queues ?? [], snapshot.alarms);
      const reason = error === undefined ? undefined : explainRead(error);
      return {
        sentence: withRunbook(sentenceOf(snapshot, reason), incidents, runbookUrl),
        snapshot,
        incidents,
        jobs: found?.jobs ? listed(found.jobs, snapshot.now).jobs : [],
        alarmLine: alarmLine(incidents, alarms?.reason, snapshot.now),
        readAt: found?.readAt,
        countedAt: found && Date.parse(found.stats.at),
        readUnits: found?.readUnits ?? 0,
        error,
      };
    },
    close() {
      alarms?.close();
      client.destroy();
    },
  };
}

/** While something fails, the details begin with the page that says what to do. */
function withRunbook(
  sentence: Sentence,
  incidents: readonly Incident[],
  runbookUrl: string | undefined,
): Sentence {
  const isFailing = incidents.some(({ state }) => state === 'failing');
  if (runbookUrl === undefined || !isFailing) return sentence;
  return { ...sentence, details: [`Runbook: ${runbookPage(runbookUrl, 'failing')}`, ...sentence.details] };
}

/** The overview by the tables alone, without what a local runtime knows beside them. */
export interface OverviewOfTables extends Pick<Reading, 'snapshot' | 'readUnits'> {
  /** Name of the table of records. */
  readonly table: string;
  /** Name and place of the table, for the user. */
  readonly where: string;
}

/**
 * Reads the overview once.
 *
 * @param queues names that the user has given
 * @throws UsageError for a name that is not known
 */
export async function overviewOfTables(
  flags: OperateTargetFlags,
  queues: readonly string[] = [],
): Promise<OverviewOfTables> {
  const at = await tablesAt(flags);
  const { client, table, clock, where } = at.target;
  try {
    await refuseUnknownQueues(queues, at);
    const names = [...(at.target.queues ?? []), ...queues].map((name) => ({ name }));
    const backlog = { table, controlTable: at.controlTable, client, clock };
    const deps: OverviewDeps = { backlog, queues: () => names, deployed: at.target.deployed };
    const { counts, error } = await new CountsReader(deps).read();
    if (!counts) throw error;
    const snapshot = snapshotOf(deps, counts, Date.parse(counts.stats.at));
    return { table, where, snapshot, readUnits: counts.readUnits };
  } finally {
    client.destroy();
  }
}
