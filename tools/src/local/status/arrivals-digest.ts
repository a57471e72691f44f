import { isIdle, type RunSummary } from 'dynamo-backlog/engine';
import type { RunReport } from 'dynamo-backlog/overview';
import type { InvocationLog } from '../sandbox/invocation-log.js';
import { detailsOf, type FiringResult, type RunDetails, reportRun } from './run-report.js';

export interface ArrivalsDigestOptions {
  /** ISO-8601, the backlog's time. */
  readonly now: () => string;
  readonly onReport: (report: RunReport, details: RunDetails) => void;
}

/** Time within which the runs of a queue become one line. */
const GATHER_MS = 1_000;

interface Gathered {
  readonly firing: Omit<FiringResult, 'at' | 'invocation'>;
  runs: number;
  summary: RunSummary;
  readonly logs: InvocationLog[];
}

/** Number of runs that share a line whose logs are kept. */
const MAX_LOGS = 10;

/** Sums up the runs of arrivals: there can be dozens in a second. What went wrong is reported at once. */
export class ArrivalsDigest {
  private readonly gathered = new Map<string, Gathered>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ArrivalsDigestOptions) {}

  add(queue: string, { durationMs, invocation }: Pick<FiringResult, 'durationMs' | 'invocation'>): void {
    const firing = { rule: `arrivals ${queue}`, label: `${queue}, on arrival`, coalesced: 0, durationMs };
    const report = reportRun({ ...firing, at: this.options.now(), invocation });
    const { summary } = report;
    const details = detailsOf(invocation);
    if (!summary) this.options.onReport(report, details);
    if (!summary || isIdle(summary)) return;
    const known = this.gathered.get(queue);
    if (known) {
      known.runs++;
      known.summary = sum(known.summary, summary);
      if (known.logs.length < MAX_LOGS) known.logs.push(...details.logs);
    } else {
      this.gathered.set(queue, { firing, runs: 1, summary, logs: [...details.logs] });
    }
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const { firing, runs, summary, logs } of this.gathered.values()) {
      const label = runs === 1 ? firing.label : `${firing.label} (${runs} runs)`;
      const invocation = { type: 'result', value: summary } as const;
      this.options.onReport(reportRun({ ...firing, label, at: this.options.now(), invocation }), { logs });
    }
    this.gathered.clear();
  }
}

function sum(a: RunSummary, b: RunSummary): RunSummary {
  return {
    ...b,
    attempted: a.attempted + b.attempted,
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    dead: a.dead + b.dead,
    snoozed: a.snoozed + b.snoozed,
    pending: (a.pending ?? 0) + (b.pending ?? 0),
    cancelled: a.cancelled + b.cancelled,
    skipped: a.skipped + b.skipped,
    unsettled: a.unsettled + b.unsettled,
    refused: (a.refused ?? 0) + (b.refused ?? 0),
    leftOver: a.leftOver + b.leftOver,
    lagSeconds: Math.max(a.lagSeconds, b.lagSeconds),
    durationMs: Math.max(a.durationMs, b.durationMs),
    ended: a.ended === 'drained' ? b.ended : a.ended,
  };
}
