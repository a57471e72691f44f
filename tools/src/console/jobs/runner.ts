import {
  isHeld,
  isLost,
  type Job,
  type JobList,
  type JobOrigin,
  Jobs,
  type NewJob,
  systemClock,
  Tables,
} from 'dynamo-backlog/engine';
import { actionWords, selectionText, stateText } from '../../jobs/job-words.js';
import type { ConsoleDeps } from '../deps.js';

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Real time between two looks at jobs of other processes. */
const LOOK_MS = 30_000;

/** The stored jobs, and those that this console works on while its operator looks at other pages. */
export class JobRunner {
  readonly jobs: Jobs;
  private readonly running = new Map<string, Running>();
  private readonly end = new AbortController();
  /** Called when a job of this console has ended. */
  onEnd: () => void = () => {};

  constructor(private readonly deps: Pick<ConsoleDeps, 'backlog' | 'access' | 'onAction'>) {
    this.jobs = new Jobs(new Tables(deps.backlog));
  }

  /** The operator, for a new job. */
  origin(): JobOrigin {
    return { by: this.deps.access.write ? this.deps.access.as : '', from: 'console' };
  }

  /** Real time, epoch milliseconds. */
  wall(): number {
    return (this.deps.backlog.clock ?? systemClock).wall();
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
      // What cannot be read now may be readable later.
      const list = await this.list().catch(() => undefined);
      const others = list?.jobs.filter((job) => isHeld(job, this.wall()) && !this.running.has(job.id));
      if (others?.length === 0) return;
      await (this.deps.backlog.clock ?? systemClock).sleep(LOOK_MS, signal);
    }
  }

  /** Stores a job, and works on it. @throws ConfigurationError for wrong options, or more than fits into an item */
  async begin(made: NewJob): Promise<Job> {
    const job = await this.jobs.create(made, this.origin());
    this.start(job);
    return job;
  }

  /** Works on a job that this process holds, to its end. */
  start(job: Job): void {
    const stop = new AbortController();
    const end = (result: string) => {
      this.running.delete(job.id);
      const text = `${actionWords(job).label}: ${selectionText(job)} (job ${job.id})`;
      this.deps.onAction({ at: new Date().toISOString(), as: this.origin().by, text, result });
      this.onEnd();
    };
    const ended = this.jobs.run(job, { signal: stop.signal, leave: this.end.signal }).then(
      (outcome) => end(stateText(outcome.job, this.wall())),
      (error: unknown) => end(error instanceof Error ? error.message : String(error)),
    );
    this.running.set(job.id, { stop, ended });
  }

  /** Stops a job, at once if it is this console's. */
  async stop(id: string): Promise<void> {
    await this.jobs.stop(id, this.origin().by);
    this.running.get(id)?.stop.abort();
  }

  /** Ends the work on jobs after the writes at hand. They stay at work: the next console takes them over. */
  async leave(): Promise<void> {
    this.end.abort();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }
}
