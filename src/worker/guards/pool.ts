import type { BacklogRecord } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import { MAX_PAGE_RECORDS } from '../capacity.js';
import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard, Turn } from './guard.js';
import type { RunSlots } from './slots.js';

/** Time between two checks of whether an attempt that waits for others may still start. */
const LOOK_MS = 1_000;

export interface PoolDeps {
  /** Attempts at a time that the run may make, if it is given as many. */
  readonly size: number;
  /** Its part of the attempts of all runs of the queue. Undefined: the queue has no limit for them. */
  readonly slots: RunSlots | undefined;
  readonly clock: Clock;
}

/** The number of attempts that one lane may have under way. */
export interface AtOnce {
  /** The number that it can count on. */
  readonly fair: number;
  /** The most that it can have, while other lanes leave theirs. */
  readonly most: number;
}

interface Waiting {
  readonly share: Share;
  /** Hands it what another attempt gave back. */
  readonly serve: () => void;
}

/**
 * The attempts that one run may have under way at a time, of all lanes that it drains. Each lane has an even share of
 * them, and takes more while the others leave theirs. One is kept for each lane that has none under way: a lane whose
 * attempts ignore their signals must not keep another one from all of its own.
 */
export class Pool {
  private readonly lanes = new Set<Share>();
  /** The attempts that each has under way, those included that go on after their lane has left. */
  private readonly inUse = new Map<Share, number>();
  private waiting: Waiting[] = [];
  private size: number;
  /** Attempts of all lanes that go on without the run. */
  private long = 0;

  constructor(private readonly deps: PoolDeps) {
    this.size = deps.size;
  }

  /** Adds a lane, and gives its share. */
  join(): Share {
    const share = new Share(this, this.deps.slots);
    this.lanes.add(share);
    return share;
  }

  async open(): Promise<boolean> {
    const { slots, size } = this.deps;
    this.size = slots ? await slots.take() : size;
    return this.size > 0;
  }

  get mostAtOnce(): number {
    return this.size;
  }

  get fairShare(): number {
    return Math.max(1, Math.floor(this.size / Math.max(1, this.lanes.size)));
  }

  get mostOfOne(): number {
    return Math.max(this.fairShare, this.size - Math.max(0, this.lanes.size - 1));
  }

  /** Tells whether all attempts at once are such as go on without the run: none of them ends soon. */
  get isAllLong(): boolean {
    return this.long >= this.size;
  }

  async close(): Promise<void> {
    await this.deps.slots?.release();
  }

  /** Only for shares, as all below. */
  tryTake(share: Share): boolean {
    const free = [...this.inUse.values()].reduce((left, count) => left - count, this.size);
    const isLent = this.used(share) >= this.fairShare && this.lanes.size > 1;
    if (free <= (isLent ? this.keptForOthers(share) : 0)) return false;
    this.inUse.set(share, this.used(share) + 1);
    return true;
  }

  /** Attempts that one lane leaves to the others: one for each lane that has none under way, and at least one. */
  private keptForOthers(share: Share): number {
    const others = [...this.lanes].filter((other) => other !== share && this.used(other) === 0);
    return Math.max(1, others.length);
  }

  private used(share: Share): number {
    return this.inUse.get(share) ?? 0;
  }

  giveBack(share: Share): void {
    this.inUse.set(share, this.used(share) - 1);
    this.serve();
  }

  addLong(change: 1 | -1): void {
    this.long += change;
  }

  leave(share: Share): void {
    this.lanes.delete(share);
    this.serve();
  }

  /** True: it has been served, and has what it waited for. */
  async wait(share: Share): Promise<boolean> {
    const served = new AbortController();
    const waiting: Waiting = { share, serve: () => served.abort('served') };
    this.waiting.push(waiting);
    await this.deps.clock.sleep(LOOK_MS, served.signal);
    this.waiting = this.waiting.filter((other) => other !== waiting);
    return served.signal.aborted;
  }

  /** A lane that has less than its share goes before those that have more; among equals, the one that waited longest. */
  private serve(): void {
    const hasShare = ({ share }: Waiting) => Number(this.used(share) >= this.fairShare);
    const inTurn = [...this.waiting].sort((a, b) => hasShare(a) - hasShare(b));
    for (const waiting of inTurn) {
      if (!this.tryTake(waiting.share)) continue;
      this.waiting = this.waiting.filter((other) => other !== waiting);
      waiting.serve();
    }
  }
}

/** The part of one lane in its run's attempts at a time. */
export class Share implements AtOnce, Guard {
  /** Attempts of this lane that go on without the run. */
  private long = 0;

  constructor(
    private readonly pool: Pool,
    private readonly slots: RunSlots | undefined,
  ) {}

  get fair(): number {
    return this.pool.fairShare;
  }

  get most(): number {
    return Math.min(this.pool.mostOfOne, MAX_PAGE_RECORDS);
  }

  /** Takes the run's attempts at a time from those of its queue, if no other lane has. */
  async open(): Promise<StopReason | undefined> {
    return (await this.pool.open()) ? undefined : 'concurrencyLimited';
  }

  async prepare(): Promise<void> {
    await this.slots?.ensure();
  }

  stopReason(): StopReason | undefined {
    return this.slots?.areLost ? 'concurrencyLimited' : undefined;
  }

  covers(): boolean {
    return this.slots?.covers() ?? true;
  }

  /** Waits until another attempt may be under way. */
  async enter(_: BacklogRecord, { mayBegin }: Turn): Promise<Admission | 'late'> {
    while (!this.pool.tryTake(this)) {
      if (await this.pool.wait(this)) break;
      if (!mayBegin()) return 'late';
    }
    const giveBack = () => this.pool.giveBack(this);
    return { abandon: giveBack, ended: giveBack };
  }

  /** Tells whether no attempt may begin before one of those ends that go on without the run. */
  get isAllLong(): boolean {
    return this.long >= this.most || this.pool.isAllLong;
  }

  /** Counts an attempt that goes on without the run, or has ended. */
  addLong(change: 1 | -1): void {
    this.long += change;
    this.pool.addLong(change);
  }

  leave(): void {
    this.pool.leave(this);
  }
}
