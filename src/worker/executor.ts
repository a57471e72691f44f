import { withHeartbeat } from '../leases/timed-hold.js';
import type { AttemptOutcome, BacklogRecord } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { neverEnded, startAttempt } from './attempt.js';
import { MAX_PAGE_RECORDS } from './capacity.js';
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

/** A record whose turn it was. */
interface Begun {
  /** Resolves when its attempt has ended, and nothing waits for it any more. Never rejects. */
  readonly ended: Promise<void>;
}

/** Outcomes on their way to the store with which further attempts begin: two full requests. */
const MAX_UNWRITTEN = 50;

/**
 * Attempts records, a bounded number at once, and settles each with one write. The next attempt does not wait for the
 * write of the one before, and the next page does not wait for the last attempts of this one. An attempt that ignores its
 * signal (a straggler) counts as under attempt and stays in the journal, while the others go on.
 *
 *     wait until another may begin -> pass the gate -> attempt -> leave the gate -> settle
 */
export class Executor {
  readonly stragglers: Stragglers;
  /** Ids under attempt, those of stragglers apart. */
  private readonly attempted: Set<string>;
  /** Ids that are under attempt, or whose outcomes are being written. */
  private readonly inFlight: Set<string>;
  /** The error that ends the run: an outcome could not be written, or a guard could not answer. */
  private trouble: Error | undefined;
  /** Lets the next record begin, which waits until another one has ended. */
  private wake: () => void;

  /** @param longAttempts lets long attempts go on without the run. Undefined: the run ends with all of them */
  constructor(
    private readonly run: RunContext,
    private readonly longAttempts?: LongAttemptGuard | undefined,
  ) {
    this.stragglers = new Stragglers(run);
    this.attempted = new Set();
    this.inFlight = new Set();
    this.wake = () => {};
  }

  /** The most attempts at once. A journal names no more than these beside a page. */
  get mostAtOnce(): number {
    return Math.min(this.run.atOnce.most, MAX_PAGE_RECORDS);
  }

  /** Ids under attempt: a further journal names them, too. */
  get underAttempt(): string[] {
    return [...this.attempted, ...this.stragglers.ids];
  }

  /** Ids whose stored records are not what they will be: those under attempt, and those whose outcomes are being written. */
  get unsettled(): string[] {
    return [...this.inFlight, ...this.stragglers.ids];
  }

  /**
   * Returns the reason why no further attempt may start, if there is one.
   *
   * @throws StoreError that kept an outcome from being written
   */
  stopReason(): StopReason | undefined {
    this.throwTrouble();
    return this.run.gate.stopReason();
  }

  /** @throws StoreError that kept an outcome from being written */
  throwTrouble(): void {
    if (this.trouble) throw this.trouble;
  }

  /** Tells whether another attempt fits into the function's time and the run's limits. */
  hasRoom(): boolean {
    return !this.trouble && this.run.gate.stopReason() === undefined;
  }

  /** Works off one journalled page: `begin`, and then `settled`. */
  async workOff(page: readonly Work[], othersWait?: boolean): Promise<WorkedOff> {
    const workedOff = await this.begin(page, othersWait);
    await this.settled();
    return workedOff;
  }

  /**
   * Attempts the records of one journalled page. Resolves when the last of them has begun, and another may begin.
   *
   * @param othersWait other records wait for these
   */
  async begin(page: readonly Work[], othersWait = page.length > 1): Promise<WorkedOff> {
    const ends: Promise<void>[] = [];
    const watched = page.filter(({ change }) => !change).map(({ record }) => record.id);
    const { target, limits } = this.run.options;
    const watching = { queue: target.queue, ids: watched, seconds: limits.attemptTimeout, othersWait };
    const unwatch = watched.length > 0 ? this.run.watchdog?.watch(watching) : undefined;
    try {
      return await this.whileRenewed(this.beginAll(page, ends));
    } finally {
      if (unwatch) void Promise.all(ends).then(unwatch);
    }
  }

  /** Waits until all outcomes are written. Stragglers are given up at the deadline. */
  async idle(): Promise<void> {
    await this.settled();
    await this.stragglers.below(1);
  }

  /** Waits until the outcomes of all but stragglers are written. */
  async settled(): Promise<void> {
    const all = async () => {
      while (this.inFlight.size > 0) await this.anyEnd();
    };
    if (this.inFlight.size > 0) await this.whileRenewed(all());
  }

  private whileRenewed<T>(wait: Promise<T>): Promise<T> {
    return withHeartbeat(wait, () => this.unsettled, this.run);
  }

  private async beginAll(page: readonly Work[], ends: Promise<void>[]): Promise<WorkedOff> {
    const deferred: Work[] = [];
    for (const [i, work] of page.entries()) {
      const begun = await this.beginOne(work, page.length - i);
      if (begun === 'late') return { late: page.slice(i), deferred };
      if (begun === 'deferred') deferred.push(work);
      else ends.push(begun.ended);
    }
    await this.belowMost();
    return { late: [], deferred };
  }

  private async beginOne({ record, change }: Work, attemptsLeft: number): Promise<Begun | Refusal> {
    const isFree = change !== undefined || (await this.belowMost());
    await this.fewUnwritten();
    if (!isFree || !this.mayBegin()) return 'late';
    if (change) return { ended: this.settle(record, { change }) };
    try {
      const entry = await this.run.gate.enter(record, { attemptsLeft, mayBegin: () => this.mayBegin() });
      return typeof entry === 'string' ? entry : { ended: this.attempt(record, entry) };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The run ends with that, once those that are under way are settled.
      this.trouble = error;
      return 'late';
    }
  }

  /** Waits until another attempt may be under way. False: all are stragglers. */
  private async belowMost(): Promise<boolean> {
    while (this.attempted.size + this.stragglers.count >= this.mostAtOnce) {
      if (this.attempted.size === 0) return false;
      await this.anyEnd();
    }
    return true;
  }

  /** Waits until another outcome may be on its way. */
  private async fewUnwritten(): Promise<void> {
    while (this.inFlight.size - this.attempted.size >= MAX_UNWRITTEN) await this.anyEnd();
  }

  /** Resolves when the next attempt has ended, or the next outcome is written. One waits at a time. */
  private anyEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Writes a record's change. Trouble with that ends the run. */
  settle(record: BacklogRecord, concluded: Concluded | Promise<Concluded>): Promise<void> {
    this.inFlight.add(record.id);
    return (async () => {
      try {
        const { change, note } = await concluded;
        this.trouble = (await settleWithRetries(record, change, this.run)) ?? this.trouble;
        await note?.();
      } catch (error) {
        this.trouble = error as Error;
      } finally {
        this.inFlight.delete(record.id);
        this.wake();
      }
    })();
  }

  private mayBegin(): boolean {
    return !this.trouble && this.run.gate.mayBegin();
  }

  /** Attempts a record. Resolves when another may begin in its stead; never rejects. */
  private async attempt(record: BacklogRecord, entry: Entry): Promise<void> {
    this.attempted.add(record.id);
    this.inFlight.add(record.id);
    try {
      await this.makeAttempt(record, entry);
    } catch (error) {
      this.trouble = error as Error;
      this.inFlight.delete(record.id);
    } finally {
      this.attempted.delete(record.id);
      this.wake();
    }
  }

  private async makeAttempt(record: BacklogRecord, entry: Entry): Promise<void> {
    const { clock, counters, logger, options, rules } = this.run;
    const { process, stop, stopGraceSeconds } = options;
    if (record.problems.length > 0) {
      logger.warn('attributes ignored', { id: record.id, problems: record.problems });
    }
    counters.started(lagSeconds(record, rules.band, clock.now()));
    const timeoutSeconds = rules.timeoutSeconds(record);
    const stopGraceMs = stopGraceSeconds === undefined ? undefined : stopGraceSeconds * 1000;
    const attempt = startAttempt(record, { process, stop, stopGraceMs, timeoutSeconds, clock, logger });
    // An attempt that was given up goes on all the same: it counts as under way until it ends.
    void attempt.outcome.then(() => entry.ended());
    if (await this.longAttempts?.takeOver(attempt, timeoutSeconds, entry, this.run)) {
      this.inFlight.delete(record.id);
      return;
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
      // Its guards are left before the next record enters, and what they note for it is written.
      const { note } = await concluded;
      if (note) await settled;
      return;
    }
    logger.warn('attempt ignores its signal', { id: record.id });
    this.stragglers.add(record.id, { settled, abandon });
    this.inFlight.delete(record.id);
    // A caller that waits for it cannot renew the lease meanwhile.
    entry.detach();
  }
}
