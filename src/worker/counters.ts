import type { TierBand } from '../policies/index.js';
import { type BacklogRecord, bornAt, type RecordChange, waitOf } from '../record/index.js';
import type { StopReason } from './stop-reason.js';
import type { RunSummary } from './summary.js';

/** Counts what a run does. */
export class RunCounters {
  private readonly counts = {
    attempted: 0,
    succeeded: 0,
    failed: 0,
    dead: 0,
    snoozed: 0,
    cancelled: 0,
    skipped: 0,
    unsettled: 0,
  };
  private unknownTask = 0;
  private pending = 0;
  private probes = 0;
  private refusals = 0;
  private readonly caughtUp: number[] = [];
  private lagSeconds = 0;
  private left = 0;
  private trouble: string | undefined;

  get attempted(): number {
    return this.counts.attempted;
  }

  get succeeded(): number {
    return this.counts.succeeded;
  }

  started(lagSeconds: number): void {
    this.counts.attempted++;
    this.lagSeconds = Math.max(this.lagSeconds, lagSeconds);
  }

  /** Takes back the count of an attempt whose record was refused before its handler was called. */
  notStarted(): void {
    this.counts.attempted--;
  }

  settled({ countedAs, set: { status, lastFailureAt, deadReason } }: RecordChange): void {
    if (countedAs === 'unknownTask') this.unknownTask++;
    else if (countedAs === 'pending') this.pending++;
    else if (countedAs === 'probe') return;
    else if (countedAs) this.counts[countedAs]++;
    else if (status === 'SUCCESS') this.counts.succeeded++;
    // A record that was put as `ERROR` or `DEAD` may be indexed as such: it has not failed, or died, in this run.
    else if (status === 'ERROR' && lastFailureAt !== undefined) this.counts.failed++;
    else if (status === 'DEAD' && deadReason !== undefined) this.counts.dead++;
    else this.counts.skipped++;
  }

  /** An attempt was made ahead of its record's time. */
  probed(): void {
    this.probes++;
  }

  quarantined(count: number): void {
    this.counts.dead += count;
  }

  skipped(): void {
    this.counts.skipped++;
  }

  get hasUnsettled(): boolean {
    return this.counts.unsettled > 0;
  }

  unsettled(): void {
    this.counts.unsettled++;
  }

  /** The store takes no change of them, not even their quarantine. */
  refused(count: number): void {
    this.refusals += count;
  }

  leftOver(count: number): void {
    this.left += count;
  }

  tierCaughtUp(tier: number): void {
    this.caughtUp.push(tier);
  }

  troubled(error: Error): void {
    this.trouble = `${error.name}: ${error.message}`;
  }

  summary(
    target: { queue: string; lane: string; tier: number | undefined },
    ended: StopReason,
    durationMs: number,
  ): RunSummary {
    return {
      queue: target.queue,
      lane: target.lane,
      ...(target.tier === undefined ? {} : { tier: target.tier }),
      ...this.counts,
      ...(this.unknownTask === 0 ? {} : { unknownTask: this.unknownTask }),
      ...(this.pending === 0 ? {} : { pending: this.pending }),
      ...(this.probes === 0 ? {} : { probes: this.probes }),
      ...(this.refusals === 0 ? {} : { refused: this.refusals }),
      leftOver: this.left,
      lagSeconds: Math.round(this.lagSeconds * 1000) / 1000,
      ended,
      ...(this.trouble === undefined ? {} : { trouble: this.trouble }),
      ...(this.caughtUp.length === 0 ? {} : { caughtUp: this.caughtUp }),
      durationMs,
    };
  }
}

/**
 * The delay of an attempt's start, by the backlog's time. On a progressive queue it is late when one whole interval of its
 * tier has passed since its last attempt, since it entered the tier, and since the wait ended that it asked for.
 */
export function lagSeconds(record: BacklogRecord, band: TierBand | undefined, now: number): number {
  const lastAttemptAt = record.lastAttemptAt === undefined ? 0 : Date.parse(record.lastAttemptAt);
  const expectedAt = band
    ? Math.max(bornAt(record) + band.fromAge * 1000, lastAttemptAt, waitOf(record)) + band.every * 1000
    : // The due time of a record that comes from a progressive queue is its age.
      Math.max(Date.parse(record.dueAt ?? record.insertedAt), lastAttemptAt);
  return Math.max(0, (now - expectedAt) / 1000);
}
