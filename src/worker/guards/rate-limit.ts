import type { BacklogRecord } from '../../record/index.js';
import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard, Refusal, Turn } from './guard.js';
import { Pace, type PaceDeps } from './pace.js';

/** The longest wait of a first attempt for its permit. Records that would wait longer are indexed instead. */
const MAX_WAIT_MS = 5_000;

export interface RateLimitDeps extends Omit<PaceDeps, 'key'> {
  /** Real time; no permit is acquired that would be later. */
  readonly latestStart: number;
}

/** Lets the attempts of a queue start at an even pace, in all of its runs together. */
export class RateLimit implements Guard {
  private readonly pace: Pace;
  /** Real time of the last start: later than its permit, where another guard has waited behind this one. */
  private lastStart = Number.NEGATIVE_INFINITY;
  /** The longest time from a request for permits to the first of them. */
  private maxWaitMs = Number.POSITIVE_INFINITY;

  constructor(private readonly deps: RateLimitDeps) {
    this.pace = new Pace(deps);
  }

  /** See `Pace.nextAt`. */
  get nextAt(): number {
    return this.pace.nextAt;
  }

  async open(inserted?: number): Promise<StopReason | undefined> {
    // Lanes that a run drains behind its arrivals wait as those of a rule do.
    this.maxWaitMs = inserted === undefined ? Number.POSITIVE_INFINITY : MAX_WAIT_MS;
    if (inserted === undefined || (await this.acquire(inserted))) return undefined;
    return 'rateLimited';
  }

  async prepare(attempts: number): Promise<void> {
    await this.acquire(attempts);
  }

  /** Uses the next permit, and resolves when it comes. A permit that comes too late is not used. */
  async enter(_: BacklogRecord, { attemptsLeft, isInTime }: Turn): Promise<Admission | Refusal> {
    const { pace } = this;
    const { clock, stop } = this.deps;
    // Others wait beside this one, and may be quicker.
    while (!pace.hasNext) if (!(await this.acquire(attemptsLeft))) return 'late';
    const at = Math.max(pace.nextAt, clock.wall());
    if (!isInTime(at)) return 'late';
    pace.use(at);
    const waitMs = at - clock.wall();
    if (waitMs > 0) await clock.sleep(waitMs, stop);
    return { holds: () => this.start() };
  }

  /** Waits until an attempt may start behind the last one. */
  private async start(): Promise<true> {
    const { clock, stop, perSecond } = this.deps;
    const now = clock.wall();
    // The start is noted before the wait: other attempts may come meanwhile.
    this.lastStart = Math.max(now, this.lastStart + 1000 / perSecond);
    if (this.lastStart > now) await clock.sleep(this.lastStart - now, stop);
    return true;
  }

  private acquire(attempts: number): Promise<boolean> {
    const { latestStart, clock } = this.deps;
    return this.pace.acquire(attempts, () => Math.min(latestStart, clock.wall() + this.maxWaitMs));
  }
}
