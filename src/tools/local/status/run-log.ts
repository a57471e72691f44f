import type { Notice } from '../sandbox/function-logs.js';
import type { RunReport } from './run-report.js';
import type { RunTotals } from './status.js';

interface RuleCounts {
  fired: number;
  late: number;
  failed: number;
  givenUp: number;
}

const KEPT_RUNS = 50;
const KEPT_NOTICES = 10;

/** What has happened since the start, in bounded memory. */
export class RunLog {
  readonly runs: RunReport[] = [];
  readonly notices: Notice[] = [];
  readonly #rules = new Map<string, RuleCounts>();
  #totals: { -readonly [Key in keyof RunTotals]: number } = {
    runs: 0,
    attempted: 0,
    succeeded: 0,
    failed: 0,
    dead: 0,
    snoozed: 0,
    cancelled: 0,
    unsettled: 0,
    broken: 0,
    late: 0,
    givenUp: 0,
  };

  get totals(): RunTotals {
    return this.#totals;
  }

  ofRule(id: string): Readonly<RuleCounts> {
    return this.#rules.get(id) ?? { fired: 0, late: 0, failed: 0, givenUp: 0 };
  }

  add(report: RunReport): void {
    const { summary, outcome, coalesced } = report;
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
    totals.cancelled += summary?.cancelled ?? 0;
    totals.unsettled += summary?.unsettled ?? 0;
    counts.fired += 1;
    counts.late += coalesced;
    counts.failed += broke ? 1 : 0;
    counts.givenUp += outcome === 'givenUp' ? 1 : 0;
    this.#rules.set(report.rule, counts);
    if (!report.idle) keep(this.runs, report, KEPT_RUNS);
  }

  addNotice(notice: Notice): void {
    keep(this.notices, notice, KEPT_NOTICES);
  }
}

function keep<Entry>(list: Entry[], entry: Entry, most: number): void {
  list.push(entry);
  if (list.length > most) list.shift();
}
