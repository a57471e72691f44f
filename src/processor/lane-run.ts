import type { TierBand } from '../policies/index.js';
import { type BacklogRecord, WORKER_LOST } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { IndexKey } from '../store/store.js';
import type { RunCounters } from './counters.js';
import { CrashRecovery } from './crash-recovery.js';
import type { RunDeps } from './deps.js';
import { Executor } from './executor.js';
import { type Acquired, PAGE_SECONDS, RunLease } from './lease.js';
import type { LaneLimits } from './limits/queue-limits.js';
import type { RunOptions } from './options.js';
import { AgeBandPages, DueTimePages, type PageSource } from './pages.js';
import { type PageRead, RecordRules, type Work } from './record-rules.js';
import type { StopReason } from './summary.js';
import { WaitForLease } from './wait-for-lease.js';

const MAX_PAGE_RECORDS = 100;
/** A lease lasts a little longer than an attempt of any length, its settle included. */
const SPARE_START_SECONDS = 5;

/** Drains one lane, or one age band of it: query, lease and journal, read, attempt, settle, next page. */
export class LaneRun {
  private readonly lane: RecordRules;
  private readonly lease: RunLease;
  private readonly attempts: Executor;
  private readonly alone: CrashRecovery;
  private readonly startedAt: number;
  private readonly maxRecords: number;

  constructor(
    private readonly options: RunOptions,
    private readonly deps: RunDeps,
    private readonly counters: RunCounters,
    private readonly queueLimits: LaneLimits,
    band: TierBand | undefined,
    /** Attempts that the function had made before this lane's turn, or that of the lanes beside it. */
    private readonly attemptedBefore: number,
  ) {
    const { limits, process, deadline, stop } = options;
    const { store, clock, random, logger } = deps;
    this.startedAt = clock.wall();
    this.maxRecords = limits.maxRecords ?? Number.POSITIVE_INFINITY;
    const lane = new RecordRules(options, deps, queueLimits.breakers, band);
    const lease = new RunLease(lane.key, store, clock, random, limits.attemptTimeout, deadline);
    const attempts = new Executor({
      ...deps,
      ...queueLimits,
      lane,
      lease,
      counters,
      process,
      deadline,
      stop,
      limits: { ...limits, maxRecords: this.attemptedBefore + this.maxRecords },
    });
    this.lane = lane;
    this.lease = lease;
    this.attempts = attempts;
    this.alone = new CrashRecovery({ lane, lease, attempts, share: queueLimits.share, counters, logger });
  }

  async drain(): Promise<StopReason> {
    let pages = this.newPages();
    let acquired = await this.acquire(pages);
    for (
      let handOver: WaitForLease | undefined;
      acquired && !acquired.held;
      acquired = await this.acquire(pages)
    ) {
      const { onePage, exactSince } = this.options.target;
      if (onePage?.mayWait === false || exactSince !== undefined) return 'leaseHeld';
      handOver ??= new WaitForLease(this.options, this.deps.clock);
      if (!(await handOver.waitFor(acquired.holderEnds))) return 'leaseHeld';
      this.queueLimits.share.isHandOver = true;
      pages = this.newPages();
    }
    if (!acquired) return 'drained';

    let released = false;
    try {
      const stop = await this.alone.recover(acquired.inherited, () => !this.halfTimeSpent());
      if (stop) return stop;
      if (!(await this.queueLimits.share.open())) return 'concurrencyLimited';
      for (let { cursor } = acquired; ; cursor = undefined) {
        const page = pages.begin(cursor, this.freshLimit());
        const stopped = await this.lookThrough(pages, page);
        const atLimit = stopped === 'maxRecords' || stopped === 'deadline' || stopped === 'onePage';
        const left = stopped === undefined || atLimit ? await this.alone.attemptPostponed() : undefined;
        const end = stopped ?? left;
        if (end) return end;
        await this.attempts.stragglersBelow(1);
        const release = await this.lease.release(undefined);
        released = release !== 'woken';
        if (release === 'lost') return 'leaseLost';
        if (released) return this.lease.suspects.length > 0 ? 'maxRecords' : 'drained';
        // Another run has asked for the lease meanwhile: its records may have become due after this run's first look.
        if (!(await this.lease.acknowledgeWake())) return 'leaseLost';
        pages = this.newPages(true);
        await pages.first(this.pageLimit());
      }
    } finally {
      this.counters.leftOver(this.lease.suspects.length);
      if (!released) await this.letGo(pages);
    }
  }

  /** Takes the lease with the first page; undefined if nothing is due. */
  private async acquire(pages: PageSource): Promise<Acquired | undefined> {
    const first = await pages.first(this.pageLimit());
    return first.length === 0 ? undefined : this.lease.acquire(first.map(({ id }) => id));
  }

  /** Works off page after page. Returns why the run must end, or nothing when all pages are through. */
  private async lookThrough(pages: PageSource, firstPage: IndexKey[]): Promise<StopReason | undefined> {
    for (let page: IndexKey[] | undefined = firstPage; page; ) {
      const stop = await this.workOffPage(page, pages);
      if (stop) return stop;
      await this.attempts.stragglersBelow(this.queueLimits.share.most);
      const end = this.attempts.outOfRoom();
      const { onePage, lane } = this.options.target;
      if (!end && onePage) {
        // Records that were passed over stay due: the next page begins behind them, or it would be the same one again.
        const bookmark = pages.bookmark();
        if (bookmark) onePage.bookmarks.set(lane, bookmark);
        return 'onePage';
      }
      page = await pages.next(end ? MAX_PAGE_RECORDS : this.pageLimit(), this.freshLimit());
      if (end && page) {
        this.counters.leftOver(page.length);
        return end;
      }
    }
    return undefined;
  }

  private async workOffPage(page: readonly IndexKey[], pages: PageSource): Promise<StopReason | undefined> {
    for (let rest = page; rest.length > 0; ) {
      if (!(await this.attempts.permitComes(rest.length))) return 'leaseLost';
      const ids = rest.map(({ id }) => id);
      const claimed = await this.claim(ids);
      if (!claimed) return 'leaseLost';
      const { records, stop } = claimed;
      if (stop) {
        this.counters.leftOver(rest.length);
        return stop;
      }
      const byId = new Map(records.map((record) => [record.id, record]));
      const work = rest.flatMap(({ id, dueAt }) => this.workFor(byId.get(id), dueAt) ?? []);
      const { late, deferred } = await this.attempts.workOff(work);
      this.counters.leftOver(deferred.length);
      const left = new Set(late.map(({ record }) => record.id));
      const firstLeft = rest.findIndex(({ id }) => left.has(id));
      const reached = firstLeft < 0 ? rest.at(-1) : rest[firstLeft - 1];
      if (reached) pages.reached(reached);
      rest = rest.filter(({ id }) => left.has(id));
      const end = this.attempts.outOfRoom();
      if (end && rest.length > 0) {
        this.counters.leftOver(rest.length);
        return end;
      }
      // What is left did not fit into the lease: stragglers held slots, or this process was frozen. Read it again.
      if (rest.length > 0) await this.attempts.stragglersBelow(this.queueLimits.share.most);
    }
    return undefined;
  }

  /**
   * Journals a page, and reads its records after that: whatever another run or an operator did to them before shows.
   * Undefined: the lease is lost.
   */
  private async claim(ids: readonly string[]): Promise<PageRead | undefined> {
    const isOurs = await this.lease.journalPage([...new Set([...ids, ...this.attempts.stragglerIds])]);
    return isOurs ? this.lane.read(ids) : undefined;
  }

  /** What is to be done with a record of the page; nothing if it is not its turn. */
  private workFor(record: BacklogRecord | undefined, indexedDueAt: string): Work | undefined {
    const isElsewhere =
      !record || this.lease.suspects.includes(record.id) || this.attempts.stragglerIds.includes(record.id);
    const verdict = isElsewhere ? undefined : this.lane.judge(record, indexedDueAt);
    if (!record || !verdict || verdict.do === 'skip') {
      this.counters.skipped();
      return undefined;
    }
    if (verdict.do === 'attempt' && record.lastError?.name === WORKER_LOST) {
      this.alone.postpone(record);
      return undefined;
    }
    return this.lane.work(record, verdict);
  }

  private async letGo(pages: PageSource): Promise<void> {
    try {
      await this.attempts.stragglersBelow(1);
      // As often as other runs ask for the lease meanwhile: each does so once. The store gives up at the deadline.
      for (;;) {
        if ((await this.lease.release(pages.cursor())) !== 'woken') return;
        this.options.target.onePage?.bookmarks.delete(this.options.target.lane);
        if (!(await this.lease.acknowledgeWake())) return;
      }
    } catch (error) {
      // Why the run ends is reported already; a lease that cannot be given back runs out by itself.
      if (!(error instanceof StoreError)) throw error;
      this.deps.logger.warn('the lease could not be given back', { error: error.message });
    }
  }

  /** @param isWoken another run has left it to this one to look for everything */
  private newPages(isWoken = false): PageSource {
    const { lane, onePage, exactSince } = this.options.target;
    const { store, clock } = this.deps;
    const { band } = this.lane;
    if (band) return new AgeBandPages(store, lane, band, clock.now());
    if (exactSince !== undefined && !isWoken)
      return new DueTimePages(store, lane, clock.now(), { exactSince });
    return new DueTimePages(store, lane, clock.now(), {
      bookmark: onePage?.bookmarks.get(lane),
      ahead: this.ahead(),
    });
  }

  /** How far ahead a run looks that may stay for what comes. */
  private ahead() {
    const { upcoming } = this.deps;
    const { limits, tickSeconds } = this.options;
    const { linger = tickSeconds } = limits;
    if (!upcoming || linger === 0) return undefined;
    return { upcoming, milliseconds: Math.min(linger, tickSeconds) * 1000 };
  }

  /** The size of a page: no more than fits into its time in the worst case. */
  private pageLimit(): number {
    const { attemptTimeout, attemptsPerSecond } = this.options.limits;
    const rounds = Math.max(1, Math.floor(PAGE_SECONDS / attemptTimeout));
    // Records whose attempt would start too late for the lease are left for the next page.
    const startSeconds = Math.max(SPARE_START_SECONDS, PAGE_SECONDS - attemptTimeout);
    const permitted =
      attemptsPerSecond === undefined
        ? Number.POSITIVE_INFINITY
        : Math.floor(attemptsPerSecond * startSeconds);
    const left = this.maxRecords - this.attempted();
    return Math.max(1, Math.min(MAX_PAGE_RECORDS, this.queueLimits.share.fair * rounds, permitted, left));
  }

  /** Half the run's limit, or of its time, is kept for those that an earlier run did not come to. */
  private freshLimit(): number {
    if (this.halfTimeSpent()) return 0;
    return Math.max(0, Math.floor(this.maxRecords / 2) - this.attempted());
  }

  private attempted(): number {
    return this.counters.attempted - this.attemptedBefore;
  }

  private halfTimeSpent(): boolean {
    return this.deps.clock.wall() > (this.startedAt + this.options.deadline) / 2;
  }
}
