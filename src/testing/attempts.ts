import { type AttemptOutcome, type BacklogRecord, outcomeOfReturn, outcomeOfThrow } from '../record/index.js';
import { ownCopy } from '../store/memory/freeze.js';
import { type AttemptContext, loadLimits, type Process, type RunOptions } from '../worker/index.js';
import { changedRecord } from './changed-record.js';
import type { Finding } from './findings.js';
import { lostResult } from './lost-result.js';
import { pollutedPrototype } from './polluted-prototype.js';
import { macrotask, realNow, waitReally } from './real-timers.js';
import { unknownTask } from './unknown-task.js';

interface Attempt {
  readonly record: BacklogRecord;
  readonly number: number;
  /** Real time until which virtual time waits for it. */
  waitedForUntil: number;
  isAborted: boolean;
  isReported: boolean;
}

export interface AttemptWatchOptions {
  /** Real time, in milliseconds, that an attempt gets before virtual time goes on. */
  readonly graceMs: number;
  /** Attempts every record that succeeds once more, as if the outcome could not be written. */
  readonly attemptEachTwice: boolean;
}

/** Watches the attempts and middlewares at work: virtual time is frozen for them, as they may do real I/O. */
export class AttemptWatch {
  readonly findings: Finding[] = [];
  /** Attempts that have begun. */
  begun = 0;
  /** Records that were attempted in the present drain: `queue/id`. */
  readonly attempted = new Set<string>();
  private readonly active = new Set<Attempt>();
  private readonly middlewares = new Set<Pick<Attempt, 'waitedForUntil'>>();
  private readonly doneTwice = new Set<string>();
  private readonly reportedChanges = new Set<string>();
  private readonly unknownTasks = new Set<string>();
  private changed = deferred();

  constructor(private readonly options: AttemptWatchOptions) {}

  /** The process, watched. */
  watched(process: Process): Process {
    return async (record, context) => {
      this.begun++;
      this.attempted.add(`${record.queue}/${record.id}`);
      // The handler may change the record that it gets: this copy stays as it was.
      const given = ownCopy(record);
      const attempt = this.enter(given, context);
      const sawResult = (outcome: AttemptOutcome) =>
        this.findings.push(...[lostResult(given, context.attempt, outcome) ?? []].flat());
      try {
        const returned = await this.attempt(process, record, given, context);
        sawResult(outcomeOfReturn(returned));
        return returned;
      } catch (thrown) {
        sawResult(outcomeOfThrow(thrown));
        throw thrown;
      } finally {
        this.reportChanges(given, record, context.attempt);
        this.findings.push(...[pollutedPrototype(given, context.attempt) ?? []].flat());
        this.active.delete(attempt);
        this.notify();
      }
    };
  }

  /** The process with its `prepare`, which may do real I/O as well: a delivery reads its secrets there. */
  preparing(process: Process & { readonly prepare?: unknown }): Process {
    const { prepare } = process;
    if (typeof prepare !== 'function') return process;
    const same: Process = (record, context) => process(record, context);
    return Object.assign(same, {
      prepare: async (options: RunOptions) => {
        const end = this.enterMiddlewares();
        await Promise.resolve(prepare.call(process, options)).finally(end);
      },
    });
  }

  /** Tells a run which records its handler knows, and reports the others, each task once. */
  knowing({ knows, taskNames = [] }: Pick<RunOptions, 'knows' | 'taskNames'>): RunOptions['knows'] {
    if (!knows) return undefined;
    return (record) => {
      const isKnown = knows(record);
      if (!isKnown && !this.isUnknownTask(record)) {
        this.unknownTasks.add(taskKey(record));
        this.findings.push(unknownTask(record, taskNames));
      }
      return isKnown;
    };
  }

  get hasUnknownTasks(): boolean {
    return this.unknownTasks.size > 0;
  }

  /** Tells whether a record's task was met in its queue, and the handler there does not know it. */
  isUnknownTask(record: BacklogRecord): boolean {
    return this.unknownTasks.has(taskKey(record));
  }

  /** Notes that middlewares of a handler, or its `prepare`, are at work. Returns a function that ends that. */
  enterMiddlewares(): () => void {
    const work = { waitedForUntil: realNow() + this.options.graceMs };
    this.middlewares.add(work);
    return () => {
      if (this.middlewares.delete(work)) this.notify();
    };
  }

  /** Settles when all attempts have ended, or had their time: what is left waits for virtual time. */
  readonly settled = async (): Promise<void> => {
    // The code of limits: a run would load it in real time, while virtual time went on.
    await loadLimits();
    await macrotask();
    for (;;) {
      const now = realNow();
      const atWork = [...this.active, ...this.middlewares];
      const most = Math.max(...atWork.map(({ waitedForUntil }) => waitedForUntil));
      if (most <= now) break;
      await waitReally(Math.ceil(most - now), this.changed.promise);
      await macrotask();
    }
    for (const attempt of this.active) if (attempt.isAborted) this.reportIgnored(attempt);
  };

  private enter(record: BacklogRecord, { signal, attempt: number }: AttemptContext): Attempt {
    const { graceMs } = this.options;
    const attempt: Attempt = {
      record,
      number,
      waitedForUntil: realNow() + graceMs,
      isAborted: false,
      isReported: false,
    };
    this.active.add(attempt);
    const abort = () => {
      // What it listens with may be real I/O, too.
      attempt.waitedForUntil = realNow() + graceMs;
      attempt.isAborted = true;
    };
    signal.addEventListener('abort', abort, { once: true });
    return attempt;
  }

  /** @param given as it was before the attempt */
  private async attempt(
    process: Process,
    record: BacklogRecord,
    given: BacklogRecord,
    context: AttemptContext,
  ) {
    const result = await process(record, context);
    const isSuccess = outcomeOfReturn(result).type === 'success';
    if (!this.options.attemptEachTwice || !isSuccess || this.doneTwice.has(given.id)) return result;
    this.doneTwice.add(given.id);
    try {
      return await process(ownCopy(given), context);
    } catch (error) {
      this.reportFailedAgain(given, context.attempt, error);
      throw error;
    }
  }

  private notify(): void {
    const { resolve } = this.changed;
    this.changed = deferred();
    resolve();
  }

  private reportIgnored(attempt: Attempt): void {
    if (attempt.isReported) return;
    attempt.isReported = true;
    const { record, number } = attempt;
    this.findings.push({
      type: 'ignoredSignal',
      id: record.id,
      queue: record.queue,
      attempt: number,
      message:
        `attempt ${number} of the record "${record.id}" (queue "${record.queue}") goes on after its signal was aborted: ` +
        'pass context.signal to what it waits for, such as fetch(url, { signal })',
    });
  }

  private reportChanges(given: BacklogRecord, record: BacklogRecord, attempt: number): void {
    const finding = changedRecord(given, record, attempt);
    if (!finding || this.reportedChanges.has(given.id)) return;
    this.reportedChanges.add(given.id);
    this.findings.push(finding);
  }

  /** Reports a failed attempt of work that was done already. */
  reportFailedAgain(
    { id, queue }: Pick<BacklogRecord, 'id' | 'queue'>,
    attempt: number,
    error: unknown,
  ): void {
    this.findings.push({
      type: 'failedAgain',
      id,
      queue,
      attempt,
      message:
        `the record "${id}" (queue "${queue}") succeeded, and failed when it was attempted again: ${String(error)}. ` +
        'Attempts are at-least-once: the same id again must do no harm',
    });
  }
}

function taskKey({ queue, task }: BacklogRecord): string {
  return JSON.stringify([queue, task]);
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
