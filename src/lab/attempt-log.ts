import type { ResolvedPolicy } from '../policies/index.js';
import { type BacklogRecord, bornAt } from '../record/index.js';
import { Deviation, Windows } from './measures.js';

/** What the attempts of a simulation come to. */
export class AttemptLog {
  attempts = 0;
  failed = 0;
  readonly seconds = new Windows(1_000);
  readonly tenSeconds = new Windows(10_000);
  readonly minutes = new Windows(60_000);
  /** All but the first attempts of the records. */
  readonly retrySeconds = new Windows(1_000);
  readonly deviation = new Deviation();

  constructor(
    private readonly policy: ResolvedPolicy,
    private readonly startMs: number,
  ) {}

  started(record: BacklogRecord, now: number): void {
    this.attempts++;
    const atMs = now - this.startMs;
    for (const windows of [this.seconds, this.tenSeconds, this.minutes]) windows.add(atMs);
    if (record.attempts > 0) this.retrySeconds.add(atMs);
    if (record.lastFailureAt !== undefined) this.waited(record, Date.parse(record.lastFailureAt), now);
  }

  private waited(record: BacklogRecord, failedAt: number, now: number): void {
    const ageSeconds = (failedAt - bornAt(record)) / 1000;
    const base = this.policy.baseWait({ failures: record.failures, ageSeconds });
    if (base) this.deviation.add((now - failedAt) / 1000, (base.least + base.most) / 2);
  }
}
