import {
  type Clock,
  isHeld,
  isLost,
  type Job,
  type JobList,
  type JobOrigin,
  Jobs,
  listed,
  type NewJob,
  systemClock,
  Tables,
} from 'dynamo-backlog/engine';
import type { Counts } from 'dynamo-backlog/overview';
import { actionWords, selectionText, stateText } from './job-words.js';
import type { OperatorDeps } from './operator.js';

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

const LEFT = 'the console has ended: the next one goes on with it';
/** Age of counts at which nothing is said of their jobs any more. */
const SEEN_MS = 30_000;
/** Real time between two looks at jobs of other processes. */
const LOOK_MS = 30_000;

/** The stored jobs, and those that a console or `backlog top` works on while its operator looks at other pages. */
export class JobRunner {
  readonly jobs: Jobs;
  private readonly clock: Clock;
  private readonly running = new Map<string, Running>();
  private readonly end = new AbortController();
  /** Called when a job of this console has begun, changed or ended. */
  onChange: () => void = () => {};
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly deps: OperatorDeps,
    private readonly from = 'console',
  ) {
    this.jobs = new Jobs(new Tables(deps.backlog));
    this.clock = deps.backlog.clock ?? systemClock;
  }

  /** The operator, for a new job. */
  origin(): JobOrigin {
    return { by: this.deps.access.write ? this.deps.access.as : '', from: this.from };
  }

  /** Real time, epoch milliseconds. */
  wall(): number {
    return this.clock.wall();
  }

  /** The jobs as the counts of a page have them, at no cost. Those whose process is lost are taken over meanwhile. */
  seen(counts: Pick<Counts, 'jobs' | 'readAt'> | undefined): readonly Job[] {
    const wall = this.wall();
    if (!counts?.jobs || wall - counts.readAt > SEEN_MS) return [];
    const { jobs } = listed(counts.jobs, this.clock.now());
    if (counts.readAt > this.lookedAt && jobs.some((job) => isLost(job, wall))) {
      this.lookedAt = counts.readAt;
      // A page that cannot be written says so itself.
      this.list().catch(() => {});
    }
    return jobs;
  }

  /** All jobs. A console that may write goes on with those whose process is lost. */
  async list(): Promise<JobList> {
    const { jobs, unreadable } = await this.jobs.list();
    if (!this.deps.access.write || this.end.signal.aborted) return { jobs, unreadable };
    const now: Job[] = [];
    for (const job of jobs) {
      const taken = isLost(job, this.wall()) ? await this.jobs.takeOver(job) : undefined;
      if (taken) this.start(taken);
      now.push(taken ?? job);
    }
    return { jobs: now, unreadable };
  }

  /**
   * Goes on with jobs whose process is lost, and waits for those that another process still holds: it may be lost, too. Ends
   * when all jobs have ended, or are this console's.
   */
  async watch(): Promise<void> {
    const { signal } = this.end;
    while (this.deps.access.write && !signal.aborted) {
      // A read that fails now may succeed at the next look.
      const list = await this.list().catch(() => undefined);
      const others = list?.jobs.filter((job) => isHeld(job, this.wall()) && !this.running.has(job.id));
      if (others?.length === 0) return;
      await this.clock.sleep(LOOK_MS, signal);
    }
  }

  /** Stores a job, and works on it. @throws ConfigurationError for wrong options, or more than fits into an item */
  async begin(made: NewJob): Promise<Job> {
    const job = await this.jobs.create(made, this.origin());
    this.start(job);
    return job;
  }

  /** Works on a job that this process holds, to its end, which it returns in words. */
  start(job: Job): Promise<string> {
    const stop = new AbortController();
    const end = (result: string) => {
      this.running.delete(job.id);
      const text = `${actionWords(job).label}: ${selectionText(job)} (job ${job.id})`;
      this.deps.onAction({ at: new Date().toISOString(), as: this.origin().by, text, result });
      this.onChange();
      return `${text}: ${result}`;
    };
    const ended = this.jobs.run(job, { signal: stop.signal, leave: this.end.signal }).then(
      (outcome) => end(isLost(outcome.job, this.wall()) ? LEFT : stateText(outcome.job, this.wall())),
      (error: unknown) => end(error instanceof Error ? error.message : String(error)),
    );
    this.running.set(job.id, { stop, ended });
    this.onChange();
    return ended;
  }

  /** Stops a job, at once if it is this console's. */
  async stop(id: string): Promise<void> {
    await this.jobs.stop(id, this.origin().by);
    this.running.get(id)?.stop.abort();
    this.onChange();
  }

  /** Stops the jobs that this process works on, after the writes at hand. An operator may go on with them. */
  async stopAll(): Promise<void> {
    for (const { stop } of this.running.values()) stop.abort();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** Ends the work on jobs after the writes at hand. They stay at work: the next console takes them over. */
  async leave(): Promise<void> {
    this.end.abort();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }
}
