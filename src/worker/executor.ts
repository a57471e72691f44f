import { withHeartbeat } from '../leases/timed-hold.js';
import type { AttemptOutcome, BacklogRecord } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { neverEnded, startAttempt } from './attempt.js';
import type { LongAttemptGuard, RunContext } from './context.js';
import { lagSeconds } from './counters.js';
import type { Entry } from './guards/gate.js';
import type { Refusal } from './guards/guard.js';
import type { Work } from './record-rules.js';
import { type Concluded, conclude, settleWithRetries } from './settle.js';
import type { StopReason } from './stop-reason.js';
import { Stragglers } from './stragglers.js';

/** Records of a page that were not attempted. */
export interface WorkedOff {
  /** Records that did not fit into the lease, the time or the limit. */
  readonly late: readonly Work[];
  /** Records whose destination has an open breaker. */
  readonly deferred: readonly Work[];
}

type HowWorked = 'done' | 'straggling' | Refusal;

/** Records under attempt, or with an outcome on its way to the store, with which further attempts begin: two full requests. */
const MAX_IN_FLIGHT = 50;

/**
 * Attempts records, a bounded number at once, and settles each with one write. The next attempt does not wait for the
 * write of the one before; a page ends when all of its outcomes are written. An attempt that ignores its signal (a
 * straggler) keeps its slot and stays in the journal, while the others go on.
 *
 *     pass the gate -> attempt -> leave the gate -> settle
 */
export class Executor {
  readonly stragglers: Stragglers;
  /** Ids of the page that are under attempt, with the writes of their outcomes, which never reject. */
  private readonly inFlight: Map<string, Promise<void> | undefined>;
  /** The error that ends the run: an outcome could not be written, or a guard could not answer. */
  private trouble: Error | undefined;

  /** @param longAttempts lets long attempts go on without the run. Undefined: the run ends with all of them */
  constructor(
    private readonly run: RunContext,
    private readonly longAttempts?: LongAttemptGuard | undefined,
  ) {
    this.stragglers = new Stragglers(run);
    this.inFlight = new Map();
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
   * Works off one journalled page.
   *
   * @param othersWait other records wait for these
   */
  async workOff(page: readonly Work[], othersWait = page.length > 1): Promise<WorkedOff> {
    const late: Work[] = [];
    const deferred: Work[] = [];
    let begun = 0;
    const worker = async () => {
      while (begun < page.length && this.mayBegin()) {
        const work = page[begun++];
        if (!work) return;
        const how = await this.workOffOne(work, page.length - begun + 1);
        if (how === 'late') late.push(work);
        if (how === 'deferred') deferred.push(work);
        if (how === 'straggling') return;
      }
    };
    const free = Math.max(1, this.run.atOnce.most - this.stragglers.ids.length);
    const workers = Array.from({ length: Math.min(free, page.length) }, worker);
    const watched = page.filter(({ change }) => !change).map(({ record }) => record.id);
    const { target, limits } = this.run.options;
    const watching = { queue: target.queue, ids: watched, seconds: limits.attemptTimeout, othersWait };
    const unwatch = watched.length > 0 ? this.run.watchdog?.watch(watching) : undefined;
    try {
      const written = Promise.all(workers).finally(() => Promise.all(this.inFlight.values()));
      await withHeartbeat(written, () => [...this.inFlight.keys(), ...this.stragglers.ids], this.run);
    } finally {
      unwatch?.();
    }
    return { late: [...late, ...page.slice(begun)], deferred };
  }

  /** Writes a record's change. Trouble with that ends the run. */
  settle(record: BacklogRecord, concluded: Concluded | Promise<Concluded>): Promise<void> {
    const written = (async () => {
      try {
        const { change, note } = await concluded;
        this.trouble = (await settleWithRetries(record, change, this.run)) ?? this.trouble;
        await note?.();
      } catch (error) {
        this.trouble = error as Error;
      } finally {
        this.inFlight.delete(record.id);
      }
    })();
    this.inFlight.set(record.id, written);
    return written;
  }

  private mayBegin(): boolean {
    return !this.trouble && this.run.gate.mayBegin();
  }

  private async workOffOne({ record, change }: Work, attemptsLeft: number): Promise<HowWorked> {
    if (change) {
      const settled = this.settle(record, { change });
      if (this.inFlight.size >= MAX_IN_FLIGHT) await settled;
      return 'done';
    }
    let entry: Entry | Refusal;
    try {
      entry = await this.run.gate.enter(record, { attemptsLeft, mayBegin: () => this.mayBegin() });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The run ends with that, once those that are under way are settled.
      this.trouble = error;
      return 'late';
    }
    return typeof entry === 'string' ? entry : this.attempt(record, entry);
  }

  private async attempt(record: BacklogRecord, entry: Entry): Promise<HowWorked> {
    const { clock, counters, logger, options, rules } = this.run;
    const { process, stop, stopGraceSeconds } = options;
    if (record.problems.length > 0) {
      logger.warn('attributes ignored', { id: record.id, problems: record.problems });
    }
    this.inFlight.set(record.id, undefined);
    counters.started(lagSeconds(record, rules.band, clock.now()));
    const timeoutSeconds = rules.timeoutSeconds(record);
    const stopGraceMs = stopGraceSeconds === undefined ? undefined : stopGraceSeconds * 1000;
    const attempt = startAttempt(record, { process, stop, stopGraceMs, timeoutSeconds, clock, logger });
    // An attempt that was given up goes on all the same: it counts as under way until it ends.
    void attempt.outcome.then(() => entry.ended());
    if (await this.longAttempts?.takeOver(attempt, timeoutSeconds, entry, this.run)) {
      this.inFlight.delete(record.id);
      return 'done';
    }
    let abandon = () => {};
    const abandoned = new Promise<AttemptOutcome>((resolve) => {
      abandon = () => resolve(neverEnded(timeoutSeconds, stop?.aborted === true));
    });
    const concluded = Promise.race([attempt.outcome, abandoned]).then((outcome) =>
      conclude(record, outcome, entry, this.run),
    );
    const settled = this.settle(record, concluded);
    if (!(await attempt.straggling)) {
      // Its guards are left before the next record enters; its outcome may be on its way until the page ends.
      const { note } = await concluded;
      if (note || this.inFlight.size >= MAX_IN_FLIGHT) await settled;
      return 'done';
    }
    logger.warn('attempt ignores its signal', { id: record.id });
    this.stragglers.add(record.id, { settled, abandon });
    this.inFlight.delete(record.id);
    // A caller that waits for it cannot renew the lease meanwhile.
    entry.detach();
    return 'straggling';
  }
}
