import type { Clock } from '../../clock.js';
import type { RunSlots } from './slots.js';

/** Between two looks at whether an attempt that waits for others may still start. */
const LOOK_MS = 1_000;

export interface PoolDeps {
  /** Attempts at a time that the run may make, if it is given as many. */
  readonly size: number;
  readonly slots: RunSlots;
  readonly clock: Clock;
}

interface Waiting {
  readonly share: Share;
  readonly go: () => void;
  /** It has been handed what another attempt gave back. */
  isServed: boolean;
}

/**
 * The attempts that one run may have under way at a time, of all lanes that it drains. Each lane has an even share of
 * them, and takes more while the others leave theirs. One is kept for each lane that has none under way: a lane whose
 * attempts ignore their signals must not keep another one from all of its own.
 */
export class Pool {
  private readonly shares = new Set<Share>();
  private waiting: Waiting[] = [];
  private size: number;
  private taken = 0;

  constructor(private readonly deps: PoolDeps) {
    this.size = deps.size;
  }

  /** Adds a lane, and gives its share. */
  join(): Share {
    const share = new Share(this, this.deps.slots);
    this.shares.add(share);
    return share;
  }

  async open(isHandOver: boolean): Promise<boolean> {
    this.size = await this.deps.slots.take(isHandOver);
    return this.size > 0;
  }

  get mostAtOnce(): number {
    return this.size;
  }

  get fairShare(): number {
    return Math.max(1, Math.floor(this.size / Math.max(1, this.shares.size)));
  }

  get mostOfOne(): number {
    return Math.max(this.fairShare, this.size - Math.max(0, this.shares.size - 1));
  }

  close(): Promise<void> {
    return this.deps.slots.release();
  }

  /** Only for shares, as all below. */
  tryTake(share: Share): boolean {
    const isLent = share.inUse >= this.fairShare && this.shares.size > 1;
    if (this.size - this.taken <= (isLent ? this.keptForOthers(share) : 0)) return false;
    this.taken++;
    share.inUse++;
    return true;
  }

  /** Attempts that one lane leaves to the others: one for each lane that has none under way, and at least one. */
  private keptForOthers(share: Share): number {
    const others = [...this.shares].filter((other) => other !== share && other.inUse === 0);
    return Math.max(1, others.length);
  }

  giveBack(share: Share): void {
    this.taken--;
    share.inUse--;
    this.serve();
  }

  leave(share: Share): void {
    this.shares.delete(share);
    this.serve();
  }

  /** True: it has been served, and has what it waited for. */
  async wait(share: Share): Promise<boolean> {
    const { clock } = this.deps;
    const enough = new AbortController();
    const waiting: Waiting = { share, go: () => enough.abort('served'), isServed: false };
    this.waiting.push(waiting);
    await clock.sleep(LOOK_MS, enough.signal);
    this.waiting = this.waiting.filter((other) => other !== waiting);
    return waiting.isServed;
  }

  /** A lane that has less than its share goes before those that have more; among equals, the one that waited longest. */
  private serve(): void {
    const { fairShare } = this;
    const inTurn = [...this.waiting].sort(
      (a, b) => Number(a.share.inUse >= fairShare) - Number(b.share.inUse >= fairShare),
    );
    for (const waiting of inTurn) {
      if (waiting.isServed || !this.tryTake(waiting.share)) continue;
      waiting.isServed = true;
      waiting.go();
    }
  }
}

/** What one lane has of its run's attempts at a time. */
export class Share {
  inUse = 0;
  /** The lane was taken over from a run that has just ended, and gives back its attempts last. */
  isHandOver = false;

  constructor(
    private readonly pool: Pool,
    readonly slots: RunSlots,
  ) {}

  /** Attempts at a time that this lane can count on. */
  get fair(): number {
    return this.pool.fairShare;
  }

  /** The most attempts that the lane can have, while the others leave theirs. */
  get most(): number {
    return this.pool.mostOfOne;
  }

  /**
   * Waits until another attempt may be under way.
   *
   * @param mayStart false: it is too late for that
   * @returns what ends it, as often as it is called; undefined if it was too late
   */
  async take(mayStart: () => boolean): Promise<(() => void) | undefined> {
    while (!this.pool.tryTake(this)) {
      if (await this.pool.wait(this)) break;
      if (!mayStart()) return undefined;
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.pool.giveBack(this);
    };
  }

  /** Takes the run's attempts at a time from those of its queue, if no other lane has. False: there are none. */
  open(): Promise<boolean> {
    return this.pool.open(this.isHandOver);
  }

  leave(): void {
    this.pool.leave(this);
  }
}
