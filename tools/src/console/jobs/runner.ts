import { type Job, type JobOrigin, Jobs, type NewJob, Tables } from 'dynamo-backlog/engine';
import { actionWords, selectionText, stateText } from '../../jobs/job-words.js';
import type { ConsoleDeps } from '../deps.js';

/** The stored jobs, and those that this console works on while its operator looks at other pages. */
export class JobRunner {
  readonly jobs: Jobs;
  private readonly running = new Map<string, AbortController>();

  /** @param onEnd called when a job of this console has ended */
  constructor(
    private readonly deps: Pick<ConsoleDeps, 'backlog' | 'access' | 'onAction'>,
    private readonly onEnd: () => void,
  ) {
    this.jobs = new Jobs(new Tables(deps.backlog));
  }

  /** The operator, for a new job. */
  origin(): JobOrigin {
    return { by: this.deps.access.write ? this.deps.access.as : '', from: 'console' };
  }

  /** Stores a job, and works on it. @throws ConfigurationError for wrong options, or more than fits into an item */
  async begin(made: NewJob): Promise<Job> {
    const job = await this.jobs.create(made, this.origin());
    this.start(job);
    return job;
  }

  /** Works on a job that this process holds, to its end. */
  start(job: Job): void {
    const abort = new AbortController();
    this.running.set(job.id, abort);
    const end = (result: string) => {
      this.running.delete(job.id);
      const text = `${actionWords(job).label}: ${selectionText(job)} (job ${job.id})`;
      this.deps.onAction({ at: new Date().toISOString(), as: this.origin().by, text, result });
      this.onEnd();
    };
    this.jobs.run(job, { signal: abort.signal }).then(
      (ended) => end(stateText(ended.job)),
      (error: unknown) => end(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Stops a job, at once if it is this console's. */
  async stop(id: string): Promise<void> {
    await this.jobs.stop(id, this.origin().by);
    this.running.get(id)?.abort();
  }

  /** Goes on with jobs whose process is gone. */
  async takeOver(jobs: readonly Job[]): Promise<void> {
    if (!this.deps.access.write) return;
    for (const job of jobs) {
      const taken = await this.jobs.takeOver(job);
      if (taken) this.start(taken);
    }
  }
}
