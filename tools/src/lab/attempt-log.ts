import type { BacklogRecord } from 'dynamo-backlog';
import { bornAt, type ResolvedPolicy } from 'dynamo-backlog/engine';
import { Deviation, Windows } from './measures.js';

/** The attempts that began in one minute of the scenario's time. */
export interface MinuteOfAttempts {
  /** The minute from the scenario's start; the first is 0. */
  readonly minute: number;
  readonly attempts: number;
  /** The number of these that failed. */
  readonly wasted: number;
}

/** The log of a simulation's attempts, in numbers. */
export class AttemptLog {
  attempts = 0;
  failed = 0;
  /** The start of the last successful attempt of a record that had failed before; missing: there was none. */
  lastRecoveryMs: number | undefined;
  readonly seconds = new Windows(1_000);
  readonly tenSeconds = new Windows(10_000);
  readonly minutes = new Windows(60_000);
  /** Attempts without the first ones of the records, whose times are no policy's choice. */
  readonly retrySeconds = new Windows(1_000);
  readonly retryTenSeconds = new Windows(10_000);
  readonly retryMinutes = new Windows(60_000);
  readonly deviation = new Deviation();
  private readonly counts: { minute: number; attempts: number; wasted: number }[] = [];

  constructor(
    private readonly policy: ResolvedPolicy,
    private readonly startMs: number,
  ) {}

  /** Attempts per minute. Minutes without one are left out. */
  get perMinute(): readonly MinuteOfAttempts[] {
    return this.counts;
  }

  started(record: BacklogRecord, now: number, fails: boolean): void {
    const atMs = now - this.startMs;
    this.attempts++;
    if (!fails && record.attempts > 0) this.lastRecoveryMs = atMs;
    this.count(Math.floor(atMs / 60_000), fails);
    for (const windows of [this.seconds, this.tenSeconds, this.minutes]) windows.add(atMs);
    if (record.attempts > 0) {
      for (const windows of [this.retrySeconds, this.retryTenSeconds, this.retryMinutes]) windows.add(atMs);
    }
    if (record.lastFailureAt !== undefined) this.waited(record, Date.parse(record.lastFailureAt), now);
  }

  private count(minute: number, fails: boolean): void {
    let last = this.counts.at(-1);
    if (last?.minute !== minute) {
      last = { minute, attempts: 0, wasted: 0 };
      this.counts.push(last);
    }
    last.attempts++;
    if (!fails) return;
    last.wasted++;
    this.failed++;
  }

  private waited(record: BacklogRecord, failedAt: number, now: number): void {
    const ageSeconds = (failedAt - bornAt(record)) / 1000;
    const base = this.policy.baseWait({ failures: record.failures, ageSeconds });
    if (base) this.deviation.add((now - failedAt) / 1000, (base.least + base.most) / 2);
  }
}
