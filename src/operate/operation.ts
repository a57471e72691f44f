import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import {
  allOverAt,
  asWritten,
  attributesToFence,
  type BacklogRecord,
  cancelMark,
  cancelReasonOf,
  type Item,
  isNotIndexed,
  isPending,
  isUnderAttempt,
  type RetryMode,
  wasLostUnderAttempt,
} from '../record/index.js';
import { StoreError } from '../store/errors.js';
import type { Found, OperatorChange, OperatorStore } from '../store/operator-store.js';
import { patiently } from '../store/patience.js';
import type { Clock } from '../support/clock.js';
import { ConfigurationError } from '../support/errors.js';
import { type Random, randomToken } from '../support/random.js';
import type { Action } from './actions.js';
import { type Decision, isLeftToNewer, type SkipReason } from './changes.js';
import { findInFlight, whileClaimed } from './in-flight.js';
import type { OperationOptions } from './options.js';
import { pagesOf, readPage, type Wanted } from './pages.js';
import { ActionCounters, OperationInterruptedError, type OperationResult } from './result.js';
import { RateLimiter, Writes } from './writes.js';

export interface OperationDeps {
  readonly store: OperatorStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Throws a ConfigurationError where another region is the active one. */
  readonly checkRegion: () => Promise<void>;
}

const PAGE_RECORDS = 100;
const WRITES_AT_ONCE = 25;
/** Looks at one record that others change all the time. */
const MAX_TRIES = 4;
/** A slow rate makes small pages: what was read is written soon. */
const PAGE_SECONDS = 5;
/** Real time between two looks whether another region has become the active one, as the functions have it. */
const REGION_MS = 60_000;

type Planned = Found & {
  readonly decision: Extract<Decision, { do: 'change' | 'remove' | 'requestCancel' }>;
};

/** A change with the `rev` that it writes, and that of its second step. */
export type NamedChange = Planned & { readonly rev: string; readonly revIfFree: string };

/** The parts that a job adds to an operation. */
export interface OperationHooks {
  /** The backlog's time from which on attempts count as made by this action. Default: the beginning of the operation. */
  readonly since?: number | undefined;
  /** The backlog's time that the durations of the selection count from. Default: now. */
  readonly asOf?: number | undefined;
  /** Called before changes are written. Returns why records are left as they are, by id. */
  readonly keep?: ((changes: readonly NamedChange[]) => Promise<ReadonlyMap<string, string>>) | undefined;
}

/** A record as it is in its new lane, not due before all attempts of now are over, and its due time before. */
interface Moved {
  readonly record: BacklogRecord;
  readonly ifFree: OperatorChange;
  readonly rev: string;
}

/** One action on many records, page by page. May be interrupted and repeated at will: it goes on with what is left. */
export class Operation {
  private readonly counters = new ActionCounters();
  private readonly rateLimiter: RateLimiter;
  private readonly writes: Writes;
  private readonly signal: AbortSignal;
  private readonly retryModes = new Map<string, RetryMode | undefined>();
  /** Moved records that were not looked at again yet. */
  private moved: Moved[] = [];
  private readonly startedAt: number;
  /** Real time. */
  private regionCheckedAt = 0;

  constructor(
    private readonly action: Action,
    private readonly wanted: Wanted,
    private readonly options: OperationOptions,
    private readonly deps: OperationDeps,
    private readonly hooks: OperationHooks = {},
  ) {
    const { perSecond, concurrency = WRITES_AT_ONCE, signal } = options;
    this.startedAt = hooks.since ?? deps.clock.now();
    this.rateLimiter = new RateLimiter(perSecond, deps.clock);
    this.writes = new Writes(concurrency, (id, reason) => this.counters.failed(id, reason));
    this.signal = AbortSignal.any(signal ? [signal] : []);
    // Every write may wait for it.
    setMaxListeners(0, this.signal);
  }

  /**
   * @throws ConfigurationError where another region is the active one
   * @throws OperationInterruptedError when the store does not answer any more, or may not be used, or once another region has
   *   become the active one
   */
  async run(): Promise<OperationResult> {
    await this.lookAtRegion();
    try {
      return this.counters.result(await this.work());
    } catch (error) {
      const isAbort = error instanceof Error && error.name === 'AbortError';
      if (!(error instanceof StoreError || error instanceof ConfigurationError) && !isAbort) throw error;
      throw new OperationInterruptedError(this.counters.result('aborted'), { cause: error });
    }
  }

  private async work(): Promise<OperationResult['ended']> {
    const { perSecond = Number.POSITIVE_INFINITY, onProgress, dryRun } = this.options;
    const { store, clock } = this.deps;
    const size = Math.max(1, Math.min(PAGE_RECORDS, Math.floor(perSecond * PAGE_SECONDS)));
    const { patiently } = this;
    const putOffUntil = dryRun ? undefined : this.action.putsOffUntil;
    const pages = pagesOf(this.wanted, { store, size, putOffUntil, now: () => clock.now(), patiently });
    for await (const { found, missing } of pages) {
      await this.lookAtRegion();
      if (this.signal.aborted) return 'aborted';
      this.counters.looked += found.length + missing.length;
      this.counters.matched += missing.length;
      for (const _ of missing) this.counters.skipped('notFound');
      await this.workOff(found.filter((one) => this.isWanted(one)));
      onProgress?.(this.counters.progress());
      if (this.signal.aborted) return 'aborted';
      if (this.room() <= 0) return 'limit';
    }
    return 'complete';
  }

  /** Refuses to go on in another region than the active one, whose attempts a later write here could undo. */
  private async lookAtRegion(): Promise<void> {
    const { clock, checkRegion } = this.deps;
    if (this.options.dryRun || clock.wall() - this.regionCheckedAt < REGION_MS) return;
    this.regionCheckedAt = clock.wall();
    await checkRegion();
  }

  private isWanted({ record }: Found): boolean {
    const { wanted, action, deps } = this;
    const isAgain = action.startsAttempts === true && this.wasAttemptedSince(record);
    if (!('selected' in wanted && wanted.selected)) return this.hooks.since === undefined || !isAgain;
    const { matches, namesReason } = wanted.selected;
    if (!matches(record, this.hooks.asOf ?? deps.clock.now())) return false;
    if (isAgain) return false;
    return namesReason || !action.leavesOut?.(record);
  }

  /** Keeps a record that fails again at once from being brought back for ever. */
  private wasAttemptedSince({ lastAttemptAt }: BacklogRecord): boolean {
    return lastAttemptAt !== undefined && Date.parse(lastAttemptAt) > this.startedAt;
  }

  private async workOff(page: readonly Found[]): Promise<void> {
    this.counters.matched += page.length;
    let rest = await this.plan(page);
    // A record that could not be changed does not count towards the limit.
    while (rest.length > 0 && this.room() > 0 && !this.signal.aborted) {
      const chosen = rest.slice(0, this.room());
      rest = rest.slice(chosen.length);
      if (this.options.dryRun) for (const one of chosen) this.done(one);
      else await this.writePatiently(chosen);
    }
  }

  /** The changes that the limit still allows. */
  private room(): number {
    const { limit = Number.POSITIVE_INFINITY } = this.options;
    return limit - this.counters.changedSoFar;
  }

  /** Writes the changes. A record that another process changed meanwhile is read and decided about again, a few times. */
  private async writePatiently(chosen: readonly Planned[]): Promise<void> {
    let planned = chosen;
    for (let tries = 1; planned.length > 0; tries++) {
      const changed = await this.writeAll(await this.named(planned));
      if (changed.length === 0 || this.signal.aborted) return;
      const { found, missing } = await readPage(changed, {
        store: this.deps.store,
        patiently: this.patiently,
      });
      for (const _ of missing) this.counters.skipped('notFound');
      const still = found.filter((one) => tries < MAX_TRIES && this.isWanted(one));
      for (let i = still.length; i < found.length; i++) this.counters.skipped('changedMeanwhile');
      planned = await this.plan(still);
    }
  }

  /** Gives each change its `rev`, and has kept what undoes it before any of them is written. */
  private async named(planned: readonly Planned[]): Promise<readonly NamedChange[]> {
    const { random } = this.deps;
    const named = planned.map((one) => {
      const isTwo = one.decision.do === 'change' && one.decision.ifFree !== undefined;
      return { ...one, rev: randomToken(random), revIfFree: isTwo ? randomToken(random) : '' };
    });
    const refused = await this.hooks.keep?.(named);
    if (!refused) return named;
    for (const [id, reason] of refused) this.counters.failed(id, reason);
    return named.filter(({ record }) => !refused.has(record.id));
  }

  /** Decides what is done with each record. Counts those that are left as they are. */
  private async plan(page: readonly Found[]): Promise<Planned[]> {
    const { action, counters } = this;
    const { clock } = this.deps;
    const fitting = page.filter((one) => {
      const reason = this.whyLeft(one);
      if (reason !== undefined) counters.skipped(reason);
      return reason === undefined;
    });
    if (action.needsRetryMode) await this.learnRetryModes(fitting);
    const now = clock.now();
    const overAt = allOverAt(now, clock.speed);
    const planned = fitting.flatMap((found): Planned[] => {
      const retryMode = this.retryModes.get(found.record.queue);
      const { cancelReason: reason } = action;
      const isAsked = reason !== undefined && isUnderAttempt(found.record, now, clock.speed);
      const decision: Decision = isAsked
        ? { do: 'requestCancel', reason }
        : action.decide(found, { now, allOverAt: overAt, retryMode });
      if (decision.do === 'skip') counters.skipped(decision.reason);
      else if (decision.do === 'refuse') counters.failed(found.record.id, decision.reason);
      else return [{ ...found, decision }];
      return [];
    });
    if (!action.bringsForward) return planned;
    const records = planned.map(({ record }) => record);
    const elsewhere = await this.patiently(() => findInFlight(records, this.deps));
    for (const _ of elsewhere) counters.skipped('inFlight');
    return planned.filter(({ record }) => !elsewhere.has(record.id));
  }

  /** The reason why a record is left as it is, before anything is decided about it. */
  private whyLeft({ record, item }: Found): SkipReason | undefined {
    const { action, deps, options } = this;
    const { clock } = deps;
    const now = clock.now();
    if (isLeftToNewer(record)) return 'newer';
    if (!isExpected(item, options.expected)) return 'changedMeanwhile';
    const isToEnd = cancelReasonOf(record) !== undefined;
    if (isUnderAttempt(record, now, clock.speed)) {
      if (action.cancelReason === undefined) return 'inFlight';
      return isToEnd ? 'cancelRequested' : undefined;
    }
    // The process of its attempt was lost: the next run cancels it, and no action lets it be attempted before.
    const isLost = isToEnd && isPending(record) && wasLostUnderAttempt(record, true, now);
    if (isLost && action.cancelReason === undefined) return 'inFlight';
    return action.actsOn.includes(record.status) ? undefined : 'otherStatus';
  }

  /** Returns the ids of records that another process has changed since they were read. */
  private async writeAll(planned: readonly NamedChange[]): Promise<string[]> {
    const changed: string[] = [];
    await this.writes.each(planned, async (one, mayGoOn) => {
      if (this.signal.aborted) return;
      await this.rateLimiter.acquire(this.signal);
      if (!mayGoOn() || this.signal.aborted) return;
      if ((await this.write(one)) === 'changed') changed.push(one.record.id);
    });
    await this.makeMovedDue();
    return changed;
  }

  /** Looks once: moved records that no run can be attempting in their previous lanes become due as they were. */
  private async makeMovedDue(): Promise<void> {
    const { moved, deps, counters } = this;
    this.moved = [];
    const records = moved.map(({ record }) => record);
    const inFlight = await this.patiently(() => findInFlight(records, deps));
    const free = moved.filter(({ record }) => !inFlight.has(record.id));
    await this.writes.each(free, async ({ record, ifFree, rev }) => {
      // Another process that changed it meanwhile has decided about it.
      await this.patiently(() => deps.store.records.change(record, ifFree, rev));
      counters.delayed--;
    });
  }

  private async write(one: NamedChange): Promise<'done' | 'changed'> {
    const { record } = one;
    // Also one that was put as `DEAD`: a run on arrival may attempt it as it was before.
    const answer = isNotIndexed(record)
      ? await whileClaimed(record, this.deps, () => this.writeNow(one))
      : await this.writeNow(one);
    if (answer === undefined) this.counters.skipped('inFlight');
    return answer ?? 'done';
  }

  private async writeNow({ record, decision, rev, revIfFree }: NamedChange): Promise<'done' | 'changed'> {
    const { store } = this.deps;
    if (decision.do === 'requestCancel') {
      const { reason } = decision;
      const answer = await this.patiently(() =>
        store.records.note(record, { notBefore: cancelMark(record, reason) }),
      );
      if (answer === 'changed') return 'changed';
    } else if (decision.do === 'remove') {
      if ((await this.patiently(() => store.records.remove(record, rev))) === 'changed') return 'changed';
    } else {
      const { change, ifFree } = decision;
      if ((await this.patiently(() => store.records.change(record, change, rev))) === 'changed')
        return 'changed';
      if (ifFree) {
        this.counters.delayed++;
        const { notBefore } = change.set;
        this.moved.push({ record: { ...asWritten(record, change, rev), notBefore }, ifFree, rev: revIfFree });
      }
    }
    this.done({ record, decision });
    return 'done';
  }

  /** Counts a write. A record whose attempt goes on is not changed by the request that it may end. */
  private done({ record, decision }: Pick<Planned, 'record' | 'decision'>): void {
    if (decision.do === 'requestCancel') this.counters.skipped('cancelRequested');
    else this.counters.changed(record.id);
  }

  /** Reads the retry mode of each queue, once. */
  private async learnRetryModes(page: readonly Found[]): Promise<void> {
    const queues = new Set(page.map(({ record }) => record.queue));
    for (const queue of queues) {
      if (this.retryModes.has(queue)) continue;
      const { retryMode } = await this.patiently(() => this.deps.store.queues.read(queue));
      this.retryModes.set(queue, retryMode?.mode);
    }
  }

  private readonly patiently = <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    const { signal } = this;
    const onTrouble = this.options.onTrouble ?? (() => {});
    return patiently(request, { clock: this.deps.clock, signal, onTrouble });
  };
}

/** Compares the attributes that are expected. A whole item is also compared in those that fence its write. */
function isExpected(item: Item, expected: Item | undefined): boolean {
  if (expected === undefined) return true;
  const hasRev = typeof expected.rev === 'string';
  const isWhole = !hasRev || expected.id !== undefined;
  const fenced = isWhole ? attributesToFence(expected, hasRev) : [];
  return [...Object.keys(expected), ...fenced].every((name) => isDeepStrictEqual(item[name], expected[name]));
}
