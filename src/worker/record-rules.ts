import type { TierBand } from '../policies/index.js';
import {
  type AttemptOutcome,
  type BacklogRecord,
  cancelReasonOf,
  copyForHandler,
  expire,
  judge,
  keptRetryAfter,
  laneFor,
  lanesOf,
  nameOfThrown,
  quarantine,
  type RecordChange,
  type RetryMode,
  reschedule,
  type SettleContext,
  settle,
  settleLostWorker,
  settleProbe,
  type Verdict,
  waitForTask,
  whyUnfit,
} from '../record/index.js';
import { nearest } from '../support/nearest.js';
import { show } from '../support/validation.js';
import type { RunDeps } from './deps.js';
import type { FailingWatch } from './failing-watch.js';
import { type Deciding, deadIfRefused, decide, decidingFor } from './failures/decisions.js';
import type { Gate } from './guards/gate.js';
import type { PutOff } from './guards/key-pauses.js';
import { limitCode, type QueueGuards } from './guards/queue-guards.js';
import type { RunOptions } from './options.js';
import { checkQueue } from './queue-check.js';
import type { StopReason } from './stop-reason.js';
import type { Work } from './work.js';

/** Records as they are now, or why the run must end. */
export interface PageRead {
  readonly records: readonly BacklogRecord[];
  /** Ids of records that are to be read once those are settled. */
  readonly unread: readonly string[];
  /** Tells whether others are to be read when these are settled. */
  readonly isLarge: boolean;
  readonly stop: StopReason | undefined;
}

/** Time of an attempt under a debugger: longer than a developer looks at a breakpoint. */
const DEBUGGED_ATTEMPT_SECONDS = 86_400;
/** Names that a run warns of; a producer may write any. */
const MAX_UNKNOWN_TASKS = 20;

/** The rules of a lane: they tell which records are due by its policy or age band, and whether its queue lets a run go on. */
export class RecordRules {
  readonly retryMode: RetryMode;
  /** Loads the code that few records need. */
  readonly laterCode = limitCode;
  /** The record that is attempted ahead of its time. */
  probe: string | undefined;
  private queueChecked = false;
  /** Undefined: the queue had no paused key when it was last read. */
  private putOff: PutOff | undefined;
  /** The records of the page whose turn it is not. Undefined: the queue has no order. */
  private held: Awaited<ReturnType<Awaited<ReturnType<typeof limitCode>>['heldBack']>> | undefined;
  /** Undefined: no record of the page waits for its end from outside. */
  private outside: Awaited<ReturnType<typeof limitCode>> | undefined;
  /** Tells whether the queue's records are indexed in this lane. */
  private readonly isCurrent: boolean;
  private readonly unknownTasks = new Set<string | undefined>();

  constructor(
    private readonly options: RunOptions,
    private readonly deps: RunDeps & {
      readonly gate: Gate;
      readonly failing: FailingWatch;
      readonly guards?: Pick<QueueGuards, 'busyKeys'> | undefined;
    },
    readonly band: TierBand | undefined,
  ) {
    const { target } = options;
    const { lane, retryMode } = target;
    this.retryMode = retryMode ?? (band ? 'progressive' : 'perRecord');
    this.isCurrent =
      target.arrivals === undefined && lanesOf(target.queue, 0, target.shards ?? 1).includes(lane);
  }

  /** Records as they are now, read strongly, or why the run must end. */
  async read(ids: readonly string[]): Promise<PageRead> {
    const takeNote = this.deps.gate.reads();
    const readAt = this.deps.clock.wall();
    const page = await this.deps.store.pages.read(ids, this.options.target.queue);
    const { unread = [], isLarge = false, queue } = page;
    let records: readonly BacklogRecord[] = page.records;
    const first = !this.queueChecked;
    this.queueChecked = true;
    const { pausedKeys } = queue;
    this.putOff = pausedKeys
      ? (await limitCode()).putOffOf(pausedKeys, this, this.deps, this.options.target)
      : undefined;
    if (this.options.target.order) {
      this.held = await (await limitCode()).heldBack(records, this.deps.store.lines);
      records = this.held.others;
    }
    for (const { completion, notBefore } of records)
      if (completion !== undefined || typeof notBefore === 'object') this.outside = await limitCode();
    const closed = takeNote(queue);
    this.deps.failing.refresh(queue, readAt);
    await this.deps.failing.endPage();
    const stop = await checkQueue(queue, {
      ...this.options,
      ...this.deps,
      retryMode: this.retryMode,
      first,
    });
    return { records, unread, isLarge, stop: stop ?? closed };
  }

  /** @param indexedDueAt what the index says, where it has named the record */
  judge(record: BacklogRecord, indexedDueAt?: string): Verdict | { readonly do: 'waitForTask' } {
    const { tickSeconds, target } = this.options;
    const { policy } = this.decidingFor(record);
    const now = this.deps.clock.now();
    const { speed } = this.deps.clock;
    const { lane } = target;
    const hasOutsideEnd = this.outside?.hasOutsideEnd;
    const context = { lane, indexedDueAt, band: this.band, policy, now, speed, tickSeconds, hasOutsideEnd };
    const judged = judge(record, context);
    const verdict = this.held?.verdictOf(record, judged) ?? judged;
    const isItsTurn = verdict.do === 'attempt' || verdict.do === 'expire';
    return isItsTurn && !this.knows(record) ? { do: 'waitForTask' } : verdict;
  }

  /** The work for a record whose turn it is: an attempt, a wait for a handler that knows its task, or quarantine. */
  begin(record: BacklogRecord): Work {
    const why = whyUnfit(record);
    if (why !== undefined) return this.work(record, { do: 'quarantine', why });
    if (record.completion && this.outside?.hasOutsideEnd(record, this.deps.clock.now()))
      return this.work(record, { do: 'lost' });
    return this.work(record, { do: this.knows(record) ? 'attempt' : 'waitForTask' });
  }

  /** The time limit of the record's attempt. */
  timeoutSeconds(record: BacklogRecord): number {
    if (this.options.isDebugged) return DEBUGGED_ATTEMPT_SECONDS;
    const { longestAttempt, limits } = this.options;
    const { attemptTimeout: underLease } = limits;
    const most = longestAttempt ?? underLease;
    const { attemptTimeout: own = most } = this.decidingFor(record);
    return own > 0 && own < most ? own : most;
  }

  /** The work that a verdict asks for. */
  work(record: BacklogRecord, verdict: Exclude<ReturnType<RecordRules['judge']>, { do: 'skip' }>): Work {
    if (verdict.do === 'waitForTask') {
      this.warnOf(record);
      return { record, change: waitForTask(record, this.settleContext(record)) };
    }
    if (verdict.do === 'lost') return { record, change: this.lost(record) };
    if (verdict.do === 'expire') return { record, change: expire(record, this.settleContext(record)) };
    if (verdict.do === 'correct') return { record, change: verdict.change };
    if (verdict.do === 'quarantine') {
      return { record, change: this.quarantine(record, verdict.why) };
    }
    if (verdict.do === 'reschedule') return { record, change: reschedule(verdict.dueAt) };
    return { record, change: this.putOff?.(record) };
  }

  /**
   * The change of a record whose attempt has its end from outside, or was lost with the process of a long one: a failure, or the end of one
   * that was cancelled.
   */
  lost(record: BacklogRecord): RecordChange {
    const context = this.settleContext(record);
    const reason = cancelReasonOf(record);
    return (
      this.outside?.outsideChange(record, this, context.now) ??
      (reason === undefined
        ? settleLostWorker(record, context)
        : settle(record, { type: 'cancel', reason }, context))
    );
  }

  /** The change of a record that cannot be handled: dead, for people to look at. */
  quarantine(record: BacklogRecord, why: string): RecordChange {
    this.deps.logger.error('quarantined', { id: record.id, reason: why });
    return quarantine(record, why, this.deps.clock.now(), this.options.target.shards);
  }

  /**
   * Asked before `settle`: a failure that no retry helps against was an answer, and the breakers take it for one. An open breaker
   * puts a record off by its `Retry-After`, so that is cut here as well.
   */
  deadIfRefused(record: BacklogRecord, outcome: AttemptOutcome): AttemptOutcome {
    const { deadOn, policy } = this.decidingFor(record);
    const ended = deadIfRefused(outcome, deadOn);
    if (ended.type !== 'failure' || ended.retryAfterSeconds === undefined) return ended;
    const { maxRetryAfter } = this.options.limits;
    const now = this.deps.clock.now();
    const retryAfterSeconds = keptRetryAfter(ended.retryAfterSeconds, record, { policy, maxRetryAfter, now });
    return { ...ended, retryAfterSeconds };
  }

  /** The change that the outcome of an attempt makes, after `deadIfRefused`. */
  settle(record: BacklogRecord, outcome: AttemptOutcome): RecordChange {
    const decided = decide(record, outcome, this.decidingFor(record));
    const kept = this.options.redaction?.(decided.outcome) ?? { outcome: decided.outcome };
    for (const problem of [decided.problem, kept.problem]) {
      if (problem) this.deps.logger.warn(problem, { id: record.id });
    }
    const { policy, chosen, retryQueue } = decided;
    const moves = retryQueue !== undefined && retryQueue !== this.options.target.queue;
    const context = { ...this.settleContext(record), policy, chosen, ...(moves ? { retryQueue } : {}) };
    return (record.id === this.probe ? settleProbe : settle)(record, kept.outcome, context);
  }

  private decidingFor(record: BacklogRecord): Deciding {
    const own = this.guarded('decisionsFor', record, this.options.decisionsFor);
    return decidingFor(this.options, own ?? undefined);
  }

  private knows(record: BacklogRecord): boolean {
    return this.guarded('knows', record, this.options.knows) ?? true;
  }

  /** Calls a function of the options. If it throws, the record is settled all the same. */
  private guarded<Answer>(
    name: string,
    record: BacklogRecord,
    ask: ((record: BacklogRecord) => Answer) | undefined,
  ): Answer | undefined {
    if (!ask) return undefined;
    try {
      return ask(copyForHandler(record));
    } catch (error) {
      this.deps.logger.warn(`${name} threw`, { id: record.id, reason: show(nameOfThrown(error)) });
      return undefined;
    }
  }

  private warnOf({ id, task }: BacklogRecord): void {
    if (this.unknownTasks.has(task) || this.unknownTasks.size >= MAX_UNKNOWN_TASKS) return;
    this.unknownTasks.add(task);
    const { target, taskNames = [] } = this.options;
    const didYouMean = task === undefined ? undefined : nearest(task, taskNames);
    this.deps.logger.warn('no task of that name here: its records wait', {
      queue: target.queue,
      task: show(task),
      id,
      ...(didYouMean === undefined ? {} : { didYouMean }),
    });
  }

  /** The context of a change that needs no decision: the record stays in its queue. */
  settleContext(record: BacklogRecord): SettleContext {
    const { target, tickSeconds, retention, history, limits } = this.options;
    const { policy, chosen } = this.decidingFor(record);
    return {
      // Whatever queue it names by now: only of this one are the shards known here.
      lane: this.isCurrent ? target.lane : laneFor({ id: record.id, queue: target.queue }, target.shards),
      busyLane: this.deps.guards?.busyKeys?.laneOf(record),
      retryMode: this.retryMode,
      policy,
      chosen,
      now: this.deps.clock.now(),
      tickSeconds,
      random: this.deps.random,
      maxRetryAfter: limits.maxRetryAfter,
      retention,
      history,
    };
  }
}
