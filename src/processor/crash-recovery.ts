import { type BacklogRecord, settleLostWorker } from '../record/index.js';
import type { RunCounters } from './counters.js';
import type { Executor } from './executor.js';
import type { Inherited, RunLease } from './lease.js';
import type { Share } from './limits/pool.js';
import type { AttemptLogger } from './options.js';
import type { RecordRules } from './record-rules.js';
import type { StopReason } from './summary.js';

/** Records attempted alone, each with a journal write of its own, in one run. */
const MAX_ALONE = 20;

export interface CrashRecoveryDeps {
  readonly lane: RecordRules;
  readonly lease: RunLease;
  readonly attempts: Executor;
  readonly share: Share;
  readonly counters: RunCounters;
  readonly logger: AttemptLogger;
}

/**
 * Records under suspicion of ending the process: each is attempted alone, journalled by itself, so that the next loss
 * tells which it was. A poison record is found by its second crash; the innocent ones lose nothing.
 */
export class CrashRecovery {
  /** Records whose attempt has lost a worker before, with the time of that: they are attempted after all others. */
  private readonly lostBefore = new Map<string, string>();
  private inherits = false;
  private made = 0;

  constructor(private readonly deps: CrashRecoveryDeps) {}

  /**
   * Keeps a record that a worker was lost on before for the end of the run, and room for it there: it must have its
   * turn although every run ends at a limit. Not in a run that follows a lost one, so that poison records cannot keep
   * every run from leaving its cursor.
   */
  postpone({ id, lastAttemptAt = '' }: BacklogRecord): void {
    this.lostBefore.set(id, lastAttemptAt);
    this.deps.attempts.keepsRoomForOne = !this.inherits;
  }

  /**
   * A run before this one was lost, and left ids in its journal. One whose attempt had begun for certain is the
   * culprit, and gets a failure. All others are attempted alone: any of them may be it, or none, if the run was lost
   * before the first attempt.
   *
   * @param mayGoOn false when others have waited long enough; a record that is left remains a suspect
   */
  async recover(
    { inFlight, rev, begun, suspects }: Inherited,
    mayGoOn: () => boolean,
  ): Promise<StopReason | undefined> {
    if (inFlight.length + suspects.length === 0) return undefined;
    this.inherits = true;
    const { lane, lease } = this.deps;
    const { records, stop } = await lane.read([...inFlight, ...suspects]);
    if (stop) return stop;
    const open = records.filter((record) => lane.judge(record).do === 'attempt');
    const unsettled = open.filter((record) => inFlight.includes(record.id) && record.rev !== rev);
    const waiting = open.filter((record) => !inFlight.includes(record.id));
    const [culprit, ...others] = unsettled;
    if (begun && culprit && others.length === 0) {
      lease.suspects = waiting.map(({ id }) => id);
      if (!(await lease.hold([culprit.id]))) return 'leaseLost';
      this.deps.logger.warn('the worker was lost during this attempt', { id: culprit.id });
      await this.deps.attempts.workOff([
        { record: culprit, change: settleLostWorker(culprit, lane.settleContext(culprit)) },
      ]);
    } else {
      lease.suspects = [...unsettled, ...waiting].map(({ id }) => id);
    }
    if (lease.suspects.length > 0 && !(await this.deps.share.open())) return 'concurrencyLimited';
    while (lease.suspects.length > 0 && this.hasRoom() && mayGoOn()) {
      const [id = ''] = lease.suspects;
      const end = await this.attempt(id);
      if (end) return end;
    }
    return undefined;
  }

  /**
   * Attempts those that were postponed, first the one that has waited longest: one that ends the process at every attempt
   * must not keep the others from theirs. Returns why some of them were left, if they were.
   */
  async attemptPostponed(): Promise<StopReason | undefined> {
    this.deps.attempts.keepsRoomForOne = false;
    const byLastAttempt = [...this.lostBefore].sort(([, a], [, b]) => (a === b ? 0 : a < b ? -1 : 1));
    for (const [id] of byLastAttempt) {
      await this.deps.attempts.stragglersBelow(1);
      if (!this.hasRoom()) {
        this.deps.counters.leftOver(this.lostBefore.size);
        return this.deps.attempts.outOfRoom() ?? 'maxRecords';
      }
      this.lostBefore.delete(id);
      const end = await this.attempt(id);
      if (end) return end;
    }
    return undefined;
  }

  /**
   * Reads before it journals, other than a page: what the journal names as begun begins at once. Until it is journalled
   * it remains what it was, a suspect or not.
   */
  private async attempt(id: string): Promise<StopReason | undefined> {
    const { lane, lease, attempts, counters } = this.deps;
    this.made++;
    if (!(await attempts.permitComes(1))) return 'leaseLost';
    const isStillOurs = lease.watch();
    const { records, stop } = await lane.read([id]);
    if (stop) return stop;
    const before = lease.suspects;
    lease.suspects = before.filter((suspect) => suspect !== id);
    const [record] = records;
    const verdict = record && lane.judge(record);
    if (!record || !verdict || verdict.do === 'skip') {
      counters.skipped();
      return undefined;
    }
    let isJournalled = false;
    try {
      if (!(await lease.hold([id]))) return 'leaseLost';
      isJournalled = isStillOurs();
    } finally {
      // No attempt is made of what was read when the lease may have been another's, or of what is not journalled.
      if (!isJournalled) lease.suspects = [...new Set([id, ...before])];
    }
    if (!isJournalled) return undefined;
    const { late, deferred } = await attempts.workOff([lane.work(record, verdict)]);
    if (late.length > 0) lease.suspects = [id, ...lease.suspects];
    // Others may go elsewhere; it remains a suspect.
    if (deferred.length > 0) lease.suspects = [...lease.suspects, id];
    await attempts.stragglersBelow(1);
    return undefined;
  }

  private hasRoom(): boolean {
    return this.made < MAX_ALONE && this.deps.attempts.hasRoom();
  }
}
