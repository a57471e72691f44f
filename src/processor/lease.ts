import type { Clock } from '../clock.js';
import { type Random, randomToken } from '../random.js';
import type { BacklogStore, Cursor, LeaseHold, LeaseState } from '../store/store.js';

/** What the work of one page may take in the worst case, in seconds. */
export const PAGE_SECONDS = 60;
/** Clocks of two machines may differ by this much. */
export const CLOCK_SKEW_MS = 5_000;
/** Between the end of an attempt's time and the end of the lease: time to settle. */
const SETTLE_MS = 5_000;
const MAX_TRIES = 3;

export type Acquired =
  | { readonly held: true; readonly cursor?: Cursor | undefined; readonly inherited: Inherited }
  /** Its holder was asked to look once more. */
  | { readonly held: false; readonly holderEnds?: number | undefined };

/** What an earlier run left undecided. */
export interface Inherited {
  /** Ids under attempt when it was lost, and the `rev` that their settles would have written. */
  readonly inFlight: readonly string[];
  readonly rev: string | undefined;
  /** Whether their attempts had begun for certain: they may not even have been read. */
  readonly begun: boolean;
  /** Ids that were in flight at an earlier loss, and that still wait for their attempt alone. */
  readonly suspects: readonly string[];
}

/** One run's hold on a lane (of a tier). Lasts for one page; every page's journal write renews it. */
export class RunLease {
  readonly holder: string;
  /** What the settles of the page in the journal write as `rev`. */
  rev = '';
  /** Ids that still wait for their attempt alone; every write of the journal carries them on. */
  suspects: readonly string[] = [];
  /** When the attempts of the page in the journal must be over. */
  private until = 0;
  /** When the lease runs out: later, where it was renewed for those of the page that are not over yet. */
  private heldUntil = 0;
  /** The latest end that was asked for: DynamoDB may have carried out a request whose answer was lost. */
  private askedUntil = 0;
  /** Ids of a journal that no attempt has used yet. */
  private journal: ReadonlySet<string> = new Set();
  /** What the journal says of its attempts. */
  private begun: true | undefined;

  constructor(
    private readonly key: string,
    private readonly store: BacklogStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly attemptTimeout: number,
    /** The function's deadline; real time, epoch milliseconds. */
    private readonly deadline: number,
  ) {
    this.holder = randomToken(random);
  }

  /** Takes the lease with the journal of the first page, or asks its holder to look once more. */
  async acquire(ids: readonly string[]): Promise<Acquired> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // Suspects are left as they are: the answer names them.
      const hold = { ...this.next(ids), suspects: undefined };
      const answer = await this.store.holdLease(this.key, hold);
      if (answer.held) {
        this.holds(hold);
        this.suspects = answer.suspects ?? [];
        this.journal = new Set(ids);
        return {
          held: true,
          cursor: answer.cursor,
          inherited: { inFlight: [], rev: undefined, begun: false, suspects: this.suspects },
        };
      }
      if (!answer.lease) continue;
      if (this.isExpired(answer.lease)) {
        const taken = await this.takeOver(answer.lease);
        if (taken) return taken;
      } else if (await this.store.wakeHolder(this.key, answer.lease.holder)) {
        return { held: false, holderEnds: answer.lease.ends };
      }
    }
    return { held: false };
  }

  /**
   * Journals a page and renews the lease, unless the journal of the acquisition names it already. False: it is not
   * ours any more.
   */
  async journalPage(ids: readonly string[]): Promise<boolean> {
    const journalled = ids.every((id) => this.journal.has(id));
    this.journal = new Set();
    return journalled || this.write(this.next(ids));
  }

  /**
   * Writes a new journal for ids whose attempts have begun, or begin at once, and renews the lease. False: it is not ours
   * any more.
   */
  async hold(ids: readonly string[]): Promise<boolean> {
    return this.write({ ...this.next(ids), begun: true });
  }

  private async write(hold: LeaseHold): Promise<boolean> {
    const answer = await this.store.holdLease(this.key, hold);
    this.journal = new Set();
    if (answer.held) this.holds(hold);
    return answer.held;
  }

  /**
   * Renews the lease for those of the page that are still in flight, so that no other run attempts them. It begins no
   * further attempts: they would start from what was read long ago. False: it is not ours any more.
   */
  async renew(ids: readonly string[]): Promise<boolean> {
    // The same page: records of it that were settled have its `rev` already.
    const hold = { ...this.next(ids), rev: this.rev, begun: this.begun };
    const answer = await this.store.holdLease(this.key, hold);
    if (answer.held) this.heldUntil = hold.until;
    return answer.held;
  }

  /** An attempt may start, now or later, only if it ends, with its settle, inside the lease. */
  coversAttempt(startsAt = 0): boolean {
    const from = Math.max(this.clock.wall(), startsAt);
    return from + this.attemptTimeout * 1000 + SETTLE_MS < this.until;
  }

  /** Tells whether the lease, as it is now, has run out meanwhile, whatever is written from now on. */
  watch(): () => boolean {
    const { until } = this;
    return () => this.clock.wall() < until;
  }

  /** Real milliseconds until a run that only waits should renew the lease. */
  renewInMs(): number {
    return Math.max(0, this.heldUntil - this.clock.wall() - 2 * SETTLE_MS);
  }

  leftMs(): number {
    return Math.max(0, this.heldUntil - this.clock.wall());
  }

  /** `woken`: a wake mark was set, and the lease is still held. */
  async release(cursor: Cursor | undefined): Promise<'released' | 'woken' | 'lost'> {
    const { askedUntil: until, suspects } = this;
    return this.store.releaseLease(this.key, this.holder, { until, cursor, suspects });
  }

  async acknowledgeWake(): Promise<boolean> {
    return this.store.acknowledgeWake(this.key, this.holder);
  }

  private async takeOver(lease: LeaseState): Promise<Acquired | undefined> {
    const { holder, until, ends } = this.next([]);
    const owner = { holder, until, ends };
    const taken = await this.store.takeOverLease(this.key, lease, owner);
    if (!taken) return undefined;
    this.until = owner.until;
    this.heldUntil = owner.until;
    this.suspects = [...new Set([...taken.ids, ...taken.suspects])];
    const inherited = {
      inFlight: taken.ids,
      rev: taken.rev,
      begun: taken.begun === true,
      suspects: taken.suspects,
    };
    return { held: true, cursor: taken.cursor, inherited };
  }

  private isExpired(lease: LeaseState): boolean {
    return this.clock.wall() > lease.until + CLOCK_SKEW_MS;
  }

  private next(ids: readonly string[]): LeaseHold {
    const lengthMs = Math.max(PAGE_SECONDS, this.attemptTimeout) * 1000 + 2 * SETTLE_MS;
    const until = this.clock.wall() + lengthMs;
    this.askedUntil = Math.max(this.askedUntil, until);
    return {
      holder: this.holder,
      until,
      ends: this.deadline,
      ids,
      rev: randomToken(this.random),
      suspects: this.suspects,
    };
  }

  private holds({ until, rev, begun }: LeaseHold): void {
    this.until = until;
    this.heldUntil = until;
    this.rev = rev;
    this.begun = begun;
  }
}
