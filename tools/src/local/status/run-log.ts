import type { RunSummary } from 'dynamo-backlog/engine';
import type { RunReport } from 'dynamo-backlog/overview';
import type { Notice } from '../sandbox/function-logs.js';
import type { OutputLine } from '../sandbox/handler-output.js';
import { ErrorLog } from './error-log.js';
import type { RunDetails } from './run-report.js';
import {
  NO_RUNS,
  type RepeatedNotice,
  type RunningRun,
  type RunTotals,
  type RuntimeActivity,
} from './status.js';

interface RuleCounts {
  fired: number;
  late: number;
  failed: number;
  givenUp: number;
  failedInARow: number;
}

/** Attempts that ended within one minute of the backlog's time, which begins at `at` (epoch milliseconds). */
interface MinuteCounts {
  readonly at: number;
  succeeded: number;
  failed: number;
  succeededSince: number;
}

const NO_FIRINGS: RuleCounts = { fired: 0, late: 0, failed: 0, givenUp: 0, failedInARow: 0 };
const KEPT_RUNS = 50;
const KEPT_NOTICES = 10;
const MINUTE_MS = 60_000;
const KEPT_MINUTES = 120;

/** A run, and what it wrote. */
export interface FoundRun {
  readonly report: RunReport;
  readonly details: RunDetails;
}

/** Facts about a run before it has ended. */
export type StartedRun = Pick<RunReport, 'at' | 'rule' | 'label'>;

/** End of a run. */
export interface RunEnd {
  /** Number of the run among all that were added, from 1. */
  readonly number: number;
  /** Real time, as `performance.now()` gives it. */
  readonly at: number;
}

/** Keeps what has happened since the start, in bounded memory. */
export class RunLog {
  readonly runs: RunReport[] = [];
  /** The latest last. */
  readonly notices: RepeatedNotice[] = [];
  readonly output: OutputLine[] = [];
  readonly errors = new ErrorLog();
  readonly #rules = new Map<string, RuleCounts>();
  readonly #last = new Map<string, RunReport>();
  /** Details of runs, kept as long as their reports are. */
  readonly #details = new WeakMap<RunReport, RunDetails>();
  readonly #ends = new WeakMap<RunReport, RunEnd>();
  readonly #running = new Map<StartedRun, number>();
  #added = 0;
  /** Minutes of each queue, the oldest first. */
  readonly #minutes = new Map<string, MinuteCounts[]>();
  readonly #totals: { -readonly [Key in keyof RunTotals]: number } = { ...NO_RUNS };

  get totals(): RunTotals {
    return this.#totals;
  }

  /** Number of runs that have ended. */
  get added(): number {
    return this.#added;
  }

  endOf(report: RunReport): RunEnd {
    return this.#ends.get(report) ?? { number: 0, at: 0 };
  }

  /** Runs that have not ended, in the order of their start. */
  get running(): RunningRun[] {
    const now = performance.now();
    return [...this.#running].map(([run, since]) => ({ ...run, runningMs: now - since }));
  }

  /** A run has started: it is running until the function that this gives is called. */
  start(run: StartedRun): () => void {
    this.#running.set(run, performance.now());
    return () => void this.#running.delete(run);
  }

  ofRule(id: string): Readonly<RuleCounts> {
    return this.#rules.get(id) ?? NO_FIRINGS;
  }

  /** The newest firing of a rule, also one that found nothing to do. */
  lastOf(id: string): RunReport | undefined {
    return this.#last.get(id);
  }

  /** The last two hours of a queue. Minutes in which no attempt ended are left out. */
  minutesOf(queue: string): readonly Readonly<MinuteCounts>[] {
    return this.#minutes.get(queue) ?? [];
  }

  /** Returns what other programs of this machine may read of it. */
  activity(): RuntimeActivity {
    return {
      minutes: Object.fromEntries(this.#minutes),
      lastRuns: Object.fromEntries(this.#last),
    };
  }

  /** A run that is still kept, with what it wrote. Of several at the same time: the newest. */
  find(rule: string, at: string): FoundRun | undefined {
    const last = this.#last.get(rule);
    const all = [...this.runs, ...(last ? [last] : [])];
    const report = all.findLast((run) => run.rule === rule && run.at === at);
    return report && { report, details: this.#details.get(report) ?? { logs: [] } };
  }

  add(report: RunReport, details?: RunDetails): void {
    const { summary, outcome, coalesced } = report;
    if (details) this.#details.set(report, details);
    this.#last.set(report.rule, report);
    this.#added += 1;
    this.#ends.set(report, { number: this.#added, at: performance.now() });
    this.errors.ended(report, details);
    for (const part of summary?.queues ?? (summary ? [summary] : [])) this.#addMinute(report.at, part);
    const totals = this.#totals;
    const counts = { ...this.ofRule(report.rule) };
    const broke = outcome === 'error' || outcome === 'exited' || outcome === 'timedOut';
    totals.runs += 1;
    totals.late += coalesced;
    totals.broken += broke ? 1 : 0;
    totals.givenUp += outcome === 'givenUp' ? 1 : 0;
    totals.attempted += summary?.attempted ?? 0;
    totals.succeeded += summary?.succeeded ?? 0;
    totals.failed += summary?.failed ?? 0;
    totals.dead += summary?.dead ?? 0;
    totals.snoozed += summary?.snoozed ?? 0;
    totals.pending += summary?.pending ?? 0;
    totals.cancelled += summary?.cancelled ?? 0;
    totals.unsettled += summary?.unsettled ?? 0;
    counts.fired += 1;
    counts.late += coalesced;
    counts.failed += broke ? 1 : 0;
    // The function of a firing that was given up has not run.
    if (broke) counts.failedInARow += 1;
    else if (outcome !== 'givenUp') counts.failedInARow = 0;
    counts.givenUp += outcome === 'givenUp' ? 1 : 0;
    this.#rules.set(report.rule, counts);
    if (!report.idle) keep(this.runs, report, KEPT_RUNS);
  }

  #addMinute(time: string, { queue, succeeded, failed, dead }: RunSummary): void {
    const at = Math.floor(Date.parse(time) / MINUTE_MS) * MINUTE_MS;
    const minutes = this.#minutes.get(queue) ?? [];
    const failures = failed + dead;
    if (succeeded + failures === 0) return;
    const same = minutes.find((minute) => minute.at === at);
    if (same) {
      same.succeeded += succeeded;
      same.failed += failures;
      same.succeededSince = failures > 0 ? 0 : same.succeededSince + succeeded;
      return;
    }
    const succeededSince = failures > 0 ? 0 : succeeded;
    const kept = [...minutes, { at, succeeded, failed: failures, succeededSince }].sort(
      (one, other) => one.at - other.at,
    );
    this.#minutes.set(
      queue,
      kept.filter((minute) => minute.at > at - KEPT_MINUTES * MINUTE_MS),
    );
  }

  addOutput(line: OutputLine): void {
    keep(this.output, line, KEPT_NOTICES);
  }

  addNotice(notice: Notice, at: string): void {
    if (notice.record !== undefined) {
      this.errors.add(notice, at);
      return;
    }
    const same = this.notices.findIndex((one) => keyOfNotice(one) === keyOfNotice(notice));
    const [before] = same < 0 ? [] : this.notices.splice(same, 1);
    keep(this.notices, { ...notice, at, count: (before?.count ?? 0) + 1 }, KEPT_NOTICES);
  }
}

/** A number that stands alone: `12 records`, `waited=340`; not that of `orders-2`. */
const NUMBER = /(?<![\w.-])\d+(?:\.\d+)?(?![\w-])/g;

/** Equal for notices that say the same, except for their numbers. */
function keyOfNotice({ functionName, level, text }: Notice): string {
  return [functionName, level, text.replace(NUMBER, '#')].join('\n');
}

function keep<Entry>(list: Entry[], entry: Entry, most: number): void {
  list.push(entry);
  if (list.length > most) list.shift();
}
