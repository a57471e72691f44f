import type { BacklogStore, Cursor, LeaseHold, LeaseState } from '../store/store.js';
import type { Clock } from '../support/clock.js';
import { type Random, randomToken } from '../support/random.js';
import { newHolder } from './names.js';
import { holdMs, isExpired, type RecordsHold, SETTLE_MS } from './timed-hold.js';

const MAX_TRIES = 3;

export type Acquired =
  | {
      readonly held: true;
      /** The place at which an earlier run stopped at a limit. */
      readonly cursor?: Cursor | undefined;
      /** The journal of the previous holder, if that was lost. */
      readonly crashed?: Crashed | undefined;
    }
  /** Another run has the lease. If possible, it was asked to look once more. */
  | { readonly held: false };

/** The journal of a run that was lost. */
export interface Crashed {
  /** Ids in flight when it was lost, and the `rev` that their settles would have written. */
  readonly inFlight: readonly string[];
  readonly rev: string;
  /** Tells whether their attempts had begun for certain. If not, the records may not even have been read. */
  readonly begun: boolean;
}

export interface LeaseDeps {
  readonly store: BacklogStore;
  readonly clock: Clock;
  readonly random: Random;
  /** The function's request id: Lambda reports a death by it. Default: no deaths are reported. */
  readonly invocation?: string | undefined;
}

/** One run's hold on a lane (of a tier). Lasts for one page; every page's journal write renews it. */
export class RunLease implements RecordsHold {
  readonly called = 'lease';
  readonly logged: { readonly lease: string };
  /** The `rev` that the settles of the page in the journal write. */
  rev = '';
  /** Ids that wait for their attempt alone; every write of the journal carries them on. */
  suspects: readonly string[] = [];
  succeededAt: number | undefined;
  /** Tells whether this run has acquired it and not given it back. */
  isHeld = false;
  private readonly holder: string;
  /** The time at which the attempts of the page in the journal must be over. */
  private until = 0;
  /** The time at which the lease runs out: later than `until` if it was renewed for attempts that are not over yet. */
  private heldUntil = 0;
  /** The latest end that was asked for: DynamoDB may have carried out a request whose answer was lost. */
  private askedUntil = 0;
  /** Ids of a journal that no attempt has used yet. */
  private journal: ReadonlySet<string> = new Set();
  /** The journal's mark that the attempts of its ids have begun. */
  private begun: true | undefined;

  constructor(
    private readonly key: string,
    private readonly deps: LeaseDeps,
    private readonly attemptTimeout: number,
  ) {
    this.logged = { lease: key };
    this.holder = newHolder(deps.random, deps.invocation);
  }

  /** Takes the lease with the journal of the first page, or asks its holder to look once more. */
  async acquire(ids: readonly string[]): Promise<Acquired> {
    const { store, clock } = this.deps;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // Suspects are left as they are: the answer names them.
      const hold = { ...this.next(ids), suspects: undefined };
      const answer = await store.leases.hold(this.key, hold);
      if (answer.held) {
        this.holds(hold);
        this.suspects = answer.suspects ?? [];
        this.journal = new Set(ids);
        return { held: true, cursor: answer.cursor };
      }
      if (!answer.lease) continue;
      if (isExpired(answer.lease, clock)) {
        const taken = await this.takeOver(answer.lease);
        if (taken) return taken;
      } else if (await store.leases.wake(this.key, answer.lease.holder)) {
        return { held: false };
      }
    }
    return { held: false };
  }

  /** Adds an id to those that wait for their attempt alone. */
  suspect(id: string): void {
    this.suspects = [...this.suspects, id];
  }

  /** Removes ids from those that wait for their attempt alone. */
  clear(ids: readonly string[]): void {
    this.suspects = this.suspects.filter((suspect) => !ids.includes(suspect));
  }

  /**
   * Journals a page and renews the lease, unless the journal of the acquisition names it already. False: it is not
   * ours any more.
   */
  async journalPage(ids: readonly string[]): Promise<boolean> {
    const isJournalled = ids.every((id) => this.journal.has(id));
    this.journal = new Set();
    return isJournalled || this.write(this.next(ids));
  }

  /**
   * Writes a new journal for ids whose attempts have begun, or begin at once, and renews the lease. False: it is not ours
   * any more.
   */
  async extend(ids: readonly string[]): Promise<boolean> {
    return this.write({ ...this.next(ids), begun: true });
  }

  /**
   * Renews the lease for those of the page that are still in flight, so that no other run attempts them. It begins no
   * further attempts: they would start from what was read long ago. False: it is not ours any more.
   */
  async renew(ids: readonly string[]): Promise<boolean> {
    // The same page: records of it that were settled have its `rev` already.
    const hold = { ...this.next(ids), rev: this.rev, begun: this.begun };
    const { held } = await this.deps.store.leases.hold(this.key, hold);
    this.journal = new Set();
    this.isHeld = held;
    if (held) this.heldUntil = hold.until;
    // No attempt may begin that this journal does not name.
    this.until = 0;
    return held;
  }

  /** An attempt may start, now or later, only if it ends, with its settle, inside the lease. */
  covers(startsAt = 0): boolean {
    const from = Math.max(this.deps.clock.wall(), startsAt);
    return from + this.attemptTimeout * 1000 + SETTLE_MS < this.until;
  }

  /** Returns a check that holds until the lease, as it is now, runs out. Later renewals do not change it. */
  watch(): () => boolean {
    const { heldUntil } = this;
    return () => this.deps.clock.wall() < heldUntil;
  }

  /** Real milliseconds until a run that only waits should renew the lease. */
  renewInMs(): number {
    return Math.max(0, this.leftMs() - 2 * SETTLE_MS);
  }

  leftMs(): number {
    return Math.max(0, this.heldUntil - this.deps.clock.wall());
  }

  /** `woken`: a wake mark was set, and the lease is still held. */
  async release(cursor?: Cursor): Promise<'released' | 'woken' | 'lost'> {
    const { askedUntil: until, suspects, holder, succeededAt } = this;
    const left = { until, cursor, suspects, succeededAt };
    const answer = await this.deps.store.leases.release(this.key, holder, left);
    this.isHeld = answer === 'woken';
    return answer;
  }

  async acknowledgeWake(): Promise<boolean> {
    this.isHeld = await this.deps.store.leases.acknowledgeWake(this.key, this.holder);
    return this.isHeld;
  }

  /** Releases it although other runs ask for it meanwhile: each does so once. */
  async giveBack(cursor?: Cursor): Promise<void> {
    while (this.isHeld) if ((await this.release(cursor)) === 'woken') await this.acknowledgeWake();
  }

  private async write(hold: LeaseHold): Promise<boolean> {
    const { held } = await this.deps.store.leases.hold(this.key, hold);
    this.journal = new Set();
    this.isHeld = held;
    if (held) this.holds(hold);
    return held;
  }

  private async takeOver(lease: LeaseState): Promise<Acquired | undefined> {
    const { holder, until } = this.next([]);
    const taken = await this.deps.store.leases.takeOver(this.key, lease, { holder, until });
    if (!taken) return undefined;
    this.isHeld = true;
    this.until = until;
    this.heldUntil = until;
    this.suspects = [...new Set([...taken.ids, ...taken.suspects])];
    const crashed = { inFlight: taken.ids, rev: taken.rev, begun: taken.begun === true };
    return { held: true, cursor: taken.cursor, crashed };
  }

  private next(ids: readonly string[]): LeaseHold {
    const until = this.deps.clock.wall() + holdMs(this.attemptTimeout);
    this.askedUntil = Math.max(this.askedUntil, until);
    const { holder, suspects, succeededAt } = this;
    return { holder, until, ids, rev: randomToken(this.deps.random), suspects, succeededAt };
  }

  private holds({ until, rev, begun }: LeaseHold): void {
    this.isHeld = true;
    this.until = until;
    this.heldUntil = until;
    this.rev = rev;
    this.begun = begun;
  }
}
