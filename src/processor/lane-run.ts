import type { TierBand } from '../policies/index.js';
import {
  type BacklogRecord,
  expire,
  judge,
  reschedule,
  type SettleContext,
  settleLostWorker,
  type Verdict,
  WORKER_LOST,
} from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { BacklogStore, IndexKey } from '../store/store.js';
import { Attempts, type Work } from './attempts.js';
import { type Inherited, PAGE_SECONDS, RunLease } from './lease.js';
import type { RunOptions } from './options.js';
import { AgeBandPages, DueTimePages, type PageSource } from './pages.js';
import type { RunParts } from './parts.js';
import { checkQueue } from './queue-check.js';
import type { RunEnd } from './summary.js';
import type { Tally } from './tally.js';

const MAX_PAGE_RECORDS = 100;
/** Records attempted alone, each with a journal write of its own, in one run. */
const MAX_ALONE = 20;

/** Drains one lane, or one age band of it. See DESIGN: query, lease and journal, read, attempt, settle, next page. */
export class LaneRun {
  private readonly store: BacklogStore;
  private readonly lease: RunLease;
  private readonly attempts: Attempts;
  private readonly startedAt: number;
  /** Records that a worker was lost on before: attempted alone, at the end. */
  private readonly loners = new Set<string>();
  private alone = 0;
  private queueChecked = false;

  constructor(
    private readonly options: RunOptions,
    private readonly parts: RunParts,
    private readonly tally: Tally,
    private readonly band: TierBand | undefined,
  ) {
    const { limits, target, process, deadline } = options;
    const { store, clock, random } = parts;
    this.store = store;
    this.startedAt = clock.wall();
    const key = band ? `${target.lane}#${band.number}` : target.lane;
    this.lease = new RunLease(key, store, clock, random, limits.attemptTimeoutSeconds);
    this.attempts = new Attempts({
      ...parts,
      lease: this.lease,
      tally,
      process,
      deadline,
      concurrency: limits.concurrency,
      attemptsPerSecond: limits.attemptsPerSecond,
      attemptTimeoutSeconds: limits.attemptTimeoutSeconds,
      maxRecords: limits.maxRecords ?? Number.POSITIVE_INFINITY,
      everySeconds: band?.everySeconds,
      settleContext: () => this.settleContext(),
    });
  }

  async drain(): Promise<RunEnd> {
    let pages = this.newPages();
    const first = await pages.first(this.pageLimit());
    if (first.length === 0) return 'drained';
    const acquired = await this.lease.acquire(idsOf(first));
    if (!acquired.held) return 'held';

    let released = false;
    try {
      let stop = await this.seeToInherited(acquired.inherited);
      if (stop) return stop;
      let page: IndexKey[] | undefined = pages.begin(acquired.cursor, this.freshLimit());
      for (;;) {
        stop = (await this.lookThrough(pages, page)) ?? (await this.attemptLoners());
        if (stop) return stop;
        await this.attempts.stragglersBelow(1);
        this.tally.leftOver(this.lease.suspects.length);
        const release = await this.lease.release(undefined);
        released = release !== 'woken';
        if (release === 'lost') return 'leaseLost';
        if (release === 'released') return 'drained';
        // Somebody came by meanwhile: what they came for may have become due after this run's first look.
        if (!(await this.lease.acknowledgeWake())) return 'leaseLost';
        pages = this.newPages();
        await pages.first(this.pageLimit());
        page = pages.begin(undefined, this.freshLimit());
      }
    } finally {
      if (!released) await this.letGo(pages);
    }
  }

  /** Works off page after page. Returns why the run must end, or nothing when all pages are through. */
  private async lookThrough(pages: PageSource, firstPage: IndexKey[]): Promise<RunEnd | undefined> {
    for (let page: IndexKey[] | undefined = firstPage; page; ) {
      if (page.length > 0) {
        const stop = await this.workOffPage(page, pages);
        if (stop) return stop;
      }
      await this.attempts.stragglersBelow(this.options.limits.concurrency);
      const stop = this.outOfRoom();
      page = await pages.next(stop ? 1 : this.pageLimit(), this.freshLimit());
      if (stop && page) {
        this.tally.leftOver(page.length);
        return stop;
      }
    }
    return undefined;
  }

  private async workOffPage(page: readonly IndexKey[], pages: PageSource): Promise<RunEnd | undefined> {
    for (let rest = page; rest.length > 0; ) {
      const ids = idsOf(rest);
      if (!(await this.lease.journalPage([...ids, ...this.attempts.stragglerIds]))) return 'leaseLost';
      const read = await this.store.readPage(ids, this.options.target.queue);
      const stop = await this.checkQueue(read.queue);
      if (stop) {
        this.tally.leftOver(rest.length);
        return stop;
      }
      const records = new Map(read.records.map((record) => [record.id, record]));
      const work = rest.flatMap((key) => this.workFor(records.get(key.id)) ?? []);
      const begun = await this.attempts.workOff(work);
      const next = work[begun]?.record.id;
      const done = next === undefined ? rest.length : rest.findIndex((key) => key.id === next);
      const reached = rest[done - 1];
      if (reached) pages.reached(reached);
      rest = rest.slice(done);
      const end = this.outOfRoom();
      if (end && rest.length > 0) {
        this.tally.leftOver(rest.length);
        return end;
      }
      // What is left did not fit into the lease: stragglers held slots, or this process stood still. Read it anew.
      if (rest.length > 0) await this.attempts.stragglersBelow(this.options.limits.concurrency);
    }
    return undefined;
  }

  /** What is to be done with a record of the page; nothing if it is not its turn. */
  private workFor(record: BacklogRecord | undefined): Work | undefined {
    const busy =
      record && (this.lease.suspects.includes(record.id) || this.attempts.stragglerIds.includes(record.id));
    const verdict: Verdict = !record || busy ? { do: 'skip', because: 'moved' } : this.judge(record);
    if (!record || verdict.do === 'skip') {
      this.tally.skipped();
      return undefined;
    }
    if (verdict.do === 'attempt' && record.lastError?.name === WORKER_LOST) {
      this.loners.add(record.id);
      return undefined;
    }
    return { record, change: this.changeWithoutAttempt(verdict) };
  }

  private changeWithoutAttempt(verdict: Exclude<Verdict, { do: 'skip' }>): Work['change'] {
    if (verdict.do === 'expire') return expire(this.settleContext());
    return verdict.do === 'reschedule' ? reschedule(verdict.dueAt) : undefined;
  }

  /**
   * A run before this one was lost, and left ids under attempt. One: it is the culprit, and gets a failure. Several:
   * each is attempted alone, so that the next loss tells which it was.
   */
  private async seeToInherited({ inFlight, rev, suspects }: Inherited): Promise<RunEnd | undefined> {
    if (inFlight.length + suspects.length === 0) return undefined;
    const read = await this.store.readPage([...inFlight, ...suspects], this.options.target.queue);
    const stop = await this.checkQueue(read.queue);
    if (stop) return stop;
    const open = read.records.filter((record) => this.judge(record).do === 'attempt');
    const unsettled = open.filter((record) => inFlight.includes(record.id) && record.rev !== rev);
    const waiting = open.filter((record) => !inFlight.includes(record.id));
    const [culprit] = unsettled;
    if (culprit && unsettled.length === 1) {
      this.parts.logger.warn('the worker was lost during this attempt', { id: culprit.id });
      this.lease.suspects = idsOf(waiting);
      if (!(await this.lease.hold([culprit.id]))) return 'leaseLost';
      await this.attempts.workOff([
        { record: culprit, change: settleLostWorker(culprit, this.settleContext()) },
      ]);
    } else {
      this.lease.suspects = idsOf([...unsettled, ...waiting]);
    }
    while (this.lease.suspects.length > 0 && this.mayAttemptAlone() && !this.halfTimeSpent()) {
      const [id = '', ...rest] = this.lease.suspects;
      this.lease.suspects = rest;
      const stopped = await this.attemptAlone(id);
      if (stopped) return stopped;
    }
    return undefined;
  }

  private async attemptLoners(): Promise<RunEnd | undefined> {
    for (const id of this.loners) {
      await this.attempts.stragglersBelow(1);
      if (!this.mayAttemptAlone()) {
        this.tally.leftOver(this.loners.size);
        return this.outOfRoom() ?? 'maxRecords';
      }
      this.loners.delete(id);
      const stop = await this.attemptAlone(id);
      if (stop) return stop;
    }
    return undefined;
  }

  private async attemptAlone(id: string): Promise<RunEnd | undefined> {
    this.alone++;
    if (!(await this.lease.hold([id]))) return 'leaseLost';
    const { records, queue } = await this.store.readPage([id], this.options.target.queue);
    const stop = await this.checkQueue(queue);
    if (stop) return stop;
    const [record] = records;
    const verdict = record && this.judge(record);
    if (!record || !verdict || verdict.do === 'skip') {
      this.tally.skipped();
      return undefined;
    }
    await this.attempts.workOff([{ record, change: this.changeWithoutAttempt(verdict) }]);
    await this.attempts.stragglersBelow(1);
    return undefined;
  }

  private async letGo(pages: PageSource): Promise<void> {
    try {
      await this.attempts.stragglersBelow(1);
      for (let tries = 0; tries < 3; tries++) {
        if ((await this.lease.release(pages.cursor())) !== 'woken') return;
        if (!(await this.lease.acknowledgeWake())) return;
      }
    } catch (error) {
      // Why the run ends is told already; a lease that cannot be given back runs out by itself.
      if (!(error instanceof StoreError)) throw error;
      this.parts.logger.warn('the lease could not be given back', { error: error.message });
    }
  }

  private newPages(): PageSource {
    const { lane } = this.options.target;
    const now = this.parts.clock.now();
    return this.band
      ? new AgeBandPages(this.store, lane, this.band, now)
      : new DueTimePages(this.store, lane, now);
  }

  /** A page is no larger than what fits into its time at the worst. */
  private pageLimit(): number {
    const { concurrency, attemptTimeoutSeconds, attemptsPerSecond, maxRecords } = this.options.limits;
    const rounds = Math.max(1, Math.floor(PAGE_SECONDS / attemptTimeoutSeconds));
    const paced =
      attemptsPerSecond === undefined
        ? Number.POSITIVE_INFINITY
        : Math.ceil(attemptsPerSecond * PAGE_SECONDS);
    const left = maxRecords === undefined ? Number.POSITIVE_INFINITY : maxRecords - this.tally.attempted;
    return Math.max(1, Math.min(MAX_PAGE_RECORDS, concurrency * rounds, paced, left));
  }

  /** Half the run's limit, or of its time, is kept for those that a former run did not come to. */
  private freshLimit(): number {
    if (this.halfTimeSpent()) return 0;
    const { maxRecords } = this.options.limits;
    if (maxRecords === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.floor(maxRecords / 2) - this.tally.attempted);
  }

  private halfTimeSpent(): boolean {
    return this.parts.clock.wall() > (this.startedAt + this.options.deadline) / 2;
  }

  private mayAttemptAlone(): boolean {
    return this.alone < MAX_ALONE && this.attempts.hasRoom();
  }

  private outOfRoom(): RunEnd | undefined {
    if (this.attempts.trouble) throw this.attempts.trouble;
    if (this.attempts.hasRoom()) return undefined;
    return this.attempts.fitsTime() ? 'maxRecords' : 'deadline';
  }

  private async checkQueue(queue: Parameters<typeof checkQueue>[0]): Promise<RunEnd | undefined> {
    const first = !this.queueChecked;
    this.queueChecked = true;
    return checkQueue(queue, { ...this.options, ...this.parts, first });
  }

  private judge(record: BacklogRecord): Verdict {
    const { policy, tickSeconds, target } = this.options;
    return judge(record, {
      lane: target.lane,
      band: this.band,
      policy,
      now: this.parts.clock.now(),
      tickSeconds,
    });
  }

  private settleContext(): SettleContext {
    const { target, policy, tickSeconds, keepSuccessSeconds } = this.options;
    const way = this.band ? ('progressive' as const) : ('retry' as const);
    return { lane: target.lane, way, policy, now: this.parts.clock.now(), tickSeconds, keepSuccessSeconds };
  }
}

function idsOf(keys: readonly { readonly id: string }[]): string[] {
  return keys.map((key) => key.id);
}
