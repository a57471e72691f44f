import type { BacklogStore } from '../../store/store.js';
import type { Clock } from '../../support/clock.js';

/** Time for which permits are acquired by one write. Others may have to wait so long for theirs. */
const CHUNK_SECONDS = 5;
/** A permit that is used later than that delays those of other runs. */
const MAX_LATE_MS = 200;
/** The longest time ahead for which permits are asked. The pace of all runs is at rest for as long, if the answer is quicker. */
const MAX_LEAD_MS = CHUNK_SECONDS * 1000;

export interface PaceDeps {
  readonly queue: string;
  /** The short name of the key whose pace it is. Default: it is that of the queue. */
  readonly key?: string | undefined;
  /** Attempts started per second, of all runs of the queue together. */
  readonly perSecond: number;
  /** Ends a wait. */
  readonly stop?: AbortSignal | undefined;
  readonly store: Pick<BacklogStore, 'permits'>;
  readonly clock: Clock;
}

/**
 * The permits of one run: its attempts start at an even pace, that of the queue or of a key. Runs acquire them from one place,
 * some at a time, so that no number of runs at once passes it. A permit that no run used is lost, never made up for.
 */
export class Pace {
  private readonly intervalMs: number;
  private readonly chunk: number;
  /** Real time of the next permit that is left, or of the end of the last one. */
  private next = 0;
  private left = 0;
  /** Real time of the last start. */
  private last = Number.NEGATIVE_INFINITY;
  private acquiring: Promise<boolean> | undefined;
  /** Time that the last request for permits took. The next one asks for none that come before its answer. */
  private requestMs = 0;

  constructor(private readonly deps: PaceDeps) {
    const { perSecond } = deps;
    this.intervalMs = 1000 / perSecond;
    this.chunk = Math.max(1, Math.floor(perSecond * CHUNK_SECONDS));
  }

  /** Real time of the next permit; before it is acquired, the earliest that it can be. */
  get nextAt(): number {
    this.dropMissed();
    return Math.max(this.next, this.last + this.intervalMs);
  }

  /** Tells whether nothing is known that another pace of the same name would not find out. */
  get isIdle(): boolean {
    return !this.acquiring && !this.hasNext && this.nextAt <= this.deps.clock.wall();
  }

  /** Tells whether a permit is left. */
  get hasNext(): boolean {
    this.dropMissed();
    return this.left > 0;
  }

  /**
   * Acquires permits for so many attempts, or for the first of them, unless some are left.
   *
   * @param latest tells the real time that the first of them may have at the latest
   * @returns whether permits are left. False once the process is to end
   */
  async acquire(attempts: number, latest: () => number): Promise<boolean> {
    while (!this.hasNext) {
      if (this.deps.stop?.aborted) return false;
      const isOwn = this.acquiring === undefined;
      this.acquiring ??= this.acquireMore(attempts, latest()).finally(() => {
        this.acquiring = undefined;
      });
      // Another request may have been for an earlier time.
      if (!(await this.acquiring) && isOwn) return false;
    }
    return true;
  }

  /** Uses the next permit, at this real time: when it comes, or later. */
  use(at: number): void {
    this.last = at;
    this.next += this.intervalMs;
    this.left--;
  }

  /** Moves the permits that are left, where the next one is used late: no other run starts an attempt right behind it. */
  async postpone(): Promise<void> {
    if (!this.hasNext) return;
    const { store, clock, queue, key } = this.deps;
    const { next, intervalMs, left } = this;
    const lateMs = clock.wall() - next;
    if (lateMs <= MAX_LATE_MS) return;
    const latest = next + left * intervalMs + 1;
    const ask = { key, count: lateMs / intervalMs, intervalMs, now: clock.wall(), latest };
    const isMoved = (await store.permits.acquire(queue, ask)) !== undefined;
    this.next += isMoved ? lateMs : 0;
    // Other runs have those behind it.
    if (!isMoved) this.left = 0;
  }

  private async acquireMore(attempts: number, latest: number): Promise<boolean> {
    const { store, clock, queue, key } = this.deps;
    const { intervalMs } = this;
    const count = Math.min(Math.max(1, attempts), this.chunk);
    const askedAt = clock.wall();
    const now = askedAt + Math.min(this.requestMs, MAX_LEAD_MS);
    const first = await store.permits.acquire(queue, { key, count, intervalMs, now, latest });
    this.requestMs = clock.wall() - askedAt;
    if (first === undefined) {
      // The next permit, as far as it is known: a caller that goes by it must not ask for it again and again.
      this.next = Math.max(this.next, latest);
      return false;
    }
    this.next = first;
    this.left = count;
    return true;
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
