import type { AttemptOutcome, BacklogRecord, RecordChange } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import { neverEnded, STOP_GRACE_MS, startAttempt } from './attempt.js';
import { lagSeconds } from './counters.js';
import type { ExecutorDeps, WorkedOff } from './executor-deps.js';
import { RETRY_MS, withHeartbeat } from './heartbeat.js';
import type { Entry } from './limits/breakers.js';
import type { Work } from './record-rules.js';
import { LAST_SETTLES_MS, settleWithRetries } from './settle-with-retries.js';
import type { StopReason } from './summary.js';

interface Straggler {
  /** It has ended, or was given up, and that is settled. */
  readonly done: Promise<void>;
  readonly ended: Promise<unknown>;
  abandon(): void;
}

type HowWorked = 'done' | 'straggling' | 'late' | 'deferred';

/**
 * Attempts records, a bounded number at once, and settles each with one write. An attempt that ignores its signal (a
 * straggler) keeps its slot and stays in the journal, while the others go on.
 */
export class Executor {
  private readonly stragglers = new Map<string, Straggler>();
  /** A record waits for its attempt alone at the end of the run: one attempt's time and count are kept for it. */
  keepsRoomForOne = false;
  /** Real time at which those that do not end are given up, when the process is to end. */
  private stopsAt = Number.POSITIVE_INFINITY;
  /** What made a settle impossible. */
  private trouble: Error | undefined;

  constructor(private readonly deps: ExecutorDeps) {}

  get stragglerIds(): string[] {
    return [...this.stragglers.keys()];
  }

  /** Whether another attempt fits into the function's time and the run's limit. */
  hasRoom(): boolean {
    return this.endBefore() === undefined && !this.trouble;
  }

  /**
   * Why no further attempt may start, if so.
   *
   * @throws StoreError that kept an outcome from being written
   */
  outOfRoom(): StopReason | undefined {
    if (this.trouble) throw this.trouble;
    return this.endBefore();
  }

  /**
   * Waits for the permit of the next attempt, while the lease is held. False: it is not ours any more.
   *
   * @param attempts how many there may be
   */
  async permitComes(attempts: number): Promise<boolean> {
    const { clock, lease, rateLimit, share, stop } = this.deps;
    await share.slots.ensure();
    await rateLimit.acquire(attempts, this.latestStart);
    while (rateLimit.waitMs() > 0 && this.hasRoom()) {
      const renewIn = lease.renewInMs();
      if (renewIn > 0) await clock.sleep(Math.min(rateLimit.waitMs(), renewIn), stop);
      else if (!(await lease.hold(this.stragglerIds))) return false;
    }
    return true;
  }

  /** Works off one journalled page. */
  async workOff(page: readonly Work[]): Promise<WorkedOff> {
    const late: Work[] = [];
    const deferred: Work[] = [];
    const inFlight = new Set<string>();
    let begun = 0;
    const worker = async () => {
      while (begun < page.length && this.mayStart()) {
        const work = page[begun++];
        if (!work) return;
        inFlight.add(work.record.id);
        const how = await this.workInTurn(work, page.length - begun + 1);
        inFlight.delete(work.record.id);
        if (how === 'late') late.push(work);
        if (how === 'deferred') deferred.push(work);
        if (how === 'straggling') return;
      }
    };
    const free = Math.max(1, this.deps.share.most - this.stragglers.size);
    const workers = Array.from({ length: Math.min(free, page.length) }, worker);
    await withHeartbeat(Promise.all(workers), () => [...inFlight, ...this.stragglerIds], this.deps);
    return { late: [...late, ...page.slice(begun)], deferred };
  }

  /** Waits until fewer than `count` stragglers are left, renewing the lease, and gives up on them at the deadline. */
  async stragglersBelow(count: number): Promise<void> {
    const { clock, deadline, lease } = this.deps;
    while (this.stragglers.size >= count) {
      if (this.deps.stop?.aborted) this.stopsAt = Math.min(this.stopsAt, clock.wall() + 2 * STOP_GRACE_MS);
      const remaining = Math.min(deadline - LAST_SETTLES_MS, this.stopsAt) - clock.wall();
      if (remaining <= 0) return this.abandonStragglers();
      const renewIn = lease.renewInMs();
      if (renewIn > 0) {
        await this.anyStragglerDone(Math.min(remaining, renewIn));
      } else if (!(await this.holdForStragglers())) {
        return this.abandonStragglers();
      }
    }
  }

  /** A renewal that fails is repeated while there is time, as during the work of a page. */
  private async holdForStragglers(): Promise<boolean> {
    const { lease, logger } = this.deps;
    try {
      return await lease.hold(this.stragglerIds);
    } catch (error) {
      if (error instanceof StoreError && lease.leftMs() > 2 * RETRY_MS) {
        logger.warn('the lease could not be renewed', { error: error.message });
        await this.anyStragglerDone(RETRY_MS);
        return true;
      }
      // The run ends with that: what happens to them must be known first.
      await this.abandonStragglers();
      throw error;
    }
  }

  private endBefore(): StopReason | undefined {
    const { counters, limits, breakers, stop } = this.deps;
    if (stop?.aborted) return 'stopped';
    if (!this.fitsTime()) return 'deadline';
    if (counters.attempted + (this.keepsRoomForOne ? 1 : 0) >= limits.maxRecords) return 'maxRecords';
    if (this.deps.share.slots.areLost) return 'concurrencyLimited';
    return breakers.isShut() ? 'breakerOpen' : undefined;
  }

  private mayStart(): boolean {
    const { lease, rateLimit, share } = this.deps;
    return this.hasRoom() && lease.coversAttempt(rateLimit.nextAt) && share.slots.cover();
  }

  private fitsTime(
    startsAt = this.deps.rateLimit.nextAt,
    isFirst = this.deps.counters.attempted === 0,
  ): boolean {
    const { clock, limits } = this.deps;
    const from = Math.max(clock.wall(), startsAt);
    const isForTwo = this.keepsRoomForOne && !isFirst;
    return from + (isForTwo ? limits.attemptTimeout * 1000 : 0) < this.latestStart;
  }

  /** Real time before which the last attempt must begin: turns that come later are for other runs. */
  private get latestStart(): number {
    const { limits, deadline } = this.deps;
    return deadline - limits.attemptTimeout * 1000 - LAST_SETTLES_MS;
  }

  private async workInTurn(work: Work, attemptsLeft: number): Promise<HowWorked> {
    if (work.change) {
      await this.settle(work.record, work.change);
      return 'done';
    }
    const giveBack = await this.deps.share.take(() => this.mayStart());
    // Others may have started meanwhile, and come to a limit.
    if (!giveBack || !this.mayStart()) {
      giveBack?.();
      return 'late';
    }
    try {
      const how = await this.work(work.record, attemptsLeft);
      const straggler = how === 'straggling' && this.stragglers.get(work.record.id);
      // An attempt that was given up goes on all the same: it counts as under way until it ends.
      if (straggler) void straggler.ended.then(giveBack);
      else giveBack();
      return how;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private async work(record: BacklogRecord, attemptsLeft: number): Promise<HowWorked> {
    const { counters, lane, clock, lease, breakers } = this.deps;
    const isFirst = counters.attempted === 0;
    // Counted before any wait, so that workers waiting together do not pass the limit.
    counters.started(lagSeconds(record, lane.band, clock.now()));
    const entry = await breakers.enter(record);
    const isInTime = (at: number) =>
      !this.deps.stop?.aborted &&
      this.fitsTime(at, isFirst) &&
      lease.coversAttempt(at) &&
      this.deps.share.slots.cover();
    const hasTurn = entry !== undefined && (await this.acquirePermit(attemptsLeft, isInTime));
    // This process may have been frozen while it waited, and the breaker may have opened.
    const isLate = hasTurn && !isInTime(clock.wall());
    if (entry && hasTurn && !isLate && breakers.isOpenTo(entry)) return this.attempt(record, entry);
    counters.notStarted();
    if (!entry || (hasTurn && !isLate)) return 'deferred';
    await breakers.turnBack(entry);
    return 'late';
  }

  private async acquirePermit(attemptsLeft: number, isInTime: (at: number) => boolean): Promise<boolean> {
    try {
      return await this.deps.rateLimit.use(attemptsLeft, this.latestStart, isInTime, this.deps.stop);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The run ends with that, once those that are under way are settled.
      this.trouble = error;
      return false;
    }
  }

  private async attempt(record: BacklogRecord, entry: Entry): Promise<'done' | 'straggling'> {
    if (record.problems.length > 0) {
      this.deps.logger.warn('attributes ignored', { id: record.id, problems: record.problems });
    }
    const timeoutSeconds = this.deps.lane.timeoutSeconds(record);
    const attempt = startAttempt(record, { ...this.deps, timeoutSeconds });
    let abandon = () => {};
    const abandoned = new Promise<ReturnType<typeof neverEnded>>((resolve) => {
      abandon = () => resolve(neverEnded(timeoutSeconds, this.deps.stop?.aborted === true));
    });
    const done = Promise.race([attempt.outcome, abandoned])
      .then((outcome) => this.conclude(record, entry, outcome))
      .finally(() => this.stragglers.delete(record.id));
    if (await attempt.straggling) {
      this.deps.logger.warn('attempt ignores its signal', { id: record.id });
      this.stragglers.set(record.id, { done, ended: attempt.outcome, abandon });
      // A caller that waits for it cannot renew the lease meanwhile.
      entry.over();
      return 'straggling';
    }
    await done;
    return 'done';
  }

  private async conclude(record: BacklogRecord, entry: Entry, ended: AttemptOutcome): Promise<void> {
    const { lane, breakers, counters } = this.deps;
    const { outcome, note } = breakers.leave(entry, lane.deadIfRefused(record, ended));
    if (outcome.type === 'dead' && outcome.untried) counters.notStarted();
    await this.settle(record, lane.settle(record, outcome));
    await note();
  }

  private async settle(record: BacklogRecord, change: RecordChange): Promise<void> {
    const trouble = await settleWithRetries(record, change, this.deps);
    if (trouble) this.trouble = trouble;
  }

  private async anyStragglerDone(milliseconds: number): Promise<void> {
    const enough = new AbortController();
    const ends = [...this.stragglers.values()].map(({ done }) => done);
    const { stop, clock } = this.deps;
    const isOver = stop && !stop.aborted ? AbortSignal.any([enough.signal, stop]) : enough.signal;
    await Promise.race([...ends, clock.sleep(milliseconds, isOver)]);
    enough.abort('enough');
  }

  private async abandonStragglers(): Promise<void> {
    const left = [...this.stragglers.values()];
    for (const { abandon } of left) abandon();
    await Promise.all(left.map(({ done }) => done));
  }
}
