import { PAGE_SECONDS } from '../leases/timed-hold.js';
import type { BacklogRecord } from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { IndexKey } from '../store/store.js';
import { MAX_PAGE_ID_BYTES, MAX_PAGE_RECORDS } from './capacity.js';
import { attemptSuspects, markIfSuspect, recoverCrashed } from './crash-recovery.js';
import { inTurn, type LaneRun, whileHeld } from './lane-run.js';
import { AgeBandPages, DueTimePages, type PageSource } from './pages.js';
import { hasProbe, makeProbes } from './probes.js';
import type { StopReason } from './stop-reason.js';
import type { Work } from './work.js';

/** A lease lasts a little longer than an attempt of any length, its settle included. */
const SPARE_START_SECONDS = 5;
/** Time for a page whose size goes by the pace of the one before. Records are read when it begins, and may be as old as that. */
const PACED_PAGE_SECONDS = 5;

/**
 * Drains one lane, or one age band of it. Each step is explained in docs/protocol.md:
 *
 *     query the index -> look at the owner -> acquire the lease, with a journal -> recover what crashed
 *       -> for each page: journal, read, judge, attempt, settle -> attempt the suspects, each alone
 *       -> probe what fails -> release
 *
 * @param isWoken another run has left it to this one to look for everything
 */
export async function drainLane(run: LaneRun, isWoken = false): Promise<StopReason> {
  const { lease, executor, gate, counters, failing, options } = run;
  let pages = pagesOf(run, isWoken);
  const first = await pages.first(pageSize(run));
  if (first.length === 0 && !((await failing.recall()) && (await hasProbe(run)))) return 'drained';
  const conflict = await options.ownershipConflict?.();
  if (conflict) return conflict;
  const acquired = await lease.acquire(idsOf(first));
  if (!acquired.held) return 'leaseHeld';
  try {
    const { crashed, cursor } = acquired;
    let stop = await recoverCrashed(run, crashed);
    stop ??= await gate.open();
    // Unless the last run was lost during such an attempt: then the others come first.
    if (!crashed?.begun) stop ??= await attemptSuspects(run, () => !isHalfTimeSpent(run));
    for (let page = pages.begin(cursor, freshLimit(run)); ; page = pages.begin(undefined, freshLimit(run))) {
      stop ??= await workOffPages(run, pages, page);
      stop ??= await run.busyKeys?.meanwhile(run, { pagesOf, pageSize, workOffPages });
      await executor.settled();
      // An outcome of the last page that could not be written ends the run, whatever else would.
      executor.stopReason();
      const isAnotherPass = stop === 'keyLimited' && (await run.keyLimit?.nextPass(run));
      if (isAnotherPass) stop = undefined;
      stop ??= await attemptSuspects(run);
      if (failing.hasNotes) stop ??= await makeProbes(run);
      if (stop) return stop;
      if (!isAnotherPass) {
        await executor.stragglers.below(1);
        const limit = executor.stopReason() ?? 'maxRecords';
        const released = await lease.release();
        if (released === 'released') return lease.suspects.length > 0 ? limit : 'drained';
        // Another run has asked for the lease meanwhile: its records may have become due after this run's first look.
        if (released === 'lost' || !(await lease.acknowledgeWake())) return 'leaseLost';
      }
      pages = pagesOf(run);
      await pages.first(pageSize(run));
    }
  } finally {
    counters.leftOver(lease.suspects.length);
    await giveBack(run, pages);
  }
}

/** Works off page after page. Returns why the run must end, or nothing when all pages are through. */
async function workOffPages(
  run: LaneRun,
  pages: PageSource,
  first: readonly IndexKey[],
): Promise<StopReason | undefined> {
  const { executor, atOnce, counters, clock, breakers } = run;
  for (let named: readonly IndexKey[] | undefined = first; named; ) {
    const page: readonly IndexKey[] = breakers?.withoutPutOff(named) ?? named;
    counters.leftOver(named.length - page.length);
    const startedAt = clock.wall();
    const result: PageResult | StopReason =
      page.length === 0 ? { left: [] } : await inTurn(run, page.length, () => workOffPage(run, pages, page));
    if (typeof result === 'string') {
      counters.leftOver(page.length);
      return result;
    }
    const { left, stop } = result;
    if (stop) return stop;
    const done: number = named.length - left.length;
    // Queues that take turns have equal pages, so that their shares go by their weights.
    const recordMs = done > 0 && !run.turns ? (clock.wall() - startedAt) / done : undefined;
    await executor.stragglers.below(atOnce.most);
    if (left.length > 0) {
      named = left;
      continue;
    }
    const limit = executor.stopReason();
    named = await whileHeld(
      run,
      pages.next(limit ? MAX_PAGE_RECORDS : pageSize(run, recordMs), freshLimit(run)),
    );
    if (named && limit) {
      counters.leftOver(named.length);
      return limit;
    }
  }
  return run.keyLimit?.endReason();
}

interface PageResult {
  /** Keys that did not fit into the memory of a page, or into the lease: stragglers held slots, or this process was frozen. They are read next. */
  readonly left: readonly IndexKey[];
  readonly stop?: StopReason | undefined;
}

/** Journals a page; reads, judges, attempts and settles its records. */
async function workOffPage(run: LaneRun, pages: PageSource, page: readonly IndexKey[]): Promise<PageResult> {
  const { lease, rules, executor, counters } = run;
  const ids = idsOf(page);
  // The journal has room for the ids of two pages, and names what is under attempt beside these.
  if (Buffer.byteLength([...executor.underAttempt].join('')) > MAX_PAGE_ID_BYTES) await executor.settled();
  // Asked before the page is read: one that is settled meanwhile was read as it was before that.
  const inFlight = new Set(executor.inFlight);
  const isOurs = await lease.journalPage([...new Set([...ids, ...executor.underAttempt])]);
  if (!isOurs) return { left: [], stop: 'leaseLost' };
  // Read behind the journal: whatever another run or an operator did to them before shows.
  const { records, unread, isLarge, stop } = await whileHeld(run, rules.read(ids));
  if (stop) {
    counters.leftOver(page.length);
    return { left: [], stop };
  }
  const free = records.filter(({ id }) => !inFlight.has(id));
  const byId = new Map(free.map((record) => [record.id, record]));
  const work = page.flatMap(({ id, dueAt }) =>
    unread.includes(id) ? [] : (workFor(run, byId.get(id), dueAt) ?? []),
  );
  const { late, deferred } = await executor.begin(work);
  // The next page does not wait for the last of these, unless both take much memory, or it is another queue's.
  if (isLarge || run.turns) await executor.settled();
  counters.leftOver(deferred.length);
  const isLeft = ({ id }: IndexKey) => unread.includes(id) || late.some(({ record }) => record.id === id);
  const left = page.filter(isLeft);
  const firstLeft = page.findIndex(isLeft);
  const reached = firstLeft < 0 ? page.at(-1) : page[firstLeft - 1];
  if (reached) pages.reached(reached);
  const limit = left.length > 0 ? executor.stopReason() : undefined;
  if (limit) counters.leftOver(left.length);
  return { left, stop: limit };
}

/** The work to do for a record of the page; undefined if it is not its turn. */
function workFor(run: LaneRun, record: BacklogRecord | undefined, indexedDueAt: string): Work | undefined {
  const { lease, rules, counters } = run;
  const isElsewhere = !record || lease.suspects.includes(record.id);
  const verdict = isElsewhere ? undefined : rules.judge(record, indexedDueAt);
  if (!record || !verdict || verdict.do === 'skip') {
    counters.skipped();
    return undefined;
  }
  if (verdict.do === 'attempt' && markIfSuspect(record, run)) return undefined;
  const work = rules.work(record, verdict);
  const change = work.change ? undefined : run.busyKeys?.move(record);
  return change ? { record, change } : work;
}

/** Gives the lease back. If the store fails, the lease runs out by itself, and the run ends for its own reason. */
async function giveBack({ executor, lease, logger }: LaneRun, pages: PageSource): Promise<void> {
  try {
    await executor.settled();
    await executor.stragglers.below(1);
    await lease.giveBack(pages.cursor());
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    logger.warn('the lease could not be given back', { error: error.message });
  }
}

function pagesOf({ store, clock, rules, options, keyLimit, counters }: LaneRun, isWoken = true): PageSource {
  const { lane, exactSince } = options.target;
  const now = clock.now();
  if (rules.band) return new AgeBandPages(store, lane, rules.band, now);
  const pages = new DueTimePages(store, lane, now, isWoken ? undefined : exactSince);
  return keyLimit?.passes?.pagesOf(pages, counters) ?? pages;
}

/**
 * The number of records that fit into a page's time in the worst case, or more if the page before says so. Those that
 * turn out not to fit are left, and read again.
 *
 * @param recordMs real milliseconds of the page before for each of its records. Default: there is none, and the worst case counts
 */
function pageSize({ options, atOnce, budget, turns }: LaneRun, recordMs = PAGE_SECONDS * 1000): number {
  const { attemptTimeout, attemptsPerSecond = MAX_PAGE_RECORDS } = options.limits;
  const rounds = Math.max(1, Math.floor(PAGE_SECONDS / attemptTimeout));
  // Records whose attempt would start too late for the lease are left for the next page.
  // Queues that take turns wait for the permits of each other's pages, which are short therefore.
  const startSeconds = turns
    ? SPARE_START_SECONDS
    : Math.max(SPARE_START_SECONDS, PAGE_SECONDS - attemptTimeout);
  const permitted = Math.floor(attemptsPerSecond * startSeconds);
  const { pageSeconds = PACED_PAGE_SECONDS } = atOnce;
  const byPace = Math.floor((pageSeconds * 1000) / recordMs);
  const fitting = Math.max(atOnce.fair * rounds, byPace);
  return Math.max(1, Math.min(MAX_PAGE_RECORDS, fitting, permitted, budget?.left ?? MAX_PAGE_RECORDS));
}

/** The number of new records that may go first. Half the run's limit, or time, is kept for those of an earlier run. */
function freshLimit(run: LaneRun): number {
  return isHalfTimeSpent(run) ? 0 : (run.budget?.freshLeft ?? MAX_PAGE_RECORDS);
}

function isHalfTimeSpent({ clock, startedAt, options }: LaneRun): boolean {
  return clock.wall() > (startedAt + options.deadline) / 2;
}

function idsOf(keys: readonly IndexKey[]): string[] {
  return keys.map(({ id }) => id);
}
