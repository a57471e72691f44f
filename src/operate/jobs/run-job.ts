import { setMaxListeners } from 'node:events';
import type { OperatorStore } from '../../store/operator-store.js';
import { type Clock, toIso } from '../../support/clock.js';
import type { Random } from '../../support/random.js';
import { shortened } from '../../support/shortened.js';
import { actionOf } from '../action-of.js';
import type { Action } from '../actions.js';
import { Operation, type OperationHooks } from '../operation.js';
import type { OperationOptions } from '../options.js';
import type { Wanted } from '../pages.js';
import {
  type ActionResult,
  OperationInterruptedError,
  type OperationProgress,
  type OperationResult,
} from '../result.js';
import { wantedOf } from '../wanted.js';
import { hasEnded, statesOf } from './faults.js';
import { JobHold } from './hold.js';
import { expiryOf, type Job, type JobCounts, parseJob } from './job.js';
import { Keeper } from './keeper.js';
import { probeTrouble } from './probe.js';
import { ChangedRecords, undoAction } from './undo.js';

/** Options of a process that works on a job. All optional. */
export interface JobRunOptions {
  /** Stops the job after the writes at hand. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the work of this process after the writes at hand. The job stays at work, for another process to take over. */
  readonly leave?: AbortSignal | undefined;
  /** Called after each page with the counts since this process is at work on it. */
  readonly onProgress?: ((progress: OperationProgress) => void) | undefined;
  /** Called when DynamoDB throttles, or does not answer. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

/** The end of a process's work on a job. */
export interface JobOutcome {
  /** The job as it is now. */
  readonly job: Job;
  /** The changes of this process, and their cost. */
  readonly result: ActionResult;
}

interface JobRunDeps {
  readonly store: OperatorStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly patiently: <Answer>(request: () => Promise<Answer>) => Promise<Answer>;
  readonly checkRegion: () => Promise<void>;
}

type Keep = NonNullable<OperationHooks['keep']>;

/** The records to change: so many of them, or these. */
interface Part {
  readonly limit?: number | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** Failures that a job's item has room for. */
const MAX_FAILURES = 10;
const MAX_REASON = 300;
/** Real time between two looks whether an armed job may begin. */
const LOOK_MS = 30_000;

/** The end of a job, for its item. */
interface End {
  readonly state: 'stopped' | 'done' | 'cancelled';
  readonly why?: string;
  readonly probed?: readonly string[];
}

const INTERRUPTED: End = { state: 'stopped', why: 'interrupted' };

/** Works on a job that this process holds: waits if it is armed, tries a probe, and changes the rest. */
export class JobRun {
  private readonly hold: JobHold;
  private readonly keeper: Keeper;
  private readonly signal: AbortSignal;
  private counts: JobCounts;
  private result: OperationResult | undefined;

  constructor(
    private readonly job: Job,
    private readonly options: JobRunOptions,
    private readonly deps: JobRunDeps,
  ) {
    const { store, clock, random, patiently } = deps;
    const { jobs } = store;
    this.counts = job.counts;
    this.keeper = new Keeper(job.id, job.pages, { jobs, now: () => clock.now(), patiently });
    this.hold = new JobHold(job, { jobs, clock, random }, () => ({
      counts: this.counts,
      pages: this.keeper.pages,
    }));
    const { signal, leave } = options;
    this.signal = AbortSignal.any([this.hold.signal, ...[signal, leave].filter((one) => one !== undefined)]);
    setMaxListeners(0, this.signal);
  }

  /** Works until the end, or until it is stopped. `result` is what this process has done. */
  async work(): Promise<{ readonly job: Job; readonly result: OperationResult | undefined }> {
    this.hold.start();
    let end: End;
    try {
      end = (await this.waitUntilBack()) ?? (await this.change());
    } catch (error) {
      if (error instanceof OperationInterruptedError) this.add(error.result);
      const message = error instanceof Error ? error.message : String(error);
      end = this.signal.aborted ? INTERRUPTED : { state: 'stopped', why: shortened(message, MAX_REASON) };
    }
    const { store, clock, patiently } = this.deps;
    const now = clock.now();
    const { signal, leave } = this.options;
    const isLeft = leave?.aborted === true && !signal?.aborted && end.why === INTERRUPTED.why;
    const ended = isLeft ? {} : { endedAt: toIso(now), expiresAt: expiryOf(now), ...end };
    const written = await patiently(() => this.hold.end(ended));
    const job = parseJob(written) ?? parseJob(await patiently(() => store.jobs.read(this.job.id)));
    return { job: job ?? this.job, result: this.result };
  }

  /** Waits until the queues of an armed job work again. Undefined: it may begin. */
  private async waitUntilBack(): Promise<End | undefined> {
    const { state, armedUntil = '' } = this.job;
    const { clock } = this.deps;
    if (state !== 'armed') return undefined;
    for (;;) {
      if (this.signal.aborted) return { ...INTERRUPTED, state: 'cancelled' };
      if (await this.isBack()) break;
      if (clock.now() >= Date.parse(armedUntil)) {
        return {
          state: 'cancelled',
          why: `given up: not back by ${armedUntil.slice(0, 16).replace('T', ' ')} UTC`,
        };
      }
      await clock.sleep(LOOK_MS, this.signal);
    }
    const isBegun = await this.hold.set({ state: 'running', startedAt: toIso(clock.now()) });
    return isBegun ? undefined : { state: 'stopped' };
  }

  private async isBack(): Promise<boolean> {
    const { which, armedFor } = this.job;
    const states = await statesOf(which, this.deps);
    return states.every((state) => hasEnded(state, armedFor, this.deps.clock.now()));
  }

  private async change(): Promise<End> {
    const { job } = this;
    if (job.probe !== undefined && !job.probePassed) {
      const end = await this.tryProbe(job.probe);
      if (end) return end;
    }
    const { ended } = await this.operate({ limit: job.limit });
    if (ended === 'complete') return { state: 'done' };
    return ended === 'limit'
      ? { state: 'stopped', why: `the limit of ${job.limit} is reached` }
      : INTERRUPTED;
  }

  /**
   * Tries a few records first: those of the process before, if it was lost, so that no more of them fail than was meant.
   * Undefined: all have succeeded, and the others may follow.
   */
  private async tryProbe(size: number): Promise<End | undefined> {
    const { deps, signal } = this;
    const { probed = [], startedAt } = this.job;
    const since = startedAt === undefined ? deps.clock.now() : Date.parse(startedAt);
    const isAgain = probed.length > 0;
    const { ended, examples } = isAgain
      ? await this.operate({ ids: probed })
      : await this.operate({ limit: size }, this.keepingIds());
    const ids = isAgain ? probed : examples;
    const trouble = ids.length === 0 ? undefined : await probeTrouble(ids, since, { ...deps, signal });
    if (signal.aborted) return INTERRUPTED;
    // Another try takes others.
    if (trouble !== undefined) return { state: 'stopped', why: trouble, probed: [] };
    if (ended === 'complete' && !isAgain) return { state: 'done', probed: [] };
    await this.hold.set({ probePassed: true, probed: [] });
    return undefined;
  }

  /** Keeps changes of a probe for an undo, and its ids for a process that takes it over, before any of them is written. */
  private keepingIds(): Keep {
    const probed = new Set<string>();
    return async (changes) => {
      for (const { record } of changes) probed.add(record.id);
      await this.deps.patiently(() => this.hold.set({ probed: [...probed] }));
      return this.keeper.keep(changes);
    };
  }

  /** Changes all records, or those of a probe. */
  private async operate(
    { limit, ids }: Part,
    keep: Keep = (changes) => this.keeper.keep(changes),
  ): Promise<OperationResult> {
    const { job, deps, signal } = this;
    const { perSecond, startedAt } = job;
    const { onProgress, onTrouble } = this.options;
    const { action, wanted } = this.plan(ids);
    const before = this.counts;
    const options: OperationOptions = {
      ...{ perSecond, limit, signal, onTrouble },
      onProgress: (progress) => {
        this.counts = { ...before, changed: before.changed + progress.changed };
        this.hold.note();
        onProgress?.(progress);
      },
    };
    const since = startedAt === undefined ? deps.clock.now() : Date.parse(startedAt);
    const isUndo = job.action === 'undo';
    const asOf = Date.parse(job.createdAt);
    const hooks = { since, asOf, ...(isUndo ? {} : { keep }) };
    const result = await new Operation(action, wanted, options, deps, hooks).run().catch((error: unknown) => {
      this.counts = before;
      throw error;
    });
    this.counts = before;
    this.add(result);
    return result;
  }

  /** Adds the result of an operation to the counts. */
  private add(result: OperationResult): void {
    const { changed, skipped, failed, failures } = result;
    this.counts = {
      changed: this.counts.changed + changed,
      skipped,
      failed,
      failures: failures
        .slice(0, MAX_FAILURES)
        .map(({ id, reason }) => ({ id, reason: shortened(reason, MAX_REASON) })),
    };
    this.result = this.result ? sumOf(this.result, result) : result;
  }

  private plan(ids?: readonly string[]): { readonly action: Action; readonly wanted: Wanted } {
    const { job, deps } = this;
    const { store, clock, patiently } = deps;
    if (job.action !== 'undo') {
      const { action } = actionOf(job.action, job.options, clock.now());
      const wanted = wantedOf(job.which, action, job.action);
      // Records of a probe that do not match any more are left alone.
      return { action, wanted: ids ? { ...wanted, ids } : wanted };
    }
    const changed = new ChangedRecords(store.jobs, patiently);
    const { job: undone, pages } = job.options;
    const idPages = () => changed.ids(String(undone), Number(pages));
    return { action: undoAction((id) => changed.of(id)), wanted: { idPages } };
  }
}

/** The result of a probe and of the rest. */
function sumOf(one: OperationResult, other: OperationResult): OperationResult {
  return {
    ...other,
    changed: one.changed + other.changed,
    matched: one.matched + other.matched,
    delayed: one.delayed + other.delayed,
    failed: one.failed + other.failed,
    failures: [...one.failures, ...other.failures],
    examples: [...one.examples, ...other.examples].slice(0, 5),
  };
}
