import { withHeartbeat } from '../leases/heartbeat.js';
import type { AttemptOutcome, BacklogRecord, RecordChange } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { neverEnded, type RunningAttempt, startAttempt } from './attempt.js';
import type { RunContext } from './context.js';
import { lagSeconds } from './counters.js';
import type { Entry } from './limits/breakers.js';
import { HOLD_AFTER_MS, LongAttempt } from './long-attempt.js';
import type { Work } from './record-rules.js';
import { settleWithRetries } from './settle.js';
import type { StopReason } from './stop-reason.js';
import { Stragglers } from './stragglers.js';
import { waitUnless } from './wait.js';

/** What of a page was not attempted. */
export interface WorkedOff {
  /** It did not fit into the lease, the time or the limit. */
  readonly late: readonly Work[];
  /** The breaker of their destination is open. */
  readonly deferred: readonly Work[];
}

type HowWorked = 'done' | 'straggling' | 'late' | 'deferred';

/**
 * Attempts records, a bounded number at once, and settles each with one write. An attempt that ignores its signal (a
 * straggler) keeps its slot and stays in the journal, while the others go on.
 */
export class Executor {
  readonly stragglers: Stragglers;
  /** What made a settle impossible. */
  private trouble: Error | undefined;
  /** Attempts of the lane that go on without their run, each in a slot of its own. */
  private longAttempts = 0;

  constructor(private readonly run: RunContext) {
    this.stragglers = new Stragglers(run);
  }

  /**
   * Why no further attempt may start, if so.
   *
   * @throws StoreError that kept an outcome from being written
   */
  stopReason(): StopReason | undefined {
    if (this.trouble) throw this.trouble;
    return this.limitReached();
  }

  /** Whether another attempt fits into the function's time and the run's limit. */
  hasRoom(): boolean {
    return !this.trouble && this.limitReached() === undefined;
  }

  /**
   * Works off one journalled page.
   *
   * @param othersWait other records wait for these
   */
  async workOff(page: readonly Work[], othersWait = page.length > 1): Promise<WorkedOff> {
    const late: Work[] = [];
    const deferred: Work[] = [];
    const inFlight = new Set<string>();
    let begun = 0;
    const worker = async () => {
      while (begun < page.length && this.mayStart()) {
        const work = page[begun++];
        if (!work) return;
        inFlight.add(work.record.id);
        const how = await this.workOffOne(work, page.length - begun + 1);
        inFlight.delete(work.record.id);
        if (how === 'late') late.push(work);
        if (how === 'deferred') deferred.push(work);
        if (how === 'straggling') return;
      }
    };
    const free = Math.max(1, this.run.share.most - this.stragglers.ids.length);
    const workers = Array.from({ length: Math.min(free, page.length) }, worker);
    const watched = page.filter(({ change }) => !change).map(({ record }) => record.id);
    const end = watched.length > 0 ? this.watch(watched, othersWait) : undefined;
    try {
      await withHeartbeat(Promise.all(workers), () => [...inFlight, ...this.stragglers.ids], this.run);
    } finally {
      end?.();
    }
    return { late: [...late, ...page.slice(begun)], deferred };
  }

  /** Writes a record's change. Trouble with that ends the run. */
  async settle(record: BacklogRecord, change: RecordChange): Promise<void> {
    const trouble = await settleWithRetries(record, change, this.run);
    if (trouble) this.trouble = trouble;
  }

  private watch(ids: readonly string[], othersWait: boolean): (() => void) | undefined {
    const { options, watchdog } = this.run;
    const { limits, target } = options;
    return watchdog?.watch({ queue: target.queue, ids, seconds: limits.attemptTimeout, othersWait });
  }

  private limitReached(): StopReason | undefined {
    const { budget, breakers, options, rateLimit, share } = this.run;
    if (options.stop?.aborted) return 'stopped';
    if (!budget.fits(rateLimit.nextAt)) return 'deadline';
    if (budget.left <= 0) return 'maxRecords';
    if (share.slots.areLost || this.longAttempts >= share.most) return 'concurrencyLimited';
    return breakers.isShut() ? 'breakerOpen' : undefined;
  }

  private mayStart(): boolean {
    const { hold, rateLimit, share } = this.run;
    return this.hasRoom() && hold.coversAttempt(rateLimit.nextAt) && share.slots.cover();
  }

  private async workOffOne(work: Work, attemptsLeft: number): Promise<HowWorked> {
    if (work.change) {
      await this.settle(work.record, work.change);
      return 'done';
    }
    const giveBack = await this.run.share.take(() => this.mayStart());
    if (!giveBack) return 'late';
    let ended: Promise<unknown> = Promise.resolve();
    try {
      // Others may have started meanwhile, and come to a limit.
      if (!this.mayStart()) return 'late';
      const entry = await this.mayAttempt(work.record, attemptsLeft);
      if (entry === 'late' || entry === 'deferred') return entry;
      const attempt = this.attempt(work.record, entry);
      // An attempt that was given up goes on all the same: it counts as under way until it ends.
      ended = attempt.ended;
      return await attempt.how;
    } finally {
      void ended.then(giveBack);
    }
  }

  /** Waits for the leave of the record's breaker, and for a permit. */
  private async mayAttempt(
    record: BacklogRecord,
    attemptsLeft: number,
  ): Promise<Entry | 'late' | 'deferred'> {
    const { breakers, budget, clock, counters, hold, options, rules, share } = this.run;
    // Counted before any wait, so that workers waiting together do not pass the limit.
    budget.use();
    counters.started(lagSeconds(record, rules.band, clock.now()));
    const entry = await breakers.enter(record);
    const isInTime = (at: number) =>
      !options.stop?.aborted && budget.fits(at) && hold.coversAttempt(at) && share.slots.cover();
    const hasPermit = entry !== undefined && (await this.usePermit(attemptsLeft, isInTime));
    // This process may have been frozen while it waited, and the breaker may have opened.
    const isLate = hasPermit && !isInTime(clock.wall());
    if (entry && hasPermit && !isLate && breakers.isOpenTo(entry)) return entry;
    this.notAttempted();
    if (!entry || (hasPermit && !isLate)) return 'deferred';
    await breakers.turnBack(entry);
    return 'late';
  }

  private async usePermit(attemptsLeft: number, isInTime: (at: number) => boolean): Promise<boolean> {
    const { budget, options, rateLimit } = this.run;
    try {
      return await rateLimit.use(attemptsLeft, budget.latestStart, isInTime, options.stop);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The run ends with that, once those that are under way are settled.
      this.trouble = error;
      return false;
    }
  }

  private attempt(record: BacklogRecord, entry: Entry) {
    const { logger, options, rules } = this.run;
    const { process, stop, stopGraceSeconds } = options;
    const stopGraceMs = stopGraceSeconds === undefined ? undefined : stopGraceSeconds * 1000;
    if (record.problems.length > 0) {
      logger.warn('attributes ignored', { id: record.id, problems: record.problems });
    }
    const timeoutSeconds = rules.timeoutSeconds(record);
    const attempt = startAttempt(record, { ...this.run, process, stop, stopGraceMs, timeoutSeconds });
    const how =
      options.longestAttempt !== undefined && timeoutSeconds * 1000 > HOLD_AFTER_MS
        ? this.mayTakeLong(attempt, entry, timeoutSeconds)
        : this.underHold(attempt, entry, timeoutSeconds);
    return { how, ended: attempt.outcome };
  }

  /** An attempt that ends before its lease or claim does, or is a straggler. */
  private async underHold(attempt: RunningAttempt, entry: Entry, timeoutSeconds: number): Promise<HowWorked> {
    const { logger, options } = this.run;
    const { record } = attempt;
    let abandon = () => {};
    const abandoned = new Promise<AttemptOutcome>((resolve) => {
      abandon = () => resolve(neverEnded(timeoutSeconds, options.stop?.aborted === true));
    });
    const settled = Promise.race([attempt.outcome, abandoned]).then((outcome) =>
      this.conclude(record, entry, outcome),
    );
    if (!(await attempt.straggling)) {
      await settled;
      return 'done';
    }
    logger.warn('attempt ignores its signal', { id: record.id });
    this.stragglers.add(record.id, { settled, abandon });
    // A caller that waits for it cannot renew the lease meanwhile.
    entry.over();
    return 'straggling';
  }

  /** An attempt that goes on without its run: after half a minute its record says that it is under attempt. */
  private async mayTakeLong(
    attempt: RunningAttempt,
    entry: Entry,
    timeoutSeconds: number,
  ): Promise<HowWorked> {
    const { clock, counters, onLongAttempt, options } = this.run;
    const isLong = await waitUnless(attempt.outcome, HOLD_AFTER_MS, { clock, stop: options.stop });
    if (isLong && onLongAttempt) {
      const long = new LongAttempt({ attempt, timeoutSeconds }, this.run, (run, record, outcome) =>
        new Executor(run).conclude(record, entry, outcome),
      );
      if (await long.begin()) {
        // It is counted with its end. A caller that waits for the end of a probe does not wait for so long.
        counters.notStarted();
        entry.over();
        this.longAttempts++;
        const unwatch = this.watch([attempt.record.id], true);
        const ended = long.end().finally(() => {
          unwatch?.();
          this.longAttempts--;
        });
        onLongAttempt(options.target.queue, ended);
        return 'done';
      }
      attempt.cancel(new Error('it could not be noted on the record that it is under attempt'));
    }
    return this.underHold(attempt, entry, timeoutSeconds);
  }

  private async conclude(record: BacklogRecord, entry: Entry, ended: AttemptOutcome): Promise<void> {
    const { breakers, rules } = this.run;
    const { outcome, note } = breakers.leave(entry, rules.deadIfRefused(record, ended));
    if (outcome.type === 'dead' && outcome.untried) this.notAttempted();
    if (this.run.options.logsStacks && 'thrown' in outcome) this.run.failures.threw(record, outcome.thrown);
    await this.settle(record, rules.settle(record, outcome));
    await note();
  }

  private notAttempted(): void {
    this.run.budget.giveBack();
    this.run.counters.notStarted();
  }
}
