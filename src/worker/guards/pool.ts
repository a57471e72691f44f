import type { BacklogRecord } from '../../record/index.js';
import type { Clock } from '../../support/clock.js';
import { MAX_PAGE_RECORDS } from '../capacity.js';
import type { StopReason } from '../stop-reason.js';
import type { Admission, Guard, Turn } from './guard.js';
import type { RunSlots } from './slots.js';

/** Time between two checks of whether an attempt that waits for others may still start. */
const LOOK_MS = 1_000;
/** Time for a page of a busy key: many of them share the attempts, and pages of a few records would cost a journal each. */
const BUSY_PAGE_SECONDS = 20;

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
  /** Seconds for which a page may last, by the pace of the one before. Default: 5. */
  readonly pageSeconds?: number | undefined;
  /** It is the lane of a busy key. Default: a lane of the queue. */
  readonly isBusyLane?: boolean | undefined;
}

interface Waiting {
  readonly share: Share;
  /** The place in the order of those that wait: it is kept while an attempt looks at its time. */
  readonly place: number;
  /** Hands it what another attempt gave back. */
  readonly serve: () => void;
}

/**
 * The attempts that one run may have under way at a time, of all lanes that it drains. Each lane has an even share of
 * them, and takes more while the others leave theirs. One is kept for each lane that has none under way: a lane whose
 * attempts ignore their signals must not keep another one from all of its own.
 *
 * Lanes of busy keys come behind those of the queue, and take turns. They leave one attempt to these, and these leave one to
 * them.
 */
export class Pool {
  private readonly lanes = new Set<Share>();
  /** The lanes of busy keys. */
  private readonly busy = new Set<Share>();
  /** The attempts that each has under way, those included that go on after their lane has left. */
  private readonly inUse = new Map<Share, number>();
  private waiting: Waiting[] = [];
  private places = 0;
  /** The latest attempt is one of a busy key. */
  private lastIsBusy = false;
  private size: number;
  /** Attempts of all lanes that go on without the run. */
  private long = 0;

  constructor(private readonly deps: PoolDeps) {
    this.size = deps.size;
  }

  /**
   * Adds a lane, and gives its share.
   *
   * @param isBusy it is the lane of a busy key
   */
  join(isBusy = false): Share {
    const share = new Share(this, this.deps.slots);
    this.lanes.add(share);
    if (isBusy) this.busy.add(share);
    return share;
  }

  async open(inserted: number | undefined): Promise<boolean> {
    const { slots, size } = this.deps;
    this.size = slots ? await slots.take(inserted) : size;
    return this.size > 0;
  }

  /** Takes more of the attempts of its queue, if it has less than its part. */
  async prepare(): Promise<void> {
    const { slots } = this.deps;
    if (!slots) return;
    await slots.ensure();
    this.size = await slots.takeMore();
  }

  isBusy(share: Share): boolean {
    return this.busy.has(share);
  }

  get mostAtOnce(): number {
    return this.size;
  }

  fairShareOf(share: Share): number {
    const { lanes, busy, size } = this;
    // All lanes of busy keys together are as one beside the queue's own, with one attempt.
    const [among, left] =
      busy.has(share) || busy.size === 0 ? [lanes.size, size] : [lanes.size - busy.size, size - 1];
    return Math.max(1, Math.floor(left / Math.max(1, among)));
  }

  mostOf(share: Share): number {
    const { lanes, busy, size } = this;
    const others = lanes.size - (busy.has(share) || busy.size === 0 ? 0 : busy.size - 1) - 1;
    return Math.max(this.fairShareOf(share), size - Math.max(0, others));
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
    const isLent = this.used(share) >= this.fairShareOf(share) && this.lanes.size > 1;
    const kept = isLent ? this.keptForOthers(share) : 0;
    if (free <= (this.busy.size > 0 ? this.keptBesideBusy(share, kept) : kept)) return false;
    this.inUse.set(share, this.used(share) + 1);
    this.lastIsBusy = this.busy.has(share);
    return true;
  }

  /** Attempts that one lane leaves to the others: one for each lane that has none under way, and at least one. */
  private keptForOthers(share: Share): number {
    const others = [...this.lanes].filter((other) => other !== share && this.used(other) === 0);
    return Math.max(1, others.length);
  }

  /**
   * One for the lanes of the other kind, if these have none under way. A lane of the queue also leaves one to each of the others of it
   * that have none.
   */
  private keptBesideBusy(share: Share, kept: number): number {
    const isBusy = this.busy.has(share);
    const others = [...this.lanes].filter((other) => this.busy.has(other) !== isBusy);
    const isOne = others.length > 0 && this.size > 1 && others.every((other) => this.used(other) === 0);
    const one = isOne ? 1 : 0;
    if (isBusy || kept === 0) return Math.max(one, kept);
    const own = [...this.lanes].filter((other) => other !== share && !this.busy.has(other));
    return one + own.filter((other) => this.used(other) === 0).length;
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
    this.busy.delete(share);
    this.serve();
  }

  /** The place of an attempt that is about to wait. */
  takePlace(): number {
    return this.places++;
  }

  /** True: it has been served, and has what it waited for. */
  async wait(share: Share, place: number): Promise<boolean> {
    const served = new AbortController();
    const waiting: Waiting = { share, place, serve: () => served.abort('served') };
    this.waiting.push(waiting);
    await this.deps.clock.sleep(LOOK_MS, served.signal);
    this.waiting = this.waiting.filter((other) => other !== waiting);
    return served.signal.aborted;
  }

  /**
   * The queue's own lanes go first; of a single attempt at a time, every other one is theirs. Of two of a kind, one that has less than
   * its share goes before one that has more; among equals, the one that waited longest.
   */
  private serve(): void {
    const isTurnOfBusy = this.size === 1 && !this.lastIsBusy;
    const rank = ({ share }: Waiting) =>
      Number(this.used(share) >= this.fairShareOf(share)) + (this.busy.has(share) === isTurnOfBusy ? 0 : 2);
    const inTurn = [...this.waiting].sort((a, b) => rank(a) - rank(b) || a.place - b.place);
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
    return this.pool.fairShareOf(this);
  }

  get most(): number {
    return Math.min(this.pool.mostOf(this), MAX_PAGE_RECORDS);
  }

  get isBusyLane(): boolean {
    return this.pool.isBusy(this);
  }

  get pageSeconds(): number | undefined {
    return this.isBusyLane ? BUSY_PAGE_SECONDS : undefined;
  }

  /** Takes the run's attempts at a time from those of its queue, if no other lane has. */
  async open(inserted?: number): Promise<StopReason | undefined> {
    return (await this.pool.open(inserted)) ? undefined : 'concurrencyLimited';
  }

  async prepare(): Promise<void> {
    await this.pool.prepare();
  }

  stopReason(): StopReason | undefined {
    return this.slots?.areLost ? 'concurrencyLimited' : undefined;
  }

  covers(): boolean {
    return this.slots?.covers() ?? true;
  }

  /** Waits until another attempt may be under way. */
  async enter(_: BacklogRecord, { mayBegin }: Turn): Promise<Admission | 'late'> {
    const place = this.pool.takePlace();
    while (!this.pool.tryTake(this)) {
      if (await this.pool.wait(this, place)) break;
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
