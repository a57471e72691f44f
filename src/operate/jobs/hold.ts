import type { Item } from '../../record/index.js';
import { isOfStore } from '../../store/errors.js';
import type { JobStore } from '../../store/job-store.js';
import type { Clock } from '../../support/clock.js';
import { type Random, randomToken } from '../../support/random.js';
import type { Job, JobState } from './job.js';

/** Real time after which another process may take a job over whose process does not renew its hold. */
export const JOB_HOLD_MS = 60_000;
/** Real time between two writes of a job that is at work. */
const BEAT_MS = 2_000;

interface HoldDeps {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** The hold of a process on a job: renews it and writes the progress, until it ends or another process has changed the job. */
export class JobHold {
  private readonly over = new AbortController();
  private readonly lost = new AbortController();
  private dirty = false;
  private beating: Promise<void> = Promise.resolve();
  private state: JobState;

  constructor(
    private readonly job: Job,
    private readonly deps: HoldDeps,
    /** The attributes to write with each renewal. */
    private readonly progress: () => Item,
  ) {
    this.state = job.state;
  }

  /** Aborted when the job is not this process's any more: it was stopped, or taken over. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  start(): void {
    this.beating = this.beat();
  }

  /** Has the progress written, with the next renewal. */
  note(): void {
    this.dirty = true;
  }

  /** Writes the end. If the job was stopped meanwhile, it stays so. Undefined: another process has it by now. */
  async end(set: Item): Promise<Item | undefined> {
    this.over.abort();
    await this.beating;
    const remove = ['holder', 'until'];
    const { state } = this;
    return (
      (await this.write({ ...this.progress(), ...set }, { state }, remove)) ??
      this.write(this.progress(), {}, remove)
    );
  }

  /** Writes attributes at once, such as another state. False: the job is not this process's any more. */
  async set(set: Item & { readonly state?: JobState }): Promise<boolean> {
    const { state } = this;
    const isWritten = (await this.write(set, { state })) !== undefined;
    if (isWritten) this.state = set.state ?? state;
    else this.lost.abort();
    return isWritten;
  }

  private async beat(): Promise<void> {
    const { clock } = this.deps;
    let until = this.job.until ?? 0;
    for (;;) {
      await clock.sleep(BEAT_MS, this.over.signal);
      if (this.over.signal.aborted || this.lost.signal.aborted) return;
      const now = clock.wall();
      try {
        if (!this.dirty && until - now > JOB_HOLD_MS / 2) await this.look();
        else if (await this.set({ ...this.progress(), until: now + JOB_HOLD_MS })) {
          this.dirty = false;
          until = now + JOB_HOLD_MS;
        }
      } catch (error) {
        if (!isOfStore(error)) throw error;
        // Tried again a beat later. Once the hold has run out, another process may be at work.
        if (until < clock.wall()) this.lost.abort();
      }
    }
  }

  /** Notices that the job was stopped, or taken over. */
  private async look(): Promise<void> {
    const { id, holder } = this.job;
    const { state } = this;
    const now = await this.deps.jobs.read(id);
    // It may have been this process that has changed it meanwhile.
    if (state === this.state && (now?.holder !== holder || now?.state !== state)) this.lost.abort();
  }

  private write(set: Item, expected: Item, remove: readonly string[] = []): Promise<Item | undefined> {
    const { jobs, random } = this.deps;
    const { id, holder } = this.job;
    const rev = randomToken(random);
    return jobs.change(id, { set: { ...set, rev }, remove, expected: { ...expected, holder } });
  }
}
