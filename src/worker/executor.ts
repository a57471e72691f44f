import { withHeartbeat } from '../leases/timed-hold.js';
import type { AttemptOutcome, BacklogRecord } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { neverEnded, startAttempt } from './attempt.js';
import type { LongAttemptGuard, RunContext } from './context.js';
import { lagSeconds } from './counters.js';
import type { Entry } from './guards/gate.js';
import type { Refusal } from './guards/guard.js';
import { type Concluded, conclude, settleWithRetries } from './settle.js';
import type { StopReason } from './stop-reason.js';
import { Stragglers } from './stragglers.js';
import type { Work, WorkedOff } from './work.js';

/** Records under attempt, or with an outcome on its way to the store, with which further attempts begin: two full requests. */
const MAX_IN_FLIGHT = 50;

/**
 * Attempts records, a bounded number at once, and settles each with one write. The next attempt does not wait for the
 * write of the one before, and the next page does not wait for the last attempts of this one. An attempt that ignores its
 * signal (a straggler) counts as under attempt and stays in the journal, while the others go on.
 *
 *     wait until another may begin -> pass the gate -> attempt -> leave the gate -> settle
 */
export class Executor {
  readonly stragglers: Stragglers;
  /** Ids under attempt, stragglers included: a further journal names them, too. */
  readonly underAttempt: Set<string>;
  /** Ids under attempt, and ids whose outcomes are being written. */
  readonly inFlight: Set<string>;
  /** The error that ends the run: an outcome could not be written, or a guard could not answer. */
  private trouble: Error | undefined;
  /** Lets the next record begin, which waits until another one has ended. */
  wake: (() => void) | undefined;

  /** @param longAttempts lets long attempts go on without the run. Undefined: the run ends with all of them */
  constructor(
    private readonly run: RunContext,
    private readonly longAttempts?: LongAttemptGuard | undefined,
  ) {
    this.stragglers = new Stragglers(run);
    this.underAttempt = new Set();
    this.inFlight = new Set();
  }

  /**
   * Returns the reason why no further attempt may start, if there is one.
   *
   * @throws StoreError that kept an outcome from being written
   */
  stopReason(): StopReason | undefined {
    if (this.trouble) throw this.trouble;
    return this.run.gate.stopReason();
  }

  /** Tells whether another attempt fits into the function's time and the run's limits. */
  hasRoom(): boolean {
    return !this.trouble && this.run.gate.stopReason() === undefined;
  }

  /**
   * Begins with the records of one journalled page. Resolves when the last of them is under attempt, and another may be.
   *
   * @param othersWait other records wait for these, or are under attempt beside them
   */
  async begin(
    page: readonly Work[],
    othersWait = page.length + this.underAttempt.size > 1,
  ): Promise<WorkedOff> {
    const watched = page.filter(({ change }) => !change).map(({ record }) => record.id);
    const { target, limits } = this.run.options;
    const watching = { queue: target.queue, ids: watched, seconds: limits.attemptTimeout, othersWait };
    const unwatch = watched.length > 0 ? this.run.watchdog?.watch(watching) : undefined;
    const ends: Promise<void>[] = [];
    try {
      const begin = (some: readonly Work[]) => this.beginAll(some, ends);
      const { keyLimit } = this.run;
      const begun = keyLimit ? keyLimit.begin(page, begin, () => this.mayBegin()) : this.beginAll(page, ends);
      return await withHeartbeat(begun, () => [...this.inFlight], this.run);
    } finally {
      void Promise.all(ends).then(unwatch);
    }
  }

  /**
   * Waits until all outcomes are written, but those of stragglers.
   *
   * @param mayWait asked again when `wake` is called. Default: it may
   */
  async settled(mayWait?: () => boolean): Promise<void> {
    const settled = this.waitWhile(
      () => mayWait?.() !== false && this.inFlight.size > this.stragglers.byId.size,
    );
    await withHeartbeat(settled, () => [...this.inFlight], this.run);
  }

  /** @param ends gets promises that resolve when what was begun has ended. They never reject */
  private async beginAll(page: readonly Work[], ends: Promise<void>[]): Promise<WorkedOff> {
    const { inFlight, underAttempt, run } = this;
    const { byId: stragglers } = this.stragglers;
    const deferred: Work[] = [];
    let passed = 0;
    for (const work of page) {
      const { record, change } = work;
      const most = Math.max(MAX_IN_FLIGHT, run.atOnce.most);
      await this.waitWhile(() => inFlight.size - stragglers.size >= most);
      if (!this.mayBegin()) break;
      if (change) {
        ends.push(this.settle(record, { change }));
      } else {
        // Only where all are stragglers: the caller waits for these.
        if (underAttempt.size >= run.atOnce.most) break;
        let entry: Entry | Refusal;
        try {
          const turn = { attemptsLeft: page.length - passed, mayBegin: () => this.mayBegin() };
          entry = await run.gate.enter(record, turn);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          // The run ends with that, once those that are under way are settled.
          this.trouble = error;
          break;
        }
        if (entry === 'late') break;
        if (entry === 'deferred') deferred.push(work);
        else ends.push(this.attempt(record, entry));
        await this.waitWhile(
          () => underAttempt.size >= run.atOnce.most && underAttempt.size > stragglers.size,
        );
      }
      passed++;
    }
    return { late: page.slice(passed), deferred };
  }

  /** Waits, and looks again when an attempt has ended, or an outcome is written. One waits at a time. */
  private async waitWhile(isBusy: () => boolean): Promise<void> {
    while (isBusy()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Writes a record's change. Trouble with that ends the run. */
  settle(record: BacklogRecord, concluded: Concluded | Promise<Concluded>): Promise<void> {
    this.inFlight.add(record.id);
    return (async () => {
      try {
        const { change, note, again } = await concluded;
        this.trouble = (await settleWithRetries(record, change, this.run, again)) ?? this.trouble;
        await note?.();
      } catch (error) {
        this.trouble = error as Error;
      } finally {
        this.inFlight.delete(record.id);
        this.underAttempt.delete(record.id);
        this.stragglers.byId.delete(record.id);
        this.wake?.();
      }
    })();
  }

  private mayBegin(): boolean {
    return !this.trouble && this.run.gate.mayBegin();
  }

  /** Attempts a record. Resolves when another may begin in its stead; never rejects. */
  private async attempt(record: BacklogRecord, entry: Entry): Promise<void> {
    const { clock, counters, logger, options, rules } = this.run;
    const { process, stop, stopGraceSeconds } = options;
    const { id, problems } = record;
    this.inFlight.add(id);
    this.underAttempt.add(id);
    try {
      if (problems.length > 0) logger.warn('attributes ignored', { id, problems });
      counters.started(lagSeconds(record, rules.band, clock.now()));
      const timeoutSeconds = rules.timeoutSeconds(record);
      const stopGraceMs = stopGraceSeconds === undefined ? undefined : stopGraceSeconds * 1000;
      const { rev } = this.run.hold;
      const deps = { process, rev, rules, stop, stopGraceMs, timeoutSeconds, clock, logger };
      const attempt = startAttempt(record, deps);
      // An attempt that was given up goes on all the same: it counts as under way until it ends.
      void attempt.outcome.then(() => entry.ended());
      this.run.guards?.watchAttempt?.(attempt);
      if (await this.longAttempts?.takeOver(attempt, timeoutSeconds, entry, this.run)) {
        this.inFlight.delete(id);
        return;
      }
      let abandon = () => {};
      const abandoned = new Promise<AttemptOutcome>((resolve) => {
        abandon = () => resolve(neverEnded(timeoutSeconds, stop?.aborted === true));
      });
      const concluded = Promise.race([attempt.outcome, abandoned]).then((outcome) =>
        conclude(record, outcome, entry, this.run, attempt.given.token),
      );
      const settled = this.settle(record, concluded);
      if (!(await attempt.straggling)) {
        // Its guards are left before the next record enters, and what they note for it is written.
        const { note } = await concluded;
        if (note) await settled;
        return;
      }
      logger.warn('attempt ignores its signal', { id });
      this.stragglers.byId.set(id, { settled, abandon });
      // A caller that waits for it cannot renew the lease meanwhile.
      entry.detach();
    } catch (error) {
      this.trouble = error as Error;
      this.inFlight.delete(id);
    } finally {
      if (!this.stragglers.byId.has(id)) this.underAttempt.delete(id);
      this.wake?.();
    }
  }
}
