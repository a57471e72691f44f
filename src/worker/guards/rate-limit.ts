import type { BacklogRecord } from '../../record/index.js';
import type { BacklogStore } from '../../store/store.js';
import type { Clock } from '../../support/clock.js';
import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard, Refusal, Turn } from './guard.js';

/** Time for which permits are acquired by one write. Others may have to wait so long for theirs. */
const CHUNK_SECONDS = 5;
/** The longest wait of a first attempt for its permit. Records that would wait longer are indexed instead. */
const MAX_WAIT_MS = 5_000;
/** The longest time ahead for which permits are asked. The pace of all runs is at rest for as long, if the answer is quicker. */
const MAX_LEAD_MS = CHUNK_SECONDS * 1000;
const ADMISSION: Admission = {};

export interface RateLimitDeps {
  readonly queue: string;
  /** Attempts started per second, of all runs of the queue together. */
  readonly perSecond: number;
  /** Real time; no permit is acquired that would be later. */
  readonly latestStart: number;
  /** Ends a wait. */
  readonly stop?: AbortSignal | undefined;
  readonly store: Pick<BacklogStore, 'permits'>;
  readonly clock: Clock;
}

/**
 * Lets attempts start at an even pace, that of the queue: its runs acquire their permits from one place, some at a time, so
 * that no number of them at once passes it. A permit that no run used is lost, never made up for.
 */
export class RateLimit implements Guard {
  private readonly intervalMs: number;
  private readonly chunk: number;
  /** Real time of the next permit that is left, or of the end of the last one. */
  private next = 0;
  private left = 0;
  /** Real time of the last start. */
  private last = Number.NEGATIVE_INFINITY;
  /** The longest time from a request for permits to the first of them. */
  private maxWaitMs = Number.POSITIVE_INFINITY;
  private acquiring: Promise<boolean> | undefined;
  /** Time that the last request for permits took. The next one asks for none that come before its answer. */
  private requestMs = 0;

  constructor(private readonly deps: RateLimitDeps) {
    const { perSecond } = deps;
    this.intervalMs = 1000 / perSecond;
    this.chunk = Math.max(1, Math.floor(perSecond * CHUNK_SECONDS));
  }

  /** Real time of the next permit; before it is acquired, the earliest that it can be. */
  get nextAt(): number {
    this.dropMissed();
    return Math.max(this.next, this.last + this.intervalMs);
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
    const { clock, stop } = this.deps;
    // Others wait beside this one, and may be quicker.
    while (this.missing()) if (!(await this.acquire(attemptsLeft))) return 'late';
    const at = Math.max(this.nextAt, clock.wall());
    if (!isInTime(at)) return 'late';
    this.last = at;
    this.next += this.intervalMs;
    this.left--;
    const waitMs = at - clock.wall();
    if (waitMs > 0) await clock.sleep(waitMs, stop);
    return ADMISSION;
  }

  /**
   * Acquires permits for so many attempts, or for the first of them, unless some are left.
   *
   * @returns whether permits are left. False once the process is to end
   */
  private async acquire(attempts: number): Promise<boolean> {
    while (this.missing()) {
      if (this.deps.stop?.aborted) return false;
      this.acquiring ??= this.acquireMore(attempts).finally(() => {
        this.acquiring = undefined;
      });
      if (!(await this.acquiring)) return false;
    }
    return true;
  }

  private async acquireMore(attempts: number): Promise<boolean> {
    const { store, clock, queue, latestStart } = this.deps;
    const { intervalMs } = this;
    const count = Math.min(Math.max(1, attempts), this.chunk);
    const askedAt = clock.wall();
    const latest = Math.min(latestStart, askedAt + this.maxWaitMs);
    const now = askedAt + Math.min(this.requestMs, MAX_LEAD_MS);
    const first = await store.permits.acquire(queue, { count, intervalMs, now, latest });
    this.requestMs = clock.wall() - askedAt;
    if (first === undefined) {
      // What is known of the next permit: a caller that goes by it must not ask for it again and again.
      this.next = Math.max(this.next, latest);
      return false;
    }
    this.next = first;
    this.left = count;
    return true;
  }

  private missing(): boolean {
    this.dropMissed();
    return this.left === 0;
  }

  /** One is missed when the next one has come, or may be used no sooner than that: a late run does not catch up. */
  private dropMissed(): void {
    if (this.left === 0) return;
    const earliest = Math.max(this.deps.clock.wall(), this.last + this.intervalMs);
    const missed = Math.min(Math.floor((earliest - this.next) / this.intervalMs), this.left);
    if (missed <= 0) return;
    this.left -= missed;
    this.next += missed * this.intervalMs;
  }
}
