import { keepRenewed, type RecordsHold } from '../leases/timed-hold.js';
import {
  type AttemptOutcome,
  asWritten,
  type BacklogRecord,
  Cancel,
  cancelReasonOf,
  endHold,
  HOLD_MS,
  holdForAttempt,
  holdOf,
  type RecordChange,
} from '../record/index.js';
import { AS_READ, AsRead } from '../record/record.js';
import { StoreError } from '../store/errors.js';
import { NotHeld } from '../support/errors.js';
import { randomToken } from '../support/random.js';
import { neverEnded, type RunningAttempt } from './attempt.js';
import { cancelOf } from './cancel-watch.js';
import type { RunContext } from './context.js';
import { RunCounters } from './counters.js';
import { FailureLog } from './failure-log.js';
import type { Entry } from './guards/gate.js';
import { conclude, type Settling, settleWithRetries } from './settle.js';
import type { StopReason } from './stop-reason.js';
import type { RunSummary } from './summary.js';

/** Time after which an attempt no longer keeps its lane: the record itself then says that it is under attempt. */
export const HOLD_AFTER_MS = 30_000;
/** Time left of a hold at which it is renewed: of its 75 s, 25 s have passed then. */
const RENEW_LEFT_MS = 50_000;
const RETRY_MS = 2_000;
/** Time for which the write of an outcome is repeated while DynamoDB does not answer. */
const SETTLE_WITHIN_MS = 600_000;
/** Time left of a hold at which its renewal is given up, and the attempt is told to end. */
const SPARE_MS = 20_000;

type HoldDeps = Pick<RunContext, 'store' | 'clock' | 'random' | 'logger' | 'options' | 'rules'>;

/** The hold of a process on a record whose attempt takes long, written on the record itself. */
export class RecordHold implements RecordsHold {
  readonly called = 'long attempt';
  /** The `rev` that the outcome of the attempt is written with. */
  readonly rev: string;
  /** The reason if the record was cancelled before it was held. */
  cancelled: Cancel | undefined;
  private heldUntil = 0;
  private settleBy = 0;
  /** A write without an answer: it may have taken effect. */
  private pending: { change: RecordChange; rev: string; until: number } | undefined;

  /**
   * @param record as it was last written
   * @param onCancel gets the reason when a renewal finds that the attempt is to end
   */
  constructor(
    public record: BacklogRecord,
    private readonly deps: HoldDeps,
    private readonly onCancel: (reason: string) => void,
  ) {
    this.rev = randomToken(deps.random);
  }

  /**
   * Writes it (again), and repeats that while there is no answer.
   *
   * @param until real time, at which it gives up. Default: shortly before what it has runs out
   * @returns false: another process has changed the record, or DynamoDB does not answer
   */
  async write(until = this.heldUntil - SPARE_MS): Promise<boolean> {
    const { clock } = this.deps;
    const leftMs = until - clock.wall();
    if (leftMs <= 0) return false;
    const answered = new AbortController();
    // A request that has no answer for so long is not waited for.
    const late = clock.sleep(leftMs, answered.signal).then(() => false);
    return Promise.race([this.writeUntil(until), late]).finally(() => answered.abort('answered'));
  }

  private async writeUntil(until: number): Promise<boolean> {
    const { clock, logger } = this.deps;
    for (;;) {
      try {
        return await this.writeOnce();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        logger.warn('a long attempt could not be noted', { id: this.record.id, error: error.message });
        if (clock.wall() + RETRY_MS > until) return false;
        await clock.sleep(RETRY_MS);
      }
    }
  }

  /**
   * Prepares the write of the outcome. A write without an answer is repeated first: it may have changed the `rev`. The `rev`
   * protects the record after the hold, too, so hours of work are not thrown away for an outage of minutes.
   */
  async beginSettling(): Promise<void> {
    const { clock } = this.deps;
    this.settleBy = clock.wall() + SETTLE_WITHIN_MS;
    while (this.pending && this.renewInMs() > 0) await this.write(clock.wall() + 5 * RETRY_MS);
  }

  /** Always false, as no attempt begins under it. */
  covers(): boolean {
    return false;
  }

  renewInMs(): number {
    const { clock, options } = this.deps;
    if (this.settleBy === 0) return Math.max(0, this.leftMs() - RENEW_LEFT_MS);
    const toSettleMs = options.stop?.aborted ? 0 : this.settleBy - clock.wall();
    return Math.max(0, this.leftMs() - SPARE_MS / 2, toSettleMs);
  }

  leftMs(): number {
    return Math.max(0, this.heldUntil - this.deps.clock.wall());
  }

  extend(): Promise<boolean> {
    return this.write();
  }

  renew(): Promise<boolean> {
    return this.write();
  }

  /**
   * Ends a hold whose outcome could not be written: the record is due at once, and its worker does not count as lost. One that
   * was cancelled has its end.
   */
  async giveBack(): Promise<void> {
    const { random, rules, store } = this.deps;
    const found = await this.findHeld(this.record);
    if (!found) return;
    const reason = cancelReasonOf(found);
    const change =
      reason === undefined
        ? endHold(found, rules.settleContext(found))
        : rules.settle(found, { type: 'cancel', reason });
    await store.records.settle(found, change, randomToken(random));
  }

  /**
   * Looks whether a request to cancel is all that has changed on a record since this process wrote it: such a request leaves `rev`
   * as it is. Returns the record with it, fenced by what this process knows of the rest.
   *
   * @param read the record as it is now. Default: it is read
   */
  async findCancel(written: BacklogRecord, read?: BacklogRecord): Promise<BacklogRecord | undefined> {
    if (cancelReasonOf(written) !== undefined) return undefined;
    const found = await this.findHeld(written, read);
    const { rev = '', notBefore } = found ?? {};
    if (found === undefined || notBefore === undefined || cancelReasonOf(found) === undefined)
      return undefined;
    this.record = { ...asWritten(written, { set: { notBefore }, remove: [] }, rev), notBefore };
    return this.record;
  }

  /** Reads the record, as far as it is still under this hold. */
  private async findHeld(
    { id, rev, notBefore }: BacklogRecord,
    read?: BacklogRecord,
  ): Promise<BacklogRecord | undefined> {
    const found = read ?? (await this.deps.store.records.get(id));
    return found?.rev === rev && found && holdOf(found) === holdOf({ notBefore }) ? found : undefined;
  }

  private async writeOnce(): Promise<boolean> {
    const { clock, random, rules, store } = this.deps;
    const { record } = this;
    const inHoldMs = HOLD_MS * (clock.speed ?? 1);
    // A mark from before the first hold is a producer's.
    const reason = this.heldUntil === 0 ? undefined : cancelReasonOf(record);
    this.pending ??= {
      change: holdForAttempt(record, clock.now() + inHoldMs, rules.settleContext(record), reason),
      rev: randomToken(random),
      until: clock.wall() + HOLD_MS,
    };
    const { change, rev, until } = this.pending;
    // The same write again: if it has taken effect before, the store finds its `rev`.
    const answer = await store.records.settle(record, change, rev);
    const found = answer === 'settled' ? undefined : await store.records.get(record.id);
    const isWritten = answer === 'settled' || (await this.writeBesideEnd(record, found, change, rev));
    this.pending = undefined;
    if (!isWritten) return this.goOnCancelled(record, found);
    this.record = { ...asWritten(record, change, rev), ...change.set };
    this.heldUntil = until;
    return true;
  }

  /**
   * Writes the hold on a record whose end was given from outside meanwhile: the attempt goes on, and that end is written as it settles.
   * False: it has none, or has changed otherwise.
   */
  private async writeBesideEnd(
    record: BacklogRecord,
    found: BacklogRecord | undefined,
    change: RecordChange,
    rev: string,
  ): Promise<boolean> {
    const { completion } = found ?? {};
    if (completion === undefined) return false;
    const ended = { ...record, [AS_READ]: AsRead.after(record, { completion }) };
    return (await this.deps.store.records.settle(ended, change, rev)) === 'settled';
  }

  /** Renews the hold of a record that was asked to be cancelled meanwhile. False: it has changed otherwise. */
  private async goOnCancelled(written: BacklogRecord, read: BacklogRecord | undefined): Promise<boolean> {
    if (this.heldUntil === 0) this.cancelled = read && cancelOf(read);
    const found = this.heldUntil === 0 || !read ? undefined : await this.findCancel(written, read);
    if (found === undefined) return false;
    // The outcome is being written.
    if (this.settleBy > 0) return true;
    this.onCancel(cancelReasonOf(found) ?? '');
    return this.writeOnce();
  }
}

/**
 * An attempt that goes on without its run, in a process that lives on. Its record says that it is under attempt, and for how
 * long that is certain; this renews it. If the process is lost, the record comes due about a minute later.
 */
export class LongAttempt {
  private readonly hold: RecordHold;
  private readonly counters = new RunCounters();
  private readonly failures: FailureLog;
  private readonly startedAt: number;

  constructor(
    private readonly given: {
      readonly attempt: RunningAttempt;
      readonly entry: Entry;
      readonly timeoutSeconds: number;
    },
    private readonly run: RunContext,
  ) {
    this.hold = new RecordHold(given.attempt.record, run, (reason) => this.cancel(reason));
    this.failures = new FailureLog(run.logger, run.options.logsErrorTexts === true);
    this.startedAt = run.clock.wall() - HOLD_AFTER_MS;
  }

  /**
   * Writes the hold for the first time, while the lease of the run lasts.
   *
   * @returns why it must end under the lease of the run. Undefined: it goes on
   */
  async begin(): Promise<Error | undefined> {
    const { clock, hold } = this.run;
    if (await this.hold.write(clock.wall() + hold.leftMs() - SPARE_MS)) return undefined;
    return this.hold.cancelled ?? new NotHeld('it could not be noted on the record that it is under attempt');
  }

  /** Renews the hold until the attempt is over, and settles its outcome. Never rejects. */
  async end(): Promise<RunSummary> {
    const { counters, failures, hold, run } = this;
    const failing = run.failing.alone();
    const options = { ...run.options, deadline: Number.POSITIVE_INFINITY };
    const alone: RunContext = { ...run, options, hold, counters, failures, failing };
    const { queue, lane } = options.target;
    counters.started(0);
    let ended: StopReason = 'drained';
    try {
      const outcome = await this.outcome();
      await hold.beginSettling();
      const ended = unlessCancelled(outcome, hold.record);
      const { token } = this.given.attempt.given;
      const { change, note, again: early } = conclude(hold.record, ended, this.given.entry, alone, token);
      const again = async (changed: BacklogRecord): Promise<Settling | undefined> => {
        const record = await hold.findCancel(changed);
        const end = record && unlessCancelled(outcome, record);
        if (record && end)
          return { record, change: end === outcome ? change : run.rules.settle(record, end) };
        return early?.(changed);
      };
      await settleWithRetries(hold.record, change, alone, again);
      await note?.();
      if (counters.hasUnsettled) await hold.giveBack();
    } catch (error) {
      run.logger.error('a long attempt could not be settled', {
        id: hold.record.id,
        reason: (error as Error).message,
      });
      ended = 'storeError';
    }
    failures.end(queue);
    const failingSeconds = await failing.end();
    const summary = counters.summary(
      { queue, lane, tier: undefined },
      ended,
      run.clock.wall() - this.startedAt,
    );
    return failingSeconds === undefined ? summary : { ...summary, failingSeconds };
  }

  private async outcome(): Promise<AttemptOutcome> {
    const over = new AbortController();
    const renewed = this.renewUntil(over.signal);
    try {
      return await Promise.race([this.given.attempt.outcome, this.givenUp()]);
    } finally {
      over.abort('over');
      // The outcome is written behind the last renewal.
      await renewed;
    }
  }

  /** Renews the hold until the attempt is over. If the hold is lost, the attempt is told to end. */
  private async renewUntil(over: AbortSignal): Promise<void> {
    const { hold, run } = this;
    const { attempt } = this.given;
    const renewed = {
      called: hold.called,
      renewInMs: () => hold.renewInMs(),
      renew: async () => !(await this.isPassive(over)) && hold.write(),
    };
    if ((await keepRenewed(renewed, over, run)) || over.aborted) return;
    run.logger.warn('a long attempt is told to end: its record is not held any more', {
      id: attempt.record.id,
    });
    attempt.cancel(new NotHeld('the record of this attempt is not held any more'));
  }

  /** Tells the attempt that its record is to be cancelled. The hold is renewed until it ends. */
  private cancel(reason: string): void {
    const { attempt } = this.given;
    this.run.logger.info('a long attempt is told to end: its record is to be cancelled', {
      id: attempt.record.id,
    });
    attempt.cancel(new Cancel(reason));
  }

  /** Tells whether another region is the active one. If that cannot be read in time, the hold on the record decides. */
  private async isPassive(over: AbortSignal): Promise<boolean> {
    const { clock, options } = this.run;
    if (!options.isPassive) return false;
    return Promise.race([
      options.isPassive().catch(() => false),
      clock.sleep(RETRY_MS, over).then(() => false),
    ]);
  }

  /** Waits for an attempt that ignores its signal until it ends, or until the process is to end. */
  private async givenUp(): Promise<AttemptOutcome> {
    const { attempt, timeoutSeconds } = this.given;
    const { stop } = this.run.options;
    if (!(await attempt.straggling)) return attempt.outcome;
    this.run.logger.warn('attempt ignores its signal', { id: attempt.record.id });
    await new Promise<void>((resolve) => {
      const end = () => {
        stop?.removeEventListener('abort', end);
        resolve();
      };
      stop?.addEventListener('abort', end);
      if (stop?.aborted) end();
      void attempt.outcome.then(end);
    });
    return neverEnded(timeoutSeconds, stop?.aborted === true);
  }
}

/**
 * The outcome of an attempt whose record may have been cancelled meanwhile. What it succeeded in is done, and does not come again.
 * What its handler says itself (`Dead`, `Cancel`) holds. Anything else would let another attempt follow.
 */
function unlessCancelled(outcome: AttemptOutcome, record: BacklogRecord): AttemptOutcome {
  const reason = cancelReasonOf(record);
  if (outcome.type === 'success' && outcome.again !== undefined && reason !== undefined)
    return { ...outcome, again: undefined };
  const isOpen = outcome.type === 'failure' || outcome.type === 'snooze' || outcome.type === 'pending';
  return isOpen && reason !== undefined ? { type: 'cancel', reason, ms: outcome.ms } : outcome;
}
